/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strays: processes that a child started and that left its process group, as daemons do. This
 * process, a subreaper, inherits them when the child ends, and would let them disturb every later
 * sample and outlive the run.
 */
#ifndef FL_RUN_STRAYS_H
#define FL_RUN_STRAYS_H

#include <stddef.h>
#include <sys/types.h>

#define FL_STRAYS_KNOWN 256

/* Children of this process that are no strays. */
struct fl_strays {
    pid_t known[FL_STRAYS_KNOWN];
    size_t count;
};

/* Notes the children that there are. */
void fl_strays_note(struct fl_strays *strays);

/* Ends and reaps all children of this process but those. Where the kernel does not list children
 * (CONFIG_PROC_CHILDREN), or there were more than can be noted: none. */
void fl_strays_end(const struct fl_strays *strays);

#endif
