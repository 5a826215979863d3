/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes of models, and their nodes.
 *
 * A model is laid out twice by the same code: first without memory, which says how much it takes,
 * then in it.
 */
#include "model.h"

#include <errno.h>

#include "faultline/team.h"
#include "scalar.h"

#define CHAIN_NARROW 64
#define CHAIN_WIDE   128
#define ALIGN        128
#define GOLDEN       0x9e3779b97f4a7c15u

struct shape {
    size_t width, layers;
    size_t heads, kv_heads, head; /* heads of q; of k and v; numbers in one */
    size_t inner, words;
};

static const struct shape shapes[] = {
    {288, 6, 6, 6, 48, 768, 32000},
    {2048, 22, 32, 4, 64, 5632, 32000},
    {4096, 32, 32, 8, 128, 14336, 32000},
};

/* The chain, then the names of `shapes`. */
const char *const fl_model_words[] = {"chain", "tiny", "1b", "7b", NULL};

/* NULL for the chain. */
static const struct shape *shape_of(const char *name)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        if (strcmp(name, fl_model_words[1 + i]) == 0)
            return &shapes[i];
    return NULL;
}

struct layout {
    struct fl_model *model;
    uint8_t *weights; /* NULL: measure */
    float *stream, *narrow, *wide, *words;
    struct fl_node spare; /* takes the nodes that are only measured */
};

static float *part_of(float *vector, size_t row)
{
    return vector ? vector + fl_q4_at(row) : NULL;
}

static struct fl_node *append(struct layout *layout, size_t rows, size_t cols, const float *in,
                              float *out)
{
    struct fl_model *model = layout->model;
    struct fl_node *node = layout->weights ? &model->nodes[model->count] : &layout->spare;

    *node = (struct fl_node){.norm = true, .in = in, .out = out};
    fl_q4_shape(&node->w, rows, cols);
    if (layout->weights) {
        node->w.nibbles = layout->weights + model->weight_bytes;
        node->w.scales = (uint16_t *)(void *)(node->w.nibbles + fl_q4_nibble_bytes(&node->w));
    }
    model->weight_bytes += fl_q4_nibble_bytes(&node->w) + fl_q4_scale_bytes(&node->w);
    model->weights += rows * cols;
    model->bytes += fl_q4_bytes(rows, cols);
    model->cols_max = cols > model->cols_max ? cols : model->cols_max;
    model->count++;
    return node;
}

static void lay_chain(struct layout *layout, size_t nodes)
{
    const float *in = layout->model->input;

    layout->model->inputs = CHAIN_NARROW;
    for (size_t i = 0; i < nodes; i++) {
        float *out = i % 2 ? layout->narrow : layout->wide;

        append(layout, i % 2 ? CHAIN_NARROW : CHAIN_WIDE, i % 2 ? CHAIN_WIDE : CHAIN_NARROW, in,
               out);
        in = out;
    }
}

/* The stream comes from `in` and goes on in layout->stream. */
static void lay_layer(struct layout *layout, const struct shape *shape, const float *in)
{
    const size_t kv = shape->kv_heads * shape->head;
    float *qkv = layout->narrow, *inner = layout->wide, *stream = layout->stream;
    struct fl_node *node;

    append(layout, shape->width + 2 * kv, shape->width, in, qkv);
    node = append(layout, shape->width, shape->width, part_of(qkv, shape->width + kv), stream);
    node->norm = false;
    node->input = FL_INPUT_HEADS;
    node->head = shape->head;
    node->repeat = shape->heads / shape->kv_heads;
    node->add = in;
    append(layout, 2 * shape->inner, shape->width, stream, inner);
    node = append(layout, shape->width, shape->inner, inner, stream);
    node->norm = false;
    node->input = FL_INPUT_GATED;
    node->up = part_of(inner, shape->inner);
    node->add = stream;
}

static void lay(struct layout *layout, const struct shape *shape, size_t nodes)
{
    struct fl_model *model = layout->model;

    model->count = model->cols_max = model->weights = model->weight_bytes = model->bytes = 0;
    if (!shape) {
        lay_chain(layout, nodes);
        return;
    }
    model->inputs = shape->width;
    for (size_t i = 0; i < shape->layers; i++)
        lay_layer(layout, shape, i ? layout->stream : model->input);
    append(layout, shape->words, shape->width, layout->stream, layout->words);
}

void fl_model_measure(const char *name, size_t nodes, struct fl_model *model)
{
    struct layout layout = {.model = model};

    memset(model, 0, sizeof(*model));
    lay(&layout, shape_of(name), nodes);
}

static float *vector_of(struct fl_arena *arena, size_t rows)
{
    return fl_arena_alloc(arena, fl_q4_at(rows + FL_Q4_ROWS) * sizeof(float), ALIGN);
}

/* Every vector that nodes hand on; `words` is the longest that a last node may have written. */
static int take_vectors(struct layout *layout, const struct shape *shape, struct fl_arena *arena)
{
    struct fl_model *model = layout->model;
    const size_t narrow = shape ? shape->width + 2 * shape->kv_heads * shape->head : CHAIN_NARROW;

    model->input = vector_of(arena, model->inputs);
    layout->narrow = vector_of(arena, narrow);
    layout->wide = vector_of(arena, shape ? 2 * shape->inner : CHAIN_WIDE);
    layout->stream = vector_of(arena, model->inputs);
    layout->words = vector_of(arena, shape ? shape->words : 0);
    return model->input && layout->narrow && layout->wide && layout->stream && layout->words
               ? 0
               : -ENOMEM;
}

/* Memory for what was measured. */
static int take_weights(struct layout *layout, struct fl_arena *arena, struct fl_err *err)
{
    struct fl_model *model = layout->model;

    model->nodes = fl_arena_alloc(arena, model->count * sizeof(*model->nodes), ALIGN);
    layout->weights = fl_arena_alloc(arena, model->weight_bytes, ALIGN);
    if (!model->nodes || !layout->weights)
        return fl_fail(
            err, -ENOMEM,
            "cannot allocate weights of %.0f MiB: out of memory; take fewer or a smaller "
            "model",
            (double)model->weight_bytes / 1048576);
    return 0;
}

int fl_model_open(const char *name, size_t nodes, struct fl_arena *arena, struct fl_model *model,
                  struct fl_err *err)
{
    struct layout layout = {.model = model};
    const struct shape *shape = shape_of(name);
    int rc;

    fl_model_measure(name, nodes, model);
    if (take_vectors(&layout, shape, arena))
        return fl_fail(err, -ENOMEM, "cannot allocate the vectors of model '%s': out of memory",
                       name);
    rc = take_weights(&layout, arena, err);
    if (!rc)
        lay(&layout, shape, nodes);
    return rc;
}

int fl_model_open_single(size_t rows, size_t cols, struct fl_arena *arena, struct fl_model *model,
                         struct fl_err *err)
{
    struct layout layout = {.model = model};
    float *out = vector_of(arena, rows);
    int rc;

    memset(model, 0, sizeof(*model));
    model->input = vector_of(arena, cols);
    if (!out || !model->input)
        return fl_fail(err, -ENOMEM,
                       "cannot allocate vectors of %zu and %zu numbers: out of memory", rows, cols);
    append(&layout, rows, cols, model->input, out);
    rc = take_weights(&layout, arena, err);
    if (rc)
        return rc;
    model->count = model->weights = model->weight_bytes = model->bytes = 0;
    model->inputs = cols;
    append(&layout, rows, cols, model->input, out)->norm = false;
    return 0;
}

void fl_model_fill(const struct fl_model *model, uint64_t seed, unsigned thread, unsigned threads)
{
    for (size_t i = 0; i < model->count; i++) {
        struct fl_q4 *w = &model->nodes[i].w;
        size_t begin, end;

        fl_team_split(w->groups, thread, threads, &begin, &end);
        fl_q4_fill(w, seed + i * GOLDEN, begin, end);
    }
}

void fl_model_draw(float *vector, size_t rows, uint64_t seed)
{
    for (size_t row = 0; row < rows; row++)
        vector[fl_q4_at(row)] = 1.7320508f * 0x1p-31f * (float)(int32_t)fl_draw(seed, row, 0);
}
