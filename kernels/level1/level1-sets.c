/* SPDX-License-Identifier: Apache-2.0 */
/* Which level-1 tables this build has. */
#include "level1.h"

const struct fl_level1_set *fl_level1_set(enum fl_isa isa)
{
    switch (isa) {
#if defined(__x86_64__)
    case FL_ISA_AVX512:
        return &fl_level1_avx512;
    case FL_ISA_AVX2:
        return &fl_level1_avx2;
#elif defined(__aarch64__)
    case FL_ISA_NEON:
        return &fl_level1_neon;
#endif
    case FL_ISA_PORTABLE:
        return &fl_level1_portable;
    default:
        return NULL;
    }
}
