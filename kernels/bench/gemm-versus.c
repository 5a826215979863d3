/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemm-versus: the speed of our products against BLAS libraries, on one thread.
 *
 *   gemm-versus OP ISA ROUNDS BLOCKING N,N,... NAME=LIBRARY...
 *   OPENBLAS_CORETYPE=Haswell gemm-versus dgemm avx2 21 auto 128,192 openblas=libopenblas.so.0
 *
 * Everything runs in this process on the same operands: C = C + A * B, or the lower triangle of
 * C = C + A * A'. A round times every contender once at every n, both in a new random order, each
 * for a few milliseconds of calls. Figures of a row: GFLOP/s (median over rounds) of ours and of
 * each library, and `ratio`: the speed of ours over that of the fastest other, the median of the
 * ratios of a round. Our buffers are allocated once; glibc's thresholds are pinned for the others.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "faultline/arena.h"
#include "faultline/reals.h"
#include "gebp.h"

#define CONTENDERS_MAX 8
#define SIZES_MAX      32
#define ROUNDS_MAX     101
#define WINDOW         3e-3 /* seconds of calls in one sample, at least one call */

typedef void (*gemm_fn)(const char *transa, const char *transb, const int *m, const int *n,
                        const int *k, const void *alpha, const void *a, const int *lda,
                        const void *b, const int *ldb, const void *beta, void *c, const int *ldc);
typedef void (*syrk_fn)(const char *uplo, const char *trans, const int *n, const int *k,
                        const void *alpha, const void *a, const int *lda, const void *beta, void *c,
                        const int *ldc);

/* A symbol of a library; POSIX lets an object pointer carry it. */
union symbol {
    void *object;
    gemm_fn gemm;
    syrk_fn syrk;
};

struct contender {
    const char *name;
    union symbol call; /* object = NULL: ours */
};

struct bench {
    bool single, syrk;
    enum fl_isa isa;
    const char *blocking;
    size_t sizes[SIZES_MAX], size_count;
    struct contender contenders[CONTENDERS_MAX];
    size_t contender_count, rounds;
    void *a, *b, *c, *buffers[2];
    size_t largest;
    uint64_t random;
    double seconds[SIZES_MAX][CONTENDERS_MAX][ROUNDS_MAX]; /* per call */
};

/* Processor time of this thread: what another process takes in between is not counted. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t draw(struct bench *bench)
{
    bench->random ^= bench->random << 13;
    bench->random ^= bench->random >> 7;
    bench->random ^= bench->random << 17;
    return bench->random;
}

static void shuffle(struct bench *bench, size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        const size_t other = draw(bench) % i, held = order[i - 1];

        order[i - 1] = order[other];
        order[other] = held;
    }
}

static int prepare(const struct bench *bench, size_t n, struct fl_product *p)
{
    const struct fl_micro_f64 *f64 = fl_micro_f64(bench->isa);
    const struct fl_micro_f32 *f32 = fl_micro_f32(bench->isa);
    const struct fl_blocking_input input = {
        .m = n,
        .n = n,
        .k = n,
        .syrk = bench->syrk,
        .scalar = bench->single ? sizeof(float) : sizeof(double),
        .l1 = (size_t)sysconf(_SC_LEVEL1_DCACHE_SIZE),
        .l2 = (size_t)sysconf(_SC_LEVEL2_CACHE_SIZE),
        .lanes = bench->single ? f32->lanes : f64->lanes,
        .mr = bench->single ? f32->mr : f64->mr,
        .nr = bench->single ? f32->nr : f64->nr,
    };
    struct fl_err err = {""};

    *p = (struct fl_product){.syrk = bench->syrk,
                             .lower = true,
                             .trans_b = bench->syrk,
                             .m = n,
                             .n = n,
                             .k = n,
                             .lda = n,
                             .ldb = n,
                             .ldc = n,
                             .alpha = 1,
                             .beta = 1,
                             .a = bench->a,
                             .b = bench->syrk ? bench->a : bench->b,
                             .c = bench->c};
    if (fl_blocking_resolve(bench->blocking, &input, &p->blocking, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return -EINVAL;
    }
    return 0;
}

static void call(const struct bench *bench, const struct contender *who, const struct fl_product *p)
{
    const double one = 1;
    const float one_single = 1;
    const void *unit = bench->single ? (const void *)&one_single : (const void *)&one;
    const int n = (int)p->n;

    if (!who->call.object && bench->single)
        fl_gebp_f32(p, fl_micro_f32(bench->isa), bench->buffers);
    else if (!who->call.object)
        fl_gebp_f64(p, fl_micro_f64(bench->isa), bench->buffers);
    else if (bench->syrk)
        who->call.syrk("L", "N", &n, &n, unit, p->a, &n, unit, p->c, &n);
    else
        who->call.gemm("N", "N", &n, &n, &n, unit, p->a, &n, p->b, &n, unit, p->c, &n);
}

/* Seconds per call, over about WINDOW; the first call warms up and says how many these are. */
static double sample(const struct bench *bench, const struct contender *who,
                     const struct fl_product *p)
{
    double start = now();

    call(bench, who, p);
    const long calls = 1 + (long)(WINDOW / (now() - start + 1e-9));

    start = now();
    for (long i = 0; i < calls; i++)
        call(bench, who, p);
    return (now() - start) / (double)calls;
}

static int measure(struct bench *bench)
{
    size_t sizes[SIZES_MAX], order[CONTENDERS_MAX];
    struct fl_product p;

    for (size_t round = 0; round < bench->rounds; round++) {
        shuffle(bench, sizes, bench->size_count);
        for (size_t s = 0; s < bench->size_count; s++) {
            if (prepare(bench, bench->sizes[sizes[s]], &p))
                return -EINVAL;
            shuffle(bench, order, bench->contender_count);
            for (size_t i = 0; i < bench->contender_count; i++)
                bench->seconds[sizes[s]][order[i]][round] =
                    sample(bench, &bench->contenders[order[i]], &p);
        }
    }
    return 0;
}

static double median(const double *values, size_t count)
{
    double sorted[ROUNDS_MAX];

    memcpy(sorted, values, count * sizeof(*values));
    return fl_reals_median(sorted, count);
}

/* Speed of ours over the fastest other's, at one size. */
static double ratio(const struct bench *bench, size_t size)
{
    double least = HUGE_VAL, pairs[ROUNDS_MAX];

    for (size_t i = 1; i < bench->contender_count; i++) {
        for (size_t r = 0; r < bench->rounds; r++)
            pairs[r] = bench->seconds[size][i][r] / bench->seconds[size][0][r];
        least = fmin(least, median(pairs, bench->rounds));
    }
    return least;
}

static void print(const struct bench *bench)
{
    double logs = 0, worst = HUGE_VAL;

    printf("%6s", "n");
    for (size_t i = 0; i < bench->contender_count; i++)
        printf(" %10s", bench->contenders[i].name);
    printf(" %10s\n", "ratio");
    for (size_t s = 0; s < bench->size_count; s++) {
        const double n = (double)bench->sizes[s];
        const double flops = bench->syrk ? n * n * (n + 1) : 2 * n * n * n;
        const double r = ratio(bench, s);

        printf("%6.0f", n);
        for (size_t i = 0; i < bench->contender_count; i++)
            printf(" %10.1f", 1e-9 * flops / median(bench->seconds[s][i], bench->rounds));
        printf(" %10.3f\n", r);
        logs += log(r);
        worst = fmin(worst, r);
    }
    printf("geometric mean %.3f, worst %.3f\n", exp(logs / (double)bench->size_count), worst);
}

static int read_sizes(struct bench *bench, char *list)
{
    for (char *save, *word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        const long n = strtol(word, NULL, 10);

        if (n < 1 || n > 8192 || bench->size_count == SIZES_MAX)
            return -EINVAL;
        bench->sizes[bench->size_count++] = (size_t)n;
        if ((size_t)n > bench->largest)
            bench->largest = (size_t)n;
    }
    return bench->size_count > 0 ? 0 : -EINVAL;
}

static int open_library(struct bench *bench, char *text, const char *op)
{
    char *path = strchr(text, '='), symbol[32];
    void *library;

    if (!path || bench->contender_count == CONTENDERS_MAX)
        return -EINVAL;
    *path++ = '\0';
    snprintf(symbol, sizeof(symbol), "%s_", op);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library || !dlsym(library, symbol)) {
        fprintf(stderr, "cannot open '%s': %s\n", path, dlerror());
        return -ENOENT;
    }
    bench->contenders[bench->contender_count++] =
        (struct contender){.name = text, .call.object = dlsym(library, symbol)};
    return 0;
}

static int fill(struct bench *bench, struct fl_arena *arena)
{
    const size_t count = bench->largest * bench->largest;
    const size_t scalar = bench->single ? sizeof(float) : sizeof(double);
    void **const all[] = {&bench->a, &bench->b, &bench->c, &bench->buffers[0], &bench->buffers[1]};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        *all[i] = fl_arena_alloc(arena, count * scalar, 64);
        if (!*all[i])
            return -ENOMEM;
        for (size_t e = 0; e < count; e++) {
            const double value = (double)(int64_t)draw(bench) * 0x1p-63;

            if (bench->single)
                ((float *)*all[i])[e] = (float)value;
            else
                ((double *)*all[i])[e] = value;
        }
    }
    return 0;
}

static int read_arguments(struct bench *bench, int argc, char **argv)
{
    struct fl_err err = {""};
    int rc = 0;

    if (argc < 7)
        return -EINVAL;
    bench->single = argv[1][0] == 's';
    bench->syrk = strcmp(argv[1] + 1, "syrk") == 0;
    if (fl_isa_choose(argv[2], &bench->isa, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return -EINVAL;
    }
    bench->rounds = strtoul(argv[3], NULL, 10);
    bench->blocking = argv[4];
    bench->contenders[bench->contender_count++] = (struct contender){.name = "ours"};
    if (bench->rounds < 1 || bench->rounds > ROUNDS_MAX || read_sizes(bench, argv[5]))
        return -EINVAL;
    for (int i = 6; i < argc && !rc; i++)
        rc = open_library(bench, argv[i], argv[1]);
    return rc;
}

int main(int argc, char **argv)
{
    static struct bench bench = {.random = 88172645463325252};
    struct fl_arena arena = {0};
    int rc;

    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("BLIS_NUM_THREADS", "1", 1);
    rc = read_arguments(&bench, argc, argv);
    if (rc == -EINVAL)
        fprintf(stderr, "usage: gemm-versus OP ISA ROUNDS BLOCKING N,N,... NAME=LIBRARY...\n");
    if (!rc)
        rc = fill(&bench, &arena);
    if (!rc)
        rc = measure(&bench);
    if (!rc)
        print(&bench);
    fl_arena_release(&arena);
    return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
