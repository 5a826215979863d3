/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part: what a kernel, a workspace, a barrier, a wait policy and a counter have in common.
 *
 * A part is one .c file that defines one constant table of function pointers whose first member is
 * a struct fl_part, and one fl_add_part() line in the CMakeLists.txt of its folder. Nothing else
 * names it: the registry is generated from those lines.
 */
#ifndef FAULTLINE_PART_H
#define FAULTLINE_PART_H

#include <stddef.h>

#include "faultline/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of every table in this folder; fl_part_check() refuses a part built against another. */
#define FL_PART_ABI 1u

struct fl_part {
    const char *name;    /* how scenarios spell it; unique within its kind */
    const char *summary; /* one line for `faultline list`, no full stop */
    unsigned abi;        /* FL_PART_ABI */
    size_t state_size;   /* bytes of private state the harness gives it, zeroed, 64-byte aligned */
    /*
     * Optional. 0, or -ENOTSUP with the reason why this part cannot run here (processor, kernel or
     * library). Cheap, and without side effects: `faultline list` calls it for every part.
     */
    int (*probe)(struct fl_err *why);
};

/* 0, or -ENOTSUP with the part's own reason. A part without a probe() always runs. */
int fl_part_probe(const struct fl_part *part, struct fl_err *why) FL_MUST_CHECK;

/* 0, or -EINVAL naming what is wrong with the table: ABI, empty name or summary. */
int fl_part_check(const struct fl_part *part, struct fl_err *why) FL_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
