/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Token: a model on a team, and one pass through its nodes.
 *
 * A pass is one region. Every thread goes through all nodes and meets the others at the barrier
 * behind each, also behind the last, as ggml's graphs do; a single matvec needs none, since the
 * region's end is one.
 */
#ifndef FAULTLINE_KERNELS_TOKEN_H
#define FAULTLINE_KERNELS_TOKEN_H

#include "faultline/kernel.h"
#include "model.h"

struct fl_token {
    struct fl_model model;
    const struct fl_q4_micro *micro;
    const struct fl_team *team;
    struct fl_node_scratch *scratch; /* of each thread */
    bool meets;                      /* at a barrier behind every node */
    float *kept;                     /* what the team computed, for the check */
    uint64_t seed;
};

/* Chooses the micro-kernel that the cell asks for, and says so in the facts. */
int fl_token_choose(struct fl_token *token, const struct fl_kernel_env *env,
                    struct fl_err *err) FL_MUST_CHECK;

/* Scratch, weights and input for the model that token->model is. 0 or -ENOMEM. */
int fl_token_open(struct fl_token *token, const struct fl_kernel_env *env,
                  struct fl_err *err) FL_MUST_CHECK;

/* One pass. */
int fl_token_run(struct fl_token *token) FL_MUST_CHECK;

/*
 * One pass of the team on a fresh input, then the same by one thread: the results must be equal bit
 * for bit. On the way some rows of some nodes are compared with plain arithmetic. 0 or -EBADMSG.
 */
int fl_token_check(struct fl_token *token, struct fl_err *err) FL_MUST_CHECK;

/* The factor `isa` of the quantised kernels. */
extern const struct fl_factor fl_token_isa;

#endif
