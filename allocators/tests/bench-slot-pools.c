/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call through each pool of slots costs from one and from two threads at once, beside
 * `thread-local` and `malloc`.
 *
 * Each round measures every workspace, one after the other, so that what disturbs the machine
 * disturbs all of them; ratios are taken within a round and their medians printed. Two threads are
 * pinned to two processors, begin together, and count until both have ended. The process has two
 * threads even while one calls: glibc locks without atomic operations while there is only one. The
 * body does nothing, or computes for about a microsecond, as a small product does.
 *
 *   bench-slot-pools [SLOTS-OPTIONS]   for example base=48
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "faultline/arena.h"
#include "faultline/reals.h"
#include "faultline/registry.h"

enum { ROUNDS = 41, THREADS = 2, WORK = 1400, REQUESTS = 2 };

static const double slice_ns = 300e3;
static const struct fl_request requests[REQUESTS] = {{8192, 64}, {20480, 64}};

static const char *const names[] = {"malloc",     "thread-local", "slots-mutex", "slots-tls-mutex",
                                    "slots-lock", "slots-hint",   "slots-percpu"};
enum { SUBJECTS = sizeof names / sizeof *names, THREAD_LOCAL = 1, SLOTS_LOCK = 4 };

struct team {
    pthread_t helper;
    sem_t begin, end;
    atomic_int ready;
    bool over;
    int threads;
    const struct fl_workspace *ws;
    fl_body_fn body;
    long calls; /* of each thread */
};

static int nothing(void *arg, void *const *pointers)
{
    __asm__ volatile("" : : "r"(pointers) : "memory");
    return *(int *)arg;
}

/* A chain of multiplications and additions: about a microsecond. */
static int work(void *arg, void *const *pointers)
{
    unsigned long x = (unsigned long)(uintptr_t)pointers;
    for (int i = 0; i < WORK; i++) {
        x = x * 0x9e3779b97f4a7c15u + 1;
        __asm__ volatile("" : "+r"(x));
    }
    return *(int *)arg;
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void call(struct team *team)
{
    int zero = 0, sum = 0;
    atomic_fetch_add(&team->ready, 1);
    while (atomic_load(&team->ready) < team->threads)
        ;
    for (long i = 0; i < team->calls; i++)
        sum += fl_workspace_with(team->ws, requests, REQUESTS, team->body, &zero);
    if (sum)
        exit(2);
}

/* Pins the calling thread to the index-th processor that it may use; less leaves it where it is. */
static void pin(int index)
{
    cpu_set_t mine, one;
    if (sched_getaffinity(0, sizeof mine, &mine) || CPU_COUNT(&mine) < THREADS)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &mine) || index-- > 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}

static void *help(void *arg)
{
    struct team *team = arg;
    pin(1);
    for (;;) {
        sem_wait(&team->begin);
        if (team->over)
            return NULL;
        call(team);
        sem_post(&team->end);
    }
}

/* ns per call of a thread. */
static double measure(struct team *team)
{
    double elapsed = 0;
    atomic_store(&team->ready, 0);
    if (team->threads > 1)
        sem_post(&team->begin);
    /* The helper has to wake: begin only when it is there. */
    while (atomic_load(&team->ready) < team->threads - 1)
        ;
    elapsed -= now_ns();
    call(team);
    if (team->threads > 1)
        sem_wait(&team->end);
    elapsed += now_ns();
    return elapsed / (double)team->calls;
}

/* Of values[.][subject] / values[.][against], or of the values themselves: against negative. */
static double median(double (*values)[SUBJECTS], int subject, int against)
{
    double column[ROUNDS];
    for (int r = 0; r < ROUNDS; r++)
        column[r] = values[r][subject] / (against < 0 ? 1 : values[r][against]);
    return fl_reals_median(column, ROUNDS);
}

static void run(struct team *team, struct fl_workspace *workspaces, const char *what)
{
    static double ns[ROUNDS][SUBJECTS];
    long calls[SUBJECTS];
    for (int s = 0; s < SUBJECTS; s++) {
        team->ws = &workspaces[s];
        team->calls = 64;
        measure(team);
        calls[s] = (long)(slice_ns / measure(team)) + 1;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int s = 0; s < SUBJECTS; s++) {
            team->ws = &workspaces[s];
            team->calls = calls[s];
            ns[round][s] = measure(team);
        }
    for (int s = 0; s < SUBJECTS; s++)
        printf("%7d  %-8s  %-16s %9.2f %13.3f %12.3f\n", team->threads, what, names[s],
               median(ns, s, -1), median(ns, s, THREAD_LOCAL), median(ns, s, SLOTS_LOCK));
}

static int open_all(struct fl_arena *arena, struct fl_workspace *workspaces, const char *options)
{
    struct fl_err err = {""};
    for (int s = 0; s < SUBJECTS; s++) {
        const struct fl_workspace_ops *ops = fl_registry_workspace(names[s]);
        void *state = fl_arena_alloc(arena, ops->part.state_size + 64, 64);
        const char *own = strncmp(names[s], "slots-", 6) || s == 3 ? "" : options;
        if (ops->open(state, requests, REQUESTS, THREADS, own, &err)) {
            fprintf(stderr, "%s: %s\n", names[s], err.text);
            return 1;
        }
        workspaces[s] = (struct fl_workspace){ops, state};
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct fl_arena arena = {0};
    struct fl_workspace workspaces[SUBJECTS];
    struct team team = {.threads = 1};
    if (open_all(&arena, workspaces, argc > 1 ? argv[1] : ""))
        return 2;
    sem_init(&team.begin, 0, 0);
    sem_init(&team.end, 0, 0);
    pthread_create(&team.helper, NULL, help, &team);
    pin(0);
    printf("%7s  %-8s  %-16s %9s %13s %12s\n", "threads", "body", "workspace", "ns a call",
           "/thread-local", "/slots-lock");
    for (team.threads = 1; team.threads <= THREADS; team.threads++) {
        team.body = nothing;
        run(&team, workspaces, "nothing");
        team.body = work;
        run(&team, workspaces, "1 us");
    }
    team.over = true;
    sem_post(&team.begin);
    pthread_join(team.helper, NULL);
    for (int s = 0; s < SUBJECTS; s++)
        workspaces[s].ops->close(workspaces[s].state);
    fl_arena_release(&arena);
    return 0;
}
