/* SPDX-License-Identifier: Apache-2.0 */
/* Writing one sample: the transaction that a run repeats. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"

#define MEMBERS_MAX (FL_FACTS_MAX * 21) /* decimal ids and commas */

static int compare_ids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static int add_fact(struct fl_store *store, const struct fl_fact *fact, int64_t *id,
                    struct fl_err *err)
{
    static const char find[] = "SELECT id FROM fact WHERE name = ? AND value = ?";
    static const char insert[] = "INSERT INTO fact (name, value) VALUES (?, ?)";
    int status = fl_db_number(store, find, id, err, "TT", fact->name, fact->value);

    if (status != -ENOENT)
        return status;
    return fl_db_insert(store, insert, id, err, "TT", fact->name, fact->value);
}

static int add_fact_set(struct fl_store *store, const int64_t *facts, size_t count, int64_t *set,
                        struct fl_err *err)
{
    static const char find[] = "SELECT id FROM fact_set WHERE members = ?";
    static const char insert[] = "INSERT INTO fact_set (members) VALUES (?)";
    static const char member[] = "INSERT OR IGNORE INTO fact_set_member VALUES (?, ?)";
    char members[MEMBERS_MAX];
    size_t used = 0;

    members[0] = '\0';
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(members + used, sizeof(members) - used, "%s%" PRId64, i ? "," : "",
                                 facts[i]);
    int status = fl_db_number(store, find, set, err, "T", members);
    if (status != -ENOENT)
        return status;
    status = fl_db_insert(store, insert, set, err, "T", members);
    for (size_t i = 0; i < count && !status; i++)
        status = fl_db_run(store, member, err, "ii", *set, facts[i]);
    return status;
}

/* Samples of one cell share their facts nearly always: a set is stored once. */
static int add_facts(struct fl_store *store, const struct fl_sample *sample, int64_t *set,
                     struct fl_err *err)
{
    int64_t ids[FL_FACTS_MAX];
    int status = 0;

    if (sample->fact_count > FL_FACTS_MAX)
        return fl_fail(err, -E2BIG, "cannot store a sample with more than %d facts", FL_FACTS_MAX);
    for (size_t i = 0; i < sample->fact_count && !status; i++)
        status = add_fact(store, &sample->facts[i], &ids[i], err);
    if (status)
        return status;
    qsort(ids, sample->fact_count, sizeof(ids[0]), compare_ids);
    return add_fact_set(store, ids, sample->fact_count, set, err);
}

static int add_row(struct fl_store *store, const struct fl_sample *sample, int64_t *id,
                   struct fl_err *err)
{
    static const char insert[] =
        "INSERT INTO sample (run, cell, mode, round, seed, outcome, calls, started_ns, "
        "duration_ns, cpu, load, steal_ns, reason, facts) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, iif(?10 < 0, NULL, ?10), ?, iif(?12 < 0, NULL, ?12), "
        "nullif(?, 0), nullif(?, 0))";
    int64_t reason = 0, facts = 0;
    int status = 0;

    if (sample->reason && sample->reason[0])
        status = fl_db_reason(store, sample->reason, &reason, err);
    if (!status && sample->fact_count)
        status = add_facts(store, sample, &facts, err);
    if (status)
        return status;
    /* NaN is stored as NULL. */
    return fl_db_insert(store, insert, id, err, "iiTiiTiiiiriii", sample->run, sample->cell,
                        fl_sample_mode_name(sample->mode), (int64_t)sample->round,
                        (int64_t)sample->seed, fl_outcome_name(sample->outcome), sample->calls,
                        sample->started_ns, sample->duration_ns, (int64_t)sample->cpu,
                        sample->load >= 0 ? sample->load : (double)NAN, sample->steal_ns, reason,
                        facts);
}

/* A total that is not a number is no measurement: it is kept as the reason why there is none. */
static void refuse_not_finite(struct fl_value *value, char *text, size_t size)
{
    if (value->state != FL_READING_OK)
        return;
    if (value->is_real && !isfinite(value->real))
        snprintf(text, size, "measured %g, which is not a finite number", value->real);
    else if (!isfinite(value->scale) || value->scale < 0)
        snprintf(text, size, "scaled by %g, which is not a finite number", value->scale);
    else
        return;
    value->state = FL_READING_UNAVAILABLE;
    value->reason = text;
    value->scale = 1;
}

static int add_value(struct fl_store *store, int64_t sample, const struct fl_value *given,
                     struct fl_err *err)
{
    static const char insert[] = "INSERT INTO value (sample, metric, scale, state, reason, total) "
                                 "VALUES (?, ?, ?, ?, nullif(?, 0), ?)";
    struct fl_value value = *given;
    double scale = value.scale == 0 ? 1 : value.scale;
    char text[80];
    int64_t reason = 0;
    int status = 0;

    value.scale = scale;
    refuse_not_finite(&value, text, sizeof(text));
    if (value.state != FL_READING_OK && value.reason)
        status = fl_db_reason(store, value.reason, &reason, err);
    if (status)
        return status;
    if (value.state != FL_READING_OK)
        return fl_db_run(store, insert, err, "iiriin", sample, value.metric, value.scale,
                         (int64_t)value.state, reason);
    if (value.is_real)
        return fl_db_run(store, insert, err, "iiriir", sample, value.metric, value.scale,
                         (int64_t)value.state, reason, value.real);
    return fl_db_run(store, insert, err, "iiriii", sample, value.metric, value.scale,
                     (int64_t)value.state, reason, value.total);
}

int fl_store_add_sample(struct fl_store *store, const struct fl_sample *sample, int64_t *id,
                        struct fl_err *err)
{
    int64_t row = 0;
    int status = fl_db_begin(store, err);

    if (status)
        return status;
    status = add_row(store, sample, &row, err);
    for (size_t i = 0; i < sample->value_count && !status; i++)
        status = add_value(store, row, &sample->values[i], err);
    status = fl_db_end(store, status, err);
    if (!status && id)
        *id = row;
    return status;
}
