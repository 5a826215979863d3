/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Meaning: what the times of several threads are in the library that an imported file comes from.
 * Google Benchmark 1.9.0 made another number of them, and 1.9.5 of rates: the same program on the
 * same machine is then 4 times slower at 4 threads. Samples say which they are, as facts.
 */
#ifndef RESULTS_MEANING_H
#define RESULTS_MEANING_H

#include <stdbool.h>

#include "faultline/counter.h"
#include "results/series.h"

#define FL_FACT_TIME_MEANING "time-meaning"
#define FL_FACT_RATE_MEANING "rate-meaning"
#define FL_MEANING_UNKNOWN   "not known: the file does not say which library measured it"

struct fl_meaning_of {
    struct fl_store *store;
    const struct fl_series_cell *base, *head;
};

struct fl_meanings {
    bool times_differ, rates_differ; /* or one of both is not known */
};

/* As the store. */
int fl_meanings_compare(const struct fl_meaning_of *of, struct fl_meanings *out,
                        struct fl_err *err) FL_MUST_CHECK;

/* Why a metric of both sides is not the same thing; NULL: it is. */
const char *fl_meanings_reason(const struct fl_meanings *meanings, const struct fl_metric *metric);

/* What Google Benchmark of that version, `v1.9.1-12-g0123abc`, means by a time and by a rate of
 * several threads: the value of the fact. "": it does not tell, so it is older than 1.8.4. */
const char *fl_meaning_of_time(const char *version);
const char *fl_meaning_of_rate(const char *version);

#endif
