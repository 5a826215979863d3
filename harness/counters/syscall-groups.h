/* SPDX-License-Identifier: Apache-2.0 */
/* Syscall groups: which system calls make up a metric, by name and number. */
#ifndef FL_SYSCALL_GROUPS_H
#define FL_SYSCALL_GROUPS_H

#include <stdbool.h>

enum fl_syscall_group {
    FL_SYSCALL_BRK,
    FL_SYSCALL_MMAP,
    FL_SYSCALL_MUNMAP,
    FL_SYSCALL_MADVISE,
    FL_SYSCALL_FUTEX,
    FL_SYSCALL_GROUPS,
};

#define FL_GROUP_CALLS 5

struct fl_syscall {
    const char *name; /* NULL: no more */
    int number;
};

/* Ended by a row without a name. A number that is too new for the kernel is never called. */
const struct fl_syscall *fl_syscall_group(enum fl_syscall_group group);

#endif
