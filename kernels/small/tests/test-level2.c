/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels dsymv, ssymv, dtrsv and strsv through their tables: buffers and calls, on one thread
 * and on a team; that results are right, and that their check stops what is wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "kernel-harness.h"
#include "level2-kernel.h"
#include "team-rig.h"

static void must_pass(const char *cell, const struct fl_team *team)
{
    struct harness h;

    harness_must_open(&h, cell, team);
    harness_must_check(&h, cell);
    harness_close(&h);
}

/* As OpenBLAS' routines take one from its pool. */
static void each_call_takes_one_buffer(void **state)
{
    static const struct {
        const char *cell;
        size_t bytes;
    } rows[] = {
        {"kernel=dsymv n=15 chunks=6", 16 * 16 * 8},
        {"kernel=ssymv n=100 chunks=6", 16 * 16 * 4},
        {"kernel=dtrsv n=15 chunks=6", 15 * 8},
        {"kernel=strsv n=100 chunks=6", 100 * 4},
    };
    struct team_rig rig;

    (void)state;
    team_rig_open(&rig, 3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct harness h;

        harness_must_open(&h, rows[i].cell, &rig.team);
        assert_int_equal(h.ops->calls(h.state), 18);
        rig.regions = 0;
        assert_int_equal(h.ops->run(h.state, &h.workspace), 0);
        assert_int_equal(rig.regions, 1);
        assert_int_equal(h.calls, 18);
        assert_int_equal(h.count, 1);
        assert_int_equal(h.requests[0].bytes, rows[i].bytes);
        harness_close(&h);
    }
    team_rig_close(&rig);
}

static void results_are_right_for_every_form(void **state)
{
    static const size_t sizes[] = {1, 2, 15, 16, 17, 33, 100};
    struct team_rig rig;

    (void)state;
    team_rig_open(&rig, 3);
    for (size_t i = 0; i < 7 * 2 * 2 * 2 * 2; i++) {
        const char type = i & 1 ? 's' : 'd', uplo = i & 2 ? 'U' : 'L';
        char cell[160];

        snprintf(cell, sizeof cell, "kernel=%ctrsv n=%zu chunks=2 uplo=%c trans=%c diag=%c", type,
                 sizes[i / 16], uplo, i & 4 ? 'T' : 'N', i & 8 ? 'U' : 'N');
        must_pass(cell, i & 4 ? &rig.team : NULL);
        snprintf(cell, sizeof cell, "kernel=%csymv n=%zu chunks=2 uplo=%c", type, sizes[i / 16],
                 uplo);
        must_pass(cell, i & 4 ? &rig.team : NULL);
    }
    must_pass("kernel=strsv n=2048 chunks=1", NULL);
    must_pass("kernel=ssymv n=2048 chunks=1", NULL);
    team_rig_close(&rig);
}

static void threads_have_vectors_of_their_own(void **state)
{
    struct team_rig rig;
    struct harness h;

    (void)state;
    team_rig_open(&rig, 2);
    harness_must_open(&h, "kernel=dsymv n=15", &rig.team);
    const struct fl_level2 *o = &((const struct fl_level2_state *)h.state)->operands;
    assert_int_equal((uintptr_t)fl_level2_out(o, 1) % 128, 0);
    assert_true((char *)fl_level2_in(o, 1) - (char *)fl_level2_out(o, 0) >= 128);
    assert_memory_not_equal(fl_level2_in(o, 0), fl_level2_in(o, 1), 15 * sizeof(double));
    harness_close(&h);
    team_rig_close(&rig);
}

static void work_is_counted_once_a_call(void **state)
{
    struct fl_cost cost;
    struct harness h;

    (void)state;
    assert_int_equal(harness_cell(&h, "kernel=dsymv n=15", NULL), 0);
    assert_int_equal(h.ops->cost(&h.cell, &cost, NULL), 0);
    assert_true(cost.flops == 2 * 15 * 15 && cost.bytes == 8 * (120 + 30));
    assert_int_equal(harness_cell(&h, "kernel=strsv n=15", NULL), 0);
    assert_int_equal(h.ops->cost(&h.cell, &cost, NULL), 0);
    assert_true(cost.flops == 15 * 15 && cost.bytes == 4 * (120 + 30));
}

static void spoil_last_element(void *state)
{
    const struct fl_level2_state *s = state;

    ((double *)fl_level2_out(&s->operands, 0))[s->operands.n - 1] += 1;
}

static void check_stops_a_wrong_element(void **state)
{
    static const char *const cells[] = {"kernel=dsymv n=15 chunks=1", "kernel=dtrsv n=15 chunks=1"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct fl_err err = {""};
        struct harness h;

        harness_must_open(&h, cells[i], NULL);
        h.spoil = spoil_last_element;
        assert_int_equal(h.ops->check(h.state, &h.workspace, &err), -EBADMSG);
        assert_non_null(strstr(err.text, "element 14"));
        harness_close(&h);
    }
}

static void leave_out(const struct fl_level2 *operands, const void *in, void *out, void *scratch)
{
    (void)operands, (void)in, (void)out, (void)scratch;
}

/* A right result of an earlier run is no excuse. */
static void check_stops_a_call_that_does_nothing(void **state)
{
    struct fl_err err = {""};
    struct harness h;

    (void)state;
    harness_must_open(&h, "kernel=dtrsv n=15 chunks=1", NULL);
    assert_int_equal(h.ops->run(h.state, &h.workspace), 0);
    ((struct fl_level2_state *)h.state)->call = leave_out;
    assert_int_equal(h.ops->check(h.state, &h.workspace, &err), -EBADMSG);
    harness_close(&h);
}

static void a_refused_workspace_is_an_error(void **state)
{
    struct fl_err err = {""};
    struct harness h;

    (void)state;
    harness_must_open(&h, "kernel=strsv n=15", NULL);
    h.refuse = true;
    assert_int_equal(h.ops->run(h.state, &h.workspace), -ENOMEM);
    assert_int_equal(h.ops->check(h.state, &h.workspace, &err), -ENOMEM);
    assert_non_null(strstr(err.text, "workspace"));
    harness_close(&h);
}

static void bad_levels_are_refused(void **state)
{
    static const char *const cells[] = {
        "kernel=dsymv",
        "kernel=dsymv n=0",
        "kernel=dsymv n=2049",
        "kernel=dtrsv n=15 uplo=X",
        "kernel=dtrsv n=15 trans=C",
        "kernel=dtrsv n=15 diag=1",
        "kernel=dtrsv n=15 chunks=0",
    };

    (void)state;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        struct fl_err err = {""};
        struct harness h;

        if (harness_cell(&h, cells[i], &err) != -EINVAL)
            fail_msg("'%s' was taken", cells[i]);
        assert_true(err.text[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_takes_one_buffer),
        cmocka_unit_test(results_are_right_for_every_form),
        cmocka_unit_test(threads_have_vectors_of_their_own),
        cmocka_unit_test(work_is_counted_once_a_call),
        cmocka_unit_test(check_stops_a_wrong_element),
        cmocka_unit_test(check_stops_a_call_that_does_nothing),
        cmocka_unit_test(a_refused_workspace_is_an_error),
        cmocka_unit_test(bad_levels_are_refused),
    };

    return cmocka_run_group_tests_name("level 2", tests, NULL, NULL);
}
