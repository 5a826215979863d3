/* SPDX-License-Identifier: Apache-2.0 */
/* Builds and installs the seccomp program. */
#include "syscall-filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "syscall-groups.h"

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#else
#define THIS_ARCH 0 /* no tracer here, see raw-syscall.h */
#endif

/* Head, two instructions per call, tail. */
#define PROGRAM_MAX (5 + 2 * FL_SYSCALL_GROUPS * FL_GROUP_CALLS)

struct program {
    struct sock_filter code[PROGRAM_MAX];
    unsigned short length;
};

static void add(struct program *p, uint16_t code, uint8_t yes, uint8_t no, uint32_t k)
{
    p->code[p->length++] = (struct sock_filter){code, yes, no, k};
}

/* A chain of comparisons: the calls are few and seldom, and other calls fall through in tens of
 * nanoseconds. */
static void build(struct program *p, unsigned groups)
{
    add(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch));
    add(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, THIS_ARCH);
    add(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
    add(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
    for (unsigned group = 0; group < FL_SYSCALL_GROUPS; group++) {
        const struct fl_syscall *calls = fl_syscall_group((enum fl_syscall_group)group);
        for (size_t i = 0; (groups & 1u << group) && i < FL_GROUP_CALLS && calls[i].name; i++) {
            add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)calls[i].number);
            add(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_TRACE | group);
        }
    }
    add(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
}

int fl_syscall_filter_check(char *out, size_t size)
{
    uint32_t action = SECCOMP_RET_TRACE;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0)
        return 0;
    int rc = -errno;
    snprintf(out, size,
             "cannot install a seccomp filter: %s: use a kernel with CONFIG_SECCOMP_FILTER, and a "
             "container that allows seccomp(2)",
             strerror(-rc));
    return rc;
}

int fl_syscall_filter_install(unsigned groups)
{
    struct program p = {.length = 0};
    build(&p, groups);
    struct sock_fprog program = {p.length, p.code};
    long rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    if (rc > 0)
        return -EBUSY; /* thread `rc` has a filter of its own, which is no ancestor of ours */
    return rc < 0 ? -errno : 0;
}
