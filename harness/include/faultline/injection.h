/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Injection: a slow-down of known size, so that a gate can be tried on something that is there.
 *
 * Levels of the factor `inject`: 0 (off), N (every Nth run() of the kernel is made twice: 1/N
 * slower), faults:N and locks:N (every Nth run() touches a fresh page, or locks an uncontended
 * pthread mutex, and takes no measurable time beside that). No allocation; thread-safe.
 */
#ifndef FAULTLINE_INJECTION_H
#define FAULTLINE_INJECTION_H

#include <stdint.h>

#include "faultline/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FL_INJECTION_EVERY_MAX 1000000

enum fl_injection_kind {
    FL_INJECT_CALLS,
    FL_INJECT_FAULTS, /* one page fault, one mmap, one munmap */
    FL_INJECT_LOCKS,
};

struct fl_injection {
    enum fl_injection_kind kind;
    uint64_t every; /* Nth run(); 0: off */
};

/* 0, or -EINVAL saying what would be accepted. */
int fl_injection_parse(const char *level, struct fl_injection *injection,
                       struct fl_err *err) FL_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
