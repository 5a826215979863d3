/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small path: products that are computed without packing, and which calls take that path.
 *
 * op(A) = A', op(B) = B, beta = 0. Nothing is allocated: such a call never asks its workspace.
 */
#ifndef FAULTLINE_KERNELS_SMALL_PATH_H
#define FAULTLINE_KERNELS_SMALL_PATH_H

#include <stdbool.h>

#include "../isa.h"
#include "../product.h"
#include "faultline/factor.h"

typedef void (*fl_small_fn)(const struct fl_product *product);

/* never | openblas-skylakex | always */
extern const struct fl_factor fl_factor_small_path;

/* Does a call of this product take the path under that level? */
bool fl_small_path_taken(const char *level, const struct fl_product *product);

/* The function of an instruction set that is built in. */
fl_small_fn fl_small_function(enum fl_isa isa, bool single);

#define FL_SMALL(isa)                                                                              \
    void fl_small_##isa##_f64(const struct fl_product *product);                                   \
    void fl_small_##isa##_f32(const struct fl_product *product)
FL_SMALL(portable);
FL_SMALL(avx2);
FL_SMALL(avx512);
FL_SMALL(neon);
#undef FL_SMALL

#endif
