/* SPDX-License-Identifier: Apache-2.0 */
/* The table of system calls that are counted together. */
#include "syscall-groups.h"

#include <stddef.h>
#include <sys/syscall.h>

/* The same on every architecture; the headers of Debian 12 lack the last three. */
enum { FUTEX_WAITV = 449, FUTEX_WAKE_2 = 454, FUTEX_WAIT_2 = 455, FUTEX_REQUEUE_2 = 456 };

static const struct fl_syscall groups[FL_SYSCALL_GROUPS][FL_GROUP_CALLS + 1] = {
    [FL_SYSCALL_BRK] = {{"brk", SYS_brk}},
    [FL_SYSCALL_MMAP] = {{"mmap", SYS_mmap}},
    [FL_SYSCALL_MUNMAP] = {{"munmap", SYS_munmap}},
    [FL_SYSCALL_MADVISE] = {{"madvise", SYS_madvise}},
    [FL_SYSCALL_FUTEX] = {{"futex", SYS_futex},
                          {"futex_waitv", FUTEX_WAITV},
                          {"futex_wake", FUTEX_WAKE_2},
                          {"futex_wait", FUTEX_WAIT_2},
                          {"futex_requeue", FUTEX_REQUEUE_2}},
};

const struct fl_syscall *fl_syscall_group(enum fl_syscall_group group)
{
    return groups[group];
}
