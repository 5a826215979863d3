/* SPDX-License-Identifier: Apache-2.0 */
#include "database.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

static int failure_of_io(struct fl_store *store, struct fl_err *err)
{
    int cause = sqlite3_system_errno(store->db);

    if (cause == ENOSPC || cause == EDQUOT)
        return fl_fail(err, -ENOSPC,
                       "cannot write '%s': %s: what is stored is intact, free some space and go on",
                       store->path, strerror(cause));
    return fl_fail(err, -EIO, "cannot read or write '%s': %s", store->path,
                   cause ? strerror(cause) : sqlite3_errmsg(store->db));
}

static int failure_of_open(struct fl_store *store, struct fl_err *err)
{
    int cause = sqlite3_system_errno(store->db);

    if (cause == ENOSPC || cause == EDQUOT || cause == EIO)
        return failure_of_io(store, err);
    return fl_fail(err, cause ? -cause : -EACCES,
                   "cannot open '%s': %s: it and its folder have to be accessible", store->path,
                   cause ? strerror(cause) : sqlite3_errmsg(store->db));
}

static int failure_of_constraint(struct fl_store *store, int code, struct fl_err *err)
{
    if (code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY)
        return fl_fail(err, -EEXIST, "cannot write '%s': stored already (%s)", store->path,
                       sqlite3_errmsg(store->db));
    if (code == SQLITE_CONSTRAINT_FOREIGNKEY)
        return fl_fail(err, -ENOENT, "cannot write '%s': refers to something that is not stored",
                       store->path);
    return fl_fail(err, -EINVAL, "cannot write '%s': %s", store->path, sqlite3_errmsg(store->db));
}

int fl_db_failure(struct fl_store *store, int code, struct fl_err *err)
{
    const char *path = store->path;

    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fl_fail(err, -EBUSY,
                       "cannot use '%s': another process has kept it locked for %.1f s: wait for "
                       "that process to end, or name another store",
                       path, store->patience_ms / 1e3);
    case SQLITE_FULL:
        return fl_fail(err, -ENOSPC,
                       "cannot write '%s': no space left: what is stored is intact, free some "
                       "space and go on",
                       path);
    case SQLITE_READONLY:
        return fl_fail(err, -EROFS, "cannot write '%s': the file or its folder is read-only", path);
    case SQLITE_CANTOPEN:
        return failure_of_open(store, err);
    case SQLITE_AUTH:
    case SQLITE_PERM:
        return fl_fail(err, -EACCES, "cannot open '%s': permission denied", path);
    case SQLITE_NOTADB:
        return fl_fail(err, -EBADMSG, "cannot read '%s': it is not an SQLite database", path);
    case SQLITE_CORRUPT:
        return fl_fail(err, -EBADMSG,
                       "cannot read '%s': the file is damaged (%s): copy it aside and try "
                       "`sqlite3 COPY .recover`",
                       path, sqlite3_errmsg(store->db));
    case SQLITE_NOMEM:
        return fl_fail(err, -ENOMEM, "cannot use '%s': out of memory", path);
    case SQLITE_IOERR:
        return failure_of_io(store, err);
    case SQLITE_CONSTRAINT:
        return failure_of_constraint(store, code, err);
    default:
        return fl_fail(err, -EBADMSG, "cannot use '%s': %s", path, sqlite3_errmsg(store->db));
    }
}

static int prepare(struct fl_store *store, const char *sql, sqlite3_stmt **out, struct fl_err *err)
{
    for (size_t i = 0; i < store->count; i++) {
        if (store->kept[i].sql == sql) {
            *out = store->kept[i].statement;
            sqlite3_reset(*out);
            return 0;
        }
    }
    if (store->count == FL_DB_STATEMENTS)
        return fl_fail(err, -ENOMEM, "cannot use '%s': more than %d statements", store->path,
                       FL_DB_STATEMENTS);
    int code = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
    if (code != SQLITE_OK)
        return fl_db_failure(store, code, err);
    store->kept[store->count++] = (struct fl_kept){sql, *out};
    return 0;
}

static int bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    return text ? sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT)
                : sqlite3_bind_null(statement, index);
}

static int bind_values(struct fl_store *store, const char *sql, sqlite3_stmt **out,
                       struct fl_err *err, const char *format, va_list values)
{
    const char *text;
    int code = SQLITE_OK;
    int status = prepare(store, sql, out, err);

    if (status)
        return status;
    for (int i = 0; format[i] && code == SQLITE_OK; i++) {
        switch (format[i]) {
        case 'i':
            code = sqlite3_bind_int64(*out, i + 1, va_arg(values, int64_t));
            break;
        case 'r':
            code = sqlite3_bind_double(*out, i + 1, va_arg(values, double));
            break;
        case 't':
            code = bind_text(*out, i + 1, va_arg(values, const char *));
            break;
        case 'T':
            text = va_arg(values, const char *);
            code = bind_text(*out, i + 1, text ? text : "");
            break;
        default:
            code = sqlite3_bind_null(*out, i + 1);
        }
    }
    return code == SQLITE_OK ? 0 : fl_db_failure(store, code, err);
}

int fl_db_bind(struct fl_store *store, const char *sql, sqlite3_stmt **out, struct fl_err *err,
               const char *format, ...)
{
    va_list values;

    va_start(values, format);
    int status = bind_values(store, sql, out, err, format, values);
    va_end(values);
    return status;
}

int fl_db_step(struct fl_store *store, sqlite3_stmt *statement, struct fl_err *err)
{
    int code = sqlite3_step(statement);

    if (code == SQLITE_ROW)
        return 1;
    /* The reason is asked for before the reset, which may overwrite the connection's message. */
    int status = code == SQLITE_DONE ? 0 : fl_db_failure(store, code, err);
    sqlite3_reset(statement);
    return status;
}

void fl_db_reset(sqlite3_stmt *statement)
{
    sqlite3_reset(statement);
}

static int step_to_end(struct fl_store *store, sqlite3_stmt *statement, struct fl_err *err)
{
    int status;

    do
        status = fl_db_step(store, statement, err);
    while (status > 0);
    return status;
}

int fl_db_run(struct fl_store *store, const char *sql, struct fl_err *err, const char *format, ...)
{
    sqlite3_stmt *statement;
    va_list values;

    va_start(values, format);
    int status = bind_values(store, sql, &statement, err, format, values);
    va_end(values);
    return status ? status : step_to_end(store, statement, err);
}

int fl_db_insert(struct fl_store *store, const char *sql, int64_t *id, struct fl_err *err,
                 const char *format, ...)
{
    sqlite3_stmt *statement;
    va_list values;

    va_start(values, format);
    int status = bind_values(store, sql, &statement, err, format, values);
    va_end(values);
    if (!status)
        status = step_to_end(store, statement, err);
    if (!status)
        *id = sqlite3_last_insert_rowid(store->db);
    return status;
}

int fl_db_number(struct fl_store *store, const char *sql, int64_t *out, struct fl_err *err,
                 const char *format, ...)
{
    sqlite3_stmt *statement;
    va_list values;

    va_start(values, format);
    int status = bind_values(store, sql, &statement, err, format, values);
    va_end(values);
    if (!status)
        status = fl_db_step(store, statement, err);
    else
        return status;
    if (status <= 0)
        return status ? status : -ENOENT;
    *out = sqlite3_column_int64(statement, 0);
    /* One that writes may only fail when it ends, which is when it commits. */
    while (status > 0 && !sqlite3_stmt_readonly(statement))
        status = fl_db_step(store, statement, err);
    sqlite3_reset(statement);
    return status < 0 ? status : 0;
}

int fl_db_begin(struct fl_store *store, struct fl_err *err)
{
    if (store->held)
        return 0;
    /* IMMEDIATE: a lock held elsewhere is waited for here, where nothing has been written yet. */
    return fl_db_run(store, "BEGIN IMMEDIATE", err, "");
}

int fl_db_end(struct fl_store *store, int status, struct fl_err *err)
{
    if (store->held)
        return status;
    if (!status)
        status = fl_db_run(store, "COMMIT", err, "");
    /* Some failures (full disk) have rolled back by themselves. */
    if (status && !sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

int fl_db_hold(struct fl_store *store, struct fl_err *err)
{
    int status = fl_db_begin(store, err);

    store->held = !status;
    return status;
}

int fl_db_let_go(struct fl_store *store, int status, struct fl_err *err)
{
    store->held = false;
    return fl_db_end(store, status, err);
}

const char *fl_db_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);

    return text ? (const char *)text : "";
}

const char *fl_db_text_or_null(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}
