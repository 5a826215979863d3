/* SPDX-License-Identifier: Apache-2.0 */
/* What made-up samples of a slow cell and its variants are explained by. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/explanation.h"
#include "store-fixture.h"

#define KEY(workspace, malloc) "kernel=dgemm n=192 workspace=" workspace " malloc=" malloc
#define ROUNDS                 21
#define LITTLE                 0.001 /* scatter */

static const struct fl_testimony trim = {
    "trim", {"minor-faults"}, {NULL}, "glibc trims", "raise the threshold"};
static const struct fl_testimony other = {
    "other malloc", {"minor-faults"}, {NULL}, "this malloc", "another"};
static const struct fl_testimony place = {"place", {"brk-calls"}, {NULL}, "its place", "another"};

static const struct fl_variant variants[] = {
    {&trim, "malloc=pinned", KEY("malloc", "pinned"), true},
    {&other, "malloc=jemalloc", KEY("malloc", "jemalloc"), true},
    {&place, "workspace=kept", KEY("kept", "glibc"), true},
    {NULL, "workspace=null", KEY("null", "glibc"), false},
};

struct made {
    double slow, pinned, jemalloc, kept, null; /* ns */
    int64_t faults, left;                      /* of the slow cell; of `pinned` and `jemalloc` */
    int rounds;
    double scatter; /* of a cell by itself */
};

static const struct made plain = {.rounds = ROUNDS, .scatter = LITTLE};

/* A cell whose rounds scatter by a tenth around `ns`, as all cells of a round do together, and a
 * little by itself. */
static void measure(struct fixture *f, const char *workspace, const char *malloc, double ns,
                    int64_t faults, const struct made *made)
{
    static int cells;
    int64_t cell = fixture_cell(f, "192", workspace, malloc, NULL);

    cells++;
    for (int round = 0; round < made->rounds; round++) {
        double together = 1 + 0.1 * (round % 3),
               alone = 1 + made->scatter * ((round * 7 + cells * 3) % 5);
        fixture_timed(f, cell, round, 10, ns * together * alone);
    }
    fixture_counted(f, cell, 0, 10, faults);
    fixture_counted(f, cell, 1, 10, faults);
}

static void explain(struct fixture *f, const struct made *made, struct fl_explanation *out)
{
    const struct fl_explain_query query = {KEY("malloc", "glibc"), variants, 4, 0.02};

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    measure(f, "malloc", "glibc", made->slow, made->faults, made);
    measure(f, "malloc", "pinned", made->pinned, made->left, made);
    measure(f, "malloc", "jemalloc", made->jemalloc, made->left, made);
    measure(f, "kept", "glibc", made->kept, made->faults, made);
    measure(f, "null", "glibc", made->null, 0, made);
    fixture_ok(f, fl_store_set_status(f->store, f->run, FL_RUN_FINISHED, &f->err));
    fixture_ok(f, fl_explanation_read(f->store, f->run, &query, out, &f->err));
}

static char *text_of(struct fixture *f, const struct fl_explanation *explanation)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    fixture_ok(f, fl_explanation_print(explanation, 0, false, out, &f->err));
    fclose(out);
    for (char *c = text; (c = strchr(c, '\n')) != NULL;) /* sentences go on in the next line */
        *c = ' ';
    return text;
}

static const struct fl_explain_row *row_of(const struct fl_explanation *out, const char *change)
{
    for (size_t i = 0; i < out->count; i++)
        if (strcmp(out->rows[i].variant->change, change) == 0)
            return &out->rows[i];
    fail_msg("no row of %s", change);
    return NULL;
}

static void assert_near(double value, double wanted, double within)
{
    if (!(fabs(value - wanted) <= within))
        fail_msg("%g is not %g", value, wanted);
}

static void shares_of_the_loss_are_recovered(void **state)
{
    struct fixture *f = *state;
    const struct made made = {300, 250, 200, 295, 200, 112, 0, ROUNDS, LITTLE};
    struct fl_explanation out;

    explain(f, &made, &out);
    assert_string_equal(out.reference->change, "workspace=null");
    assert_near(exp(out.loss.estimate), 200.0 / 300, 0.003);
    const struct fl_explain_row *half = row_of(&out, "malloc=pinned");
    assert_near(half->recovered.estimate, 0.5, 0.02);
    assert_true(half->recovered.low < half->recovered.estimate &&
                half->recovered.estimate < half->recovered.high);
    assert_true(half->recovered.low > 0.4 && half->recovered.high < 0.6);
    assert_false(half->full);
    const struct fl_explain_row *whole = row_of(&out, "malloc=jemalloc");
    assert_near(whole->recovered.estimate, 1, 0.02);
    assert_true(whole->full);
    assert_near(row_of(&out, "workspace=null")->recovered.low, 1, 0);
    fl_explanation_release(&out);
}

static void what_recovers_everything_leads_and_the_narrowest_of_it(void **state)
{
    struct fixture *f = *state;
    const struct made made = {300, 201, 200, 300, 201, 112, 0, ROUNDS, LITTLE};
    struct fl_explanation out;

    explain(f, &made, &out);
    assert_int_equal(out.causes, 2);
    assert_string_equal(out.rows[0].variant->suspect->name, "trim");
    assert_string_equal(out.rows[1].variant->suspect->name, "other malloc");
    assert_string_equal(out.rows[0].fell, "minor-faults");
    char *text = text_of(f, &out);
    assert_non_null(strstr(text, "Cause: glibc trims. "));
    assert_non_null(strstr(text, "minor-faults 112 -> 0 per call: "));
    assert_non_null(strstr(text, "Cure: raise the threshold. "));
    free(text);
    fl_explanation_release(&out);
}

static void more_of_the_loss_goes_before_a_narrower_change(void **state)
{
    struct fixture *f = *state;
    const struct made made = {300, 280, 200, 300, 200, 112, 0, ROUNDS, LITTLE};
    struct fl_explanation out;

    explain(f, &made, &out);
    assert_int_equal(out.causes, 2);
    assert_string_equal(out.rows[0].variant->suspect->name, "other malloc");
    assert_string_equal(out.rows[1].variant->suspect->name, "trim");
    assert_false(out.rows[1].tied);
    fl_explanation_release(&out);
}

static void equals_are_said_to_be_unresolved(void **state)
{
    struct fixture *f = *state;
    const struct made made = {300, 200, 200, 300, 200, 112, 0, ROUNDS, LITTLE};
    struct fl_explanation out;

    explain(f, &made, &out);
    assert_true(out.rows[1].tied);
    char *text = text_of(f, &out);
    assert_non_null(
        strstr(text, "Order: malloc=jemalloc (100 %) cannot be told from malloc=pinned"));
    free(text);
    fl_explanation_release(&out);
}

static void a_counter_that_stays_convicts_nobody(void **state)
{
    struct fixture *f = *state;
    const struct made made = {300, 200, 200, 200, 200, 112, 112, ROUNDS, LITTLE};
    struct fl_explanation out;

    explain(f, &made, &out);
    assert_int_equal(out.causes, 0);
    assert_int_equal(row_of(&out, "malloc=pinned")->verdict, FL_EXPLAIN_UNSEEN);
    assert_int_equal(row_of(&out, "workspace=kept")->verdict, FL_EXPLAIN_UNSEEN);
    char *text = text_of(f, &out);
    assert_non_null(strstr(text, "No cause found"));
    assert_null(strstr(text, "Cause: "));
    free(text);
    fl_explanation_release(&out);
}

static void a_gain_within_the_tolerance_is_none(void **state)
{
    struct fixture *f = *state;
    const struct made made = {300, 297, 297, 310, 297, 112, 0, ROUNDS, LITTLE};
    struct fl_explanation out;

    explain(f, &made, &out);
    assert_int_equal(out.causes, 0);
    assert_null(out.reference);
    assert_int_equal(row_of(&out, "malloc=pinned")->verdict, FL_EXPLAIN_NOTHING);
    char *text = text_of(f, &out);
    assert_non_null(strstr(text, "Nothing wrong: no removal is more than 2 % faster. What is "
                                 "counted costs nothing"));
    assert_non_null(strstr(text, "minor-faults 112"));
    free(text);
    fl_explanation_release(&out);
}

static void a_cell_with_nothing_wrong_is_said_to_have_nothing(void **state)
{
    struct fixture *f = *state;
    const struct made made = {200, 200, 200, 200, 200, 0, 0, ROUNDS, LITTLE};
    struct fl_explanation out;

    explain(f, &made, &out);
    char *text = text_of(f, &out);
    assert_non_null(strstr(text, "Nothing wrong: no removal is more than 2 % faster, and the "
                                 "counters are at 0."));
    free(text);
    fl_explanation_release(&out);
}

static void what_scatters_is_not_resolved(void **state)
{
    struct fixture *f = *state;
    const struct made made = {300, 300, 300, 300, 300, 112, 0, ROUNDS, 0.2};
    struct fl_explanation out;

    explain(f, &made, &out);
    assert_int_equal(out.causes, 0);
    assert_true(out.possible > 0.05);
    char *text = text_of(f, &out);
    assert_non_null(strstr(text, "Not resolved: no removal is certainly more than 2 % faster"));
    assert_non_null(strstr(text, "By counts alone, malloc=pinned removes something"));
    assert_null(strstr(text, "Nothing wrong"));
    free(text);
    fl_explanation_release(&out);
}

static void few_rounds_tell_nothing(void **state)
{
    struct fixture *f = *state;
    const struct made made = {300, 200, 200, 300, 200, 112, 0, 3, LITTLE};
    struct fl_explanation out;

    explain(f, &made, &out);
    assert_int_equal(out.causes, 0);
    assert_int_equal(out.needed, 8); /* 2^-8 < 0.025 / 4 < 2^-7 */
    char *text = text_of(f, &out);
    assert_non_null(
        strstr(text, "Too few rounds: of so many variants nothing can be told below 8"));
    assert_non_null(strstr(text, "By counts alone, malloc=pinned removes something: minor-faults "
                                 "112 -> 0 per call."));
    free(text);
    fl_explanation_release(&out);
}

static void without_free_memory_the_fastest_is_the_reference(void **state)
{
    struct fixture *f = *state;
    const struct made made = {300, 250, 200, 300, 300, 112, 0, ROUNDS, LITTLE};
    struct fl_explanation out;

    explain(f, &made, &out);
    assert_string_equal(out.reference->change, "malloc=jemalloc");
    assert_near(row_of(&out, "malloc=pinned")->recovered.estimate, 0.5, 0.02);
    fl_explanation_release(&out);
}

static void memory_that_gains_by_its_place_recovers_more_than_all(void **state)
{
    struct fixture *f = *state;
    const struct made made = {300, 200, 180, 300, 200, 112, 0, ROUNDS, LITTLE};
    struct fl_explanation out;

    explain(f, &made, &out);
    assert_string_equal(out.reference->change, "workspace=null");
    assert_near(row_of(&out, "malloc=jemalloc")->recovered.estimate, 1.2, 0.02);
    assert_string_equal(out.rows[0].variant->change, "malloc=pinned");
    fl_explanation_release(&out);
}

static void holes_are_told(void **state)
{
    struct fixture *f = *state;
    const struct fl_explain_query query = {KEY("malloc", "glibc"), variants, 4, 0.02};
    const struct fl_explain_query nobody = {KEY("malloc", "nosuch"), variants, 4, 0.02};
    struct fl_explanation out;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    measure(f, "malloc", "glibc", 300, 112, &plain);
    fixture_cell(f, "192", "malloc", "pinned", "\x1b[31mno such malloc");
    fixture_ok(f, fl_explanation_read(f->store, f->run, &query, &out, &f->err));
    assert_int_equal(row_of(&out, "malloc=pinned")->verdict, FL_EXPLAIN_MISSING);
    assert_int_equal(row_of(&out, "malloc=jemalloc")->verdict, FL_EXPLAIN_MISSING);
    char *text = text_of(f, &out);
    assert_non_null(strstr(text, "\\x1b[31mno such malloc"));
    assert_non_null(strstr(text, "the run has no such cell"));
    free(text);
    fl_explanation_release(&out);
    assert_int_equal(fl_explanation_read(f->store, f->run, &nobody, &out, &f->err), -ENOENT);
    assert_int_equal(fl_explanation_read(f->store, f->run + 1, &query, &out, &f->err), -ENOENT);
}

static void a_cell_that_was_not_measured_is_not_explained(void **state)
{
    struct fixture *f = *state;
    const struct fl_explain_query query = {KEY("malloc", "glibc"), variants, 4, 0.02};
    struct fl_explanation out;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    fixture_cell(f, "192", "malloc", "glibc", "no processor");
    measure(f, "malloc", "pinned", 200, 0, &plain);
    fixture_ok(f, fl_explanation_read(f->store, f->run, &query, &out, &f->err));
    assert_string_equal(out.trouble, "no processor");
    char *text = text_of(f, &out);
    assert_non_null(strstr(text, "The cell itself was not measured: no processor "));
    free(text);
    fl_explanation_release(&out);
}

#define IN_A_STORE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_STORE(shares_of_the_loss_are_recovered),
        IN_A_STORE(what_recovers_everything_leads_and_the_narrowest_of_it),
        IN_A_STORE(more_of_the_loss_goes_before_a_narrower_change),
        IN_A_STORE(equals_are_said_to_be_unresolved),
        IN_A_STORE(a_counter_that_stays_convicts_nobody),
        IN_A_STORE(a_gain_within_the_tolerance_is_none),
        IN_A_STORE(a_cell_with_nothing_wrong_is_said_to_have_nothing),
        IN_A_STORE(what_scatters_is_not_resolved),
        IN_A_STORE(few_rounds_tell_nothing),
        IN_A_STORE(without_free_memory_the_fastest_is_the_reference),
        IN_A_STORE(memory_that_gains_by_its_place_recovers_more_than_all),
        IN_A_STORE(holes_are_told),
        IN_A_STORE(a_cell_that_was_not_measured_is_not_explained),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
