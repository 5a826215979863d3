/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counter-cost [ROUNDS]: what counting costs, as the tables of docs/counters.md show it.
 *
 * Runs itself once per case and round, plain and counted in turn, so that a change of the machine
 * hits both. Prints the median over the rounds of each, their difference and the median of the
 * ratios of neighbours.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "faultline/counter.h"
#include "faultline/reals.h"

extern const struct fl_counter_ops fl_counter_rusage, fl_counter_workspace, fl_counter_perf,
    fl_counter_syscalls, fl_counter_probe;

enum { ROUNDS_MAX = 101, LOOPS = 7 };

/* C++ operators under their mangled names: libstdc++'s, which call malloc. */
void *_Znwm(size_t bytes);
void _ZdlPv(void *memory);

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void lock_pair(long times)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (long i = 0; i < times; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

static void malloc_pair(long times)
{
    for (long i = 0; i < times; i++) {
        void *volatile memory = malloc(64);
        free(memory);
    }
}

static void new_pair(long times)
{
    for (long i = 0; i < times; i++) {
        void *volatile memory = _Znwm(64);
        _ZdlPv(memory);
    }
}

static void brk_call(long times)
{
    for (long i = 0; i < times; i++)
        syscall(SYS_brk, 0);
}

static void other_call(long times)
{
    for (long i = 0; i < times; i++)
        syscall(SYS_getppid);
}

struct work {
    const char *name;
    void (*run)(long times);
    long times; /* a few milliseconds, plain */
};

static const struct work works[] = {
    {"lock-unlock", lock_pair, 1000000}, {"malloc-free", malloc_pair, 1000000},
    {"new-delete", new_pair, 1000000},   {"brk", brk_call, 20000},
    {"getppid", other_call, 20000},
};

/* How a child counts: an environment variable, and a counter to open or none. */
struct way {
    const char *name, *variable, *value;
    const struct fl_counter_ops *ops;
    const char *metric;
};

static const struct way ways[] = {
    {"probe", "LD_PRELOAD", PROBE_LIBRARY, NULL, NULL},
    {"tracepoint", "FAULTLINE_SYSCALLS", "tracepoint", &fl_counter_syscalls, "brk-calls"},
    {"ptrace", "FAULTLINE_SYSCALLS", "ptrace", &fl_counter_syscalls, "brk-calls"},
};

/* Rows of the first table. */
static const struct {
    int work, way;
} rows[] = {{0, 0}, {1, 0}, {2, 0}, {3, 1}, {3, 2}, {4, 1}, {4, 2}};

static void *open_counter(const struct fl_counter_ops *ops, const char *metric)
{
    static _Alignas(64) char state[64 * 1024];
    const char *const wanted[] = {metric, NULL};
    const struct fl_counter_env env = {.wanted = wanted};
    struct fl_err err = {""};
    if (ops->part.state_size > sizeof(state) || ops->open(state, &env, &err))
        exit(2);
    ops->start(state);
    ops->stop(state);
    struct fl_reading reading;
    ops->read(state, metric, &reading);
    if (reading.state == FL_READING_UNAVAILABLE)
        exit(3);
    return state;
}

/* Best of a few loops, ns an operation, on stdout. */
static int child(int work, int way)
{
    if (way >= 0 && ways[way].ops)
        open_counter(ways[way].ops, ways[way].metric);
    long times = way == 2 && work == 3 ? works[work].times / 10 : works[work].times;
    double best = 1e30;
    for (int loop = 0; loop < LOOPS; loop++) {
        double begin = now();
        works[work].run(times);
        double each = (now() - begin) / (double)times;
        best = each < best ? each : best;
    }
    printf("%.2f\n", best);
    return 0;
}

/* What a child prints; negative: it could not run. */
static double run_child(int work, int way)
{
    int ends[2], status = 0;
    char text[64] = "";
    if (pipe(ends))
        return -1;
    pid_t pid = fork();
    if (!pid) {
        char task[2][16];
        dup2(ends[1], STDOUT_FILENO);
        snprintf(task[0], sizeof(task[0]), "%d", work);
        snprintf(task[1], sizeof(task[1]), "%d", way);
        if (way >= 0)
            setenv(ways[way].variable, ways[way].value, 1);
        execl("/proc/self/exe", "counter-cost", "child", task[0], task[1], (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    ssize_t length = read(ends[0], text, sizeof(text) - 1);
    close(ends[0]);
    waitpid(pid, &status, 0);
    return length > 0 && !status ? strtod(text, NULL) : -1;
}

static double median(double *values, int count)
{
    return fl_reals_median(values, (size_t)count);
}

static void compare(int work, int way, int rounds)
{
    double plain[ROUNDS_MAX] = {0}, counted[ROUNDS_MAX] = {0}, ratio[ROUNDS_MAX] = {0};
    for (int i = 0; i < rounds; i++) {
        plain[i] = run_child(work, -1);
        counted[i] = run_child(work, way);
        ratio[i] = counted[i] / plain[i];
        if (plain[i] < 0 || counted[i] < 0) {
            printf("%-12s %-11s not to be had here\n", works[work].name, ways[way].name);
            return;
        }
    }
    double before = median(plain, rounds), after = median(counted, rounds);
    printf("%-12s %-11s %9.1f %10.1f %10.1f %8.2f\n", works[work].name, ways[way].name, before,
           after, after - before, median(ratio, rounds));
}

static const struct way edges[] = {
    {"rusage", NULL, NULL, &fl_counter_rusage, "minor-faults"},
    {"workspace", NULL, NULL, &fl_counter_workspace, "rss-growth-bytes"},
    {"perf", NULL, NULL, &fl_counter_perf, "perf:page-faults"},
    {"probe", NULL, NULL, &fl_counter_probe, "malloc-calls"},
    {"tracepoint", "FAULTLINE_SYSCALLS", "tracepoint", &fl_counter_syscalls, "brk-calls"},
    {"ptrace", "FAULTLINE_SYSCALLS", "ptrace", &fl_counter_syscalls, "brk-calls"},
};

/* The last of these leaves a tracer, so each has a process of its own. */
static void edge_cost(const struct way *way)
{
    if (way->variable)
        setenv(way->variable, way->value, 1);
    double begin = now();
    void *state = open_counter(way->ops, way->metric);
    double opened = now();
    enum { TIMES = 200 };
    for (int i = 0; i < TIMES; i++) {
        way->ops->start(state);
        way->ops->stop(state);
    }
    double measured = now();
    way->ops->close(state);
    printf("%-12s %12.3f %16.2f %12.3f\n", way->name, (opened - begin) / 1e6,
           (measured - opened) / TIMES / 1e3, (now() - measured) / 1e6);
    fflush(stdout);
}

static int edge_costs(void)
{
    printf("\n%-12s %12s %16s %12s\n", "counter", "open, ms", "both edges, us", "close, ms");
    fflush(stdout);
    for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
        pid_t pid = fork();
        if (!pid) {
            edge_cost(&edges[i]);
            _exit(0);
        }
        waitpid(pid, NULL, 0);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "child"))
        return child(atoi(argv[2]), atoi(argv[3]));
    if (argc == 2 && !strcmp(argv[1], "edges"))
        return edge_costs();
    int rounds = argc > 1 ? atoi(argv[1]) : 15;
    rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    printf("%-12s %-11s %9s %10s %10s %8s\n", "work", "counted by", "plain, ns", "counted",
           "difference", "ratio");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        compare(rows[i].work, rows[i].way, rounds);
    fflush(stdout);
    /* Under the probe, so that its edges are those of a counting sample. */
    setenv("LD_PRELOAD", PROBE_LIBRARY, 1);
    execl("/proc/self/exe", "counter-cost", "edges", (char *)NULL);
    return 1;
}
