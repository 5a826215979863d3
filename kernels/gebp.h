/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GEBP: the loops around the micro-kernels, with both operands packed.
 *
 * `buffers` are the packing buffers of A and B, of fl_product_packed_a() and fl_product_packed_b()
 * scalars; all of both is written in each call whose blocks are full. Thread-safe; no allocation.
 */
#ifndef FAULTLINE_KERNELS_GEBP_H
#define FAULTLINE_KERNELS_GEBP_H

#include "micro.h"
#include "product.h"

void fl_gebp_f64(const struct fl_product *product, const struct fl_micro_f64 *micro,
                 void *const *buffers);
void fl_gebp_f32(const struct fl_product *product, const struct fl_micro_f32 *micro,
                 void *const *buffers);

#endif
