/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries called from several threads of a team at once: counts of calls, and right results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../foreign.h"
#include "faultline/library.h"
#include "foreign-rig.h"
#include "team-rig.h"

static const struct {
    const char *cell;
    unsigned threads, calls, regions; /* of one run */
} rows[] = {
    {"kernel=dgemm n=24", 1, 1, 0},
    {"kernel=dgemm n=24", 3, 3, 1},
    {"kernel=ssyrk n=31 trans=T", 4, 4, 1},
    {"kernel=blas:dgemm_ n=17 trans=TN beta=0", 2, 2, 1},
    {"kernel=dgemm-small-tn k=10 d=3 chunks=7", 3, 7, 1},
    {"kernel=sgemm-small-tn k=4 d=40 chunks=2", 4, 2, 1},
    {"kernel=dgemm-small-tn k=9 d=16 chunks=5", 1, 5, 1},
    {"kernel=dsymv n=15 chunks=4", 3, 12, 1},
    {"kernel=ssymv n=70 chunks=1 uplo=U", 2, 2, 1},
    {"kernel=blas:dsymv_ n=33 chunks=2", 1, 2, 1},
    {"kernel=dtrsv n=15 chunks=4", 3, 12, 1},
    {"kernel=dtrsv n=100 chunks=2 uplo=U trans=T", 2, 4, 1},
    {"kernel=strsv n=31 chunks=2 trans=T diag=U", 2, 4, 1},
    {"kernel=blas:strsv_ n=16 chunks=2 uplo=U diag=U", 1, 2, 1},
};

struct wanted {
    const char *alias;
    bool lone; /* built without locks: two callers at once share its buffers */
    struct fl_library_place place;
};

static bool row_is_right(const struct wanted *wanted, size_t row)
{
    static struct fl_foreign_rig rig; /* too large for comfort on the stack of a child */
    struct team_rig team;
    char text[160];

    snprintf(text, sizeof text, "%s library=%s", rows[row].cell, wanted->alias);
    team_rig_open(&team, rows[row].threads);
    if (rig_open_on(&rig, text, wanted->place.path, &team.team))
        return rig_complain("%s: %s", text, rig.err.text);
    team.regions = 0;
    bool good = !rig.kernel->run(rig.state, NULL) && team.regions == rows[row].regions &&
                rig.kernel->calls(rig.state) == rows[row].calls;
    if (!good)
        return rig_complain("%s: %zu regions", text, team.regions);
    if (rig.kernel->check(rig.state, NULL, &rig.err))
        return rig_complain("%s: %s", text, rig.err.text);
    rig_close(&rig);
    team_rig_close(&team);
    return true;
}

static bool all_rows_are_right(const void *arg)
{
    const struct wanted *wanted = arg;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((rows[i].threads == 1 || !wanted->lone) && !row_is_right(wanted, i))
            return false;
    return true;
}

static void check_library(const char *alias, bool lone)
{
    struct wanted wanted = {.alias = alias, .lone = lone};
    struct fl_err why = {0};

    if (fl_library_find(alias, NULL, NULL, &wanted.place, &why)) {
        print_message("skipped: %s\n", why.text);
        skip();
    }
    rig_in_child(wanted.place.path, NULL, all_rows_are_right, &wanted);
}

#define CALLED(name, alias, lone)                                                                  \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        check_library(alias, lone);                                                                \
    }

CALLED(openblas_pthread, "openblas-pthread", false)
CALLED(openblas_openmp, "openblas-openmp", false)
CALLED(openblas_serial, "openblas-serial", true)
CALLED(blis_pthread, "blis-pthread", false)
CALLED(blis_openmp, "blis-openmp", false)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openblas_pthread), cmocka_unit_test(openblas_openmp),
        cmocka_unit_test(openblas_serial),  cmocka_unit_test(blis_pthread),
        cmocka_unit_test(blis_openmp),
    };

    return cmocka_run_group_tests_name("foreign callers", tests, NULL, NULL);
}
