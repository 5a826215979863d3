/* SPDX-License-Identifier: Apache-2.0 */
/* Syscall filter: the seccomp program that stops a thread in front of a counted system call. */
#ifndef FL_SYSCALL_FILTER_H
#define FL_SYSCALL_FILTER_H

#include <stddef.h>

#include "faultline/error.h"

/*
 * 0 where this process may install such a filter, else -errno with reason and cure in `out`. Sets
 * no_new_privs, which an unprivileged filter needs, and changes nothing else.
 */
int fl_syscall_filter_check(char *out, size_t size) FL_MUST_CHECK;

/*
 * Installs it on all threads, for good: from now on each call of the groups in the bit set
 * `groups` stops for the tracer with the group as its message, and fails with ENOSYS if there is
 * no tracer. Everything else runs on, one comparison per counted call slower. 0 or -errno.
 */
int fl_syscall_filter_install(unsigned groups) FL_MUST_CHECK;

#endif
