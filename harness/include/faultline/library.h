/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Library: a shared library whose symbols are kernels, found by alias.
 *
 * Keys hold aliases, so that they mean the same on every machine; where the file lies is found at
 * run time. The runner finds a library, reads from the file which family it belongs to, and sets
 * the family's environment before it spawns the worker: OpenBLAS, BLIS and OpenMP read their
 * variables once, when they are loaded or first called. Nothing here loads a library.
 *
 * Thread-safe: all functions. fl_library_find() reads files, about 1 ms for the largest; it may
 * malloc, but too little to move glibc's thresholds. Keep its result.
 */
#ifndef FAULTLINE_LIBRARY_H
#define FAULTLINE_LIBRARY_H

#include <limits.h>
#include <stddef.h>

#include "faultline/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FL_LIBRARY_VARIABLES 16
#define FL_BUILD_ID_MAX      129 /* 64 bytes as hex digits */

/* Whose library it is: decides the environment it needs and how it is asked what it is. */
enum fl_library_family {
    FL_LIBRARY_OTHER,
    FL_LIBRARY_OPENBLAS,
    FL_LIBRARY_BLIS,
    FL_LIBRARY_EIGEN, /* our shim over Eigen's templates */
};

/* A known alias. */
struct fl_library {
    const char *alias;
    const char *summary;           /* one line for `faultline list libraries` */
    const char *package;           /* Debian package that brings it */
    const char *const *candidates; /* file names below the library folders, in order of preference,
                                      NULL-terminated; a '*' stands for the instruction set */
};

/* Where a library lies. */
struct fl_library_place {
    char path[PATH_MAX]; /* what the worker is to open (struct fl_kernel_env, library) */
    enum fl_library_family family;
};

/* `NAME=value` texts, NULL-terminated; they are constant and outlive everything. */
struct fl_library_environment {
    const char *variables[FL_LIBRARY_VARIABLES + 1];
};

/* The known aliases, ended by a row without one. */
const struct fl_library *fl_libraries(void);

/* By alias, or NULL: then the user must name a path. */
const struct fl_library *fl_library_row(const char *alias);

/*
 * Finds the file behind an alias. `given`: the user's own path for it (`openblas=/path/x.so`), or a
 * file name below the library folders; NULL: the candidates of the table. Folders are those of the
 * dynamic linker (LD_LIBRARY_PATH, the multiarch folders) and, for the Eigen shim, those beside
 * this program. `isa` is the cell's instruction set, `auto` or NULL for the library's own choice.
 *
 * 0; -ENOENT: no such alias and no path; -ENOTSUP: not installed, not a shared library for this
 * processor, or the instruction set cannot be had. The reason names the library and the cure.
 */
int fl_library_find(const char *alias, const char *given, const char *isa,
                    struct fl_library_place *place, struct fl_err *why) FL_MUST_CHECK;

/*
 * The environment the worker must be started with: every thread count that a BLAS obeys set to 1,
 * and the family's own variable for `isa`. Other variables of these libraries must not be handed
 * down: BLIS_JC_NT, for one, would overrule BLIS_NUM_THREADS. -ENOTSUP: this family cannot be told
 * which instruction set to use.
 */
int fl_library_environment(const struct fl_library_place *place, const char *isa,
                           struct fl_library_environment *environment,
                           struct fl_err *why) FL_MUST_CHECK;

/* Names of the variables that set a BLAS' thread count, NULL-terminated. */
const char *const *fl_library_thread_variables(void);

/*
 * What a library of that family says it runs on when it obeys `isa` (`Haswell`, `skx`, `avx2`), or
 * NULL where that does not apply.
 */
const char *fl_library_core(enum fl_library_family family, const char *isa);

/* The GNU build id among `size` bytes of ELF notes as hex digits; "" where there is none. The bytes
 * are not trusted. */
void fl_build_id_read(const void *notes, size_t size, char out[FL_BUILD_ID_MAX]);

#ifdef __cplusplus
}
#endif

#endif
