/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scalars: what differs between float and double outside the products themselves: operands from a
 * seed and the sums of the check. Thread-safe; no allocation.
 */
#ifndef FAULTLINE_KERNELS_SCALAR_H
#define FAULTLINE_KERNELS_SCALAR_H

#include <stddef.h>
#include <stdint.h>

/* A matrix and how its values are drawn: element (row, column) depends on nothing but the seed and
 * its place, so that a reference needs no copy. */
struct fl_matrix {
    void *at; /* column-major */
    size_t rows, cols, ld;
    uint64_t seed;
};

struct fl_scalar {
    size_t bytes;
    int digits; /* bits of the significand */
    /*
     * Writes the matrix. bits = 0: values in [-1, 1); else integers of so many bits, sign included.
     * Rows between rows and ld become `padding`.
     */
    void (*fill)(const struct fl_matrix *matrix, int bits, double padding);
    /* out[0..rows) += matrix * x, in double. */
    void (*times)(const struct fl_matrix *matrix, const double *x, double *out);
    /* out[0..cols) += transposed matrix * x, in double. */
    void (*times_transposed)(const struct fl_matrix *matrix, const double *x, double *out);
    double (*get)(const struct fl_matrix *matrix, size_t row, size_t col);
    void (*set)(const struct fl_matrix *matrix, size_t row, size_t col, double value);
};

extern const struct fl_scalar fl_scalar_f64, fl_scalar_f32;

/* 32 random bits of a place. */
static inline uint32_t fl_draw(uint64_t seed, size_t row, size_t col)
{
    uint32_t x = (uint32_t)row * 0x9e3779b1u + (uint32_t)(seed >> 32);

    /* Columns differ by more than a shift of the rows: they enter between two rounds of mixing. */
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= (uint32_t)col * 0xc2b2ae35u + (uint32_t)seed;
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    x ^= x >> 12;
    x *= 0x297a2d39u;
    return x ^ x >> 15;
}

/* The same as an integer of `bits` bits, sign included. */
static inline double fl_draw_integer(uint64_t seed, size_t row, size_t col, int bits)
{
    return (double)((int32_t)fl_draw(seed, row, col) >> (32 - bits));
}

#endif
