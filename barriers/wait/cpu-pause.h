/* SPDX-License-Identifier: Apache-2.0 */
/* The hint that this thread is polling: the other hardware thread of the core gets the units. */
#ifndef FL_CPU_PAUSE_H
#define FL_CPU_PAUSE_H

static inline void fl_cpu_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    /* `yield` does nothing on most cores; `isb` takes about as long as PAUSE does. */
    __asm__ volatile("isb" ::: "memory");
#else
    __asm__ volatile("" ::: "memory");
#endif
}

#endif
