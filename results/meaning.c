/* SPDX-License-Identifier: Apache-2.0 */
#include "results/meaning.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 128 };

struct meaning {
    char time[TEXT], rate[TEXT]; /* "": the sample does not say, and it does not matter */
};

static int keep(void *arg, const struct fl_fact *fact)
{
    struct meaning *out = arg;

    if (strcmp(fact->name, FL_FACT_TIME_MEANING) == 0)
        snprintf(out->time, TEXT, "%s", fact->value);
    else if (strcmp(fact->name, FL_FACT_RATE_MEANING) == 0)
        snprintf(out->rate, TEXT, "%s", fact->value);
    return 0;
}

static bool differ(const char *base, const char *head)
{
    return strcmp(base, head) != 0 || strcmp(base, FL_MEANING_UNKNOWN) == 0;
}

int fl_meanings_compare(const struct fl_meaning_of *of, struct fl_meanings *out, struct fl_err *err)
{
    struct meaning base = {.time = ""}, head = {.time = ""};

    *out = (struct fl_meanings){.times_differ = false};
    if (of->base->facts == of->head->facts && !of->base->facts)
        return 0;
    int rc = fl_series_facts(of->store, of->base->facts, keep, &base, err);
    if (!rc)
        rc = fl_series_facts(of->store, of->head->facts, keep, &head, err);
    out->times_differ = differ(base.time, head.time);
    out->rates_differ = differ(base.rate, head.rate);
    return rc;
}

/* Processor time has been the same all the time. */
const char *fl_meanings_reason(const struct fl_meanings *meanings, const struct fl_metric *metric)
{
    if (metric->kind != FL_METRIC_TIMED)
        return NULL;
    if (metric->better == FL_MORE_IS_BETTER)
        return meanings->rates_differ ? "the libraries of both sides mean different things by a "
                                        "rate of several threads"
                                      : NULL;
    if (!meanings->times_differ || strcmp(metric->name, "cpu_time") == 0)
        return NULL;
    return "the libraries of both sides mean different things by a time of several threads";
}

/* ---- Google Benchmark ---- */

/* Of `v1.9.1-12-g0123abc`: 10901; -1: no telling. Before 1.8.4 there was none. */
static long version_number(const char *text)
{
    int major = 0, minor = 0, patch = 0;

    if (!*text)
        return 10803;
    if (sscanf(text + (*text == 'v'), "%4d.%4d.%4d", &major, &minor, &patch) < 2)
        return -1;
    return major * 10000L + minor * 100L + patch;
}

const char *fl_meaning_of_time(const char *version)
{
    long number = version_number(version);

    if (number < 0)
        return FL_MEANING_UNKNOWN;
    return number < 10900 ? "wall time divided by threads (before 1.9.0)"
                          : "wall time (since 1.9.0)";
}

const char *fl_meaning_of_rate(const char *version)
{
    long number = version_number(version);

    if (number < 0)
        return FL_MEANING_UNKNOWN;
    if (number < 10900)
        return "before 1.9.0";
    return number < 10905 ? "1.9.0 to 1.9.4" : "since 1.9.5";
}
