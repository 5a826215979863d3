/* SPDX-License-Identifier: Apache-2.0 */
/* From a cell to the command line of a worker, and from its report to a row. */
#include "runner/sampler.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "faultline/registry.h"
#include "machine/cpu-time.h"
#include "machine/free-memory.h"
#include "runner/hogs.h"
#include "runner/plugins.h"
#include "runner/worker-environment.h"

enum { ARGUMENTS = 20 + FL_PLUGINS_MAX, ARGUMENT_BYTES = 256 };
enum { CALLS_BEFORE = 10 }; /* the least that a worker makes to settle and to rehearse its window */

/* A worker's argument vector; texts of moderate length live in here. */
struct arguments {
    char *list[ARGUMENTS + 1];
    char store[ARGUMENTS][ARGUMENT_BYTES];
    char cell[FL_CELL_KEY_MAX + 16];
    char metrics[4096 + 16];
    char library[PATH_MAX + 16];
    char plugins[FL_PLUGINS_MAX][PATH_MAX + 16];
    char cpus[FL_CPULIST_TEXT_MAX + 16];
    char places[FL_PLACES_TEXT_MAX + 16];
    size_t count;
};

static void add_owned(struct arguments *arguments, char *text)
{
    arguments->list[arguments->count++] = text;
    arguments->list[arguments->count] = NULL;
}

static void add(struct arguments *arguments, const char *format, ...) FL_PRINTF(2, 3);
static void add(struct arguments *arguments, const char *format, ...)
{
    va_list values;
    char *text = arguments->store[arguments->count];
    va_start(values, format);
    vsnprintf(text, ARGUMENT_BYTES, format, values);
    va_end(values);
    add_owned(arguments, text);
}

static void add_threads(const struct fl_thread_plan *threads, struct arguments *arguments)
{
    snprintf(arguments->cpus, sizeof arguments->cpus, "--cpus=%s", threads->cpus);
    add_owned(arguments, arguments->cpus);
    if (!threads->team)
        return;
    add(arguments, "--threads=%u", threads->team);
    if (!threads->places[0])
        return;
    snprintf(arguments->places, sizeof arguments->places, "--places=%s", threads->places);
    add_owned(arguments, arguments->places);
}

static void add_plugins(const struct fl_scenario *scenario, const struct fl_cell *cell,
                        struct arguments *arguments)
{
    const char *paths[FL_PLUGINS_MAX];
    size_t count = fl_plugins_of_cell(scenario, cell, paths);
    for (size_t i = 0; i < count; i++) {
        snprintf(arguments->plugins[i], sizeof *arguments->plugins, "--plugin=%s", paths[i]);
        add_owned(arguments, arguments->plugins[i]);
    }
}

static void fill_arguments(const struct fl_sampler *sampler, const struct fl_sample_task *task,
                           const struct fl_cell *cell, const char *library,
                           const struct fl_thread_plan *threads, struct arguments *arguments)
{
    const struct fl_scenario *scenario = sampler->scenario;
    bool counting = task->mode == FL_SAMPLE_COUNTED;
    arguments->count = 0;
    add(arguments, "faultline-worker");
    snprintf(arguments->cell, sizeof arguments->cell, "--cell=%s", task->key);
    add_owned(arguments, arguments->cell);
    add(arguments, "--mode=%s", counting ? "count" : "time");
    add(arguments, "--settle=%.9fs", counting ? 0.0 : scenario->settle);
    add(arguments, "--window=%.9fs", scenario->window);
    if (counting || task->calls)
        add(arguments, "--iterations=%lld",
            counting ? (long long)scenario->calls : (long long)task->calls);
    add(arguments, "--seed=%llu", (unsigned long long)task->seed);
    add(arguments, "--caches=%s", sampler->caches);
    add(arguments, "--memory=%llu", fl_free_memory(NULL));
    add(arguments, "--fd=%d", FL_CHILD_MESSAGES);
    add(arguments, "--parent=%ld", (long)getpid());
    snprintf(arguments->metrics, sizeof arguments->metrics, "--metrics=%s", sampler->metrics);
    add_owned(arguments, arguments->metrics);
    if (*library) {
        snprintf(arguments->library, sizeof arguments->library, "--library=%s", library);
        add_owned(arguments, arguments->library);
    }
    add_plugins(scenario, cell, arguments);
    add_threads(threads, arguments);
}

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- outcome ---- */

static void crashed(struct fl_taken *taken)
{
    const struct fl_child_end *end = &taken->end;
    const char *phase = taken->report.phase[0] ? taken->report.phase : "start";
    const char *said = end->last_words;
    taken->row.outcome = FL_OUTCOME_CRASHED;
    if (end->signal)
        snprintf(taken->reason, sizeof taken->reason, "killed by signal %d (%s) in phase %s%s%s",
                 end->signal, strsignal(end->signal), phase, *said ? ": " : "", said);
    else
        snprintf(taken->reason, sizeof taken->reason, "exited with status %d%s in phase %s%s%s",
                 end->exit_status,
                 taken->report.outcome == FL_REPORT_NONE ? " without an outcome" : "", phase,
                 *said ? ": " : "", said);
}

/* Seconds a worker gets: what it was told to spend is not held against it. A pause follows each
 * call, also of those before the window and of one in it that is longer than the window. */
static double patience(const struct fl_scenario *scenario, const struct fl_cell *cell,
                       enum fl_sample_mode mode)
{
    bool timed = mode == FL_SAMPLE_TIMED;
    double told = timed ? scenario->settle + scenario->window : 0;
    double calls = CALLS_BEFORE + (timed ? 1 : (double)scenario->calls);
    return told + calls * fl_cell_number(cell, "gap", 0) + scenario->timeout;
}

static void timed_out(const struct fl_sampler *sampler, const struct fl_cell *cell,
                      struct fl_taken *taken)
{
    taken->row.outcome = FL_OUTCOME_TIMED_OUT;
    snprintf(taken->reason, sizeof taken->reason, "killed after %g s in phase %s",
             patience(sampler->scenario, cell, taken->row.mode),
             taken->report.phase[0] ? taken->report.phase : "start");
}

static void set_outcome(const struct fl_sampler *sampler, const struct fl_cell *cell,
                        struct fl_taken *taken)
{
    static const enum fl_outcome outcomes[] = {
        [FL_REPORT_NONE] = FL_OUTCOME_CRASHED,
        [FL_REPORT_OK] = FL_OUTCOME_OK,
        [FL_REPORT_UNAVAILABLE] = FL_OUTCOME_UNAVAILABLE,
        [FL_REPORT_WRONG_RESULT] = FL_OUTCOME_WRONG_RESULT,
        [FL_REPORT_FAILED] = FL_OUTCOME_FAILED,
    };
    if (taken->end.timed_out)
        timed_out(sampler, cell, taken);
    else if (taken->report.outcome == FL_REPORT_NONE || taken->end.signal || taken->end.exit_status)
        crashed(taken);
    else if (taken->hogs_rested) {
        taken->row.outcome = FL_OUTCOME_FAILED;
        snprintf(taken->reason, sizeof taken->reason,
                 "a hog was killed or stopped while the sample ran: it had fewer than hogs=N says");
    } else {
        taken->row.outcome = outcomes[taken->report.outcome];
        snprintf(taken->reason, sizeof taken->reason, "%s", taken->report.reason);
    }
    taken->row.reason = taken->row.outcome == FL_OUTCOME_OK ? NULL : taken->reason;
}

/* ---- values ---- */

static void add_real(struct fl_taken *taken, int64_t metric, double value)
{
    taken->values[taken->row.value_count++] =
        (struct fl_value){.metric = metric, .is_real = true, .real = value, .scale = 1};
}

static void add_derived(struct fl_taken *taken, const struct fl_metric *metric, int64_t id,
                        const struct fl_kernel_ops *kernel, const struct fl_cost *cost)
{
    double ns = taken->report.window_ns, calls = (double)taken->report.calls;
    double region_ns = ns / (double)taken->report.runs;
    if (!strcmp(metric->name, "time"))
        add_real(taken, id, ns);
    else if (!strcmp(metric->name, "region-time") && (kernel->uses & FL_USES_TEAM))
        add_real(taken, id, region_ns);
    else if (!strcmp(metric->name, "tokens") && (kernel->uses & FL_MAKES_TOKENS))
        add_real(taken, id, 1e9 / region_ns);
    else if (!strcmp(metric->name, "gflops") && cost->flops > 0)
        add_real(taken, id, cost->flops * calls / ns);
    else if (!strcmp(metric->name, "bandwidth") && cost->bytes > 0)
        add_real(taken, id, cost->bytes * calls / ns);
}

static void add_reading(struct fl_taken *taken, int64_t id, const char *name)
{
    for (size_t i = 0; i < taken->report.metric_count; i++) {
        const struct fl_report_metric *said = &taken->report.metrics[i];
        if (strcmp(said->name, name))
            continue;
        taken->values[taken->row.value_count++] = (struct fl_value){
            .metric = id,
            .state = said->state,
            .is_real = said->is_ratio,
            .total = said->is_ratio ? 0 : said->total,
            .real = said->ratio,
            .scale = said->scale,
            .reason = said->reason[0] ? said->reason : NULL,
        };
        return;
    }
}

static void set_values(const struct fl_sampler *sampler, const struct fl_cell *cell,
                       struct fl_taken *taken)
{
    struct fl_cost cost = {0, 0};
    const struct fl_kernel_ops *kernel =
        fl_registry_kernel(fl_cell_get(cell, "kernel"), fl_cell_get(cell, "library"));
    bool derive = taken->row.mode == FL_SAMPLE_TIMED && taken->report.calls > 0 &&
                  taken->row.outcome == FL_OUTCOME_OK && !kernel->cost(cell, &cost, NULL);
    taken->row.values = taken->values;
    for (size_t i = 0; i < sampler->metric_count; i++) {
        size_t before = taken->row.value_count;
        if (derive)
            add_derived(taken, &sampler->wanted[i], sampler->metric_ids[i], kernel, &cost);
        if (taken->row.value_count == before) /* a worker gone mad may claim to read time */
            add_reading(taken, sampler->metric_ids[i], sampler->wanted[i].name);
    }
}

/* ---- the sample ---- */

static void fill_row(const struct fl_sample_task *task, struct fl_taken *taken)
{
    taken->row.run = task->run;
    taken->row.cell = task->cell;
    taken->row.mode = task->mode;
    taken->row.round = task->round;
    taken->row.seed = task->seed;
    taken->row.cpu = taken->threads.cpu;
    taken->row.calls = taken->report.calls;
    taken->row.facts = taken->report.facts.items;
    taken->row.fact_count = taken->report.facts.count;
}

double fl_sampler_load(void)
{
    double average;
    return getloadavg(&average, 1) == 1 ? average : -1;
}

static int64_t stolen_ns(const struct fl_cpu_time *before, const struct fl_cpu_time *after)
{
    struct fl_cpu_time delta = fl_cpu_time_since(before, after);
    return (int64_t)(delta.steal * (uint64_t)(1000000000 / sysconf(_SC_CLK_TCK)));
}

static int run_worker(const struct fl_sampler *sampler, const struct fl_sample_task *task,
                      const struct fl_cell *cell, const struct fl_worker_environment *environment,
                      struct fl_taken *taken, struct fl_err *err)
{
    struct arguments arguments;
    fill_arguments(sampler, task, cell, environment->library, &taken->threads, &arguments);
    const struct fl_child child = {
        .path = sampler->worker,
        .argv = arguments.list,
        .environment = environment->variables,
        .timeout = patience(sampler->scenario, cell, task->mode),
        .stop = sampler->stop,
        .line = fl_report_line,
        .arg = &taken->report,
    };
    struct fl_cpu_time before, after;
    bool known = !fl_cpu_time_read(NULL, FL_CPU_TIME_ALL, &before);
    taken->row.load = fl_sampler_load();
    taken->row.started_ns = now_ns(CLOCK_REALTIME);
    int64_t start = now_ns(CLOCK_MONOTONIC);
    int rc = fl_child_run(&child, &taken->end, err);
    taken->row.duration_ns = now_ns(CLOCK_MONOTONIC) - start;
    known = known && !fl_cpu_time_read(NULL, FL_CPU_TIME_ALL, &after);
    taken->row.steal_ns = known ? stolen_ns(&before, &after) : -1;
    return rc;
}

/* Other people's work begins before the sample and ends behind it. -EBUSY: it could not begin. */
static int run_among_hogs(const struct fl_sampler *sampler, const struct fl_sample_task *task,
                          const struct fl_cell *cell,
                          const struct fl_worker_environment *environment, struct fl_taken *taken,
                          struct fl_err *err)
{
    struct fl_hogs hogs;
    const struct fl_hog_plan plan = {
        .worker = sampler->worker,
        .count = (size_t)fl_cell_number(cell, "hogs", 0),
        .topology = sampler->topology,
        .threads = &taken->threads,
        .stop = sampler->stop,
    };
    int rc = fl_hogs_start(&hogs, &plan, err);
    if (rc)
        return rc == -EINTR ? rc : -EBUSY; /* of this cell, as of a worker that fails */
    rc = run_worker(sampler, task, cell, environment, taken, err);
    taken->hogs_rested = !fl_hogs_stop(&hogs);
    return rc;
}

/* What the runner knows of the sample's threads, beside what the worker said. */
static void add_facts(const struct fl_scenario *scenario, const struct fl_cell *cell,
                      struct fl_taken *taken)
{
    const char *plugin = fl_plugins_origin(scenario, cell);
    const struct fl_thread_plan *threads = &taken->threads;
    if (plugin) /* the worker may have loaded a copy */
        fl_facts_set(&taken->report.facts, "plugin", "%s", plugin);
    if (threads->team || threads->library > 1)
        fl_facts_set(&taken->report.facts, "processors", "%s", threads->cpus);
    if (threads->oversubscribed)
        fl_facts_set(&taken->report.facts, "oversubscribed", "yes");
}

/* The outcome of a sample for which no worker ran. */
static void set_not_run(const struct fl_sample_task *task, enum fl_outcome outcome, const char *why,
                        struct fl_taken *taken)
{
    fill_row(task, taken);
    taken->row.started_ns = now_ns(CLOCK_REALTIME);
    taken->row.load = -1;
    taken->row.steal_ns = -1;
    taken->row.outcome = outcome;
    snprintf(taken->reason, sizeof taken->reason, "%s", why);
    taken->row.reason = taken->reason;
}

/* What the worker is started with: processors and environment. Errors of either. */
static int prepare(const struct fl_sampler *sampler, const struct fl_cell *cell, const char *probe,
                   struct fl_thread_plan *threads, struct fl_worker_environment *environment,
                   struct fl_err *err)
{
    int rc = fl_thread_plan_make(sampler->topology, cell, threads, err);
    return rc ? rc
              : fl_worker_environment_make(sampler->scenario, cell, threads, probe, environment,
                                           err);
}

int fl_sampler_take(const struct fl_sampler *sampler, const struct fl_sample_task *task,
                    struct fl_taken *taken, struct fl_err *err)
{
    struct fl_cell cell;
    struct fl_worker_environment environment;
    memset(taken, 0, sizeof *taken);
    int rc = fl_cell_parse(&cell, task->key, err);
    if (rc)
        return rc;
    const char *probe =
        task->mode == FL_SAMPLE_COUNTED && sampler->probe[0] ? sampler->probe : NULL;
    rc = prepare(sampler, &cell, probe, &taken->threads, &environment, err);
    if (!rc && task->padding)
        rc = fl_worker_environment_pad(&environment, task->padding, err);
    if (rc == -ENOTSUP) { /* a library or malloc that was there when the run was planned */
        set_not_run(task, FL_OUTCOME_UNAVAILABLE, err->text, taken);
        return 0;
    }
    if (rc)
        return rc;
    rc = run_among_hogs(sampler, task, &cell, &environment, taken, err);
    fl_worker_environment_release(&environment);
    if (rc == -EBUSY) {
        set_not_run(task, FL_OUTCOME_FAILED, err->text, taken);
        return 0;
    }
    if (rc)
        return rc;
    if (taken->end.stopped)
        return fl_fail(err, -EINTR, "stopped");
    add_facts(sampler->scenario, &cell, taken);
    fill_row(task, taken);
    set_outcome(sampler, &cell, taken);
    set_values(sampler, &cell, taken);
    return 0;
}

/* Of every part that the cell names: can it run here? */
static int probe_parts(const struct fl_cell *cell, struct fl_err *why)
{
    const struct fl_kernel_ops *kernel =
        fl_registry_kernel(fl_cell_get(cell, "kernel"), fl_cell_get(cell, "library"));
    const char *workspace = fl_cell_get(cell, "workspace"), *team = fl_cell_get(cell, "team");
    int rc = fl_part_probe(&kernel->part, why);
    if (!rc && workspace)
        rc = fl_part_probe(&fl_registry_workspace(workspace)->part, why);
    if (rc || !team)
        return rc;
    rc = fl_part_probe(&fl_registry_team(team)->part, why);
    if (!rc)
        rc = fl_part_probe(&fl_registry_barrier(fl_cell_get(cell, "barrier"))->part, why);
    if (!rc)
        rc = fl_part_probe(&fl_registry_wait(fl_cell_get(cell, "wait"))->part, why);
    return rc;
}

int fl_sampler_probe(const struct fl_sampler *sampler, const char *key, struct fl_err *why)
{
    struct fl_cell cell;
    struct fl_thread_plan threads;
    struct fl_worker_environment environment;
    int rc = fl_cell_parse(&cell, key, why);
    if (!rc)
        rc = probe_parts(&cell, why);
    if (!rc)
        rc = prepare(sampler, &cell, NULL, &threads, &environment, why);
    if (!rc)
        fl_worker_environment_release(&environment);
    return rc;
}
