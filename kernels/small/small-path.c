/* SPDX-License-Identifier: Apache-2.0 */
/* The gate of the path without packing, and its functions by instruction set. */
#include "small-path.h"

#include <stddef.h>
#include <string.h>

static const char *const words[] = {"never", "openblas-skylakex", "always", NULL};

const struct fl_factor fl_factor_small_path = {
    .name = "small-path",
    .summary = "calls that skip packing: never, always, or by OpenBLAS' rule for SkylakeX",
    .type = FL_FACTOR_WORD,
    .fallback = "never",
    .words = words,
};

/* OpenBLAS, kernel for SkylakeX and Sapphire Rapids: up to 100^3 products, of A' * B only those
 * with few results and long sums. */
static bool taken_by_openblas(const struct fl_product *p)
{
    if (p->m * p->n * p->k > 100 * 100 * 100)
        return false;
    return !(p->trans_a && !p->trans_b) || (p->m * p->n <= 1200 && p->k >= 32);
}

bool fl_small_path_taken(const char *level, const struct fl_product *product)
{
    if (!strcmp(level, "openblas-skylakex"))
        return taken_by_openblas(product);
    return !strcmp(level, "always");
}

fl_small_fn fl_small_function(enum fl_isa isa, bool single)
{
    switch (isa) {
#if defined(__x86_64__)
    case FL_ISA_AVX512:
        return single ? fl_small_avx512_f32 : fl_small_avx512_f64;
    case FL_ISA_AVX2:
        return single ? fl_small_avx2_f32 : fl_small_avx2_f64;
#elif defined(__aarch64__)
    case FL_ISA_NEON:
        return single ? fl_small_neon_f32 : fl_small_neon_f64;
#endif
    default:
        return single ? fl_small_portable_f32 : fl_small_portable_f64;
    }
}
