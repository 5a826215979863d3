/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ordinary benchmark program in C: test-gbench-session runs it with all kinds of flags.
 */
#include <string.h>

#include "faultline/gbench.h"

#define BYTES_MAX 4096

static void copy(struct fl_state *state, void *arg)
{
    static char from[BYTES_MAX], to[BYTES_MAX];
    const int64_t bytes = fl_state_range(state, 0);
    (void)arg;
    FL_FOR_EACH(state)
    {
        memcpy(to, from, (size_t)bytes);
        FL_CLOBBER_MEMORY();
    }
    (void)fl_state_set_bytes_processed(state, fl_state_iterations(state) * bytes);
    (void)fl_state_set_label(state, "a \"label\"");
    fl_state_set_complexity_n(state, bytes);
}

static void fails(struct fl_state *state, void *arg)
{
    (void)arg;
    (void)fl_state_skip_with_error(state, "no \\ such \"file\"");
}

static void by_hand(struct fl_state *state, void *arg)
{
    (void)arg;
    while (fl_state_next(state))
        fl_state_set_iteration_time(state, 0.002);
    (void)fl_state_counter(state, "answer", 42, FL_COUNTER_PLAIN, FL_K_1000);
}

int main(int argc, char **argv)
{
    struct fl_bench *bench = NULL;
    if (fl_bench_register("copy", copy, NULL, &bench))
        return 1;
    fl_bench_arg_names(bench, (const char *const[]){"bytes"}, 1);
    fl_bench_range(bench, 64, BYTES_MAX);
    fl_bench_complexity(bench, FL_O_N);
    if (fl_bench_register("fails", fails, NULL, &bench))
        return 1;
    if (fl_bench_register("by-hand", by_hand, NULL, &bench))
        return 1;
    fl_bench_manual_time(bench);
    fl_bench_unit(bench, FL_MILLISECOND);
    return fl_bench_main(argc, argv);
}
