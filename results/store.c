/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a store: recognising the file, migrating it, and refusing what is not ours. */
#include "results/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "database.h"
#include "schema_2_sql.h"
#include "schema_sql.h"

#define APPLICATION_ID 0x464c544c /* "FLTL" */
#define PATIENCE_MS    5000

/* Entry v takes a store from schema version v to v + 1; entries are only ever added. */
static const char *const migrations[FL_STORE_SCHEMA] = {fl_schema_sql, fl_schema_2_sql};

struct fl_identity {
    int64_t application, version, objects;
};

static int read_identity(struct fl_store *store, struct fl_identity *out, struct fl_err *err)
{
    int status = fl_db_number(store, "PRAGMA application_id", &out->application, err, "");

    if (!status)
        status = fl_db_number(store, "PRAGMA user_version", &out->version, err, "");
    if (!status)
        status = fl_db_number(store, "SELECT count(*) FROM sqlite_schema", &out->objects, err, "");
    return status;
}

/* In one transaction: another process may be making the store at this moment. */
static int identify(struct fl_store *store, struct fl_identity *out, struct fl_err *err)
{
    int status = fl_db_run(store, "BEGIN", err, "");

    return status ? status : fl_db_end(store, read_identity(store, out, err), err);
}

static int check_identity(struct fl_store *store, const struct fl_identity *is,
                          enum fl_store_access access, struct fl_err *err)
{
    const char *path = store->path;
    bool empty = !is->application && !is->version && !is->objects;

    if (empty && access == FL_STORE_CREATE)
        return 0;
    if (empty)
        return fl_fail(err, -ENOTSUP, "cannot use '%s': it is empty; `faultline run` fills a store",
                       path);
    if (is->application != APPLICATION_ID || is->version < 0)
        return fl_fail(err, -ENOTSUP,
                       "cannot use '%s': an SQLite file, but not a faultline store; it was left "
                       "as it is",
                       path);
    if (is->version > FL_STORE_SCHEMA)
        return fl_fail(err, -ENOTSUP,
                       "cannot use '%s': its schema is version %lld, this faultline knows up to "
                       "%d: use the newer faultline that wrote it; it was left as it is",
                       path, (long long)is->version, FL_STORE_SCHEMA);
    if (is->version < FL_STORE_SCHEMA && access == FL_STORE_READ)
        return fl_fail(err, -ENOTSUP,
                       "cannot read '%s': its schema is version %lld, older than %d: a command "
                       "that writes to it (`faultline run`) migrates it",
                       path, (long long)is->version, FL_STORE_SCHEMA);
    return 0;
}

static int exec(struct fl_store *store, const char *sql, struct fl_err *err)
{
    int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

    return code == SQLITE_OK ? 0 : fl_db_failure(store, code, err);
}

static int apply_migrations(struct fl_store *store, struct fl_err *err)
{
    char pragma[64];
    struct fl_identity is;
    /* Again, under the lock: another process may have been quicker. */
    int status = read_identity(store, &is, err);

    if (!status)
        status = check_identity(store, &is, FL_STORE_CREATE, err);
    for (int64_t v = is.version; !status && v < FL_STORE_SCHEMA; v++)
        status = exec(store, migrations[v], err);
    if (!status) {
        snprintf(pragma, sizeof(pragma), "PRAGMA application_id=%d; PRAGMA user_version=%d",
                 APPLICATION_ID, FL_STORE_SCHEMA);
        status = exec(store, pragma, err);
    }
    return status;
}

static int migrate(struct fl_store *store, struct fl_err *err)
{
    int status = fl_db_begin(store, err);

    if (status)
        return status;
    return fl_db_end(store, apply_migrations(store, err), err);
}

/* Switching to WAL needs the file alone and does not wait for it by itself. */
static int use_wal(struct fl_store *store, struct fl_err *err)
{
    int code = SQLITE_OK;

    for (int waited = 0; waited <= store->patience_ms; waited += 10) {
        code = sqlite3_exec(store->db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
        if (code != SQLITE_BUSY)
            break;
        usleep(10000);
    }
    return code == SQLITE_OK ? 0 : fl_db_failure(store, code, err);
}

static int set_up(struct fl_store *store, enum fl_store_access access, struct fl_err *err)
{
    struct fl_identity is = {0};
    int status = identify(store, &is, err);

    if (!status)
        status = check_identity(store, &is, access, err);
    if (status || access == FL_STORE_READ)
        return status ? status : exec(store, "PRAGMA query_only=ON", err);
    if (sqlite3_db_readonly(store->db, "main") == 1)
        return fl_db_failure(store, SQLITE_READONLY, err);
    status = use_wal(store, err);
    if (!status)
        status = exec(store, "PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON", err);
    if (!status && is.version < FL_STORE_SCHEMA)
        status = migrate(store, err);
    return status;
}

static int connect_to(struct fl_store *store, const char *name, int flags, struct fl_err *err)
{
    int code = sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL);

    if (!store->db)
        return fl_fail(err, -ENOMEM, "cannot open '%s': out of memory", store->path);
    sqlite3_extended_result_codes(store->db, 1);
    if (code != SQLITE_OK)
        return fl_db_failure(store, sqlite3_extended_errcode(store->db), err);
    fl_store_patience(store, PATIENCE_MS);
    /* A store may come from somebody else: its schema is data, not code. */
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    return 0;
}

static void disconnect(struct fl_store *store)
{
    for (size_t i = 0; i < store->count; i++)
        sqlite3_finalize(store->kept[i].statement);
    store->count = 0;
    sqlite3_close(store->db);
    store->db = NULL;
}

static int exists(const char *path, const char *suffix)
{
    char *name = sqlite3_mprintf("%s%s", path, suffix);
    int found = name && access(name, F_OK) == 0;

    sqlite3_free(name);
    return found;
}

/*
 * In a folder where nothing can be created, SQLite cannot make the index that a WAL store needs
 * even for reading. Without a -wal file nobody has it open for writing, and it can be read as it
 * is.
 */
static int open_immutable(struct fl_store *store, const char *name, struct fl_err *err)
{
    char *uri = sqlite3_mprintf("file:%s?immutable=1", name);

    if (!uri)
        return fl_fail(err, -ENOMEM, "cannot open '%s': out of memory", store->path);
    disconnect(store);
    int status = connect_to(store, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
    sqlite3_free(uri);
    return status ? status : set_up(store, FL_STORE_READ, err);
}

/*
 * What opening for reading can do where it failed with `status` at the files beside a readable
 * store: nothing about a -wal file, which holds what a process that was killed wrote last.
 */
static int open_beside(struct fl_store *store, const char *name, int status, struct fl_err *err)
{
    if (status != -EROFS && status != -EACCES && status != -ENOENT)
        return status;
    if (exists(name, "-wal"))
        return fl_fail(err, -EROFS,
                       "cannot read '%s': its last process did not close it, and nothing can be "
                       "written beside it: copy it and its -wal file to a folder of yours",
                       store->path);
    return strpbrk(name, "?#%") ? status : open_immutable(store, name, err);
}

static int open_file(struct fl_store *store, enum fl_store_access access_wanted, struct fl_err *err)
{
    static const int flags[] = {
        [FL_STORE_READ] = SQLITE_OPEN_READONLY,
        [FL_STORE_WRITE] = SQLITE_OPEN_READWRITE,
        [FL_STORE_CREATE] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
    };
    /* An absolute or dotted name is never one of SQLite's special names. */
    char *name = sqlite3_mprintf("%s%s", store->path[0] == '/' ? "" : "./", store->path);
    if (!name)
        return fl_fail(err, -ENOMEM, "cannot open '%s': out of memory", store->path);
    int status = connect_to(store, name, flags[access_wanted], err);
    if (!status)
        status = set_up(store, access_wanted, err);
    if (status && access_wanted == FL_STORE_READ)
        status = open_beside(store, name, status, err);
    sqlite3_free(name);
    return status;
}

static int check_path(const char *path, enum fl_store_access access_wanted, struct fl_err *err)
{
    struct stat info;

    if (!path[0])
        return fl_fail(err, -EINVAL, "cannot open a store without a name");
    if (stat(path, &info) != 0) {
        if (errno == ENOENT && access_wanted == FL_STORE_CREATE)
            return 0;
        if (errno == ENOENT)
            return fl_fail(err, -ENOENT,
                           "cannot open '%s': no such file; `faultline run --store` makes one",
                           path);
        return fl_fail(err, -errno, "cannot open '%s': %s", path, strerror(errno));
    }
    if (!S_ISREG(info.st_mode))
        return fl_fail(err, -EINVAL, "cannot open '%s': it is not a file", path);
    if (access(path, access_wanted == FL_STORE_READ ? R_OK : R_OK | W_OK) != 0)
        return fl_fail(err, -errno, "cannot open '%s': %s", path, strerror(errno));
    return 0;
}

int fl_store_open(const char *path, enum fl_store_access access_wanted, struct fl_store **out,
                  struct fl_err *err)
{
    int status = check_path(path, access_wanted, err);

    if (status)
        return status;
    struct fl_store *store = calloc(1, sizeof(*store));
    if (!store || !(store->path = strdup(path))) {
        free(store);
        return fl_fail(err, -ENOMEM, "cannot open '%s': out of memory", path);
    }
    status = open_file(store, access_wanted, err);
    if (status) {
        fl_store_close(store);
        return status;
    }
    *out = store;
    return 0;
}

void fl_store_close(struct fl_store *store)
{
    if (!store)
        return;
    disconnect(store);
    free(store->path);
    free(store);
}

void fl_store_patience(struct fl_store *store, int milliseconds)
{
    store->patience_ms = milliseconds;
    sqlite3_busy_timeout(store->db, milliseconds);
}
