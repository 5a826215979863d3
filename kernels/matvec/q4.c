/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of quantised matrices: writing, reading and drawing weights.
 */
#include "q4.h"

#include <math.h>

#include "scalar.h"

const struct fl_q4_micro *fl_q4_micro(enum fl_isa isa)
{
    switch (isa) {
#if defined(__x86_64__)
    case FL_ISA_AVX512:
        return &fl_q4_micro_vnni;
    case FL_ISA_AVX2:
        return &fl_q4_micro_avx2;
#elif defined(__aarch64__)
    case FL_ISA_NEON:
        return &fl_q4_micro_neon;
#endif
    case FL_ISA_PORTABLE:
        return &fl_q4_micro_portable;
    default:
        return NULL;
    }
}

void fl_q4_shape(struct fl_q4 *w, size_t rows, size_t cols)
{
    w->rows = rows;
    w->cols = cols;
    w->groups = (rows + FL_Q4_ROWS - 1) / FL_Q4_ROWS;
    w->blocks = cols / FL_Q4_BLOCK;
}

size_t fl_q4_nibble_bytes(const struct fl_q4 *w)
{
    return w->groups * w->blocks * FL_Q4_BYTES;
}

size_t fl_q4_scale_bytes(const struct fl_q4 *w)
{
    return (w->groups * w->blocks * FL_Q4_ROWS * sizeof(*w->scales) + 63) / 64 * 64;
}

size_t fl_q4_bytes(size_t rows, size_t cols)
{
    const size_t block = FL_Q4_BLOCK / 2 + sizeof(uint16_t);

    return rows * (cols / FL_Q4_BLOCK) * block + (rows + cols) * sizeof(float);
}

/* To nearest, ties to even; the way of fl_q4_from_half() back. Magnitudes below 65520. */
static uint16_t to_half(float value)
{
    const uint32_t bits = fl_q4_bits(value * 0x1p-112f);
    /* A mantissa that rounds up to the next power of two carries into the exponent by itself. */
    const uint32_t size = bits & 0x7fffffffu;

    return (uint16_t)((size + 0xfff + (size >> 13 & 1)) >> 13 | (bits >> 16 & 0x8000u));
}

static uint16_t *scale_of(const struct fl_q4 *w, size_t row, size_t block)
{
    return w->scales + (row / FL_Q4_ROWS * w->blocks + block) * FL_Q4_ROWS + row % FL_Q4_ROWS;
}

/* The byte of a weight, and how far its four bits stand from the right. */
static uint8_t *byte_of(const struct fl_q4 *w, size_t row, size_t col, unsigned *shift)
{
    const size_t step = col % FL_Q4_BLOCK / FL_Q4_STEP, place = col % FL_Q4_STEP;

    *shift = place < 4 ? 0 : 4;
    return w->nibbles + (row / FL_Q4_ROWS * w->blocks + col / FL_Q4_BLOCK) * FL_Q4_BYTES +
           step * 4 * FL_Q4_ROWS + row % FL_Q4_ROWS * 4 + place % 4;
}

/* The largest becomes q = 0, that is -8 scales: so all 16 levels are used. */
void fl_q4_set_block(struct fl_q4 *w, size_t row, size_t block, const float *x)
{
    float extreme = 0;

    for (size_t i = 0; i < FL_Q4_BLOCK; i++)
        if (fabsf(x[i]) > fabsf(extreme))
            extreme = x[i];
    *scale_of(w, row, block) = to_half(extreme / -8);
    /* What was rounded is divided by, so that the scale's own rounding costs nothing. */
    const float scale = fl_q4_from_half(*scale_of(w, row, block));

    for (size_t i = 0; i < FL_Q4_BLOCK; i++) {
        const float steps = scale != 0 ? rintf(x[i] / scale) + 8 : 8;
        const unsigned q = steps < 0 ? 0 : steps > 15 ? 15 : (unsigned)steps;
        unsigned shift;
        uint8_t *byte = byte_of(w, row, block * FL_Q4_BLOCK + i, &shift);

        *byte = (uint8_t)((*byte & ~(0xfu << shift)) | q << shift);
    }
}

float fl_q4_get(const struct fl_q4 *w, size_t row, size_t col)
{
    unsigned shift;
    const uint8_t *byte = byte_of(w, row, col, &shift);

    return fl_q4_from_half(*scale_of(w, row, col / FL_Q4_BLOCK)) *
           (float)((int)(*byte >> shift & 0xf) - 8);
}

/* A scale between 3/4 and 5/4 of `unit`. Its sign is random too: q - 8 has mean -1/2. */
static uint16_t draw_scale(uint32_t bits, float unit)
{
    const float scale = unit * (0.75f + (float)(bits >> 8 & 0xffff) * 0x1p-17f);

    return to_half(bits & 1 ? -scale : scale);
}

void fl_q4_fill(struct fl_q4 *w, uint64_t seed, size_t begin, size_t end)
{
    /* Of 16 equally frequent levels the mean square is 21.5, of the factor above 1 + 1/48. */
    const float unit = 1 / sqrtf(21.5f * 49 / 48 * (float)w->cols);

    for (size_t group = begin; group < end; group++) {
        for (size_t block = 0; block < w->blocks; block++) {
            uint8_t *nibbles = w->nibbles + (group * w->blocks + block) * FL_Q4_BYTES;
            uint32_t words[FL_Q4_BYTES / sizeof(uint32_t)];

            for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
                words[i] = fl_draw(seed, group * w->blocks + block, i);
            memcpy(nibbles, words, sizeof(words));
            for (size_t row = group * FL_Q4_ROWS; row < (group + 1) * FL_Q4_ROWS; row++)
                *scale_of(w, row, block) =
                    row < w->rows ? draw_scale(fl_draw(~seed, row, block), unit) : 0;
        }
    }
}
