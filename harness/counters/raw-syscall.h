/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw system calls: without errno, for code that has no thread-local storage of its own.
 *
 * The tracer shares its memory with the process that it traces and runs on a bare stack; libc's
 * wrappers would write errno into a thread of that process. The result is that of the kernel:
 * negative for an error.
 */
#ifndef FL_RAW_SYSCALL_H
#define FL_RAW_SYSCALL_H

#include <sys/syscall.h>

/* Of everything that the tracer runs: a sanitizer's run-time would use the worker's thread state.
 */
#define FL_PLAIN __attribute__((no_sanitize("address", "thread", "undefined")))

#if defined(__x86_64__)
#define FL_HAVE_RAW_SYSCALL 1

FL_PLAIN static inline long fl_raw_syscall(long number, long a, long b, long c, long d)
{
    long result;
    register long fourth __asm__("r10") = d;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                     : "rcx", "r11", "memory");
    return result;
}

#elif defined(__aarch64__)
#define FL_HAVE_RAW_SYSCALL 1

FL_PLAIN static inline long fl_raw_syscall(long number, long a, long b, long c, long d)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}

#else
#define FL_HAVE_RAW_SYSCALL 0

FL_PLAIN static inline long fl_raw_syscall(long number, long a, long b, long c, long d)
{
    (void)number, (void)a, (void)b, (void)c, (void)d;
    return -38; /* -ENOSYS */
}
#endif

#endif
