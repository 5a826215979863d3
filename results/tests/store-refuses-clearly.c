/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are not a usable store: each is refused with its reason and left as it was. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store-fixture.h"

static void write_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static size_t read_file(const char *path, char **out)
{
    struct stat info;
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &info), 0);
    *out = malloc((size_t)info.st_size + 1);
    assert_non_null(*out);
    size_t size = fread(*out, 1, (size_t)info.st_size, file);
    fclose(file);
    return size;
}

/* Every access is refused with `code`, in one line that names the file and holds `words`. */
static void expect_refusal(struct fixture *f, int code, const char *words)
{
    char *before, *after;
    size_t size = read_file(f->path, &before);

    for (int access = FL_STORE_READ; access <= FL_STORE_CREATE; access++) {
        int status = fl_store_open(f->path, (enum fl_store_access)access, &f->store, &f->err);
        if (status != code || !strstr(f->err.text, words) || !strstr(f->err.text, f->path) ||
            strchr(f->err.text, '\n'))
            fail_msg("access %d: status %d: %s", access, status, f->err.text);
        assert_null(f->store);
    }
    assert_int_equal(read_file(f->path, &after), size);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
}

static void a_missing_file_is_only_made_on_request(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(fl_store_open(f->path, FL_STORE_READ, &f->store, &f->err), -ENOENT);
    assert_int_equal(fl_store_open(f->path, FL_STORE_WRITE, &f->store, &f->err), -ENOENT);
    assert_int_not_equal(access(f->path, F_OK), 0);
    assert_int_equal(fl_store_open("", FL_STORE_CREATE, &f->store, &f->err), -EINVAL);
    assert_int_equal(fl_store_open(f->folder, FL_STORE_READ, &f->store, &f->err), -EINVAL);
    assert_int_equal(fl_store_open("/nonexistent/x.db", FL_STORE_CREATE, &f->store, &f->err),
                     -ENOENT);
    assert_non_null(strstr(f->err.text, "/nonexistent/x.db"));
    fixture_open(f, FL_STORE_CREATE);
    assert_int_equal(access(f->path, F_OK), 0);
}

static void special_names_are_ordinary_files(void **state)
{
    struct fixture *f = *state;
    char home[4096];

    assert_non_null(getcwd(home, sizeof(home)));
    assert_int_equal(chdir(f->folder), 0);
    fixture_ok(f, fl_store_open(":memory:", FL_STORE_CREATE, &f->store, &f->err));
    assert_int_equal(access(":memory:", F_OK), 0);
    fixture_close(f);
    unlink(":memory:");
    assert_int_equal(chdir(home), 0);
}

static void an_empty_file_becomes_a_store_on_request(void **state)
{
    struct fixture *f = *state;

    write_file(f->path, "", 0);
    assert_int_equal(fl_store_open(f->path, FL_STORE_READ, &f->store, &f->err), -ENOTSUP);
    assert_int_equal(fl_store_open(f->path, FL_STORE_WRITE, &f->store, &f->err), -ENOTSUP);
    fixture_open(f, FL_STORE_CREATE);
    assert_int_equal(fixture_query(f, "PRAGMA user_version"), FL_STORE_SCHEMA);
    assert_int_equal(fixture_query(f, "PRAGMA application_id"), 0x464c544c);
    fixture_close(f);
    fixture_open(f, FL_STORE_READ);
}

static void text_is_not_a_store(void **state)
{
    struct fixture *f = *state;
    char text[8192];

    memset(text, 'x', sizeof(text));
    write_file(f->path, text, sizeof(text));
    expect_refusal(f, -EBADMSG, "not an SQLite database");
}

static void a_foreign_database_is_left_alone(void **state)
{
    struct fixture *f = *state;

    run_sql(f->path, "CREATE TABLE mail (subject TEXT)");
    expect_refusal(f, -ENOTSUP, "not a faultline store");
    run_sql(f->path, "PRAGMA application_id = 1234");
    expect_refusal(f, -ENOTSUP, "not a faultline store");
}

static void a_newer_schema_is_left_alone(void **state)
{
    struct fixture *f = *state;

    fixture_open(f, FL_STORE_CREATE);
    fixture_close(f);
    run_sql(f->path, "PRAGMA user_version = 3; CREATE TABLE future (x)");
    expect_refusal(f, -ENOTSUP, "schema is version 3");
}

static void damage_is_reported_as_damage(void **state)
{
    struct fixture *f = *state;
    char noise[4096];
    int64_t run;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    fixture_close(f);
    memset(noise, 0x5a, sizeof(noise));
    long long end = fixture_query(f, "PRAGMA page_count") * 4096;
    int file = open(f->path, O_WRONLY);
    /* Every page but the first, which holds the schema. */
    for (off_t at = 4096; at < end; at += 4096)
        assert_int_equal(pwrite(file, noise, sizeof(noise), at), sizeof(noise));
    close(file);
    int status = fl_store_open(f->path, FL_STORE_READ, &f->store, &f->err);
    if (!status)
        status = fl_store_find_run(f->store, "latest", &run, &f->err);
    assert_int_equal(status, -EBADMSG);
    assert_non_null(strstr(f->err.text, "damaged"));
}

static void a_truncated_file_is_reported_as_damage(void **state)
{
    struct fixture *f = *state;
    int64_t run;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    fixture_close(f);
    assert_int_equal(truncate(f->path, 5 * 4096 + 100), 0);
    int status = fl_store_open(f->path, FL_STORE_READ, &f->store, &f->err);
    if (!status)
        status = fl_store_find_run(f->store, "latest", &run, &f->err);
    assert_int_equal(status, -EBADMSG);
}

static void a_lock_is_waited_for_and_then_reported(void **state)
{
    struct fixture *f = *state;
    struct fl_run_info info = fixture_info();
    sqlite3 *other;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    fl_store_patience(f->store, 100);
    assert_int_equal(sqlite3_open(f->path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    int64_t run = 0;
    assert_int_equal(fl_store_begin_run(f->store, &info, &run, &f->err), -EBUSY);
    assert_non_null(strstr(f->err.text, "locked for 0.1 s"));
    fixture_ok(f, fl_store_find_run(f->store, "latest", &run, &f->err)); /* reading goes on */
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    fixture_ok(f, fl_store_begin_run(f->store, &info, &run, &f->err));
}

static int as_nobody(struct fixture *f, enum fl_store_access access, int code)
{
    struct fl_store *store;
    int64_t run;

    if (geteuid() == 0 && (setgroups(0, NULL) || setgid(65534) || setuid(65534)))
        return 77;
    int status = fl_store_open(f->path, access, &store, &f->err);
    if (status == 0)
        status = fl_store_find_run(store, "latest", &run, &f->err);
    if (status == code && (!code || strstr(f->err.text, f->path)))
        return 0;
    fprintf(stderr, "status %d: %s\n", status, f->err.text);
    return 1;
}

/* Root may do everything: the opening is tried by an unprivileged child. */
static void expect_as_nobody(struct fixture *f, enum fl_store_access access, int code)
{
    int status;
    pid_t child = fork();

    if (child == 0)
        _exit(as_nobody(f, access, code));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void permissions_are_reported_and_reading_needs_none_to_write(void **state)
{
    struct fixture *f = *state;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    fixture_close(f);
    assert_int_equal(chmod(f->folder, 0555), 0);
    assert_int_equal(chmod(f->path, 0444), 0);
    expect_as_nobody(f, FL_STORE_WRITE, -EACCES);
    expect_as_nobody(f, FL_STORE_READ, 0);
    assert_int_equal(chmod(f->path, 0), 0);
    expect_as_nobody(f, FL_STORE_READ, -EACCES);
    assert_int_equal(chmod(f->path, 0666), 0);
    expect_as_nobody(f, FL_STORE_CREATE, -EROFS);
    assert_int_equal(chmod(f->folder, 0755), 0);
}

static void what_was_not_closed_needs_a_folder_to_write_in(void **state)
{
    struct fixture *f = *state;
    char name[sizeof(f->path) + 8];
    int status;
    pid_t child = fork();

    if (child == 0) {
        fixture_open(f, FL_STORE_CREATE);
        fixture_begin(f);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    snprintf(name, sizeof(name), "%s-shm", f->path);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(chmod(f->folder, 0555), 0);
    expect_as_nobody(f, FL_STORE_READ, -EROFS);
    assert_int_equal(chmod(f->folder, 0755), 0);
    fixture_open(f, FL_STORE_READ); /* nothing is lost */
    fixture_ok(f, fl_store_find_run(f->store, "latest", &f->run, &f->err));
}

static void many_processes_may_make_the_same_store(void **state)
{
    struct fixture *f = *state;
    enum { MAKERS = 12 };
    int failed = 0, status;

    for (int i = 0; i < MAKERS; i++) {
        if (fork() == 0) {
            status = fl_store_open(f->path, FL_STORE_CREATE, &f->store, &f->err);
            if (!status) {
                struct fl_run_info info = fixture_info();
                status = fl_store_begin_run(f->store, &info, &f->run, &f->err);
            }
            if (status)
                fprintf(stderr, "%s\n", f->err.text);
            fl_store_close(f->store);
            _exit(status ? 1 : 0);
        }
    }
    for (int i = 0; i < MAKERS; i++) {
        wait(&status);
        failed += status != 0;
    }
    assert_int_equal(failed, 0);
    assert_int_equal(fixture_query(f, "SELECT count(*) FROM run"), MAKERS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_missing_file_is_only_made_on_request),
        TEST(special_names_are_ordinary_files),
        TEST(an_empty_file_becomes_a_store_on_request),
        TEST(text_is_not_a_store),
        TEST(a_foreign_database_is_left_alone),
        TEST(a_newer_schema_is_left_alone),
        TEST(damage_is_reported_as_damage),
        TEST(a_truncated_file_is_reported_as_damage),
        TEST(a_lock_is_waited_for_and_then_reported),
        TEST(permissions_are_reported_and_reading_needs_none_to_write),
        TEST(what_was_not_closed_needs_a_folder_to_write_in),
        TEST(many_processes_may_make_the_same_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
