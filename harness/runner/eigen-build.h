/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eigen build: the shim over Eigen (kernels/foreign/eigen-shim.cc), compiled against the headers in
 * a folder of the user's, as the build compiles it against those installed.
 *
 * For the widest instruction set that the processor has, by $CXX or c++. Takes a minute or two. Not
 * for several threads at once.
 */
#ifndef FL_EIGEN_BUILD_H
#define FL_EIGEN_BUILD_H

#include <signal.h>

#include "faultline/error.h"

struct fl_eigen_build {
    const char *headers; /* a folder that has Eigen/Core */
    const char *source;  /* of the shim */
    const char *output;  /* the library to be made */
    const volatile sig_atomic_t *stop;
};

/* 0; -EINTR: stopped; -ENOENT: no Eigen in the folder; -EIO: it does not compile, with what the
 * compiler said last. */
int fl_eigen_build(const struct fl_eigen_build *build, struct fl_err *err) FL_MUST_CHECK;

#endif
