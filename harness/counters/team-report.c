/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counter `team`: what the threads of a team spent on each other, from the team's own statistics,
 * and what the process as a whole took from the machine while it ran.
 *
 * The statistics read clocks around every wait, so they belong to counting samples. The processor
 * time is a few system calls for each thread at each edge and is read in every sample.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "counter-help.h"
#include "tasks.h"

struct team_state {
    struct fl_team *team; /* NULL: the kernel takes none */
    bool wants_cpu, collected;
    int64_t cpu[2], wall[2]; /* at the edges, ns */
};

/* Those up to RMWS_PER_PHASE are about phases of the team's barrier. */
enum { BARRIER_TIME, BARRIER_SHARE, RMWS_PER_PHASE, SLEEPS, WAKE_UPS, IMBALANCE, CPU_PER_WALL };

#define ROW(name_, unit_, kind_, mode_, ratio_, text_, source_)                                    \
    {                                                                                              \
        .name = name_, .unit = unit_, .summary = text_, .source = source_, .kind = kind_,          \
        .better = FL_LESS_IS_BETTER, .mode = mode_, .ratio = ratio_,                               \
    }

#define STATISTICS "the team's statistics"

static const struct fl_metric team_metrics[] = {
    [BARRIER_TIME] = ROW("barrier-time", "ns", FL_METRIC_TIMED, FL_IN_COUNTING_SAMPLES, false,
                         "time at barriers, joins included, mean over threads", STATISTICS),
    [BARRIER_SHARE] =
        ROW("barrier-share", "%", FL_METRIC_TIMED, FL_IN_COUNTING_SAMPLES, true,
            "share of the threads' time in regions that passes at barriers", STATISTICS),
    [RMWS_PER_PHASE] = ROW("rmws-per-phase", "RMWs", FL_METRIC_EXACT, FL_IN_COUNTING_SAMPLES, true,
                           "atomic read-modify-writes of all threads in one phase of the barrier",
                           "counting build of the barrier"),
    [SLEEPS] = ROW("sleeps", "calls", FL_METRIC_NOISY_COUNT, FL_IN_COUNTING_SAMPLES, false,
                   "system calls by which a waiting thread gave its processor away", STATISTICS),
    [WAKE_UPS] = ROW("wake-ups", "calls", FL_METRIC_NOISY_COUNT, FL_IN_COUNTING_SAMPLES, false,
                     "system calls to wake threads that sleep or are just waking", STATISTICS),
    [IMBALANCE] = ROW("imbalance", "%", FL_METRIC_TIMED, FL_IN_COUNTING_SAMPLES, true,
                      "how much longer than the mean the busiest thread worked, barriers left out",
                      STATISTICS),
    [CPU_PER_WALL] =
        ROW("cpu-per-wall", "processors", FL_METRIC_TIMED, FL_IN_EVERY_SAMPLE, true,
            "processor time of the process over wall time, gaps included",
            "clock_gettime(CLOCK_PROCESS_CPUTIME_ID) / clock_gettime(CLOCK_MONOTONIC)"),
};

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t = {.tv_sec = 0};
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Linux' number for the processor time of one thread of this process. */
static clockid_t thread_clock(pid_t tid)
{
    enum { SCHEDULED_TIME = 2, OF_A_THREAD = 4 };
    return (clockid_t)(~(unsigned)tid << 3 | OF_A_THREAD | SCHEDULED_TIME);
}

static int bring_up_to_date(pid_t tid, void *arg)
{
    (void)arg;
    clock_ns(thread_clock(tid));
    return 0;
}

/*
 * The process' clock adds up what the kernel has booked for each thread, and for one that runs on
 * another processor that is as of the last tick, up to 10 ms ago: more than a short window. To read
 * a thread's own clock has the kernel book it.
 */
static void read_edge(struct team_state *s, size_t edge)
{
    if (!s->wants_cpu)
        return;
    (void)fl_each_task(bring_up_to_date, NULL);
    s->cpu[edge] = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    s->wall[edge] = clock_ns(CLOCK_MONOTONIC);
}

static void team_start(void *state)
{
    struct team_state *s = state;
    if (s->team)
        fl_team_reset(s->team);
    s->collected = false;
    read_edge(s, 0);
}

static void team_stop(void *state)
{
    read_edge(state, 1);
}

/* ---- readings ---- */

/* Sums over threads. */
struct sums {
    double region_ns, barrier_ns, busiest_ns;
    uint64_t sleeps, wakes, rmws, phases;
};

static struct sums sum(const struct fl_team *team)
{
    struct sums sums = {.region_ns = 0};
    for (unsigned i = 0; i < team->threads; i++) {
        const struct fl_team_stat *stat = &team->collected[i];
        double busy = (double)stat->region_ns - (double)stat->barrier_ns;
        sums.region_ns += (double)stat->region_ns;
        sums.barrier_ns += (double)stat->barrier_ns;
        sums.busiest_ns = busy > sums.busiest_ns ? busy : sums.busiest_ns;
        sums.sleeps += stat->wait.sleeps;
        sums.wakes += stat->wait.wakes;
        sums.rmws += stat->wait.rmws;
        sums.phases += stat->phases;
    }
    return sums;
}

static void set_ratio(struct fl_reading *out, double value, double over)
{
    if (over > 0)
        *out = (struct fl_reading){.state = FL_READING_OK, .ratio = value / over, .scale = 1};
    else
        fl_reading_without(out, FL_READING_NOT_OBSERVABLE, "no region of the team in the window");
}

static void read_imbalance(const struct fl_team *team, const struct sums *sums,
                           struct fl_reading *out)
{
    double mean = (sums->region_ns - sums->barrier_ns) / team->threads;
    set_ratio(out, 100 * (sums->busiest_ns - mean), mean);
}

static void read_statistics(const struct fl_team *team, size_t row, struct fl_reading *out)
{
    struct sums sums = sum(team);
    /* Regions without a phase: the join was the OpenMP runtime's own. */
    if (row <= RMWS_PER_PHASE && !sums.phases && sums.region_ns > 0) {
        fl_reading_without(out, FL_READING_NOT_OBSERVABLE,
                           "the threads met only where the OpenMP runtime joined them");
        return;
    }
    switch (row) {
    case BARRIER_TIME:
        fl_reading_total(out, llround(sums.barrier_ns / team->threads));
        break;
    case BARRIER_SHARE:
        set_ratio(out, 100 * sums.barrier_ns, sums.region_ns);
        break;
    case RMWS_PER_PHASE:
        set_ratio(out, (double)sums.rmws * team->threads, (double)sums.phases);
        break;
    case SLEEPS:
        fl_reading_total(out, (int64_t)sums.sleeps);
        break;
    case WAKE_UPS:
        fl_reading_total(out, (int64_t)sums.wakes);
        break;
    default:
        read_imbalance(team, &sums, out);
    }
}

/* Why the team's statistics do not know it; NULL where they do. */
static const char *unseen(const struct fl_team *team, size_t row)
{
    bool waits = row == SLEEPS || row == WAKE_UPS;
    if (!team)
        return "the kernel takes no team";
    if (row == RMWS_PER_PHASE && team->barrier.ops->own_wait)
        return "the barrier is the C library's or the OpenMP runtime's own";
    if (waits && (team->ops->openmp || team->wait.ops->runtime))
        return "the C library or the OpenMP runtime waits in its own way; "
               "`futex-calls` sees its system calls";
    return NULL;
}

static void team_read(void *state, const char *metric, struct fl_reading *out)
{
    struct team_state *s = state;
    size_t row = fl_metric_row(team_metrics, FL_COUNT_OF(team_metrics), metric);
    const char *why = row == CPU_PER_WALL ? NULL : unseen(s->team, row);
    if (why)
        fl_reading_without(out, FL_READING_NOT_OBSERVABLE, why);
    else if (row == CPU_PER_WALL)
        set_ratio(out, (double)(s->cpu[1] - s->cpu[0]), (double)(s->wall[1] - s->wall[0]));
    else {
        if (!s->collected)
            fl_team_collect(s->team);
        s->collected = true;
        read_statistics(s->team, row, out);
    }
}

static int team_open(void *state, const struct fl_counter_env *env, struct fl_err *err)
{
    (void)err;
    struct team_state *s = state;
    memset(s, 0, sizeof *s);
    s->team = env->team;
    s->wants_cpu = fl_counter_wants(env, team_metrics[CPU_PER_WALL].name);
    return 0;
}

static void team_close(void *state)
{
    (void)state;
}

const struct fl_counter_ops fl_counter_team = {
    .part =
        {
            .name = "team",
            .summary = "barriers, sleeping and waking, imbalance, and processors kept busy",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct team_state),
        },
    .metrics = team_metrics,
    .metric_count = FL_COUNT_OF(team_metrics),
    .open = team_open,
    .start = team_start,
    .stop = team_stop,
    .read = team_read,
    .close = team_close,
};
