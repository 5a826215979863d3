/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known libraries and what each family needs of its environment.
 *
 * Threads: a library that is called by one measured thread must not start its own. OpenBLAS starts
 * its threads when it is loaded, so the counts must be set before the process starts; the OpenMP
 * build of OpenBLAS obeys OMP_NUM_THREADS alone. BLIS prefers counts for each of its loops
 * (BLIS_JC_NT and so on) to the total, so whoever starts the worker must not hand those down.
 *
 * Instruction sets: OpenBLAS takes the name of a core, BLIS (as released upstream) the number of a
 * sub-configuration and reads a name as 0, the shim has one file for each. What came of it is
 * verified in the worker against fl_library_core(), since both may decide otherwise.
 */
#include "faultline/library.h"

#include <errno.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const openblas[] = {"libopenblas.so.0", NULL};
static const char *const openblas_pthread[] = {"openblas-pthread/libopenblas.so.0", NULL};
static const char *const openblas_openmp[] = {"openblas-openmp/libopenblas.so.0", NULL};
static const char *const openblas_serial[] = {"openblas-serial/libopenblas.so.0", NULL};
/* The serial build first: the alternative's way of threading differs from machine to machine. */
static const char *const blis[] = {"blis-serial/libblis.so.4", "libblis.so.4", NULL};
static const char *const blis_pthread[] = {"blis-pthread/libblis.so.4", NULL};
static const char *const blis_openmp[] = {"blis-openmp/libblis.so.4", NULL};
static const char *const blis_serial[] = {"blis-serial/libblis.so.4", NULL};
static const char *const eigen[] = {"libfaultline-eigen-*.so", NULL};

static const struct fl_library libraries[] = {
    {"openblas", "OpenBLAS, the build that the system's alternatives select", "libopenblas0",
     openblas},
    {"openblas-pthread", "OpenBLAS with threads of its own", "libopenblas0-pthread",
     openblas_pthread},
    {"openblas-openmp", "OpenBLAS on OpenMP", "libopenblas0-openmp", openblas_openmp},
    {"openblas-serial", "OpenBLAS without threads", "libopenblas0-serial", openblas_serial},
    {"blis", "BLIS, the serial build if there is one, else the system's alternative",
     "libblis4-serial", blis},
    {"blis-pthread", "BLIS with threads of its own", "libblis4-pthread", blis_pthread},
    {"blis-openmp", "BLIS on OpenMP", "libblis4-openmp", blis_openmp},
    {"blis-serial", "BLIS without threads", "libblis4-serial", blis_serial},
    {"eigen", "the system's Eigen, compiled for one instruction set", "libeigen3-dev", eigen},
    {0},
};

struct forced_isa {
    enum fl_library_family family;
    const char *isa;
    const char *variable; /* NULL: nothing needs to be set */
    const char *core;     /* what the library then says it runs on */
};

/* BLIS: the numbers of its first six sub-configurations have been the same in every release. */
static const struct forced_isa forced[] = {
    {FL_LIBRARY_OPENBLAS, "portable", "OPENBLAS_CORETYPE=Prescott", "Prescott"},
    {FL_LIBRARY_OPENBLAS, "avx2", "OPENBLAS_CORETYPE=Haswell", "Haswell"},
    {FL_LIBRARY_OPENBLAS, "avx512", "OPENBLAS_CORETYPE=SkylakeX", "SkylakeX"},
    {FL_LIBRARY_OPENBLAS, "neon", "OPENBLAS_CORETYPE=ARMV8", "armv8"},
    {FL_LIBRARY_BLIS, "portable", "BLIS_ARCH_TYPE=5", "penryn"},
    {FL_LIBRARY_BLIS, "avx2", "BLIS_ARCH_TYPE=3", "haswell"},
    {FL_LIBRARY_BLIS, "avx512", "BLIS_ARCH_TYPE=0", "skx"},
    {FL_LIBRARY_EIGEN, "portable", NULL, "portable"},
    {FL_LIBRARY_EIGEN, "avx2", NULL, "avx2"},
    {FL_LIBRARY_EIGEN, "avx512", NULL, "avx512"},
    {FL_LIBRARY_EIGEN, "neon", NULL, "neon"},
};

static const char *const one_thread[] = {"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1",
                                         "BLIS_NUM_THREADS=1", "MKL_NUM_THREADS=1"};

const char *const *fl_library_thread_variables(void)
{
    static const char *const names[] = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS",
                                        "BLIS_NUM_THREADS", "MKL_NUM_THREADS", NULL};
    return names;
}

const struct fl_library *fl_libraries(void)
{
    return libraries;
}

const struct fl_library *fl_library_row(const char *alias)
{
    for (const struct fl_library *row = libraries; row->alias; row++)
        if (!strcmp(row->alias, alias))
            return row;
    return NULL;
}

static const char *family_name(enum fl_library_family family)
{
    switch (family) {
    case FL_LIBRARY_OPENBLAS:
        return "OpenBLAS";
    case FL_LIBRARY_BLIS:
        return "BLIS";
    case FL_LIBRARY_EIGEN:
        return "Eigen";
    default:
        return "other";
    }
}

static const struct forced_isa *forced_row(enum fl_library_family family, const char *isa)
{
    for (size_t i = 0; i < COUNT(forced); i++)
        if (forced[i].family == family && !strcmp(forced[i].isa, isa))
            return &forced[i];
    return NULL;
}

const char *fl_library_core(enum fl_library_family family, const char *isa)
{
    const struct forced_isa *row = isa ? forced_row(family, isa) : NULL;
    return row ? row->core : NULL;
}

static void add(struct fl_library_environment *environment, const char *const *texts, size_t count)
{
    size_t used = 0;
    while (environment->variables[used])
        used++;
    for (size_t i = 0; i < count && used < FL_LIBRARY_VARIABLES; i++)
        environment->variables[used++] = texts[i];
}

int fl_library_environment(const struct fl_library_place *place, const char *isa,
                           struct fl_library_environment *environment, struct fl_err *why)
{
    memset(environment, 0, sizeof *environment);
    add(environment, one_thread, COUNT(one_thread));
    if (!isa || !strcmp(isa, "auto"))
        return 0;
    const struct forced_isa *row = forced_row(place->family, isa);
    if (!row)
        return fl_fail(why, -ENOTSUP,
                       "cannot force isa '%s' on '%s' (family %s): use isa=auto, or a build of the "
                       "library for that instruction set under an alias of its own",
                       isa, place->path, family_name(place->family));
    if (row->variable)
        add(environment, &row->variable, 1);
    return 0;
}
