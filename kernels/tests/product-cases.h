/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One product on small integers, compared with a plain triple loop. Shared by the native test and
 * by the one that runs under an emulator without a test framework.
 */
#ifndef FAULTLINE_KERNELS_PRODUCT_CASES_H
#define FAULTLINE_KERNELS_PRODUCT_CASES_H

#include "isa.h"
#include "product.h"

/* Runs the product (operands and leading dimensions are set here: `pad` rows beyond the least) and
 * compares every element. 0, or -1 after saying on stderr what differs. */
int product_case(enum fl_isa isa, bool single, struct fl_product product, size_t pad);

/* `count` random products with every dimension up to `limit`. As above. */
int product_cases(enum fl_isa isa, bool single, size_t limit, size_t count);

/* All m and n up to `limit` with short sums, all transpositions in turn. As above. */
int product_edges(enum fl_isa isa, bool single, size_t limit);

#endif
