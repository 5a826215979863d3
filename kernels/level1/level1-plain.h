/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What level1-unit.h needs where an instruction set has vectors of 16 bytes and no masked loads.
 * Included before it, after FL_REAL, FL_NAME, FL_VEC, FL_INTS and FL_LANES.
 */
static inline FL_VEC FL_NAME(load_part)(const FL_REAL *p, size_t lanes)
{
    FL_VEC v = {0};

    for (size_t i = 0; i < lanes; i++)
        v[i] = p[i];
    return v;
}

static inline void FL_NAME(store_part)(FL_REAL *p, size_t lanes, FL_VEC v)
{
    for (size_t i = 0; i < lanes; i++)
        p[i] = v[i];
}

static inline FL_VEC FL_NAME(larger)(FL_VEC a, FL_VEC b)
{
    const FL_INTS take = (FL_INTS)(a > b);

    return (FL_VEC)(((FL_INTS)a & take) | ((FL_INTS)b & ~take));
}

static inline bool FL_NAME(any)(FL_INTS mask)
{
    typedef long long halves __attribute__((vector_size(16)));
    const halves both = (halves)mask;

    return (both[0] | both[1]) != 0;
}

static inline void FL_NAME(fold)(FL_VEC v, FL_REAL sums[2])
{
    sums[0] = FL_LANES == 4 ? v[0] + v[2 % FL_LANES] : v[0];
    sums[1] = FL_LANES == 4 ? v[1] + v[3 % FL_LANES] : v[1];
}

#define FL_FOLD(v, sums)           FL_NAME(fold)(v, sums)
#define FL_MAX(a, b)               FL_NAME(larger)(a, b)
#define FL_ANY(mask)               FL_NAME(any)((FL_INTS)(mask))
#define FL_LOAD_PART(p, lanes)     FL_NAME(load_part)(p, lanes)
#define FL_STORE_PART(p, lanes, v) FL_NAME(store_part)(p, lanes, v)
