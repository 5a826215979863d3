/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Database: what the store's files share: one SQLite connection with its kept statements, and the
 * translation of SQLite's failures into -errno and one clear line. Private to results/.
 *
 * Statements are kept by the address of their text, which therefore has to be a static string, and
 * stay prepared until the store is closed. One that is being stepped must not be asked for again.
 *
 * `format` names the bound values in order: i int64_t, r double, t text (NULL: SQL NULL), T text
 * (NULL: ""), n nothing (SQL NULL, takes no argument).
 */
#ifndef RESULTS_DATABASE_H
#define RESULTS_DATABASE_H

#include <sqlite3.h>

#include "results/store.h"

#define FL_DB_STATEMENTS 96

struct fl_kept {
    const char *sql;
    sqlite3_stmt *statement;
};

struct fl_store {
    sqlite3 *db;
    char *path; /* as the user wrote it */
    int patience_ms;
    bool held; /* one transaction around those of the functions: see fl_db_hold() */
    size_t count;
    struct fl_kept kept[FL_DB_STATEMENTS];
};

/* The kept statement of `sql`, reset, with the values bound. */
int fl_db_bind(struct fl_store *store, const char *sql, sqlite3_stmt **out, struct fl_err *err,
               const char *format, ...) FL_MUST_CHECK;

/* 1: a row; 0: no more, and the statement is reset; else -errno, and it is reset. */
int fl_db_step(struct fl_store *store, sqlite3_stmt *statement, struct fl_err *err) FL_MUST_CHECK;

/* Ends a statement before its last row. */
void fl_db_reset(sqlite3_stmt *statement);

/* Binds and steps to the end. -EEXIST: not unique; -ENOENT: refers to a row that does not exist. */
int fl_db_run(struct fl_store *store, const char *sql, struct fl_err *err, const char *format,
              ...) FL_MUST_CHECK;

/* First column of the first row; -ENOENT, with err untouched, where there is no row. */
int fl_db_number(struct fl_store *store, const char *sql, int64_t *out, struct fl_err *err,
                 const char *format, ...) FL_MUST_CHECK;

/*
 * An INSERT of one row: its id. Not one with RETURNING, for which SQLite makes a table and a page
 * cache each time: a sample then takes three times as long.
 */
int fl_db_insert(struct fl_store *store, const char *sql, int64_t *id, struct fl_err *err,
                 const char *format, ...) FL_MUST_CHECK;

/* One write transaction. end() commits if `status` is 0 and rolls back otherwise; returns status or
 * why the commit failed. */
int fl_db_begin(struct fl_store *store, struct fl_err *err) FL_MUST_CHECK;
int fl_db_end(struct fl_store *store, int status, struct fl_err *err) FL_MUST_CHECK;

/* A transaction around everything up to fl_db_let_go(), which ends it as fl_db_end() does: those
 * that are begun and ended meanwhile are parts of it. */
int fl_db_hold(struct fl_store *store, struct fl_err *err) FL_MUST_CHECK;
int fl_db_let_go(struct fl_store *store, int status, struct fl_err *err) FL_MUST_CHECK;

/* Adds a cell to a run at a place; one that the run has keeps its own. Inside a transaction. */
int fl_db_plan_cell(struct fl_store *store, int64_t run, const struct fl_planned_cell *cell,
                    int64_t position, int64_t *id, struct fl_err *err) FL_MUST_CHECK;

/* Gives a run another description, machine and environment included. Inside a transaction. */
int fl_db_describe_run(struct fl_store *store, int64_t run, const struct fl_run_info *info,
                       struct fl_err *err) FL_MUST_CHECK;

/* The id of a reason's text, stored where it is new. Inside a transaction. */
int fl_db_reason(struct fl_store *store, const char *text, int64_t *id,
                 struct fl_err *err) FL_MUST_CHECK;

/* -errno and text for the connection's last failure. */
int fl_db_failure(struct fl_store *store, int code, struct fl_err *err);

/* Text of a column; "" for NULL. */
const char *fl_db_text(sqlite3_stmt *statement, int column);
/* Text of a column; NULL for NULL. */
const char *fl_db_text_or_null(sqlite3_stmt *statement, int column);

#endif
