/* SPDX-License-Identifier: Apache-2.0 */
/* From what a Google Benchmark program tells to cells and samples. */
#include "runner/gbench-side.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "results/meaning.h"
#include "runner/gbench-program.h"

#define FACTOR "benchmark"

struct state {
    struct fl_gbench_program program; /* its path is the side's worker */
    char filter[256];                 /* "": all */
    struct fl_gbench_result result;   /* of the last sample, which points into it */
};

/* ---- cells ---- */

struct listing {
    struct fl_plan *plan;
    int rc;
};

static void add_cell(void *arg, const char *name)
{
    struct listing *listing = arg;
    char key[FL_CELL_KEY_MAX];
    if (listing->rc)
        return;
    listing->rc = fl_cell_put_level(key, sizeof key, FACTOR, name);
    if (listing->rc >= 0)
        listing->rc = fl_plan_add(listing->plan, key);
}

static int plan_cells(struct fl_side *side, struct fl_plan *plan, struct fl_err *err)
{
    const struct state *state = side->state;
    struct listing listing = {.plan = plan};
    *plan = (struct fl_plan){.count = 0};
    int rc = fl_gbench_program_list(&state->program, state->filter, add_cell, &listing, err);
    if (!rc && listing.rc)
        rc = fl_fail(err, listing.rc, "cannot plan the benchmarks: %s", strerror(-listing.rc));
    if (rc)
        fl_plan_release(plan);
    return rc;
}

/* The name of the benchmark out of a key. */
static int name_of(const char *key, char *name, size_t size, struct fl_err *err)
{
    char factor[64];
    int rc = fl_cell_split(&key, factor, sizeof factor, name, size, err);
    return rc < 0 ? rc : 0;
}

static int cell_levels(const struct fl_side *side, const char *key, struct fl_side_levels *out,
                       struct fl_err *err)
{
    (void)side;
    out->list[0] = (struct fl_stored_level){FACTOR, out->text, false};
    out->count = 1;
    return name_of(key, out->text, sizeof out->text, err);
}

static int probe_cell(struct fl_side *side, const struct fl_sampler *sampler, const char *key,
                      struct fl_err *why)
{
    (void)side;
    (void)sampler;
    (void)key;
    (void)why;
    return 0;
}

/* ---- one sample ---- */

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The whole environment, since the program is the user's, and one variable that moves its stack. */
struct environment {
    char **variables; /* all but the last of them are this process' own */
    char *padding;
};

static void release_environment(struct environment *environment)
{
    free(environment->variables);
    free(environment->padding);
}

static int make_environment(struct environment *environment, size_t padding, struct fl_err *err)
{
    static const char name[] = "FAULTLINE_PADDING=";
    size_t count = 0;
    while (environ[count])
        count++;
    environment->variables = calloc(count + 2, sizeof *environment->variables);
    environment->padding = malloc(sizeof name + padding);
    if (!environment->variables || !environment->padding) {
        release_environment(environment);
        return fl_fail(err, -ENOMEM, "out of memory");
    }
    memcpy(environment->padding, name, sizeof name);
    memset(environment->padding + sizeof name - 1, '.', padding);
    environment->padding[sizeof name - 1 + padding] = 0;
    memcpy(environment->variables, environ, count * sizeof *environ);
    environment->variables[count] = environment->padding;
    return 0;
}

static double timeout_of(const struct fl_scenario *scenario)
{
    return scenario->settle + scenario->window + scenario->timeout;
}

static int run_program(struct state *state, const struct fl_sampler *sampler,
                       const struct fl_sample_task *task, const char *name, struct fl_err *err)
{
    const struct fl_scenario *scenario = sampler->scenario;
    struct environment environment;
    const struct fl_gbench_task what = {
        .name = name,
        .settle = scenario->settle,
        .window = scenario->window,
        .iterations = task->calls,
        .timeout = timeout_of(scenario),
    };
    int rc = make_environment(&environment, task->padding, err);
    if (rc)
        return rc;
    state->program.environment = environment.variables;
    state->program.stop = sampler->stop;
    rc = fl_gbench_program_run(&state->program, &what, &state->result, err);
    state->program.environment = NULL;
    release_environment(&environment);
    return rc ? rc : state->result.end.stopped ? fl_fail(err, -EINTR, "stopped") : 0;
}

static void set_outcome(const struct fl_gbench_result *result, double timeout,
                        struct fl_taken *taken)
{
    const struct fl_child_end *end = &result->end;
    const char *said = end->last_words;
    taken->row.outcome = FL_OUTCOME_OK;
    if (end->timed_out) {
        taken->row.outcome = FL_OUTCOME_TIMED_OUT;
        snprintf(taken->reason, sizeof taken->reason, "killed after %g s", timeout);
    } else if (end->signal || end->exit_status) {
        taken->row.outcome = FL_OUTCOME_CRASHED;
        snprintf(taken->reason, sizeof taken->reason, "%s %d%s%s",
                 end->signal ? "killed by signal" : "exited with status",
                 end->signal ? end->signal : end->exit_status, *said ? ": " : "", said);
    } else if (result->failure[0]) {
        taken->row.outcome = FL_OUTCOME_FAILED;
        snprintf(taken->reason, sizeof taken->reason, "%s", result->failure);
    }
    taken->row.reason = taken->row.outcome == FL_OUTCOME_OK ? NULL : taken->reason;
}

static void add_facts(const struct fl_gbench_result *result, struct fl_taken *taken)
{
    struct fl_facts *facts = &taken->report.facts;
    fl_facts_set(facts, "gbench-version", "%s",
                 *result->version ? result->version : "before 1.8.4");
    if (result->threads > 1)
        fl_facts_set(facts, FL_FACT_TIME_MEANING, "%s", fl_meaning_of_time(result->version));
    taken->row.facts = facts->items;
    taken->row.fact_count = facts->count;
}

/* Named as in its files, so that what is imported and what is measured is one metric. */
static const struct fl_metric cpu_time = {
    .name = "cpu_time",
    .unit = "ns",
    .summary = "CPU time of an iteration, as the program tells it",
    .source = "Google Benchmark, cpu_time",
    .kind = FL_METRIC_TIMED,
    .better = FL_LESS_IS_BETTER,
    .mode = FL_IN_EVERY_SAMPLE,
};

static void add_real(struct fl_taken *taken, int64_t metric, double value)
{
    taken->values[taken->row.value_count++] =
        (struct fl_value){.metric = metric, .is_real = true, .real = value, .scale = 1};
}

static int add_counter(struct fl_side *side, const struct fl_gbench_counter *counter,
                       struct fl_taken *taken, struct fl_err *err)
{
    const struct fl_metric metric = {
        .name = counter->name,
        .unit = "",
        .summary = "a counter of the program: shown, not judged",
        .source = "Google Benchmark, a user's counter",
        .kind = FL_METRIC_LEVEL,
        .better = FL_NOT_RANKED,
        .mode = FL_IN_EVERY_SAMPLE,
    };
    int64_t id;
    int rc = fl_store_metric(side->asked.store, &metric, &id, err);
    if (rc == -EEXIST) /* a metric of ours has that name, in another unit */
        return 0;
    if (!rc)
        add_real(taken, id, counter->value);
    return rc;
}

static int add_values(struct fl_side *side, const struct fl_sampler *sampler,
                      const struct fl_gbench_result *result, struct fl_taken *taken,
                      struct fl_err *err)
{
    int64_t id;
    double iterations = (double)result->iterations;
    for (size_t i = 0; i < sampler->metric_count; i++)
        if (!strcmp(sampler->wanted[i].name, "time"))
            add_real(taken, sampler->metric_ids[i], result->real_ns * iterations);
    int rc = fl_store_metric(side->asked.store, &cpu_time, &id, err);
    if (!rc)
        add_real(taken, id, result->cpu_ns * iterations);
    for (size_t i = 0; !rc && i < result->counter_count; i++)
        rc = add_counter(side, &result->counters[i], taken, err);
    return rc;
}

static int take_sample(struct fl_side *side, const struct fl_sampler *sampler,
                       const struct fl_sample_task *task, struct fl_taken *taken,
                       struct fl_err *err)
{
    struct state *state = side->state;
    char name[FL_GBENCH_NAME_MAX];
    memset(taken, 0, sizeof *taken);
    int rc = name_of(task->key, name, sizeof name, err);
    int64_t start = now_ns(CLOCK_MONOTONIC);
    taken->row = (struct fl_sample){.run = task->run,
                                    .cell = task->cell,
                                    .mode = task->mode,
                                    .round = task->round,
                                    .seed = task->seed,
                                    .started_ns = now_ns(CLOCK_REALTIME),
                                    .cpu = -1,
                                    .load = fl_sampler_load(),
                                    .steal_ns = -1,
                                    .values = taken->values};
    if (!rc)
        rc = run_program(state, sampler, task, name, err);
    if (rc)
        return rc;
    taken->row.duration_ns = now_ns(CLOCK_MONOTONIC) - start;
    set_outcome(&state->result, timeout_of(sampler->scenario), taken);
    add_facts(&state->result, taken);
    if (taken->row.outcome != FL_OUTCOME_OK)
        return 0;
    taken->row.calls = state->result.iterations;
    return add_values(side, sampler, &state->result, taken, err);
}

static void close_side(struct fl_side *side)
{
    free(side->state);
    side->state = NULL;
}

static const struct fl_side_ops ops = {
    .plan = plan_cells,
    .levels = cell_levels,
    .probe = probe_cell,
    .take = take_sample,
    .close = close_side,
};

/* ---- opening ---- */

/* What no such program can be asked for is not asked for. */
static int settle_scenario(struct fl_scenario *scenario, struct fl_err *err)
{
    int rc = fl_scenario_set(scenario, "metrics", "time", err);
    return rc ? rc : fl_scenario_set(scenario, "counting-rounds", "0", err);
}

int fl_gbench_side_open(struct fl_side *side, const char *path, struct fl_err *err)
{
    if (side->state || strcmp(side->worker, side->asked.worker) != 0)
        return fl_fail(err, -EINVAL, "two programs on one side");
    int rc = fl_side_set_worker(side, path, err);
    if (!rc)
        rc = settle_scenario(side->asked.scenario, err);
    if (rc)
        return rc;
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        return fl_fail(err, -ENOMEM, "out of memory");
    state->program.path = side->worker;
    rc = fl_gbench_program_open(&state->program, err);
    if (rc) {
        free(state);
        return rc;
    }
    side->state = state;
    side->ops = &ops;
    return 0;
}

int fl_gbench_side_filter(struct fl_side *side, const char *regex, struct fl_err *err)
{
    struct state *state = side->state;
    if (side->ops != &ops)
        return fl_fail(err, -EINVAL, "filter= belongs behind gbench=PATH");
    if (strlen(regex) >= sizeof state->filter)
        return fl_fail(err, -EINVAL, "a filter has at most %zu bytes", sizeof state->filter - 1);
    snprintf(state->filter, sizeof state->filter, "%s", regex);
    return 0;
}

bool fl_gbench_side_program(const char *text, char *name, size_t size)
{
    char word[64], value[FL_CELL_KEY_MAX];
    for (;;) {
        text += strspn(text, " ");
        if (!strncmp(text, "git:", 4)) {
            text += strcspn(text, " ");
            continue;
        }
        if (fl_cell_split(&text, word, sizeof word, value, sizeof value, NULL) <= 0)
            return false;
        if (!strcmp(word, "gbench"))
            break;
    }
    const char *slash = strrchr(value, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : value);
    return *name;
}
