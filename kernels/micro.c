/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which micro-kernels this build has.
 */
#include "micro.h"

const struct fl_micro_f64 *fl_micro_f64(enum fl_isa isa)
{
    switch (isa) {
#if defined(__x86_64__)
    case FL_ISA_AVX512:
        return &fl_micro_avx512_f64;
    case FL_ISA_AVX2:
        return &fl_micro_avx2_f64;
#elif defined(__aarch64__)
    case FL_ISA_NEON:
        return &fl_micro_neon_f64;
#endif
    case FL_ISA_PORTABLE:
        return &fl_micro_portable_f64;
    default:
        return NULL;
    }
}

const struct fl_micro_f32 *fl_micro_f32(enum fl_isa isa)
{
    switch (isa) {
#if defined(__x86_64__)
    case FL_ISA_AVX512:
        return &fl_micro_avx512_f32;
    case FL_ISA_AVX2:
        return &fl_micro_avx2_f32;
#elif defined(__aarch64__)
    case FL_ISA_NEON:
        return &fl_micro_neon_f32;
#endif
    case FL_ISA_PORTABLE:
        return &fl_micro_portable_f32;
    default:
        return NULL;
    }
}
