/* SPDX-License-Identifier: Apache-2.0 */
/* CSV and JSON: what goes out can be read in again, hostile names and failing files included. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <locale.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results/export.h"
#include "store-fixture.h"

enum { COLUMNS = 32, ROWS = 16, POOL = 65536 };

static const char hostile[] = " a,\"b\"\r\n\x1b[2J\xff=cmd|' /C calc'!A0 ";
/* The same in JSON: a byte that is no UTF-8 is replaced. */
static const char hostile_utf8[] = " a,\"b\"\r\n\x1b[2J\xef\xbf\xbd=cmd|' /C calc'!A0 ";

struct csv {
    char *fields[ROWS][COLUMNS];
    size_t rows, columns;
    char pool[POOL];
};

/* Copies one field of RFC 4180 text to *to; the text behind it. */
static const char *take_field(const char *text, char **to)
{
    bool quoted = *text == '"';

    text += quoted;
    for (; *text; text++) {
        if (quoted && *text == '"' && *++text != '"')
            break;
        if (!quoted && (*text == ',' || *text == '\n'))
            break;
        *(*to)++ = *text;
    }
    *(*to)++ = '\0';
    return text;
}

static void parse_csv(const char *text, struct csv *out)
{
    char *to = out->pool;
    size_t column = 0;

    assert_true(strlen(text) < POOL / 2);
    for (out->rows = 0; *text; text++) {
        assert_true(out->rows < ROWS && column < COLUMNS);
        out->fields[out->rows][column++] = to;
        text = take_field(text, &to);
        assert_true(*text == ',' || *text == '\n');
        if (*text == ',')
            continue;
        out->columns = out->rows++ ? out->columns : column;
        assert_int_equal(column, out->columns); /* every row has every column */
        column = 0;
    }
}

static const char *field_of(const struct csv *csv, size_t row, const char *name)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (strcmp(csv->fields[0][i], name) == 0)
            return csv->fields[row][i];
    fail_msg("no column %s", name);
    return NULL;
}

static char *export(struct fixture *f, bool json)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct fl_summary summary;

    if (json) {
        fixture_ok(f, fl_export_json(f->store, f->run, out, &f->err));
    } else {
        fixture_ok(f, fl_summary_read(f->store, f->run, &summary, &f->err));
        fixture_ok(f, fl_export_csv(&summary, out, &f->err));
        fl_summary_release(&summary);
    }
    fclose(out);
    return text;
}

static void export_csv(struct fixture *f, struct csv *csv)
{
    char *text = export(f, false);

    parse_csv(text, csv);
    free(text);
}

static void fill(struct fixture *f)
{
    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t first = fixture_cell(f, "192", "stack+malloc", "glibc", NULL);
    fixture_cell(f, "200", hostile, "jemalloc", hostile);
    fixture_timed(f, first, 0, 3, 0.1);
    fixture_timed(f, first, 1, 3, 1e300);
    fixture_counted(f, first, 0, 200, 112);
    fixture_counted(f, first, 1, 200, 112);
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
}

static void csv_is_what_the_contract_says(void **state)
{
    struct fixture *f = *state;
    static struct csv csv;
    static const char *const columns[] = {"kernel",
                                          "n",
                                          "workspace",
                                          "malloc",
                                          "isa",
                                          "minor-faults",
                                          "minor-faults.min",
                                          "minor-faults.max",
                                          "minor-faults.count",
                                          "time",
                                          "time.min",
                                          "time.max",
                                          "time.count",
                                          "gflops",
                                          "gflops.min",
                                          "gflops.max",
                                          "gflops.count",
                                          "status",
                                          "reason"};

    fill(f);
    export_csv(f, &csv);
    assert_int_equal(csv.rows, 3);
    assert_int_equal(csv.columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < csv.columns; i++)
        assert_string_equal(csv.fields[0][i], columns[i]);
    assert_string_equal(field_of(&csv, 1, "isa"), "auto"); /* though no key has it */
    assert_string_equal(field_of(&csv, 1, "minor-faults"), "112");
    assert_string_equal(field_of(&csv, 1, "minor-faults.count"), "2");
    assert_string_equal(field_of(&csv, 1, "status"), "ok");
    assert_string_equal(field_of(&csv, 1, "reason"), "");
    assert_true(strtod(field_of(&csv, 1, "time.min"), NULL) == 0.1 * 3 / 3);
    assert_true(strtod(field_of(&csv, 1, "time.max"), NULL) == 1e300 * 3 / 3);
    assert_string_equal(field_of(&csv, 2, "workspace"), hostile);
    assert_string_equal(field_of(&csv, 2, "status"), "unavailable");
    assert_string_equal(field_of(&csv, 2, "reason"), hostile);
    assert_string_equal(field_of(&csv, 2, "time"), "");
    assert_string_equal(field_of(&csv, 2, "time.count"), "0");
}

static void a_metric_that_cannot_be_read_says_so_in_its_row(void **state)
{
    struct fixture *f = *state;
    static struct csv csv;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    const struct fl_value blind[] = {
        {.metric = f->faults, .state = FL_READING_NOT_OBSERVABLE, .reason = "no symbol"},
        {.metric = f->time, .total = 100}};
    struct fl_sample sample = {.cell = fixture_cell(f, "192", "malloc", "glibc", NULL),
                               .calls = 100,
                               .values = blind,
                               .value_count = 2};
    fixture_ok(f, fixture_add(f, &sample));
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
    export_csv(f, &csv);
    assert_string_equal(field_of(&csv, 1, "minor-faults"), "");
    assert_string_equal(field_of(&csv, 1, "time"), "1");
    assert_string_equal(field_of(&csv, 1, "status"), "ok");
    assert_string_equal(field_of(&csv, 1, "reason"), "minor-faults not-observable: no symbol");
}

/* Runs a program to its end, silently; whether it could be run. */
static bool run_program(const char *const *arguments)
{
    char *const *argv = (char *const *)(uintptr_t)arguments; /* posix_spawn() does not write */
    posix_spawn_file_actions_t quiet;
    pid_t child;
    int status = -1;

    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&child, arguments[0], &quiet, NULL, argv, environ) == 0)
        waitpid(child, &status, 0);
    posix_spawn_file_actions_destroy(&quiet);
    return status != -1;
}

/* A locale with a decimal comma, made in the fixture's folder. NULL: cannot be made here. */
static const char *comma_locale(struct fixture *f)
{
    char target[200];
    const char *arguments[] = {"localedef", "-c", "-i", "de_DE", "-f", "UTF-8", target, NULL};

    snprintf(target, sizeof(target), "%s/de_DE.UTF-8", f->folder);
    if (!run_program(arguments) || setenv("LOCPATH", f->folder, 1))
        return NULL;
    return setlocale(LC_ALL, "de_DE.UTF-8");
}

/* 0, 77 where there is no such locale, or the line that differs. */
static int check_in_locale(struct fixture *f)
{
    const struct fl_number third = {.is_real = true, .real = 1.0 / 3};
    char text[FL_NUMBER_TEXT], local[FL_NUMBER_TEXT];

    if (!comma_locale(f))
        return 77;
    snprintf(local, sizeof(local), "%.1f", 0.5);
    fl_number_text(third, text);
    if (strcmp(local, "0,5") != 0 || strcmp(text, "0.3333333333333333") != 0)
        return 1;
    fl_number_fixed(third, 2, text);
    if (strcmp(text, "0.33") != 0)
        return 2;
    char *csv = export(f, false), *json = export(f, true);
    if (!strstr(csv, ",0.10000000000000002,"))
        return 3;
    return strstr(json, "\"time\":{\"total\":0.30000000000000004}") ? 0 : 4;
}

/* In a child: setlocale() with LOCPATH keeps memory. */
static void numbers_do_not_follow_the_locale(void **state)
{
    struct fixture *f = *state;
    char target[200];
    const char *arguments[] = {"rm", "-rf", target, NULL};
    int status;

    snprintf(target, sizeof(target), "%s/de_DE.UTF-8", f->folder);
    fill(f);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(check_in_locale(f));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(run_program(arguments));
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        print_message("skipped: localedef or the source of de_DE is missing\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void numbers_read_back_as_the_same(void **state)
{
    char text[FL_NUMBER_TEXT];

    (void)state;
    fl_number_text((struct fl_number){.integer = INT64_MIN}, text);
    assert_string_equal(text, "-9223372036854775808");
    fl_number_text((struct fl_number){.is_real = true, .real = 0.1 + 0.2}, text);
    assert_string_equal(text, "0.30000000000000004");
    fl_number_text((struct fl_number){.is_real = true, .real = 5e-324}, text);
    assert_true(strtod(text, NULL) == 5e-324);
}

static struct json_object *at(struct json_object *object, const char *name)
{
    struct json_object *found = NULL;

    if (!json_object_object_get_ex(object, name, &found))
        fail_msg("no member %s", name);
    return found;
}

static struct json_object *item(struct json_object *object, const char *list, size_t index)
{
    return json_object_array_get_idx(at(object, list), index);
}

static void expect_text(struct json_object *object, const char *name, const char *want)
{
    assert_string_equal(json_object_get_string(at(object, name)), want);
}

static void json_holds_every_sample(void **state)
{
    struct fixture *f = *state;

    fill(f);
    char *text = export(f, true);
    struct json_object *root = json_tokener_parse(text);
    assert_non_null(root);
    expect_text(root, "format", "faultline-run");
    expect_text(at(root, "run"), "scenario", "packing-faults");
    assert_true(json_object_get_uint64(at(at(root, "run"), "seed")) == UINT64_MAX - 1);
    expect_text(at(root, "machine"), "page-size", "4096");
    expect_text(at(root, "environment"), "thp", "always");
    assert_int_equal(json_object_array_length(at(root, "metrics")), 3);
    assert_int_equal(json_object_array_length(at(root, "cells")), 2);
    assert_int_equal(json_object_array_length(at(root, "samples")), 4);
    assert_int_equal(json_object_array_length(at(root, "expectations")), 0);
    expect_text(at(item(root, "cells", 1), "factors"), "workspace", hostile_utf8);
    expect_text(item(root, "cells", 1), "unavailable", hostile_utf8);
    assert_string_equal(json_object_get_string(item(item(root, "cells", 0), "implied", 0)), "isa");
    json_object_put(root);
    free(text);
}

/* Another process stores a cell and its sample when the first bytes go out. */
struct growing {
    struct fixture other; /* the same run through a connection of its own */
    bool grown;
    char *text;
    size_t size;
    FILE *to;
};

static ssize_t write_and_grow(void *cookie, const char *bytes, size_t size)
{
    struct growing *g = cookie;

    if (!g->grown) {
        g->grown = true;
        fixture_timed(&g->other, fixture_cell(&g->other, "999", "malloc", "glibc", NULL), 0, 3, 1);
    }
    return (ssize_t)fwrite(bytes, 1, size, g->to);
}

static void json_of_a_growing_run_is_of_one_moment(void **state)
{
    struct fixture *f = *state;
    struct growing g = {.grown = false};

    fill(f);
    g.other = *f;
    fixture_ok(f, fl_store_open(f->path, FL_STORE_WRITE, &g.other.store, &f->err));
    g.to = open_memstream(&g.text, &g.size);
    FILE *out = fopencookie(&g, "w", (cookie_io_functions_t){.write = write_and_grow});
    setvbuf(out, NULL, _IONBF, 0);
    fixture_ok(f, fl_export_json(f->store, f->run, out, &f->err));
    fclose(out);
    fclose(g.to);
    assert_true(g.grown);
    assert_null(strstr(g.text, "\"cell\":\"\"")); /* a sample of a cell that is not listed */
    assert_null(strstr(g.text, "n=999"));
    free(g.text);
    fl_store_close(g.other.store);
}

static void json_values_are_exact(void **state)
{
    struct fixture *f = *state;

    fill(f);
    char *text = export(f, true);
    struct json_object *root = json_tokener_parse(text);
    struct json_object *timed = item(root, "samples", 0), *counted = item(root, "samples", 2);
    struct json_object *total = at(at(at(timed, "values"), "time"), "total");
    assert_int_equal(json_object_get_type(total), json_type_double);
    assert_true(json_object_get_double(total) == 0.1 * 3);
    assert_true(json_object_get_uint64(at(timed, "seed")) == UINT64_MAX);
    expect_text(at(timed, "facts"), "blocking", "192x192x192");
    expect_text(timed, "cell", "kernel=dgemm n=192 workspace=stack+malloc malloc=glibc");
    total = at(at(at(counted, "values"), "minor-faults"), "total");
    assert_int_equal(json_object_get_type(total), json_type_int);
    assert_int_equal(json_object_get_int64(total), 22400);
    json_object_put(root);
    free(text);
}

static void a_failing_write_is_an_error(void **state)
{
    struct fixture *f = *state;
    struct fl_summary summary;

    fill(f);
    fixture_ok(f, fl_summary_read(f->store, f->run, &summary, &f->err));
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    assert_int_equal(fl_export_csv(&summary, full, &f->err), -ENOSPC);
    fclose(full);
    full = fopen("/dev/full", "w");
    assert_non_null(full);
    assert_int_equal(fl_export_json(f->store, f->run, full, &f->err), -ENOSPC);
    fclose(full);
    FILE *closed = fopen("/dev/null", "w");
    assert_non_null(closed);
    close(fileno(closed));
    assert_int_equal(fl_export_csv(&summary, closed, &f->err), -EBADF);
    fclose(closed);
    fl_summary_release(&summary);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(csv_is_what_the_contract_says),
        TEST(a_metric_that_cannot_be_read_says_so_in_its_row),
        TEST(numbers_do_not_follow_the_locale),
        TEST(numbers_read_back_as_the_same),
        TEST(json_holds_every_sample),
        TEST(json_of_a_growing_run_is_of_one_moment),
        TEST(json_values_are_exact),
        TEST(a_failing_write_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
