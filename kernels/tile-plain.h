/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tile.h needs where an instruction set has no masked loads and its transposes are left to the
 * compiler. Included before it, after FL_REAL, FL_NAME, FL_VEC and FL_LANES.
 */
static inline FL_VEC FL_NAME(load_part)(const FL_REAL *p, size_t lanes)
{
    FL_VEC v = {0};

    for (size_t i = 0; i < lanes; i++)
        v[i] = p[i];
    return v;
}

static inline void FL_NAME(store_range)(FL_REAL *p, size_t first, size_t last, FL_VEC v)
{
    for (size_t i = first; i < last; i++)
        p[i] = v[i];
}

static inline void FL_NAME(turn)(const FL_REAL *source, size_t ld, FL_REAL *panel, size_t width)
{
    for (size_t step = 0; step < FL_TURN; step++)
        for (size_t i = 0; i < FL_TURN; i++)
            panel[step * width + i] = source[i * ld + step];
}

#define FL_LOAD_PART(p, lanes)            FL_NAME(load_part)(p, lanes)
#define FL_STORE_PART(p, lanes, v)        FL_NAME(store_range)(p, 0, lanes, v)
#define FL_STORE_RANGE(p, first, last, v) FL_NAME(store_range)(p, first, last, v)
#define FL_TRANSPOSE(s, ld, p, wid)       FL_NAME(turn)(s, ld, p, wid)
