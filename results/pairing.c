/* SPDX-License-Identifier: Apache-2.0 */
/* Writing and reading pairings. */
#include "results/pairing.h"

#include <errno.h>

#include "database.h"

#define COLUMNS                                                                                    \
    "SELECT id, base, head, purpose, base_side, head_side, tolerance, detect, planned, budget_ns " \
    "FROM pairing "

int fl_pairing_add(struct fl_store *store, const struct fl_pairing *pairing, int64_t *id,
                   struct fl_err *err)
{
    static const char insert[] =
        "INSERT INTO pairing (base, head, purpose, base_side, head_side, tolerance, detect, "
        "planned, budget_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id";
    int status = fl_db_begin(store, err);

    if (status)
        return status;
    status = fl_db_number(store, insert, id, err, "iiTTTrrii", pairing->base, pairing->head,
                          fl_pairing_purpose_name(pairing->purpose), pairing->base_side,
                          pairing->head_side, pairing->tolerance, pairing->detect,
                          (int64_t)pairing->planned, pairing->budget_ns);
    return fl_db_end(store, status, err);
}

static int next_position(struct fl_store *store, int64_t pairing, int64_t *position,
                         struct fl_err *err)
{
    static const char select[] =
        "SELECT ifnull(max(position) + 1, 0) FROM paired_cell WHERE pairing = ?";

    return fl_db_number(store, select, position, err, "i", pairing);
}

static int add_cell(struct fl_store *store, int64_t pairing, int64_t position,
                    const struct fl_paired_cell *cell, struct fl_err *err)
{
    static const char insert[] =
        "INSERT INTO paired_cell VALUES (?, ?, ?, ?, ?, nullif(?, 0), ?, ?)";

    return fl_db_run(store, insert, err, "iiTiiirr", pairing, position, cell->key, cell->base,
                     cell->head, cell->calls, cell->tolerance, cell->detect);
}

int fl_pairing_add_cells(struct fl_store *store, int64_t pairing,
                         const struct fl_paired_cell *cells, size_t count, struct fl_err *err)
{
    int64_t position;
    int status = fl_db_begin(store, err);

    if (status)
        return status;
    status = next_position(store, pairing, &position, err);
    for (size_t i = 0; i < count && !status; i++)
        status = add_cell(store, pairing, position + (int64_t)i, &cells[i], err);
    return fl_db_end(store, status, err);
}

static int changed_one(struct fl_store *store, int status, int64_t pairing, struct fl_err *err)
{
    if (!status && sqlite3_changes(store->db) == 0)
        return fl_fail(err, -ENOENT, "cannot change pairing %lld: '%s' has no such pairing or cell",
                       (long long)pairing, store->path);
    return status;
}

int fl_pairing_set_calls(struct fl_store *store, int64_t pairing, size_t position, int64_t calls,
                         struct fl_err *err)
{
    static const char update[] =
        "UPDATE paired_cell SET calls = ? WHERE pairing = ? AND position = ?";
    int status = fl_db_run(store, update, err, "iii", calls, pairing, (int64_t)position);

    return changed_one(store, status, pairing, err);
}

int fl_pairing_set_planned(struct fl_store *store, int64_t pairing, size_t planned,
                           struct fl_err *err)
{
    static const char update[] = "UPDATE pairing SET planned = ? WHERE id = ?";
    int status = fl_db_run(store, update, err, "ii", (int64_t)planned, pairing);

    return changed_one(store, status, pairing, err);
}

/* ---- reading ---- */

static void fill(sqlite3_stmt *row, struct fl_pairing *out)
{
    *out = (struct fl_pairing){
        .id = sqlite3_column_int64(row, 0),
        .base = sqlite3_column_int64(row, 1),
        .head = sqlite3_column_int64(row, 2),
        .purpose = (enum fl_pairing_purpose)fl_pairing_purpose_from(fl_db_text(row, 3)),
        .base_side = fl_db_text(row, 4),
        .head_side = fl_db_text(row, 5),
        .tolerance = sqlite3_column_double(row, 6),
        .detect = sqlite3_column_double(row, 7),
        .planned = (size_t)sqlite3_column_int64(row, 8),
        .budget_ns = sqlite3_column_int64(row, 9),
    };
}

int fl_pairings(struct fl_store *store, fl_pairing_fn each, void *arg, struct fl_err *err)
{
    static const char select[] = COLUMNS "ORDER BY id";
    struct fl_pairing pairing;
    sqlite3_stmt *row;
    int status = fl_db_bind(store, select, &row, err, "");

    while (!status && (status = fl_db_step(store, row, err)) > 0) {
        fill(row, &pairing);
        status = each(arg, &pairing);
        if (status)
            fl_db_reset(row);
    }
    return status;
}

/* Calls `each` with the one row of a bound statement; 1: there is none. */
static int only_row(struct fl_store *store, sqlite3_stmt *row, fl_pairing_fn each, void *arg,
                    struct fl_err *err)
{
    struct fl_pairing pairing;
    int status = fl_db_step(store, row, err);

    if (status <= 0)
        return status ? status : 1;
    fill(row, &pairing);
    status = each(arg, &pairing);
    fl_db_reset(row);
    return status;
}

int fl_pairing_of_run(struct fl_store *store, int64_t run, fl_pairing_fn each, void *arg,
                      struct fl_err *err)
{
    static const char select[] = COLUMNS "WHERE base = ?1 OR head = ?1 ORDER BY id DESC LIMIT 1";
    sqlite3_stmt *row;
    int status = fl_db_bind(store, select, &row, err, "i", run);

    if (!status)
        status = only_row(store, row, each, arg, err);
    if (status == 1)
        return fl_fail(err, -ENOENT,
                       "run %lld of '%s' is no side of an A/B run: `faultline ab` makes them",
                       (long long)run, store->path);
    return status;
}

int fl_pairing_latest(struct fl_store *store, enum fl_pairing_purpose purpose, fl_pairing_fn each,
                      void *arg, struct fl_err *err)
{
    static const char select[] = COLUMNS "WHERE purpose = ? ORDER BY id DESC LIMIT 1";
    sqlite3_stmt *row;
    int status = fl_db_bind(store, select, &row, err, "T", fl_pairing_purpose_name(purpose));

    if (!status)
        status = only_row(store, row, each, arg, err);
    if (status == 1)
        return fl_fail(err, -ENOENT, "'%s' has no %s: `faultline %s` makes one", store->path,
                       purpose == FL_PAIRING_AB ? "A/B run" : "calibration",
                       fl_pairing_purpose_name(purpose));
    return status;
}

int fl_pairing_cells(struct fl_store *store, int64_t pairing, fl_paired_cell_fn each, void *arg,
                     struct fl_err *err)
{
    static const char select[] =
        "SELECT key, base_cell, head_cell, ifnull(calls, 0), tolerance, detect FROM paired_cell "
        "WHERE pairing = ? ORDER BY position";
    sqlite3_stmt *row;
    int status = fl_db_bind(store, select, &row, err, "i", pairing);

    while (!status && (status = fl_db_step(store, row, err)) > 0) {
        const struct fl_paired_cell cell = {
            .key = fl_db_text(row, 0),
            .base = sqlite3_column_int64(row, 1),
            .head = sqlite3_column_int64(row, 2),
            .calls = sqlite3_column_int64(row, 3),
            .tolerance = sqlite3_column_double(row, 4),
            .detect = sqlite3_column_double(row, 5),
        };
        status = each(arg, &cell);
        if (status)
            fl_db_reset(row);
    }
    return status;
}
