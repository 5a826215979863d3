/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a kernel from the text of a cell on a workspace that records what it is asked for and can
 * spoil the result. Shared by the tests of the kernels.
 */
#ifndef FAULTLINE_KERNELS_KERNEL_HARNESS_H
#define FAULTLINE_KERNELS_KERNEL_HARNESS_H

#include <stdatomic.h>

#include "faultline/kernel.h"

struct harness {
    const struct fl_kernel_ops *ops;
    struct fl_cell cell;
    struct fl_facts facts;
    struct fl_arena arena;
    void *state;
    struct fl_workspace workspace;
    atomic_size_t calls; /* of all threads */
    /* What the first call asked for. */
    size_t count;
    struct fl_request requests[FL_REQUESTS_MAX];
    /* Runs after the body of a call, with the kernel's state; NULL: nothing. */
    void (*spoil)(void *state);
    bool refuse;     /* with() returns -ENOMEM */
    size_t misalign; /* bytes by which its pointers are off */
};

/* Resolves the cell; 0, or what fl_cell_parse() said. Then every other function may be called. */
int harness_cell(struct harness *h, const char *cell, struct fl_err *err);

/* Resolves the cell and opens the kernel; the same, or what open() said. */
int harness_open(struct harness *h, const char *cell, struct fl_err *err);

/* The same with a team; NULL: none. */
int harness_open_on(struct harness *h, const char *cell, const struct fl_team *team,
                    struct fl_err *err);

/* The same, asserted. */
void harness_must_open(struct harness *h, const char *cell, const struct fl_team *team);

/* Asserts that a call works and that the check finds nothing. */
void harness_must_check(struct harness *h, const char *cell);

void harness_close(struct harness *h);

#endif
