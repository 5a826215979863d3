/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantised matrices and vectors, and their products.
 *
 * A row of weights is cut into blocks of 32; a block has one fp16 scale d and 32 numbers q of 4
 * bits, and stands for d * (q - 8). That is what ggml's Q4_0 holds, in another order: 8 rows lie
 * interleaved (a group), so that 32-bit lanes can belong to rows, no sum crosses lanes, and one
 * layout serves every instruction set. A vector is cut the same way: 8 bits and one fp32 scale.
 *
 * Of a block and a group there are 128 bytes: for each step of 8 columns, of each row 4 bytes,
 * whose low halves are columns 0..3 of the step and whose high halves are columns 4..7.
 *
 * The sum over a block is exact in integers. Then float(sum) * (d_row * d_vector) is added, block
 * by block, multiplied and added separately: so every instruction set and every split of the rows
 * gives the same bits.
 *
 * Tables are constant; every function is thread-safe and allocates nothing.
 */
#ifndef FAULTLINE_KERNELS_Q4_H
#define FAULTLINE_KERNELS_Q4_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "isa.h"

#define FL_Q4_BLOCK 32  /* columns with one scale */
#define FL_Q4_ROWS  8   /* rows of a group */
#define FL_Q4_STEP  8   /* columns in 4 bytes of a row */
#define FL_Q4_BYTES 128 /* of a block of a group: FL_Q4_BLOCK * FL_Q4_ROWS / 2 */
/* Floats from one group of results to the next. A group has a line of its own: two threads whose
 * parts meet never write one line. */
#define FL_Q4_PITCH 16

/* Aligned to 64 bytes both. The last group's missing rows have scale 0. */
struct fl_q4 {
    size_t rows, cols;
    size_t groups, blocks; /* groups of rows; blocks of a row */
    uint8_t *nibbles;      /* [groups][blocks][FL_Q4_BYTES] */
    uint16_t *scales;      /* [groups][blocks][FL_Q4_ROWS], fp16 */
};

/* The largest of a block that is quantised to zeros: below it 127 / largest is no number. */
#define FL_Q8_TINY 1e-30f

/*
 * A vector of blocks * FL_Q4_BLOCK numbers. A value is the nearest integer, ties to even, to
 * x * (127 / largest), and a scale is largest * (gain / 127), where every operation is rounded.
 */
struct fl_q8 {
    int8_t *values;
    float *scales;    /* of each block */
    int32_t *offsets; /* of each block: -8 * sum of its values, what q - 8 instead of q adds */
};

struct fl_q4_micro {
    enum fl_isa isa;
    /* Quantises `gain` times x. Each value is off by at most half a scale. */
    void (*quantise)(const float *x, size_t blocks, float gain, struct fl_q8 *out);
    /* Groups [begin, end) of add + w * x into y, FL_Q4_PITCH floats a group. `add` is NULL for
     * nothing, and may be y. */
    void (*groups)(const struct fl_q4 *w, const struct fl_q8 *x, size_t begin, size_t end,
                   const float *add, float *y);
};

extern const struct fl_q4_micro fl_q4_micro_portable, fl_q4_micro_avx2, fl_q4_micro_vnni,
    fl_q4_micro_neon;

/* The table of an instruction set, or NULL where it is not built in. */
const struct fl_q4_micro *fl_q4_micro(enum fl_isa isa);

/* Sets rows, cols and what follows from them; cols is a multiple of FL_Q4_BLOCK. */
void fl_q4_shape(struct fl_q4 *w, size_t rows, size_t cols);

/* Bytes of nibbles and of scales, each a multiple of 64. */
size_t fl_q4_nibble_bytes(const struct fl_q4 *w);
size_t fl_q4_scale_bytes(const struct fl_q4 *w);

/* Least traffic of a product: weights without padding, input and result in fp32. */
size_t fl_q4_bytes(size_t rows, size_t cols);

/* Writes block `block` of `row`: quantises 32 numbers, each to within its scale's size, or half of
 * it but at the end of the range that is opposite to the largest. Magnitudes up to 5e5. */
void fl_q4_set_block(struct fl_q4 *w, size_t row, size_t block, const float *x);

/* What a weight stands for. */
float fl_q4_get(const struct fl_q4 *w, size_t row, size_t col);

/* Random weights for groups [begin, end): of mean 0 and such that a row of W times a vector of
 * mean square 1 has mean square 1. The same for every split. */
void fl_q4_fill(struct fl_q4 *w, uint64_t seed, size_t begin, size_t end);

/* Where a result or an input of a row stands in a vector of FL_Q4_PITCH floats a group. */
static inline size_t fl_q4_at(size_t row)
{
    return row / FL_Q4_ROWS * FL_Q4_PITCH + row % FL_Q4_ROWS;
}

/* The bits of a float, where equal is not enough. */
static inline uint32_t fl_q4_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/*
 * fp16 as a float; finite numbers only. Its bits as a float's are the number times 2^-112, without
 * exception for small ones, since a float has those below its normal range too.
 */
static inline float fl_q4_from_half(uint16_t half)
{
    const uint32_t bits = (uint32_t)(half & 0x7fffu) << 13 | (uint32_t)(half & 0x8000u) << 16;
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value * 0x1p112f;
}

#endif
