/* SPDX-License-Identifier: Apache-2.0 */
/* UMONITOR, UMWAIT and TPAUSE, and whether this processor has them. */
#include "waitpkg.h"

#include <errno.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>

enum { WAITPKG_BIT = 5, LIGHT_REST = 1 };

int fl_waitpkg_probe(struct fl_err *why)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (c >> WAITPKG_BIT & 1))
        return 0;
    return fl_fail(why, -ENOTSUP, "this processor has no UMWAIT and TPAUSE (flag waitpkg)");
}

__attribute__((target("waitpkg"))) void fl_umonitor(const void *address)
{
    _umonitor((void *)(uintptr_t)address);
}

__attribute__((target("waitpkg"))) void fl_umwait(uint64_t cycles)
{
    _umwait(LIGHT_REST, __rdtsc() + cycles);
}

__attribute__((target("waitpkg"))) void fl_tpause(uint64_t cycles)
{
    _tpause(LIGHT_REST, __rdtsc() + cycles);
}
#else
int fl_waitpkg_probe(struct fl_err *why)
{
    return fl_fail(why, -ENOTSUP, "UMWAIT and TPAUSE are instructions of x86-64");
}

void fl_umonitor(const void *address)
{
    (void)address;
}

void fl_umwait(uint64_t cycles)
{
    (void)cycles;
}

void fl_tpause(uint64_t cycles)
{
    (void)cycles;
}
#endif
