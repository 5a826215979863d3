/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instruction sets, found at run time.
 *
 * The compiler's cpu model reads CPUID and XGETBV, so a set counts only where the operating system
 * saves its registers too.
 */
#include <errno.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

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

/* The names of the cpu model differ between compilers here: CPUID is asked. What has AVX2 has its
 * registers saved already. */
static int probe_dot(enum fl_isa isa, struct fl_err *why)
{
    unsigned eax, ebx, ecx = 0, edx;

    if (isa == FL_ISA_AVX2 && !(__get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C)))
        return fl_fail(why, -ENOTSUP, "cannot run 'isa=avx2': processor has no F16C");
    if (isa == FL_ISA_AVX512 &&
        !(__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ecx & bit_AVX512VNNI)))
        return fl_fail(why, -ENOTSUP, "cannot run 'isa=avx512': processor has no AVX-512 VNNI");
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

static int probe_dot(enum fl_isa isa, struct fl_err *why)
{
    if (isa == FL_ISA_NEON && !(getauxval(AT_HWCAP) & HWCAP_ASIMDDP))
        return fl_fail(why, -ENOTSUP, "cannot run 'isa=neon': processor has no dot products");
    return 0;
}

#else

static int probe_native(enum fl_isa isa, struct fl_err *why)
{
    return fl_fail(why, -ENOTSUP, "cannot run 'isa=%s': not built for this architecture",
                   fl_isa_name(isa));
}

static int probe_dot(enum fl_isa isa, struct fl_err *why)
{
    (void)isa, (void)why;
    return 0;
}

#endif

int fl_isa_probe(enum fl_isa isa, struct fl_err *why)
{
    return isa == FL_ISA_PORTABLE ? 0 : probe_native(isa, why);
}

int fl_isa_probe_dot(enum fl_isa isa, struct fl_err *why)
{
    int rc = fl_isa_probe(isa, why);

    return rc ? rc : probe_dot(isa, why);
}

typedef int (*probe_fn)(enum fl_isa isa, struct fl_err *why);

static enum fl_isa widest(probe_fn probe)
{
    static const enum fl_isa order[] = {FL_ISA_AVX512, FL_ISA_AVX2, FL_ISA_NEON};

    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        if (probe(order[i], NULL) == 0)
            return order[i];
    return FL_ISA_PORTABLE;
}

static int choose(const char *level, probe_fn probe, enum fl_isa *isa, struct fl_err *err)
{
    if (strcmp(level, "auto") == 0) {
        *isa = widest(probe);
        return 0;
    }
    for (int i = 0; i < FL_ISA_COUNT; i++) {
        if (strcmp(level, fl_isa_words[1 + i]) == 0) {
            *isa = (enum fl_isa)i;
            return probe(*isa, err);
        }
    }
    return fl_fail(err, -EINVAL, "cannot use isa '%s': want auto, portable, avx2, avx512 or neon",
                   level);
}

int fl_isa_choose(const char *level, enum fl_isa *isa, struct fl_err *err)
{
    return choose(level, fl_isa_probe, isa, err);
}

int fl_isa_choose_dot(const char *level, enum fl_isa *isa, struct fl_err *err)
{
    return choose(level, fl_isa_probe_dot, isa, err);
}
