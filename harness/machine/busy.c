/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/busy.h"

#include <time.h>
#include <unistd.h>

#include "machine/cpu-time.h"

static double monotonic(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double fl_busy_processors(double seconds)
{
    struct fl_cpu_time before, after;
    const struct timespec nap = {(time_t)seconds,
                                 (long)((seconds - (double)(time_t)seconds) * 1e9)};
    double start = monotonic();
    if (fl_cpu_time_read(NULL, FL_CPU_TIME_ALL, &before))
        return 0;
    nanosleep(&nap, NULL);
    if (fl_cpu_time_read(NULL, FL_CPU_TIME_ALL, &after))
        return 0;
    struct fl_cpu_time spent = fl_cpu_time_since(&before, &after);
    double ticks = (double)sysconf(_SC_CLK_TCK) * (monotonic() - start);
    return ticks > 0 ? (double)(spent.busy + spent.steal) / ticks : 0;
}
