/* SPDX-License-Identifier: Apache-2.0 */
/* docs/schema.md names every table, view and column, and nothing else; and a sample stays small. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "store-fixture.h"

static char *read_docs(void)
{
    FILE *file = fopen(FL_SCHEMA_DOCS, "r");
    char *text = calloc(1, 1 << 20);

    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* The section of a table or view, cut out; NULL: there is none. */
static char *section_of(const char *docs, const char *name)
{
    char heading[128];

    snprintf(heading, sizeof(heading), "\n### `%s`\n", name);
    const char *start = strstr(docs, heading);
    if (!start)
        return NULL;
    start += strlen(heading);
    const char *end = strstr(start, "\n#");
    return end ? strndup(start, (size_t)(end - start) + 1) : strdup(start);
}

/* Whether a line `| ... |` of the section has the column in its first cell. */
static bool names_column(const char *section, const char *column)
{
    char quoted[128];

    snprintf(quoted, sizeof(quoted), "`%s`", column);
    for (const char *line = section; (line = strstr(line, "\n| ")) != NULL; line++) {
        const char *found = strstr(line, quoted), *end = strstr(line + 2, " |");
        if (found && end && found < end)
            return true;
    }
    return false;
}

static size_t documented_columns(const char *section)
{
    size_t count = 0;

    for (const char *line = section; (line = strstr(line, "\n| `")) != NULL; line++)
        for (const char *at = line + 3; *at && strncmp(at, " |", 2) != 0; at++)
            count += *at == '`';
    return count / 2;
}

static size_t check_columns(sqlite3 *db, const char *name, const char *section)
{
    sqlite3_stmt *row;
    size_t count = 0;

    assert_int_equal(
        sqlite3_prepare_v2(db, "SELECT name FROM pragma_table_info(?)", -1, &row, NULL), SQLITE_OK);
    sqlite3_bind_text(row, 1, name, -1, SQLITE_TRANSIENT);
    for (; sqlite3_step(row) == SQLITE_ROW; count++) {
        const char *column = (const char *)sqlite3_column_text(row, 0);
        if (!names_column(section, column))
            fail_msg("%s.%s is not documented", name, column);
    }
    sqlite3_finalize(row);
    return count;
}

static void every_table_view_and_column_is_documented(void **state)
{
    struct fixture *f = *state;
    sqlite3_stmt *row;
    sqlite3 *db;
    size_t objects = 0, headings = 0;

    fixture_open(f, FL_STORE_CREATE);
    char *docs = read_docs();
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT name FROM sqlite_schema WHERE type IN ('table', "
                                        "'view') AND name NOT LIKE 'sqlite_%'",
                                        -1, &row, NULL),
                     SQLITE_OK);
    for (; sqlite3_step(row) == SQLITE_ROW; objects++) {
        const char *name = (const char *)sqlite3_column_text(row, 0);
        char *section = section_of(docs, name);
        if (!section) {
            fail_msg("%s is not documented", name);
            return;
        }
        size_t columns = check_columns(db, name, section);
        if (documented_columns(section) != columns)
            fail_msg("the docs of %s name a column that it has not", name);
        free(section);
    }
    sqlite3_finalize(row);
    sqlite3_close(db);
    for (const char *at = docs; (at = strstr(at, "\n### `")) != NULL; at++)
        headings++;
    assert_int_equal(headings, objects);
    free(docs);
}

/* A sample as packing-faults has it: ten metrics of which some are unavailable, and a few facts. */
static void add_typical(struct fixture *f, int64_t cell, const int64_t *metrics, int round)
{
    struct fl_value values[10];
    const struct fl_fact facts[] = {
        {"blocking", "192x192x192"}, {"isa", "avx2"}, {"heap-offset", "0"}, {"cpu", "1"}};

    for (int i = 0; i < 10; i++) {
        values[i] = (struct fl_value){.metric = metrics[i], .total = 22400 + i * round};
        if (i < 2)
            values[i] = (struct fl_value){
                .metric = metrics[i], .is_real = true, .real = 1234567.25 + round};
        if (i > 7)
            values[i] = (struct fl_value){.metric = metrics[i],
                                          .state = FL_READING_UNAVAILABLE,
                                          .reason = "tracefs is not readable"};
    }
    const struct fl_sample sample = {.cell = cell,
                                     .round = round,
                                     .calls = 1000,
                                     .facts = facts,
                                     .fact_count = 4,
                                     .values = values,
                                     .value_count = 10};
    fixture_ok(f, fixture_add(f, &sample));
}

static void a_sample_takes_a_few_hundred_bytes(void **state)
{
    enum { CELLS = 20, ROUNDS = 50 };
    struct fixture *f = *state;
    int64_t metrics[10], cells[CELLS];

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    for (int i = 0; i < 10; i++) {
        char name[16];
        snprintf(name, sizeof(name), "metric-%d", i);
        const struct fl_metric metric = {
            name, "x", "", "", FL_METRIC_EXACT, FL_LESS_IS_BETTER, FL_IN_EVERY_SAMPLE, false};
        fixture_ok(f, fl_store_metric(f->store, &metric, &metrics[i], &f->err));
    }
    for (int i = 0; i < CELLS; i++) {
        char n[16];
        snprintf(n, sizeof(n), "%d", i);
        cells[i] = fixture_cell(f, n, "malloc", "glibc", NULL);
    }
    long long before = fixture_query(f, "SELECT sum(pgsize) FROM dbstat");
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < CELLS; i++)
            add_typical(f, cells[i], metrics, round);
    long long after = fixture_query(f, "SELECT sum(pgsize) FROM dbstat");
    long long bytes = (after - before) / (CELLS * ROUNDS);
    print_message("%lld bytes per sample with 10 values\n", bytes);
    assert_true(bytes > 50);
    assert_true(bytes < 400);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_table_view_and_column_is_documented),
        TEST(a_sample_takes_a_few_hundred_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
