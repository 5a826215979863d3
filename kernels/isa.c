/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instruction sets, found at run time.
 *
 * The compiler's cpu model reads CPUID and XGETBV, so a set counts only where the operating system
 * saves its registers too.
 */
#include <errno.h>
#include <string.h>

#include "isa.h"

const char *const fl_isa_words[] = {"auto", "portable", "avx2", "avx512", "neon", NULL};

const char *fl_isa_name(enum fl_isa isa)
{
    return fl_isa_words[1 + isa];
}

#if defined(__x86_64__)

static int probe_native(enum fl_isa isa, struct fl_err *why)
{
    __builtin_cpu_init();
    if (isa == FL_ISA_AVX2 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")))
        return fl_fail(why, -ENOTSUP,
                       "cannot run 'isa=avx2': processor or system has no AVX2 and FMA");
    if (isa == FL_ISA_AVX512 &&
        !(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")))
        return fl_fail(why, -ENOTSUP,
                       "cannot run 'isa=avx512': processor or system has no AVX-512 F, DQ, BW, VL");
    if (isa == FL_ISA_NEON)
        return fl_fail(why, -ENOTSUP, "cannot run 'isa=neon': this build is for x86-64");
    return 0;
}

#elif defined(__aarch64__)

static int probe_native(enum fl_isa isa, struct fl_err *why)
{
    if (isa == FL_ISA_NEON)
        return 0; /* part of every AArch64 Linux */
    return fl_fail(why, -ENOTSUP, "cannot run 'isa=%s': this build is for AArch64",
                   fl_isa_name(isa));
}

#else

static int probe_native(enum fl_isa isa, struct fl_err *why)
{
    return fl_fail(why, -ENOTSUP, "cannot run 'isa=%s': not built for this architecture",
                   fl_isa_name(isa));
}

#endif

int fl_isa_probe(enum fl_isa isa, struct fl_err *why)
{
    return isa == FL_ISA_PORTABLE ? 0 : probe_native(isa, why);
}

static enum fl_isa widest(void)
{
    static const enum fl_isa order[] = {FL_ISA_AVX512, FL_ISA_AVX2, FL_ISA_NEON};

    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        if (fl_isa_probe(order[i], NULL) == 0)
            return order[i];
    return FL_ISA_PORTABLE;
}

int fl_isa_choose(const char *level, enum fl_isa *isa, struct fl_err *err)
{
    if (strcmp(level, "auto") == 0) {
        *isa = widest();
        return 0;
    }
    for (int i = 0; i < FL_ISA_COUNT; i++) {
        if (strcmp(level, fl_isa_words[1 + i]) == 0) {
            *isa = (enum fl_isa)i;
            return fl_isa_probe(*isa, err);
        }
    }
    return fl_fail(err, -EINVAL, "cannot use isa '%s': want auto, portable, avx2, avx512 or neon",
                   level);
}
