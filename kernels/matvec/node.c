/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One matvec of a chain.
 */
#include "node.h"

#include <errno.h>
#include <float.h>
#include <math.h>

#include "faultline/team.h"

#define LINE    128 /* bytes that threads may not share: processors fetch lines in pairs */
#define EPSILON 1e-6f

int fl_node_scratch_open(struct fl_node_scratch *scratch, size_t cols, struct fl_arena *arena)
{
    const size_t blocks = cols / FL_Q4_BLOCK;

    scratch->x = fl_arena_alloc(arena, cols * sizeof(*scratch->x) + LINE, LINE);
    scratch->q.values = fl_arena_alloc(arena, cols + LINE, LINE);
    scratch->q.scales = fl_arena_alloc(arena, blocks * sizeof(*scratch->q.scales) + LINE, LINE);
    scratch->q.offsets = fl_arena_alloc(arena, blocks * sizeof(*scratch->q.offsets) + LINE, LINE);
    return scratch->x && scratch->q.values && scratch->q.scales && scratch->q.offsets ? 0 : -ENOMEM;
}

static void gather_gated(const struct fl_node *node, float *x)
{
    for (size_t group = 0; group < node->w.cols / FL_Q4_ROWS; group++) {
        const float *gate = node->in + group * FL_Q4_PITCH, *up = node->up + group * FL_Q4_PITCH;

        for (size_t i = 0; i < FL_Q4_ROWS; i++)
            *x++ = gate[i] * up[i] / (1 + fabsf(gate[i]));
    }
}

/* Numbers [from, from + count) of `in`, whole groups. */
static void gather(const float *in, size_t from, size_t count, float *x)
{
    in += fl_q4_at(from);
    for (size_t i = 0; i < count; i += FL_Q4_ROWS, in += FL_Q4_PITCH)
        memcpy(x + i, in, FL_Q4_ROWS * sizeof(*x));
}

static void gather_heads(const struct fl_node *node, float *x)
{
    for (size_t head = 0; head < node->w.cols / node->head; head++)
        gather(node->in, head / node->repeat * node->head, node->head, x + head * node->head);
}

#define LANES 16 /* of the four sums */
typedef float lanes __attribute__((vector_size(16)));

/* 1 / root of the mean square. The order of the sums is fixed, however wide vectors are. */
static float norm_of(const float *x, size_t count)
{
    lanes sums[4] = {{0}};

    for (size_t at = 0; at < count; at += LANES) {
        lanes part[4];

        memcpy(part, x + at, sizeof(part));
        for (int i = 0; i < 4; i++)
            sums[i] += part[i] * part[i];
    }
    const lanes four = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    const float sum = (four[0] + four[1]) + (four[2] + four[3]);

    return 1 / sqrtf(sum / (float)count + EPSILON);
}

void fl_node_input(const struct fl_node *node, const struct fl_q4_micro *micro,
                   struct fl_node_scratch *scratch)
{
    if (node->input == FL_INPUT_GATED)
        gather_gated(node, scratch->x);
    else if (node->input == FL_INPUT_HEADS)
        gather_heads(node, scratch->x);
    else
        gather(node->in, 0, node->w.cols, scratch->x);
    micro->quantise(scratch->x, node->w.blocks, node->norm ? norm_of(scratch->x, node->w.cols) : 1,
                    &scratch->q);
}

void fl_node_run(const struct fl_node *node, const struct fl_q4_micro *micro,
                 struct fl_node_scratch *scratch, unsigned thread, unsigned threads)
{
    size_t begin, end;

    fl_team_split(node->w.groups, thread, threads, &begin, &end);
    if (begin == end)
        return;
    fl_node_input(node, micro, scratch);
    micro->groups(&node->w, &scratch->q, begin, end, node->add, node->out);
}

void fl_node_spoil(float *vector, size_t rows)
{
    for (size_t row = 0; row < rows; row++)
        vector[fl_q4_at(row)] = NAN;
}

/* What is added is rounded twice, and the sum once a block: each time by half a unit of the weight
 * of all products at most. */
int fl_node_verify(const struct fl_node *node, const struct fl_node_scratch *scratch, size_t row,
                   float before, struct fl_err *err)
{
    double sum = (double)before, weight = fabs(sum);

    for (size_t col = 0; col < node->w.cols; col++) {
        const double product = (double)fl_q4_get(&node->w, row, col) * scratch->q.values[col] *
                               (double)scratch->q.scales[col / FL_Q4_BLOCK];

        sum += product;
        weight += fabs(product);
    }
    const double got = (double)node->out[fl_q4_at(row)];
    const double allowed = (double)(node->w.blocks + 3) * (double)FLT_EPSILON / 2 * weight;

    if (!(fabs(got - sum) <= allowed))
        return fl_fail(err, -EBADMSG, "row %zu of %zux%zu is %.9g, want %.9g within %.3g", row,
                       node->w.rows, node->w.cols, got, sum, allowed);
    return 0;
}
