/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a phase of each barrier costs, in multiples of ggml-fixed, libgomp's and the C library's.
 *
 * Two threads on the first two processors of the affinity mask. Each round times every barrier
 * once, one after the other, so that what disturbs the machine disturbs all; ratios are taken
 * within a round, and their medians over the rounds are printed. libgomp's barrier is called by its
 * symbol, from a team of its own that spins (OMP_WAIT_POLICY=active is set before it is loaded).
 *
 *   bench-barriers [POLICY]   default spin; `spin-futex:50us` and the like
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "faultline/reals.h"
#include "faultline/registry.h"

enum { THREADS = 2, ROUNDS = 41, PHASES = 1000, SUBJECTS_MAX = 32 };

struct subject {
    const char *name;
    struct fl_barrier barrier; /* ops NULL: libgomp */
    struct fl_wait wait;
    double ns[ROUNDS];
};

struct bench {
    struct fl_arena arena;
    struct subject subjects[SUBJECTS_MAX];
    size_t count;
    cpu_set_t masks[THREADS];
    const struct subject *current;
    void (*gomp_parallel)(void (*fn)(void *), void *arg, unsigned threads, unsigned flags);
    void (*gomp_barrier)(void);
    int (*gomp_thread)(void);
    double ns; /* of the current subject, by thread 0 */
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void pin(const struct bench *bench, unsigned thread)
{
    pthread_setaffinity_np(pthread_self(), sizeof(cpu_set_t), &bench->masks[thread]);
}

/* A tenth of the phases first, so that everybody is there and the lines are where they will be. */
static void phases(struct bench *bench, unsigned thread)
{
    const struct subject *subject = bench->current;
    double start = 0;
    for (int i = -PHASES / 10; i < PHASES; i++) {
        if (!i)
            start = now_ns();
        if (subject->barrier.ops)
            fl_barrier_arrive(&subject->barrier, thread, NULL);
        else
            bench->gomp_barrier();
    }
    if (!thread)
        bench->ns = (now_ns() - start) / PHASES;
}

static void gomp_body(void *arg)
{
    struct bench *bench = arg;
    unsigned thread = (unsigned)bench->gomp_thread();
    pin(bench, thread);
    phases(bench, thread);
}

static void *partner(void *arg)
{
    pin(arg, 1);
    phases(arg, 1);
    return NULL;
}

static void time_one(struct bench *bench, struct subject *subject, int round)
{
    pthread_t thread;
    bench->current = subject;
    if (!subject->barrier.ops) {
        bench->gomp_parallel(gomp_body, bench, THREADS, 0);
    } else if (!pthread_create(&thread, NULL, partner, bench)) {
        phases(bench, 0);
        pthread_join(thread, NULL);
    }
    subject->ns[round] = bench->ns;
}

static void add(struct bench *bench, const struct fl_barrier_ops *ops, const char *policy)
{
    struct subject *subject = &bench->subjects[bench->count];
    struct fl_barrier_team team = {THREADS, NULL, &bench->arena};
    struct fl_err err = {.text = ""};
    subject->name = ops->part.name;
    policy = ops->own_wait ? "runtime" : policy;
    const struct fl_wait_ops *wait = fl_registry_wait(policy);
    if (!wait ||
        fl_wait_open(&subject->wait, wait, fl_registry_options(policy), &bench->arena, &err) ||
        fl_barrier_open(&subject->barrier, ops, "", &team, &subject->wait, &err)) {
        fprintf(stderr, "bench-barriers: %s: %s\n", ops->part.name, err.text);
        exit(1);
    }
    bench->count++;
}

/* The symbols that compiled OpenMP code calls. */
static void add_libgomp(struct bench *bench)
{
    setenv("OMP_WAIT_POLICY", "active", 1);
    void *library = dlopen("libgomp.so.1", RTLD_NOW);
    if (!library)
        return;
    *(void **)&bench->gomp_parallel = dlsym(library, "GOMP_parallel");
    *(void **)&bench->gomp_barrier = dlsym(library, "GOMP_barrier");
    *(void **)&bench->gomp_thread = dlsym(library, "omp_get_thread_num");
    bench->subjects[bench->count++].name = "libgomp";
}

static double median(const double *values)
{
    double sorted[ROUNDS];
    memcpy(sorted, values, sizeof sorted);
    return fl_reals_median(sorted, ROUNDS);
}

static void print_ratio(const struct bench *bench, const struct subject *subject, const char *name)
{
    double ratio[ROUNDS];
    for (size_t i = 0; i < bench->count; i++) {
        const struct subject *base = &bench->subjects[i];
        if (strcmp(base->name, name))
            continue;
        for (int r = 0; r < ROUNDS; r++)
            ratio[r] = subject->ns[r] / base->ns[r];
        printf(" %12.3f", median(ratio));
        return;
    }
    printf(" %12s", "-");
}

static void choose_processors(struct bench *bench)
{
    cpu_set_t all;
    unsigned found = 0;
    sched_getaffinity(0, sizeof all, &all);
    for (int cpu = 0; cpu < CPU_SETSIZE && found < THREADS; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &bench->masks[found++]);
    if (found < THREADS) {
        fputs("bench-barriers: needs two processors\n", stderr);
        exit(77);
    }
}

int main(int argc, char **argv)
{
    static struct bench bench;
    choose_processors(&bench);
    for (const struct fl_barrier_ops *const *b = fl_registry_barriers(); *b; b++)
        if (strcmp((*b)->part.name, "null") && !(*b)->openmp)
            add(&bench, *b, argc > 1 ? argv[1] : "spin");
    add_libgomp(&bench);
    pin(&bench, 0);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < bench.count; i++)
            time_one(&bench, &bench.subjects[i], round);
    printf("%-20s %10s %12s %12s %12s\n", "barrier", "ns/phase", "/libgomp", "/ggml-fixed",
           "/pthread");
    for (size_t i = 0; i < bench.count; i++) {
        printf("%-20s %10.0f", bench.subjects[i].name, median(bench.subjects[i].ns));
        print_ratio(&bench, &bench.subjects[i], "libgomp");
        print_ratio(&bench, &bench.subjects[i], "ggml-fixed");
        print_ratio(&bench, &bench.subjects[i], "pthread");
        putchar('\n');
    }
    fl_arena_release(&bench.arena);
    return 0;
}
