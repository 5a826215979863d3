/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Model: the chain of matvecs that one token takes.
 *
 *   chain  nodes alternately from 64 to 128 numbers and back, as ggml's test of its barrier
 *   tiny   shape of stories15M: 288 wide, 6 layers
 *   1b     shape of TinyLlama 1.1B: 2048 wide, 22 layers
 *   7b     shape of Mistral 7B v0.2: 4096 wide, 32 layers
 *
 * A layer has four nodes: q, k and v in one; o, added to the stream; gate and up in one; down,
 * added to the stream. The output head is the last node. Attention is that of a text's first token,
 * which looks at itself alone: what enters o is v. Weights are random, and so is the input.
 */
#ifndef FAULTLINE_KERNELS_MODEL_H
#define FAULTLINE_KERNELS_MODEL_H

#include "node.h"

struct fl_model {
    struct fl_node *nodes; /* NULL: measured only */
    size_t count;
    size_t cols_max;     /* longest input of a node */
    size_t weights;      /* of all nodes */
    size_t weight_bytes; /* of all nodes, scales and padding included */
    size_t bytes;        /* weights, inputs and results of all nodes, each touched once */
    size_t inputs;       /* length of the first node's input */
    float *input;        /* never written by a token */
};

extern const char *const fl_model_words[];

#define FL_MODEL_NODES_MAX 100000 /* of a chain */

/* Nodes, weights and bytes of a model, without memory for any of them. `nodes` is the length of a
 * chain. */
void fl_model_measure(const char *name, size_t nodes, struct fl_model *model);

/* Builds the model in the arena; weights and input are still to be filled. 0, or -ENOMEM naming
 * what did not fit. */
int fl_model_open(const char *name, size_t nodes, struct fl_arena *arena, struct fl_model *model,
                  struct fl_err *err) FL_MUST_CHECK;

/* The same for one matvec of any shape. */
int fl_model_open_single(size_t rows, size_t cols, struct fl_arena *arena, struct fl_model *model,
                         struct fl_err *err) FL_MUST_CHECK;

/* One thread's part of the weights. */
void fl_model_fill(const struct fl_model *model, uint64_t seed, unsigned thread, unsigned threads);

/* Fills a vector with random numbers of mean square 1. */
void fl_model_draw(float *vector, size_t rows, uint64_t seed);

#endif
