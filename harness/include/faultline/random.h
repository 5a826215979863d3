/* SPDX-License-Identifier: Apache-2.0 */
/* Random: SplitMix64, so that a seed gives the same numbers on every machine. */
#ifndef FAULTLINE_RANDOM_H
#define FAULTLINE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The next number; `*state` is any seed. Steele, Lea and Flood, OOPSLA 2014. */
static inline uint64_t fl_random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A number below `limit`; the bias of the remainder is below limit / 2^64. */
static inline size_t fl_random_below(uint64_t *state, size_t limit)
{
    return (size_t)(fl_random_next(state) % limit);
}

/* Fills `order` with a random permutation of 0 .. count - 1. */
static inline void fl_random_order(uint64_t *state, size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t j = fl_random_below(state, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

#ifdef __cplusplus
}
#endif

#endif
