/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantised products with NEON and the dot products of Armv8.2: a group is two vectors, and a lane
 * of x is taken by the instruction itself.
 */
#include <arm_neon.h>

#include "q4.h"

struct pair {
    int32x4_t low, high; /* rows 0..3 and 4..7 of a group */
};

/* One step: 8 columns, whose numbers are lanes LANE and LANE + 1 of x. */
#define STEP(sums, nibbles, x, lane)                                                               \
    do {                                                                                           \
        const uint8x16_t low_ = vld1q_u8(nibbles), high_ = vld1q_u8((nibbles) + 16);               \
        sums.low = vdotq_laneq_s32(sums.low, first_half(low_), x, lane);                           \
        sums.high = vdotq_laneq_s32(sums.high, first_half(high_), x, lane);                        \
        sums.low = vdotq_laneq_s32(sums.low, second_half(low_), x, (lane) + 1);                    \
        sums.high = vdotq_laneq_s32(sums.high, second_half(high_), x, (lane) + 1);                 \
    } while (0)

static inline int8x16_t first_half(uint8x16_t bytes)
{
    return vreinterpretq_s8_u8(vandq_u8(bytes, vdupq_n_u8(0xf)));
}

static inline int8x16_t second_half(uint8x16_t bytes)
{
    return vreinterpretq_s8_u8(vshrq_n_u8(bytes, 4));
}

static inline struct pair sums_of(const uint8_t *nibbles, const int8_t *x, int32_t offset)
{
    const int8x16_t x0 = vld1q_s8(x), x1 = vld1q_s8(x + 16);
    struct pair sums = {vdupq_n_s32(offset), vdupq_n_s32(offset)};

    STEP(sums, nibbles, x0, 0);
    STEP(sums, nibbles + 32, x0, 2);
    STEP(sums, nibbles + 64, x1, 0);
    STEP(sums, nibbles + 96, x1, 2);
    return sums;
}

static inline float32x4_t scales_of(const uint16_t *scales, float x)
{
    return vmulq_n_f32(vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(scales))), x);
}

static void groups(const struct fl_q4 *w, const struct fl_q8 *x, size_t begin, size_t end,
                   const float *add, float *y)
{
    const uint8_t *nibbles = w->nibbles + begin * w->blocks * FL_Q4_BYTES;
    const uint16_t *scales = w->scales + begin * w->blocks * FL_Q4_ROWS;

    for (size_t group = begin; group < end; group++) {
        const float *from = add ? add + group * FL_Q4_PITCH : NULL;
        float32x4_t low = from ? vld1q_f32(from) : vdupq_n_f32(0);
        float32x4_t high = from ? vld1q_f32(from + 4) : vdupq_n_f32(0);

        for (size_t block = 0; block < w->blocks; block++) {
            const struct pair sums =
                sums_of(nibbles, x->values + block * FL_Q4_BLOCK, x->offsets[block]);
            const float scale = x->scales[block];

            low = vaddq_f32(low, vmulq_f32(vcvtq_f32_s32(sums.low), scales_of(scales, scale)));
            high =
                vaddq_f32(high, vmulq_f32(vcvtq_f32_s32(sums.high), scales_of(scales + 4, scale)));
            nibbles += FL_Q4_BYTES;
            scales += FL_Q4_ROWS;
        }
        vst1q_f32(y + group * FL_Q4_PITCH, low);
        vst1q_f32(y + group * FL_Q4_PITCH + 4, high);
    }
}

static inline float largest_of(const float *x)
{
    float32x4_t top = vdupq_n_f32(0);

    for (int i = 0; i < FL_Q4_BLOCK; i += 4)
        top = vmaxq_f32(top, vabsq_f32(vld1q_f32(x + i)));
    return vmaxvq_f32(top);
}

/* Eight of the nearest integers to inverse * x. */
static inline int8x8_t eight(const float *x, float inverse)
{
    const int32x4_t low = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(x), inverse));
    const int32x4_t high = vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(x + 4), inverse));

    return vmovn_s16(vcombine_s16(vmovn_s32(low), vmovn_s32(high)));
}

static void quantise(const float *x, size_t blocks, float gain, struct fl_q8 *out)
{
    const float unit = gain / 127;

    for (size_t block = 0; block < blocks; block++, x += FL_Q4_BLOCK) {
        const float largest = largest_of(x);
        const float inverse = largest > FL_Q8_TINY ? 127 / largest : 0;
        int8_t *values = out->values + block * FL_Q4_BLOCK;
        int32_t sum = 0;

        for (int i = 0; i < FL_Q4_BLOCK; i += 8) {
            const int8x8_t bytes = eight(x + i, inverse);

            vst1_s8(values + i, bytes);
            sum += vaddlv_s8(bytes);
        }
        out->scales[block] = largest > FL_Q8_TINY ? largest * unit : 0;
        out->offsets[block] = -8 * sum;
    }
}

const struct fl_q4_micro fl_q4_micro_neon = {FL_ISA_NEON, quantise, groups};
