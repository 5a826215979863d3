/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ability: what this user can count here, found by doing it once.
 *
 * Each probe makes a few known events and looks whether they are counted, because a counter that
 * opens and stays at zero (as in many virtual machines) is worse than one that does not open.
 * Takes some milliseconds and starts two short-lived children; call it before threads exist.
 */
#ifndef FL_MACHINE_ABILITY_H
#define FL_MACHINE_ABILITY_H

#define FL_ABILITY_PAGES 64 /* fresh pages that the fault probes touch */

/* status: 0; -ENODATA: it works but did not count what was done; else the errno of the step that
 * failed. counted: events seen where status is 0 or -ENODATA. */
struct fl_ability {
    int status;
    long long counted;
};

struct fl_abilities {
    struct fl_ability faults;      /* getrusage: minor faults of FL_ABILITY_PAGES first touches */
    struct fl_ability cycles;      /* perf_event_open: processor cycles of a short loop */
    struct fl_ability software;    /* perf_event_open: page faults, user mode only */
    struct fl_ability kernel_mode; /* the same with the kernel's mode */
    struct fl_ability
        tracepoint;            /* perf_event_open on raw_syscalls/sys_enter, as `syscalls` does */
    struct fl_ability tracing; /* seccomp and ptrace: one stop at getppid in a child */
};

void fl_abilities_probe(struct fl_abilities *out);

#endif
