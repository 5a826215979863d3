/* SPDX-License-Identifier: Apache-2.0 */
/* Every known library that is installed computes what a naive product computes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "faultline/library.h"
#include "foreign-rig.h"

static const char *const shapes[] = {
    "kernel=dgemm n=5",
    "kernel=dgemm n=160",
    "kernel=dgemm n=37 m=29 k=41 trans=NT alpha=-0.5 beta=2 lda=50 ldb=51 ldc=52",
    "kernel=dgemm n=37 m=29 k=41 trans=TN alpha=3 beta=0 ldc=30",
    "kernel=dgemm n=64 m=17 k=200 trans=TT beta=-1",
    "kernel=sgemm n=61 m=33 k=70 alpha=0.25",
    "kernel=sgemm n=33 m=61 k=70 trans=TT beta=0 lda=75",
    "kernel=sgemm n=160 trans=TN",
    "kernel=dsyrk n=5",
    "kernel=dsyrk n=160",
    "kernel=dsyrk n=53 k=31 uplo=U alpha=-2 beta=0.5 lda=60 ldc=57",
    "kernel=dsyrk n=53 k=31 trans=T beta=0",
    "kernel=dsyrk n=90 k=200 trans=T uplo=U lda=210",
    "kernel=ssyrk n=71 k=44 trans=T alpha=0.5",
    "kernel=ssyrk n=160 uplo=U beta=0",
    NULL,
};

struct wanted {
    const char *alias, *isa;
    struct fl_library_place place;
};

static bool all_shapes_agree(const void *arg)
{
    const struct wanted *wanted = arg;
    static struct fl_foreign_rig rig; /* too large for comfort on the stack of a child */
    for (const char *const *shape = shapes; *shape; shape++) {
        char text[256];
        snprintf(text, sizeof text, "%s library=%s isa=%s", *shape, wanted->alias, wanted->isa);
        if (rig_open(&rig, text, wanted->place.path))
            return rig_complain("%s: %s", text, rig.err.text);
        if (!rig_agrees(&rig))
            return rig_complain("in %s", text);
        rig_close(&rig);
    }
    return true;
}

static void check_library(const char *alias, const char *isa)
{
    struct wanted wanted = {.alias = alias, .isa = isa};
    struct fl_err why = {0};
    if (fl_library_find(alias, NULL, isa, &wanted.place, &why)) {
        print_message("skipped: %s\n", why.text);
        skip();
    }
    rig_in_child(wanted.place.path, isa, all_shapes_agree, &wanted);
}

#define AGREES(name, alias, isa)                                                                   \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        check_library(alias, isa);                                                                 \
    }

AGREES(openblas_pthread, "openblas-pthread", "auto")
AGREES(openblas_openmp, "openblas-openmp", "auto")
AGREES(openblas_serial, "openblas-serial", "auto")
AGREES(openblas_forced_to_avx2, "openblas-serial", "avx2")
AGREES(openblas_forced_to_avx512, "openblas-serial", "avx512")
AGREES(openblas_forced_to_neon, "openblas-serial", "neon")
AGREES(openblas_forced_to_portable, "openblas-serial", "portable")
AGREES(blis_pthread, "blis-pthread", "auto")
AGREES(blis_openmp, "blis-openmp", "auto")
AGREES(blis_serial, "blis-serial", "auto")
AGREES(blis_forced_to_avx2, "blis-serial", "avx2")
AGREES(blis_forced_to_avx512, "blis-serial", "avx512")
AGREES(eigen, "eigen", "auto")
AGREES(eigen_portable, "eigen", "portable")
AGREES(eigen_avx2, "eigen", "avx2")
AGREES(eigen_avx512, "eigen", "avx512")
AGREES(eigen_neon, "eigen", "neon")

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openblas_pthread),
        cmocka_unit_test(openblas_openmp),
        cmocka_unit_test(openblas_serial),
        cmocka_unit_test(openblas_forced_to_avx2),
        cmocka_unit_test(openblas_forced_to_avx512),
        cmocka_unit_test(openblas_forced_to_neon),
        cmocka_unit_test(openblas_forced_to_portable),
        cmocka_unit_test(blis_pthread),
        cmocka_unit_test(blis_openmp),
        cmocka_unit_test(blis_serial),
        cmocka_unit_test(blis_forced_to_avx2),
        cmocka_unit_test(blis_forced_to_avx512),
        cmocka_unit_test(eigen),
        cmocka_unit_test(eigen_portable),
        cmocka_unit_test(eigen_avx2),
        cmocka_unit_test(eigen_avx512),
        cmocka_unit_test(eigen_neon),
    };
    return cmocka_run_group_tests_name("foreign results", tests, NULL, NULL);
}
