/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Node: one matvec of a chain, y = W x, shared out to the threads of a team.
 *
 * Every thread quantises the whole input for itself, into scratch of its own, and then computes its
 * rows. Sharing the quantising would need a second barrier in every node; done by all it costs one
 * pass over the input, which `rows / threads` passes over as many weights stand against.
 *
 * Vectors between nodes have FL_Q4_PITCH floats for each group of rows.
 */
#ifndef FAULTLINE_KERNELS_NODE_H
#define FAULTLINE_KERNELS_NODE_H

#include <stdbool.h>

#include "faultline/arena.h"
#include "q4.h"

/* What an input is made of. */
enum fl_node_input {
    FL_INPUT_PLAIN, /* `in`, as it is */
    FL_INPUT_HEADS, /* heads of `head` numbers, each `repeat` times: attention to one token */
    FL_INPUT_GATED, /* gate * up / (1 + |gate|): `in` is the gate, `up` stands behind it */
};

struct fl_node {
    struct fl_q4 w;
    enum fl_node_input input;
    bool norm; /* the input is scaled to mean square 1 */
    size_t head, repeat;
    const float *in, *up;
    const float *add; /* added to the result; NULL: nothing. May be `out` itself */
    float *out;
};

/* One thread's own. */
struct fl_node_scratch {
    float *x;
    struct fl_q8 q;
};

/* Room for inputs of up to `cols` numbers, on lines that no other thread has. 0 or -ENOMEM. */
int fl_node_scratch_open(struct fl_node_scratch *scratch, size_t cols,
                         struct fl_arena *arena) FL_MUST_CHECK;

/* The input as it enters the product: into scratch->x, and quantised into scratch->q. */
void fl_node_input(const struct fl_node *node, const struct fl_q4_micro *micro,
                   struct fl_node_scratch *scratch);

/* One thread's rows of a node. The same bits for every number of threads. */
void fl_node_run(const struct fl_node *node, const struct fl_q4_micro *micro,
                 struct fl_node_scratch *scratch, unsigned thread, unsigned threads);

/* Fills results with what no right result holds. */
void fl_node_spoil(float *vector, size_t rows);

/*
 * Compares a row of node->out with plain arithmetic in double on the quantised input that
 * fl_node_input() left in `scratch`; `before` is what was added to it. 0 or -EBADMSG.
 */
int fl_node_verify(const struct fl_node *node, const struct fl_node_scratch *scratch, size_t row,
                   float before, struct fl_err *err) FL_MUST_CHECK;

#endif
