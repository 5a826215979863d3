/* SPDX-License-Identifier: Apache-2.0 */
/* Names: the words that stand for enumerators in the store, the exports and on the terminal. */
#include <string.h>

#include "results/pairing.h"
#include "results/store.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char *const outcomes[] = {
    [FL_OUTCOME_OK] = "ok",
    [FL_OUTCOME_CRASHED] = "crashed",
    [FL_OUTCOME_TIMED_OUT] = "timed-out",
    [FL_OUTCOME_WRONG_RESULT] = "wrong-result",
    [FL_OUTCOME_UNAVAILABLE] = "unavailable",
    [FL_OUTCOME_FAILED] = "failed",
};
static const char *const run_statuses[] = {
    [FL_RUN_RUNNING] = "running",
    [FL_RUN_FINISHED] = "finished",
    [FL_RUN_INTERRUPTED] = "interrupted",
    [FL_RUN_FAILED] = "failed",
};
static const char *const run_origins[] = {
    [FL_ORIGIN_MEASURED] = "measured",   [FL_ORIGIN_GBENCH] = "gbench",
    [FL_ORIGIN_HYPERFINE] = "hyperfine", [FL_ORIGIN_PERF_STAT] = "perf-stat",
    [FL_ORIGIN_FAULTLINE] = "faultline",
};
static const char *const pairing_purposes[] = {
    [FL_PAIRING_AB] = "ab",
    [FL_PAIRING_CALIBRATE] = "calibrate",
};
static const char *const sample_modes[] = {
    [FL_SAMPLE_TIMED] = "timed",
    [FL_SAMPLE_COUNTED] = "counted",
};
static const char *const reading_states[] = {
    [FL_READING_OK] = "ok",
    [FL_READING_UNAVAILABLE] = "unavailable",
    [FL_READING_NOT_OBSERVABLE] = "not-observable",
};
static const char *const metric_kinds[] = {
    [FL_METRIC_TIMED] = "timed", [FL_METRIC_EXACT] = "exact",
    [FL_METRIC_SET] = "set",     [FL_METRIC_NOISY_COUNT] = "noisy-count",
    [FL_METRIC_LEVEL] = "level",
};
static const char *const metric_betters[] = {
    [FL_LESS_IS_BETTER] = "less",
    [FL_MORE_IS_BETTER] = "more",
    [FL_NOT_RANKED] = "none",
};

static const char *name_of(const char *const *table, size_t count, unsigned value)
{
    return value < count ? table[value] : "";
}

static int value_of(const char *const *table, size_t count, const char *name)
{
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(table[i], name) == 0)
            return (int)i;
    return -1;
}

const char *fl_outcome_name(enum fl_outcome outcome)
{
    return name_of(outcomes, COUNT(outcomes), (unsigned)outcome);
}

const char *fl_run_status_name(enum fl_run_status status)
{
    return name_of(run_statuses, COUNT(run_statuses), (unsigned)status);
}

const char *fl_sample_mode_name(enum fl_sample_mode mode)
{
    return name_of(sample_modes, COUNT(sample_modes), (unsigned)mode);
}

const char *fl_reading_state_name(enum fl_reading_state state)
{
    return name_of(reading_states, COUNT(reading_states), (unsigned)state);
}

const char *fl_metric_kind_name(enum fl_metric_kind kind)
{
    return name_of(metric_kinds, COUNT(metric_kinds), (unsigned)kind);
}

const char *fl_metric_better_name(enum fl_metric_better better)
{
    return name_of(metric_betters, COUNT(metric_betters), (unsigned)better);
}

int fl_outcome_from(const char *name)
{
    return value_of(outcomes, COUNT(outcomes), name);
}

int fl_run_status_from(const char *name)
{
    return value_of(run_statuses, COUNT(run_statuses), name);
}

int fl_sample_mode_from(const char *name)
{
    return value_of(sample_modes, COUNT(sample_modes), name);
}

int fl_metric_kind_from(const char *name)
{
    return value_of(metric_kinds, COUNT(metric_kinds), name);
}

int fl_metric_better_from(const char *name)
{
    return value_of(metric_betters, COUNT(metric_betters), name);
}

const char *fl_run_origin_name(enum fl_run_origin origin)
{
    return name_of(run_origins, COUNT(run_origins), (unsigned)origin);
}

int fl_run_origin_from(const char *name)
{
    return value_of(run_origins, COUNT(run_origins), name);
}

const char *fl_pairing_purpose_name(enum fl_pairing_purpose purpose)
{
    return name_of(pairing_purposes, COUNT(pairing_purposes), (unsigned)purpose);
}

int fl_pairing_purpose_from(const char *name)
{
    return value_of(pairing_purposes, COUNT(pairing_purposes), name);
}
