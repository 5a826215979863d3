/* SPDX-License-Identifier: Apache-2.0 */
/* Fingerprints of cells: which facts and levels count, which of two machines' fields do not, and
 * what a comparison of counts says of them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/cell-fingerprint.h"
#include "results/compare.h"
#include "store-fixture.h"

#define MACHINE "isa=x86-64-v3 page=4096 thp=\"madvise none\" libc=\"glibc 2.36 ab\" kernel=6"

static void differ(const char *a, const char *b, const char *field)
{
    char name[FL_FINGERPRINT_NAME] = "";
    struct fl_err err;

    assert_int_equal(fl_fingerprint_texts_differ(a, b, false, name, &err), field != NULL);
    assert_string_equal(name, field ? field : "");
}

static void the_first_field_in_order_is_named(void **state)
{
    char name[FL_FINGERPRINT_NAME];
    struct fl_err err;

    (void)state;
    differ(MACHINE, MACHINE, NULL);
    differ(MACHINE, MACHINE " blocking=1x1x1", "blocking");
    differ("isa=a page=1 kernel=6", "isa=b page=2 kernel=6", "isa");
    differ("page=1 isa=a", "isa=a page=1", NULL);
    differ("isa=a zz=1", "isa=a zz=2", "zz");
    differ("isa=a malloc=x", "isa=a library=y", "malloc");
    differ("imported " MACHINE, MACHINE, NULL);
    differ("imported origin=gbench host=a", "imported origin=gbench host=b", "host");
    differ("one machine", "another machine", "machine");
    assert_int_equal(fl_fingerprint_texts_differ("library=a", "library=b", true, name, &err), 0);
    assert_int_equal(
        fl_fingerprint_texts_differ("library=a threads=1", "library=b threads=2", true, name, &err),
        1);
    assert_string_equal(name, "threads");
}

static void many_fields_are_refused(void **state)
{
    char text[1024] = "", name[FL_FINGERPRINT_NAME];
    struct fl_err err;

    (void)state;
    for (int i = 0; i < 40; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "f%d=1 ", i);
    assert_int_equal(fl_fingerprint_texts_differ(text, "isa=a", false, name, &err), -EBADMSG);
}

/* Ten counting samples of three faults, with these facts, on this machine. */
static int64_t measure(struct fixture *f, const char *machine, const struct fl_fact *facts,
                       size_t count)
{
    struct fl_run_info info = fixture_info();

    fixture_begin(f);
    info.fingerprint = machine;
    fixture_ok(f, fl_store_begin_run(f->store, &info, &f->run, &f->err));
    int64_t cell = fixture_cell(f, "100", "malloc", "glibc", NULL);
    for (int round = 0; round < 10; round++) {
        const struct fl_value values[] = {{.metric = f->faults, .total = 30}};
        const struct fl_sample sample = {.cell = cell,
                                         .mode = FL_SAMPLE_COUNTED,
                                         .round = round,
                                         .calls = 10,
                                         .facts = facts,
                                         .fact_count = count,
                                         .values = values,
                                         .value_count = 1};
        fixture_ok(f, fixture_add(f, &sample));
    }
    return f->run;
}

static void expect(struct fixture *f, int64_t base, int64_t head, const char *reason)
{
    const struct fl_compare_options options = {.metric = "minor-faults"};
    struct fl_compare all;

    fixture_ok(f, fl_compare_runs(f->store, base, head, &options, &all, &f->err));
    assert_int_equal(all.count, 1);
    const struct fl_comparison *got = &all.rows[0].result;
    assert_int_equal(got->verdict, reason ? FL_VERDICT_NOT_COMPARABLE : FL_VERDICT_PASS);
    if (reason)
        assert_string_equal(got->reason, reason);
    fl_compare_release(&all);
}

static void facts_of_cells_decide_with_the_machine(void **state)
{
    struct fixture *f = *state;
    static const struct fl_fact facts[] = {
        {"isa", "avx2"}, {"blocking", "192x192x192"}, {"library-path", "/usr/lib/one"}};
    static const struct fl_fact elsewhere[] = {
        {"isa", "avx2"}, {"blocking", "192x192x192"}, {"library-path", "/opt/lib/other"}};
    static const struct fl_fact blocked[] = {{"isa", "avx2"}, {"blocking", "96x96x96"}};
    static const struct fl_fact built[] = {
        {"isa", "avx2"}, {"blocking", "192x192x192"}, {"library-build-id", "beef"}};
    static const struct fl_fact with_malloc[] = {
        {"isa", "avx2"}, {"blocking", "192x192x192"}, {"malloc-build-id", "beef"}};

    fixture_open(f, FL_STORE_CREATE);
    int64_t base = measure(f, MACHINE, facts, 3);
    expect(f, base, measure(f, MACHINE, facts, 3), NULL);
    expect(f, base, measure(f, MACHINE, elsewhere, 3), NULL);
    expect(f, base, measure(f, MACHINE, blocked, 2), "blocking differs");
    expect(f, base, measure(f, MACHINE, with_malloc, 3), "malloc-build differs");
    expect(f, base, measure(f, MACHINE, built, 3),
           "library differs (is it what is compared? --changed library)");
    static const struct fl_fact cored[] = {
        {"isa", "avx2"}, {"blocking", "192x192x192"}, {"library-core", "Haswell"}};
    expect(f, base, measure(f, MACHINE, cored, 3), "library-core differs");
    int64_t other_isa =
        measure(f, "isa=x86-64-v4 page=4096 thp=\"madvise none\" libc=\"glibc 2.36 ab\" kernel=6",
                facts, 3);
    expect(f, base, other_isa, NULL); /* the kernel's own is the same */
    int64_t other_kernel =
        measure(f, "isa=x86-64-v3 page=4096 thp=\"madvise none\" libc=\"glibc 2.36 ab\" kernel=7",
                facts, 3);
    expect(f, base, other_kernel, "kernel differs");
}

static void texts_are_canonical(void **state)
{
    struct fixture *f = *state;
    static const struct fl_fact facts[] = {
        {"threads", "2"}, {"isa", "avx2"}, {"blocking", "a \"b\""}, {"load", "3"}};
    struct fl_series_set set;
    struct fl_arena arena = {.blocks = NULL};
    const char *text;

    fixture_open(f, FL_STORE_CREATE);
    fixture_ok(f, fl_series_read(f->store, measure(f, MACHINE, facts, 4), &set, &f->err));
    const struct fl_fingerprint_of of = {f->store, &set, 0};
    fixture_ok(f, fl_cell_fingerprint(&of, &arena, &text, &f->err));
    assert_string_equal(text, "isa=avx2 page=4096 thp=\"madvise none\" libc=\"glibc 2.36 ab\" "
                              "kernel=6 blocking=\"a \\\"b\\\"\" malloc=glibc threads=2");
    fl_arena_release(&arena);
    fl_series_release(&set);
}

#define STORED(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_field_in_order_is_named),
        cmocka_unit_test(many_fields_are_refused),
        STORED(facts_of_cells_decide_with_the_machine),
        STORED(texts_are_canonical),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
