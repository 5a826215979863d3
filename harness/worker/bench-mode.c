/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as Google Benchmark cases, named by their keys. */
#include "bench-mode.h"

#include <stdio.h>
#include <string.h>

#include "faultline/gbench.h"
#include "parts.h"

static const char *const cells[] = {
    "kernel=null workspace=null",
    "kernel=null workspace=malloc",
    "kernel=dgemm n=192 workspace=malloc",
    "kernel=dgemm n=192 workspace=thread-local",
    "kernel=sgemm n=192 workspace=thread-local",
    "kernel=dsyrk n=192 workspace=thread-local",
    "kernel=ssyrk n=192 workspace=thread-local",
    "kernel=dgemm n=512 workspace=thread-local",
};

static void set_rates(struct fl_state *state, const struct fl_sample *sample, int64_t calls)
{
    struct fl_cost cost = {0, 0};
    struct fl_err ignored;
    if (sample->kernel->cost(&sample->cell, &cost, &ignored) || cost.flops <= 0)
        return;
    fl_state_counter(state, "FLOPS", cost.flops * (double)calls, FL_COUNTER_RATE, FL_K_1000);
}

static void body(struct fl_state *state, void *arg)
{
    struct fl_sample sample = {.request = {.cell = arg, .seed = 1}};
    struct fl_err err = {.text = ""};
    int rc = fl_cell_parse(&sample.cell, sample.request.cell, &err);
    if (!rc)
        rc = fl_sample_open(&sample, &err);
    if (rc)
        fl_state_skip_with_error(state, err.text);
    FL_FOR_EACH(state)
    rc |= sample.kernel->run(sample.kernel_state, &sample.workspace);
    if (!rc)
        set_rates(state, &sample, fl_state_iterations(state));
    fl_sample_close(&sample);
}

int fl_bench_mode(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        struct fl_bench *bench;
        int rc = fl_bench_register(cells[i], body, (void *)(uintptr_t)cells[i], &bench);
        if (rc) {
            fprintf(stderr, "faultline-worker: cannot register '%s': %s\n", cells[i],
                    strerror(-rc));
            return 1;
        }
        fl_bench_real_time(bench);
    }
    return fl_bench_main(argc, argv);
}
