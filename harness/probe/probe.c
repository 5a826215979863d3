/* SPDX-License-Identifier: Apache-2.0 */
/* The preloaded library's start, its forks, and what it answers. */
#include <errno.h>
#include <pthread.h>

#include "probe-real.h"
#include "probe-record.h"

FL_PROBE_EXPORT int fl_probe_read(unsigned abi, struct fl_probe_totals *out);

int fl_probe_read(unsigned abi, struct fl_probe_totals *out)
{
    if (abi != FL_PROBE_ABI)
        return -EINVAL;
    uint64_t sum[FL_PROBE_EVENTS];
    fl_probe_record_sum(sum);
    *out = (struct fl_probe_totals){
        .mutex_locks = sum[FL_PROBE_LOCKS],
        .mutex_contended = sum[FL_PROBE_CONTENDED],
        .mutex_wait_ns = sum[FL_PROBE_WAIT_NS],
        .malloc_calls = sum[FL_PROBE_MALLOCS],
        .free_calls = sum[FL_PROBE_FREES],
        .malloc_bytes = sum[FL_PROBE_BYTES],
    };
    return 0;
}

/*
 * Looks everything up before main(), so that no look-up falls into a window. The probe counts from
 * its first event on, before or after this.
 */
__attribute__((constructor)) static void start(void)
{
    for (int function = 0; function < FL_REALS; function++)
        fl_real_get((enum fl_real)function);
    struct fl_probe_record *mine = fl_probe_record_mine();
    mine->quiet++;
    pthread_atfork(NULL, NULL, fl_probe_record_after_fork);
    mine->quiet--;
}
