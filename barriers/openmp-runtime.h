/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP runtime: entry points that GCC's code calls, found at run time, so that no process has a
 * runtime which its cell did not ask for.
 *
 * libgomp and libomp both offer them. A runtime that is in the process already (preloaded, or
 * brought by the library under test) is taken; otherwise libgomp is loaded.
 */
#ifndef FL_OPENMP_RUNTIME_H
#define FL_OPENMP_RUNTIME_H

#include "faultline/error.h"

struct fl_openmp {
    /* body(arg) on `threads` threads, the caller included; returns after the implied barrier. */
    void (*parallel)(void (*body)(void *), void *arg, unsigned threads, unsigned flags);
    void (*barrier)(void);
    int (*thread)(void);
    int (*threads)(void);
    const char *path; /* of the runtime's file */
};

/* 0; -ENOTSUP: no runtime here, with the cure. The runtime stays loaded. */
int fl_openmp_find(struct fl_openmp *openmp, struct fl_err *err) FL_MUST_CHECK;

#endif
