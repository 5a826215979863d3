/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Level 1 of every known BLAS gives what a plain loop gives, as ours does on the same vectors, by
 * one caller and by several at once.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../foreign-level1.h"
#include "faultline/library.h"
#include "foreign-rig.h"
#include "team-rig.h"

static const char *const kernels[] = {
    "sasum", "dasum", "scasum", "dzasum", "ssum",   "dsum",   "scsum",  "dzsum", "scopy",
    "dcopy", "ccopy", "zcopy",  "sdot",   "ddot",   "cdotu",  "cdotc",  "zdotu", "zdotc",
    "saxpy", "daxpy", "caxpy",  "zaxpy",  "isamax", "idamax", "icamax", "izamax"};
static const char *const shapes[] = {"n=0",
                                     "n=1",
                                     "n=33",
                                     "n=257",
                                     "n=100 stride=2",
                                     "n=100 stride=-3",
                                     "n=77 stride=0",
                                     "n=64 stride=2 stride-y=-1",
                                     "n=5 stride-y=4",
                                     "n=30 stride-y=0",
                                     "n=20001"};

struct wanted {
    const char *alias;
    struct fl_library_place place;
};

static bool is_openblas(const struct wanted *wanted)
{
    return !strncmp(wanted->alias, "openblas", 8);
}

static bool is_right(const struct wanted *wanted, const char *text, struct team_rig *team)
{
    static struct fl_foreign_rig rig; /* too large for comfort on the stack of a child */
    int rc = rig_open_on(&rig, text, wanted->place.path, &team->team);
    const struct fl_foreign_level1 *s = rig.state;

    if (!is_openblas(wanted) && s->name->routine->extension) {
        if (rc != -ENOTSUP || !strstr(rig.err.text, "OpenBLAS"))
            return rig_complain("%s: %d, %s", text, rc, rig.err.text);
        rig_close(&rig);
        return true;
    }
    if (rc)
        return rig_complain("%s: %s", text, rig.err.text);
    team->regions = 0;
    if (rig.kernel->run(rig.state, NULL) || team->regions != (team->team.threads > 1) ||
        rig.kernel->calls(rig.state) != team->team.threads)
        return rig_complain("%s: %zu regions", text, team->regions);
    rc = rig.kernel->check(rig.state, NULL, &rig.err);
    /* OpenBLAS 0.3.21 adds up wrongly in ssum (AVX-512), scsum and dzsum: the check says so. */
    if (rc && !(rc == -EBADMSG && s->name->routine->extension))
        return rig_complain("%s: %s", text, rig.err.text);
    rig_close(&rig);
    return true;
}

static bool all_are_right(const void *arg)
{
    const struct wanted *wanted = arg;

    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct team_rig team;

        team_rig_open(&team, threads);
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
                char text[160];

                snprintf(text, sizeof text, "kernel=%s%s%s %s library=%s", k % 2 ? "blas:" : "",
                         kernels[k], k % 2 ? "_" : "", shapes[s], wanted->alias);
                if (!is_right(wanted, text, &team))
                    return false;
            }
        team_rig_close(&team);
    }
    return true;
}

static void check_library(const char *alias)
{
    struct wanted wanted = {.alias = alias};
    struct fl_err why = {0};

    if (fl_library_find(alias, NULL, NULL, &wanted.place, &why)) {
        print_message("skipped: %s\n", why.text);
        skip();
    }
    rig_in_child(wanted.place.path, NULL, all_are_right, &wanted);
}

#define RIGHT(name, alias)                                                                         \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        check_library(alias);                                                                      \
    }

RIGHT(openblas_pthread, "openblas-pthread")
RIGHT(openblas_openmp, "openblas-openmp")
RIGHT(openblas_serial, "openblas-serial")
RIGHT(blis_serial, "blis-serial")
RIGHT(blis_openmp, "blis-openmp")

/* Without C's interface a complex dot comes back in registers; of 64-bit integers all 64 count. */
static bool tiny_level1(const void *arg)
{
    static const char *const cells[] = {"kernel=blas:zdotc_64_ library=tiny n=50 stride=-2",
                                        "kernel=blas:cdotu_64_ library=tiny n=50"};
    struct wanted wanted = {.alias = "tiny"};
    struct team_rig team;
    bool good = true;

    (void)arg;
    snprintf(wanted.place.path, sizeof wanted.place.path, "%s", FL_TINY_LIBRARY);
    team_rig_open(&team, 2);
    for (size_t i = 0; i < sizeof cells / sizeof *cells && good; i++)
        good = is_right(&wanted, cells[i], &team);
    team_rig_close(&team);
    return good;
}

static void complex_results_come_back_in_registers(void **state)
{
    (void)state;
    rig_in_child(FL_TINY_LIBRARY, NULL, tiny_level1, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openblas_pthread),
        cmocka_unit_test(openblas_openmp),
        cmocka_unit_test(openblas_serial),
        cmocka_unit_test(blis_serial),
        cmocka_unit_test(blis_openmp),
        cmocka_unit_test(complex_results_come_back_in_registers),
    };

    return cmocka_run_group_tests_name("foreign level 1", tests, NULL, NULL);
}
