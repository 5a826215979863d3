/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eigen's choice of block sizes for one thread, as a function of caches and micro-kernel.
 */
#ifndef FAULTLINE_KERNELS_EIGEN_RULE_H
#define FAULTLINE_KERNELS_EIGEN_RULE_H

#include <stdbool.h>

#include "blocking.h"

struct fl_eigen_rule {
    bool master;          /* the development branch; else release 3.4 */
    long long l1, l2, l3; /* bytes; l3 = 0: none */
    long long mr, nr;     /* of Eigen's micro-kernel */
};

/* kc, mc, nc and the alignment that Eigen gives its buffers. */
struct fl_blocking fl_eigen_blocking(const struct fl_eigen_rule *rule,
                                     const struct fl_blocking_input *input);

#endif
