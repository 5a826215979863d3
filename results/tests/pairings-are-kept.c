/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs are joined once, their cells read back in order, and a store of schema 1 learns to. */
#include "results/pairing.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "schema_sql.h"
#include "store-fixture.h"

struct seen {
    struct fl_pairing pairing;
    char base_side[64];
    struct fl_paired_cell cells[4];
    char keys[4][64];
    size_t count;
};

static int keep_pairing(void *arg, const struct fl_pairing *pairing)
{
    struct seen *seen = arg;

    seen->pairing = *pairing;
    snprintf(seen->base_side, sizeof(seen->base_side), "%s", pairing->base_side);
    return 0;
}

static int keep_cell(void *arg, const struct fl_paired_cell *cell)
{
    struct seen *seen = arg;

    assert_true(seen->count < 4);
    snprintf(seen->keys[seen->count], sizeof(seen->keys[0]), "%s", cell->key);
    seen->cells[seen->count++] = *cell;
    return 0;
}

static struct fl_pairing pairing_of(int64_t base, int64_t head)
{
    return (struct fl_pairing){.base = base,
                               .head = head,
                               .purpose = FL_PAIRING_AB,
                               .base_side = "malloc=glibc",
                               .head_side = "malloc=jemalloc",
                               .tolerance = 0.5,
                               .detect = 2,
                               .planned = 3,
                               .budget_ns = 600000000000};
}

static void two_runs_are_joined_once(void **state)
{
    struct fixture *f = *state;
    struct seen seen = {.count = 0};
    int64_t id, other;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t base = f->run;
    fixture_begin(f);
    struct fl_pairing pairing = pairing_of(base, f->run);
    fixture_ok(f, fl_pairing_add(f->store, &pairing, &id, &f->err));
    fixture_ok(f, fl_pairing_set_planned(f->store, id, 7, &f->err));
    fixture_ok(f, fl_pairing_of_run(f->store, base, keep_pairing, &seen, &f->err));
    assert_int_equal(seen.pairing.id, id);
    assert_int_equal(seen.pairing.head, f->run);
    assert_int_equal(seen.pairing.planned, 7);
    assert_string_equal(seen.base_side, "malloc=glibc");
    assert_float_equal(seen.pairing.detect, 2, 0);
    assert_int_equal(seen.pairing.budget_ns, 600000000000);
    assert_int_equal(fl_pairing_add(f->store, &pairing, &other, &f->err), -EEXIST);
    pairing.head = base;
    assert_true(fl_pairing_add(f->store, &pairing, &other, &f->err) < 0);
    assert_int_equal(
        fl_pairing_latest(f->store, FL_PAIRING_CALIBRATE, keep_pairing, &seen, &f->err), -ENOENT);
}

static void cells_keep_their_order(void **state)
{
    struct fixture *f = *state;
    struct seen seen = {.count = 0};
    int64_t id;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t base = f->run;
    fixture_begin(f);
    struct fl_pairing pairing = pairing_of(base, f->run);
    fixture_ok(f, fl_pairing_add(f->store, &pairing, &id, &f->err));
    int64_t a = fixture_cell(f, "192", "malloc", "glibc", NULL);
    int64_t b = fixture_cell(f, "192", "malloc", "jemalloc", NULL);
    const struct fl_paired_cell cells[] = {{"n=192", a, b, 0, 0.5, 2}, {"n=200", b, a, 9, 1, 5}};
    fixture_ok(f, fl_pairing_add_cells(f->store, id, cells, 2, &f->err));
    fixture_ok(f, fl_pairing_add_cells(f->store, id, cells, 1, &f->err));
    fixture_ok(f, fl_pairing_set_calls(f->store, id, 2, 1234, &f->err));
    assert_int_equal(fl_pairing_set_calls(f->store, id, 3, 1, &f->err), -ENOENT);
    fixture_ok(f, fl_pairing_cells(f->store, id, keep_cell, &seen, &f->err));
    assert_int_equal(seen.count, 3);
    assert_string_equal(seen.keys[1], "n=200");
    assert_int_equal(seen.cells[0].calls, 0);
    assert_int_equal(seen.cells[1].base, b);
    assert_float_equal(seen.cells[1].detect, 5, 0);
    assert_int_equal(seen.cells[2].calls, 1234);
}

static void a_store_of_schema_1_is_migrated(void **state)
{
    struct fixture *f = *state;
    sqlite3 *db;

    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, fl_schema_sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "PRAGMA application_id = 0x464c544c; PRAGMA user_version = 1;"
                     "INSERT INTO machine VALUES (1, 'm');"
                     "INSERT INTO run VALUES (1, 'u', 1, 'h', NULL, 's', NULL, 't', 'c', 'v', 'b', "
                     "0, 0, 0, 1, 1, 1, 5, 6, 'finished')",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    fixture_open(f, FL_STORE_WRITE);
    assert_int_equal(fixture_query(f, "SELECT origin = 'measured' AND commit_id IS NULL FROM run"),
                     1);
    fixture_begin(f);
    assert_int_equal(f->run, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_runs_are_joined_once, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(cells_keep_their_order, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_store_of_schema_1_is_migrated, fixture_set_up,
                                        fixture_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
