/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level1-rules: how much `rule=calibrated` loses against the better of one thread and the team.
 *
 *   level1-rules SECONDS SEED THREADS WAIT...
 *   level1-rules 60 1 2 spin spin-futex futex
 *
 * Draws cells at random (routine, n, stride, wait policy, gap), opens each kernel on a team of that
 * kind, which calibrates, and then times blocks of calls of one thread and of the team in turns:
 * the medians say which was better. A block is what a window of such calls is: every thread's cache
 * is filled with something else first, and the first calls, which move the vectors and let the team
 * fall asleep or not, are not timed. Prints every cell where the choice loses more than 10 %, with
 * its facts, and how many there were. All in one process, so that what else runs hits both.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "faultline/reals.h"
#include "faultline/registry.h"
#include "level1/level1-kernel.h"

#define ROUNDS    9
#define WARM      8          /* calls in front of a block */
#define FILL      (4u << 20) /* bytes for each thread */
#define BATCH     100e-6
#define CALLS_MAX 500
#define LOSS      1.1

struct bench {
    uint64_t random;
    unsigned threads;
    char **waits;
    unsigned wait_count;
    unsigned char *fill; /* FILL bytes for each thread */
    unsigned cells, losses;
    double calibrating; /* seconds */
};

struct cell {
    const char *kernel, *wait;
    int n, stride;
    double gap;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned draw(struct bench *bench, unsigned below)
{
    bench->random ^= bench->random << 13;
    bench->random ^= bench->random >> 7;
    bench->random ^= bench->random << 17;
    return (unsigned)(bench->random % below);
}

static struct cell draw_cell(struct bench *bench)
{
    static const char *const kernels[] = {"sasum",  "ddot",  "saxpy", "zaxpy",
                                          "isamax", "dcopy", "cdotc", "dsum"};
    static const int strides[] = {1, 2, 4};
    static const int sizes[] = {1000, 4000, 16000, 64000, 150000, 400000, 1000000, 4000000};
    static const double gaps[] = {0, 20e-6, 1e-3};

    return (struct cell){
        .kernel = kernels[draw(bench, 8)],
        .wait = bench->waits[draw(bench, bench->wait_count)],
        .n = sizes[draw(bench, 8)],
        .stride = strides[draw(bench, 3)],
        .gap = gaps[draw(bench, 3)],
    };
}

static void call(struct fl_level1_call *call, bool all)
{
    if (!all)
        fl_level1_call_one(call);
    else if (fl_level1_call_all(call))
        abort();
}

static int fill_cache(void *arg, unsigned thread)
{
    unsigned char *mine = (unsigned char *)arg + (size_t)thread * FILL;

    for (size_t i = 0; i < FILL; i += 64)
        mine[i]++;
    return 0;
}

static void pause_for(double seconds)
{
    const double end = now() + seconds;

    while (now() < end)
        ;
}

static void make_calls(struct fl_level1_call *what, bool all, double gap, unsigned calls)
{
    for (unsigned i = 0; i < calls; i++) {
        call(what, all);
        if (gap > 0)
            pause_for(gap);
    }
}

/* Seconds of a call: the mean of a block, its pauses left out. */
static double sample(struct bench *bench, struct fl_level1_call *what, bool all, double gap,
                     unsigned calls)
{
    double begin, spent = 0;

    if (fl_team_run(what->team, fill_cache, bench->fill))
        abort();
    make_calls(what, all, gap, WARM);
    if (gap == 0) {
        begin = now();
        make_calls(what, all, gap, calls);
        return (now() - begin) / calls;
    }
    for (unsigned i = 0; i < calls; i++) {
        begin = now();
        call(what, all);
        spent += now() - begin;
        pause_for(gap);
    }
    return spent / calls;
}

static void compare(struct bench *bench, const struct cell *cell, struct fl_level1_state *state,
                    const struct fl_facts *facts)
{
    double one[ROUNDS] = {0}, all[ROUNDS] = {0};
    const double pace = sample(bench, &state->call, false, cell->gap, 1) + cell->gap;
    const double calls = BATCH / (pace + 1e-9);
    const unsigned whole = calls > CALLS_MAX ? CALLS_MAX : WARM + (unsigned)calls;

    for (int round = 0; round < ROUNDS; round++) {
        one[round] = sample(bench, &state->call, false, cell->gap, whole);
        all[round] = sample(bench, &state->call, true, cell->gap, whole);
    }
    const double o = fl_reals_median(one, ROUNDS), a = fl_reals_median(all, ROUNDS);
    const double loss = (state->shares ? a : o) / (o < a ? o : a);

    bench->cells++;
    if (loss <= LOSS)
        return;
    bench->losses++;
    printf("%s n=%d stride=%d wait=%s gap=%.0fus: one %.2f us, team %.2f us, took %s, loses %.2f "
           "(wake %s ns, speedup %s, crossover %s of %.0f bytes)\n",
           cell->kernel, cell->n, cell->stride, cell->wait, 1e6 * cell->gap, 1e6 * o, 1e6 * a,
           state->shares ? "the team" : "one", loss, fl_facts_get(facts, "wake-ns"),
           fl_facts_get(facts, "team-speedup"), fl_facts_get(facts, "crossover-bytes"),
           fl_level1_traffic(&state->operands));
}

static int open_team(const struct bench *bench, const struct cell *cell, struct fl_arena *arena,
                     struct fl_team *team, struct fl_err *err)
{
    const struct fl_team_plan plan = {
        .threads = bench->threads,
        .barrier = fl_registry_barrier("grouped"),
        .wait = fl_registry_wait(cell->wait),
        .barrier_options = "",
        .wait_options = fl_registry_options(cell->wait),
        .arena = arena,
    };

    if (!plan.wait)
        return fl_fail(err, -1, "no wait policy '%s'", cell->wait);
    return fl_team_open(team, fl_registry_team("persistent"), &plan, err);
}

static int run_cell(struct bench *bench, const struct cell *drawn, struct fl_err *err)
{
    struct fl_arena arena = {0};
    struct fl_facts facts = {.count = 0};
    struct fl_team team = {0};
    struct fl_cell cell;
    char text[160];
    int rc = open_team(bench, drawn, &arena, &team, err);

    if (rc)
        return rc;
    snprintf(text, sizeof(text), "kernel=%s n=%d stride=%d rule=calibrated threads=%u",
             drawn->kernel, drawn->n, drawn->stride, bench->threads);
    const struct fl_kernel_env env = {.cell = &cell,
                                      .arena = &arena,
                                      .facts = &facts,
                                      .seed = 1,
                                      .team = &team,
                                      .gap = drawn->gap};
    struct fl_level1_state *state = fl_arena_alloc(&arena, sizeof(*state), 128);

    rc = state ? fl_cell_parse(&cell, text, err) : -1;
    const double begin = now();

    if (!rc)
        rc = fl_level1_open(state, &env, err);
    bench->calibrating += now() - begin;
    if (!rc)
        compare(bench, drawn, state, &facts);
    fl_team_close(&team);
    fl_arena_release(&arena);
    return rc;
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    struct fl_err err = {""};
    int rc = 0;

    if (argc >= 5) {
        bench.random = 88172645463325252 + strtoul(argv[2], NULL, 10);
        bench.threads = (unsigned)strtoul(argv[3], NULL, 10);
        bench.waits = argv + 4;
        bench.wait_count = (unsigned)argc - 4;
    }
    if (bench.threads < 2 || bench.threads > FL_TEAM_THREADS_MAX) {
        fprintf(stderr, "usage: level1-rules SECONDS SEED THREADS WAIT...\n");
        return EXIT_FAILURE;
    }
    struct fl_arena arena = {0};
    const double end = now() + strtod(argv[1], NULL);

    bench.fill = fl_arena_alloc(&arena, (size_t)bench.threads * FILL, 64);
    if (!bench.fill)
        rc = fl_fail(&err, -1, "no memory for %u threads", bench.threads);

    while (!rc && now() < end) {
        const struct cell cell = draw_cell(&bench);

        rc = run_cell(&bench, &cell, &err);
    }
    if (rc)
        fprintf(stderr, "%s\n", err.text);
    printf("%u of %u cells lose more than 10 %%; a calibration takes %.0f ms\n", bench.losses,
           bench.cells, 1e3 * bench.calibrating / (bench.cells + !bench.cells));
    fl_arena_release(&arena);
    return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
