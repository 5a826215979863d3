/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantised matvecs against the speed at which the same memory can be read, and against portable C.
 *
 * A round runs every subject once on one thread and once on two: a loop that only reads the weights
 * and sums them up, and the matvec of every instruction set that runs here. Ratios are taken within
 * a round; printed are their medians. The bandwidth is that of the read loop. Time is the processor
 * time of the slower thread, so that another process in between does not count.
 *
 *   bench-matvec [MIB] [COLUMNS]   weights, default 1024; columns, default 4096
 */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "faultline/reals.h"
#include "faultline/registry.h"
#include "model.h"

enum { ROUNDS = 11, TEAMS = 2, SUBJECTS_MAX = 1 + FL_ISA_COUNT, READER = 0 };

#define SMALL_SECONDS 0.01 /* a subject takes at least that long, by repetition */

/* One thread's. */
struct share {
    _Alignas(128) uint64_t sum;
    double seconds;
};

struct bench {
    struct fl_arena arena;
    struct fl_model model;
    struct fl_node_scratch scratch[TEAMS];
    struct fl_team teams[TEAMS];
    const struct fl_team *team;                       /* that runs now */
    const struct fl_q4_micro *subjects[SUBJECTS_MAX]; /* READER: NULL */
    size_t count;
    size_t repeats;
    struct share shares[TEAMS];
    double seconds[SUBJECTS_MAX][TEAMS][ROUNDS];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef uint64_t vector __attribute__((vector_size(32)));

/* Asks as far ahead as the products do, or the loop would read slower than they. */
#if defined(__x86_64__)
__attribute__((target("avx2")))
#endif
static uint64_t
read_lines(const uint8_t *from, const uint8_t *end)
{
    vector a = {0}, b = {0}, c = {0}, d = {0};

    for (; from + 4 * sizeof(vector) <= end; from += 4 * sizeof(vector)) {
        const vector *at = (const vector *)(const void *)from;

        __builtin_prefetch(from + 2048);
        __builtin_prefetch(from + 2048 + 64);
        a += at[0];
        b += at[1];
        c += at[2];
        d += at[3];
    }
    a += b + c + d;
    return a[0] + a[1] + a[2] + a[3];
}

static int read_part(void *arg, unsigned thread)
{
    struct bench *bench = arg;
    const uint8_t *weights = bench->model.nodes->w.nibbles;
    size_t begin, end;

    fl_team_split(bench->model.weight_bytes / 64, thread, bench->team->threads, &begin, &end);
    const double start = now();
    for (size_t i = 0; i < bench->repeats; i++)
        bench->shares[thread].sum += read_lines(weights + 64 * begin, weights + 64 * end);
    bench->shares[thread].seconds = now() - start;
    return 0;
}

struct call {
    struct bench *bench;
    const struct fl_q4_micro *micro;
};

static int multiply_part(void *arg, unsigned thread)
{
    const struct call *call = arg;
    struct bench *bench = call->bench;

    const double start = now();
    for (size_t i = 0; i < bench->repeats; i++)
        fl_node_run(bench->model.nodes, call->micro, &bench->scratch[thread], thread,
                    bench->team->threads);
    bench->shares[thread].seconds = now() - start;
    return 0;
}

static int fill_part(void *arg, unsigned thread)
{
    const struct bench *bench = arg;
    fl_model_fill(&bench->model, 1, thread, bench->team->threads);
    return 0;
}

static int run(struct bench *bench, size_t subject)
{
    struct call call = {bench, bench->subjects[subject]};
    return call.micro ? fl_team_run(bench->team, multiply_part, &call)
                      : fl_team_run(bench->team, read_part, bench);
}

static void time_one(struct bench *bench, size_t subject, unsigned team, int round)
{
    bench->team = &bench->teams[team];
    if (run(bench, subject))
        exit(EXIT_FAILURE);
    double slower = 0;
    for (unsigned thread = 0; thread <= team; thread++)
        slower = fmax(slower, bench->shares[thread].seconds);
    bench->seconds[subject][team][round] = slower / (double)bench->repeats;
}

static void open_team(struct bench *bench, unsigned threads, const unsigned *cpus)
{
    const struct fl_team_plan plan = {
        .threads = threads,
        .cpus = cpus,
        .barrier = fl_registry_barrier("central"),
        .wait = fl_registry_wait("spin-futex"),
        .barrier_options = "",
        .wait_options = "",
        .arena = &bench->arena,
    };
    struct fl_err err = {""};

    if (fl_team_open(&bench->teams[threads - 1], fl_registry_team("persistent"), &plan, &err)) {
        fprintf(stderr, "bench-matvec: %s\n", err.text);
        exit(EXIT_FAILURE);
    }
}

static void open_teams(struct bench *bench)
{
    unsigned cpus[TEAMS] = {0}, found = 0;
    cpu_set_t all;

    sched_getaffinity(0, sizeof(all), &all);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && found < TEAMS; cpu++)
        if (CPU_ISSET(cpu, &all))
            cpus[found++] = cpu;
    if (found < TEAMS) {
        fputs("bench-matvec: needs two processors\n", stderr);
        exit(77);
    }
    for (unsigned threads = 1; threads <= TEAMS; threads++)
        open_team(bench, threads, cpus);
}

static void open_operands(struct bench *bench, size_t mib, size_t cols)
{
    const size_t rows = (mib << 20) / (cols * 18 / 32);
    struct fl_err err = {""};
    int rc = fl_model_open_single(rows, cols, &bench->arena, &bench->model, &err);

    for (int i = 0; i < TEAMS && !rc; i++)
        rc = fl_node_scratch_open(&bench->scratch[i], cols, &bench->arena);
    if (rc) {
        fprintf(stderr, "bench-matvec: %s\n", err.text);
        exit(EXIT_FAILURE);
    }
    fl_model_draw(bench->model.input, cols, 1);
    bench->team = &bench->teams[TEAMS - 1];
    if (fl_team_run(bench->team, fill_part, bench))
        exit(EXIT_FAILURE);
    bench->count = 1;
    for (int i = 0; i < FL_ISA_COUNT; i++)
        if (!fl_isa_probe_dot((enum fl_isa)i, NULL))
            bench->subjects[bench->count++] = fl_q4_micro((enum fl_isa)i);
}

static double median(const double *values)
{
    double sorted[ROUNDS];
    memcpy(sorted, values, sizeof(sorted));
    return fl_reals_median(sorted, ROUNDS);
}

static double ratio(const double *over, const double *under)
{
    double ratios[ROUNDS];
    for (int round = 0; round < ROUNDS; round++)
        ratios[round] = over[round] / under[round];
    return median(ratios);
}

static void print_row(struct bench *bench, size_t subject, unsigned team)
{
    const struct fl_q4_micro *micro = bench->subjects[subject];
    double *seconds = bench->seconds[subject][team];

    printf("%-9s %7u %10.1f %11.2f %11.2f\n", micro ? fl_isa_name(micro->isa) : "read", team + 1,
           1e-9 * (double)bench->model.weight_bytes / median(seconds),
           ratio(bench->seconds[READER][team], seconds),
           ratio(bench->seconds[1 + FL_ISA_PORTABLE][team], seconds));
}

int main(int argc, char **argv)
{
    static struct bench bench;
    const size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 1024;
    const size_t cols = argc > 2 ? strtoul(argv[2], NULL, 10) : 4096;

    if (mib < 1 || cols < FL_Q4_BLOCK || cols % FL_Q4_BLOCK) {
        fputs("usage: bench-matvec [MIB] [COLUMNS, a multiple of 32]\n", stderr);
        return 2;
    }
    open_teams(&bench);
    open_operands(&bench, mib, cols);
    bench.repeats = 1 + (size_t)(SMALL_SECONDS * 10e9 / (double)bench.model.weight_bytes);
    for (int round = 0; round < ROUNDS; round++)
        for (unsigned team = 0; team < TEAMS; team++)
            for (size_t subject = 0; subject < bench.count; subject++)
                time_one(&bench, subject, team, round);
    printf("%-9s %7s %10s %11s %11s\n", "", "threads", "GB/s", "x read", "x portable");
    for (unsigned team = 0; team < TEAMS; team++)
        for (size_t subject = 0; subject < bench.count; subject++)
            print_row(&bench, subject, team);
    for (unsigned team = TEAMS; team-- > 0;)
        fl_team_close(&bench.teams[team]);
    fl_arena_release(&bench.arena);
    return bench.shares[0].sum == 1; /* keeps the sums */
}
