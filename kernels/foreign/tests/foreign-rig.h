/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A foreign kernel opened for a test, each in a process of its own: libraries read their
 * environment once, and two builds of one library do not belong into one process.
 */
#ifndef FL_FOREIGN_RIG_H
#define FL_FOREIGN_RIG_H

#include <stdbool.h>

#include "faultline/arena.h"
#include "faultline/cell.h"
#include "faultline/kernel.h"

struct fl_foreign_rig {
    const struct fl_kernel_ops *kernel;
    void *state;
    struct fl_cell cell;
    struct fl_arena arena;
    struct fl_facts facts;
    struct fl_err err;
};

/* Opens the kernel of the cell `text` on the library at `path`. 0 or the kernel's error. */
int rig_open(struct fl_foreign_rig *rig, const char *text, const char *path);

/* The same with a team; NULL: none. */
int rig_open_on(struct fl_foreign_rig *rig, const char *text, const char *path,
                const struct fl_team *team);

void rig_close(struct fl_foreign_rig *rig);

/* One call: whether C is what a naive product gives. The kernel's own check must agree, too. */
bool rig_agrees(struct fl_foreign_rig *rig);

/* Prints a reason to stderr; returns false. */
bool rig_complain(const char *format, ...) FL_PRINTF(1, 2);

/*
 * Runs body(arg) in a child with the environment that the library at `path` needs for `isa`;
 * asserts that it returns true.
 */
void rig_in_child(const char *path, const char *isa, bool (*body)(const void *arg),
                  const void *arg);

#endif
