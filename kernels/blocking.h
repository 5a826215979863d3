/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocking: the sizes of the packed blocks of a product, as an input of the measurement.
 *
 * Grammar of a level:
 *   auto                                    a rule of our own, from this machine's caches
 *   KCxMCxNC                                given, cut to the product's k, m and n
 *   eigen-3.4:l1=B:l2=B[:l3=B]:mr=N:nr=N    as Eigen 3.4 blocks on such caches and micro-kernels
 *   eigen-master:...                        as its development branch of 2026 does
 * l1=auto and l2=auto take this machine's. Keys stand in any order, bytes take the suffixes K, M
 * and G. l3 is what one processor may use of the third level. Eigen's rules follow integer
 * divisions to the last scalar: the sizes decide whether glibc trims its heap on every call.
 * Thread-safe; no allocation.
 */
#ifndef FAULTLINE_KERNELS_BLOCKING_H
#define FAULTLINE_KERNELS_BLOCKING_H

#include <stdbool.h>
#include <stddef.h>

#include "faultline/error.h"

struct fl_blocking {
    size_t kc, mc, nc; /* syrk: B is packed for all n columns, and nc of them worked on at a time */
    size_t align;      /* of the packing buffers, in bytes */
};

/* What a blocking is chosen for. */
struct fl_blocking_input {
    size_t m, n, k; /* of syrk: m = n */
    bool syrk;
    size_t scalar;        /* bytes of one */
    size_t l1, l2;        /* this machine's data caches in bytes, for `auto`; 0: unknown */
    size_t lanes, mr, nr; /* of the micro-kernel that runs, for `auto` and its alignment */
};

/* Whether a level follows the grammar. 0, or -EINVAL saying what would be accepted. */
int fl_blocking_check(const char *level, struct fl_err *err) FL_MUST_CHECK;

/* The blocking of a level. 0; -EINVAL as above; -ENOTSUP: a cache that is `auto` is unknown. */
int fl_blocking_resolve(const char *level, const struct fl_blocking_input *input,
                        struct fl_blocking *blocking, struct fl_err *err) FL_MUST_CHECK;

#endif
