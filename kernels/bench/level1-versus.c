/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level1-versus: the speed of our level-1 kernels against a BLAS library, on one thread.
 *
 *   level1-versus ISA ROUNDS STRIDE N,N,... LIBRARY [ROUTINE...]
 *   OPENBLAS_CORETYPE=Haswell level1-versus avx2 21 1 1000,10000 libopenblas.so.0 sdot dasum
 *
 * Everything runs in this process on the same vectors. A round times both once, in turns that
 * change, each for about a millisecond of calls. Figures of a row: GB/s of ours and of the library
 * (medians over rounds) and `ratio`, the median of the rounds' ratios of speed. Without routines:
 * all of them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "faultline/arena.h"
#include "faultline/reals.h"
#include "level1/level1-call.h"

#define SIZES_MAX  16
#define ROUNDS_MAX 101
#define WINDOW     1e-3 /* seconds of calls in one sample */

/* Results are ignored, and every routine takes its arguments by address: in this order, those that
 * one does not have left out. A complex result comes back in registers. */
union symbol {
    void *object;
    void (*x)(const int *n, const void *x, const int *incx);
    void (*xy)(const int *n, const void *x, const int *incx, void *y, const int *incy);
    void (*axpy)(const int *n, const void *alpha, const void *x, const int *incx, void *y,
                 const int *incy);
};

struct contest {
    const struct fl_level1_name *name;
    fl_level1_fn ours;
    union symbol theirs;
    struct fl_level1_slice slice;
};

static const char *const all_routines[] = {
    "sasum", "dasum", "scasum", "dzasum", "ssum",   "dsum",   "scsum",  "dzsum",  "scopy",
    "dcopy", "ccopy", "zcopy",  "sdot",   "ddot",   "cdotu",  "cdotc",  "zdotu",  "zdotc",
    "saxpy", "daxpy", "caxpy",  "zaxpy",  "isamax", "idamax", "icamax", "izamax", NULL};

/* Processor time of this thread: what another process takes in between is not counted. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void call_ours(const struct contest *contest)
{
    struct fl_level1_value value = {0};

    contest->ours(&contest->slice, &value);
}

static void call_theirs(const struct contest *contest)
{
    const struct fl_level1_slice *s = &contest->slice;
    const int n = (int)s->n, stride = (int)s->stride_x;
    const float alpha_single[2] = {(float)s->alpha[0], (float)s->alpha[1]};
    const void *alpha = fl_level1_is_single(contest->name->type) ? (const void *)alpha_single
                                                                 : (const void *)s->alpha;

    if (contest->name->routine->op == FL_LEVEL1_AXPY)
        contest->theirs.axpy(&n, alpha, s->x, &stride, s->y, &stride);
    else if (contest->name->routine->has_y)
        contest->theirs.xy(&n, s->x, &stride, s->y, &stride);
    else
        contest->theirs.x(&n, s->x, &stride);
}

static double sample(const struct contest *contest, void (*call)(const struct contest *),
                     long calls)
{
    const double start = now();

    for (long i = 0; i < calls; i++)
        call(contest);
    return (now() - start) / (double)calls;
}

/* Prints a row; returns the ratio. */
static double compare(const struct contest *contest, size_t rounds)
{
    double ours[ROUNDS_MAX] = {0}, theirs[ROUNDS_MAX] = {0}, ratios[ROUNDS_MAX] = {0};
    const double bytes = contest->name->routine->moves * (double)contest->slice.n *
                         (double)fl_level1_bytes(contest->name->type);
    long calls = 1;

    while (sample(contest, call_ours, calls) * (double)calls < WINDOW / 2)
        calls *= 2;
    sample(contest, call_theirs, calls);
    for (size_t r = 0; r < rounds; r++) {
        if (r & 1)
            ours[r] = sample(contest, call_ours, calls);
        theirs[r] = sample(contest, call_theirs, calls);
        if (!(r & 1))
            ours[r] = sample(contest, call_ours, calls);
        ratios[r] = theirs[r] / ours[r];
    }
    const double ratio = fl_reals_median(ratios, rounds);

    printf("%-7s %9zu %8.2f %8.2f %7.3f\n", contest->name->name, contest->slice.n,
           1e-9 * bytes / fl_reals_median(ours, rounds),
           1e-9 * bytes / fl_reals_median(theirs, rounds), ratio);
    return ratio;
}

static size_t read_sizes(char *list, size_t *sizes)
{
    size_t count = 0;

    for (char *save, *word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        const long n = strtol(word, NULL, 10);

        if (n < 1 || n > 1 << 26 || count == SIZES_MAX)
            return 0;
        sizes[count++] = (size_t)n;
    }
    return count;
}

struct bench {
    enum fl_isa isa;
    size_t sizes[SIZES_MAX], size_count, rounds;
    int stride;
    void *library;
};

static int run_size(const struct bench *bench, const struct fl_level1_name *name, size_t n,
                    union symbol theirs, double *ratio)
{
    char text[96];
    struct fl_cell cell;
    struct fl_err err = {""};
    struct fl_arena arena = {0};
    struct fl_level1_operands operands = {0};
    struct contest contest = {.name = name, .theirs = theirs};
    const struct fl_factor n_factor = {.name = "n", .type = FL_FACTOR_INT, .max = 1 << 26};
    const struct fl_factor stride = {
        .name = "stride", .type = FL_FACTOR_INT, .min = -65536, .max = 65536};

    fl_cell_clear(&cell);
    snprintf(text, sizeof(text), "%zu", n);
    int rc = fl_cell_set(&cell, &n_factor, text, &err);
    snprintf(text, sizeof(text), "%d", bench->stride);
    if (!rc)
        rc = fl_cell_set(&cell, &stride, text, &err);
    if (!rc)
        rc = fl_level1_operands_read(name, &cell, &operands, &err);
    if (!rc)
        rc = fl_level1_operands_map(&operands, &arena, 1, &err);
    if (!rc) {
        fl_level1_operands_fill(&operands);
        fl_level1_operands_slice(&operands, &contest.slice);
        contest.ours = fl_level1_set(bench->isa)->ops[name->type][name->routine->op];
        *ratio = compare(&contest, bench->rounds);
    } else {
        fprintf(stderr, "%s\n", err.text);
    }
    fl_arena_release(&arena);
    return rc;
}

static int run(const struct bench *bench, const char *const *routines)
{
    double logs = 0, worst = HUGE_VAL, ratio = 1;
    size_t count = 0;
    int rc = 0;

    printf("%-7s %9s %8s %8s %7s\n", "routine", "n", "ours", "theirs", "ratio");
    for (; *routines && !rc; routines++) {
        const struct fl_level1_name *name = fl_level1_find(*routines);
        char symbol[16];

        snprintf(symbol, sizeof(symbol), "%s_", *routines);
        const union symbol theirs = {.object = dlsym(bench->library, symbol)};

        if (!name || !theirs.object) {
            fprintf(stderr, "no %s here\n", symbol);
            continue;
        }
        for (size_t i = 0; i < bench->size_count && !rc; i++) {
            rc = run_size(bench, name, bench->sizes[i], theirs, &ratio);
            logs += log(ratio);
            worst = fmin(worst, ratio);
            count++;
        }
    }
    printf("geometric mean %.3f, worst %.3f\n", exp(logs / (double)(count + !count)), worst);
    return rc;
}

int main(int argc, char **argv)
{
    const char *chosen[64] = {NULL};
    struct bench bench = {0};
    struct fl_err err = {""};

    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("BLIS_NUM_THREADS", "1", 1);
    if (argc >= 6) {
        bench.rounds = strtoul(argv[2], NULL, 10);
        bench.stride = (int)strtol(argv[3], NULL, 10);
        bench.size_count = read_sizes(argv[4], bench.sizes);
    }
    if (bench.rounds < 1 || bench.rounds > ROUNDS_MAX || bench.size_count == 0) {
        fprintf(stderr, "usage: level1-versus ISA ROUNDS STRIDE N,N,... LIBRARY [ROUTINE...]\n");
        return EXIT_FAILURE;
    }
    for (int i = 6; i < argc && i < 64; i++)
        chosen[i - 6] = argv[i];
    bench.library = dlopen(argv[5], RTLD_NOW | RTLD_LOCAL);
    if (fl_isa_choose(argv[1], &bench.isa, &err) || !bench.library) {
        fprintf(stderr, "%s\n", bench.library ? err.text : dlerror());
        return EXIT_FAILURE;
    }
    return run(&bench, argc > 6 ? chosen : all_routines) ? EXIT_FAILURE : EXIT_SUCCESS;
}
