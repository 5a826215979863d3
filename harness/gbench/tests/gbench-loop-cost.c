/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gbench-loop-cost [ROUNDS]: ns per iteration of our loops and of the C++ ones.
 *
 * All arms call the same opaque function. Every round runs every arm once, starting with another
 * one each time, so that drift hits all alike. Prints the medians and the ratio of each to both C++
 * loops: the median of the ratios within a round.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/gbench.h"
#include "faultline/reals.h"
#include "gbench-loop-cost.h"

#define ITERATIONS 200000
#define ROUNDS_MAX 10001

enum arm { C_NEXT, C_FOR_EACH, CXX_KEEP_RUNNING, CXX_RANGE, ARMS };

static const char *const names[ARMS] = {
    "c fl_state_next",
    "c FL_FOR_EACH",
    "cxx KeepRunning",
    "cxx range",
};

struct table {
    double ns[ARMS][ROUNDS_MAX];
    size_t rounds;
};

static void next_loop(struct fl_state *state, void *arg)
{
    (void)arg;
    while (fl_state_next(state))
        loop_cost_body();
}

static void for_each_loop(struct fl_state *state, void *arg)
{
    (void)arg;
    FL_FOR_EACH(state)
    loop_cost_body();
}

static int register_c(enum arm arm, fl_bench_fn fn)
{
    struct fl_bench *bench = NULL;
    const int rc = fl_bench_register(names[arm], fn, NULL, &bench);
    return rc ? rc : fl_bench_iterations(bench, ITERATIONS);
}

static void keep_time(const struct fl_run *run, void *ns)
{
    *(double *)ns = run->real_ns;
}

static int run_arm(enum arm arm, double *ns)
{
    char filter[64];
    const struct fl_reporter reporter = {NULL, keep_time, NULL, ns};
    snprintf(filter, sizeof(filter), "^%s/", names[arm]);
    return fl_bench_run(filter, &reporter, NULL);
}

static int run_rounds(struct table *table)
{
    for (size_t round = 0; round < table->rounds; round++)
        for (size_t i = 0; i < ARMS; i++) {
            const enum arm arm = (enum arm)((round + i) % ARMS);
            const int rc = run_arm(arm, &table->ns[arm][round]);
            if (rc)
                return rc;
        }
    return 0;
}

static double median(const double *values, size_t count)
{
    double *sorted = malloc(count * sizeof(*sorted));
    if (!sorted)
        abort();
    memcpy(sorted, values, count * sizeof(*sorted));
    const double middle = fl_reals_median(sorted, count);
    free(sorted);
    return middle;
}

static double ratio(const struct table *table, enum arm arm, enum arm base)
{
    static double ratios[ROUNDS_MAX];
    for (size_t i = 0; i < table->rounds; i++)
        ratios[i] = table->ns[arm][i] / table->ns[base][i];
    return median(ratios, table->rounds);
}

static void print_table(const struct table *table)
{
    printf("%-16s %10s %14s %10s\n", "loop", "ns", "/KeepRunning", "/range");
    for (int i = 0; i < ARMS; i++) {
        const enum arm arm = (enum arm)i;
        printf("%-16s %10.3f %14.3f %10.3f\n", names[arm], median(table->ns[arm], table->rounds),
               ratio(table, arm, CXX_KEEP_RUNNING), ratio(table, arm, CXX_RANGE));
    }
}

int main(int argc, char **argv)
{
    static struct table table;
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 201;
    if (rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: %s [ROUNDS]  (1 to %d)\n", argv[0], ROUNDS_MAX);
        return EXIT_FAILURE;
    }
    table.rounds = (size_t)rounds;
    loop_cost_register_cxx(ITERATIONS);
    if (register_c(C_NEXT, next_loop) || register_c(C_FOR_EACH, for_each_loop) ||
        run_rounds(&table))
        return EXIT_FAILURE;
    print_table(&table);
    return EXIT_SUCCESS;
}
