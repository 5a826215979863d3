/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of level-1 calls, and whether a result is right. */
#include "level1-operands.h"

#include <errno.h>
#include <math.h>

#include "level1-routine.h"

#define PADDING   1234 /* what stands between the elements of y */
#define BITS_MAX  20
#define BITS_MIN  2 /* -2 to 1 */
#define BYTES_MAX 0x1p46

static size_t column_of(const struct fl_level1_vector *v, size_t i)
{
    return v->stride < 0 ? v->matrix.cols - 1 - i : v->stride > 0 ? i : 0;
}

double fl_level1_at(const struct fl_level1_operands *o, const struct fl_level1_vector *v, size_t i,
                    unsigned part)
{
    return o->scalar->get(&v->matrix, part, column_of(v, i));
}

/* The same before the call. */
static double drawn(const struct fl_level1_operands *o, const struct fl_level1_vector *v, size_t i,
                    unsigned part)
{
    return fl_draw_integer(v->matrix.seed, part, column_of(v, i), o->bits);
}

static struct fl_level1_vector vector_of(const struct fl_level1_operands *o, ptrdiff_t stride)
{
    const size_t apart = stride < 0 ? (size_t)-stride : stride > 0 ? (size_t)stride : 1;

    return (struct fl_level1_vector){
        .matrix = {.rows = o->parts,
                   .cols = stride == 0 && o->n > 0 ? 1 : o->n,
                   .ld = apart * o->parts},
        .stride = stride,
    };
}

/* The most bits whose sums stay exact. */
static void choose_bits(struct fl_level1_operands *o)
{
    const struct fl_level1_routine *routine = o->name->routine;
    const bool adds = routine->adds || (routine->writes_y && o->y.stride == 0);
    const double terms = adds && o->n > 0 ? (double)o->n : 1;
    const double largest = ldexp(1, o->scalar->digits);

    for (o->bits = BITS_MAX; o->bits > BITS_MIN; o->bits--)
        if (terms * routine->term(o, ldexp(1, o->bits - 1)) < largest)
            break;
    o->exact = terms * routine->term(o, ldexp(1, o->bits - 1)) < largest;
}

int fl_level1_operands_read(const struct fl_level1_name *name, const struct fl_cell *cell,
                            struct fl_level1_operands *o, struct fl_err *err)
{
    const double n = fl_cell_number(cell, "n", 0), stride = fl_cell_number(cell, "stride", 1);
    const double stride_y = fl_cell_number(cell, "stride-y", stride);
    const double apart = fmax(1, fmax(fabs(stride), fabs(stride_y)));

    if (n * apart * (double)fl_level1_bytes(name->type) > BYTES_MAX)
        return fl_fail(err, -EINVAL, "cannot use n=%.0f with stride %.0f: a vector of %.0f TiB", n,
                       apart, n * apart * (double)fl_level1_bytes(name->type) * 0x1p-40);
    *o = (struct fl_level1_operands){
        .name = name,
        .scalar = fl_level1_is_single(name->type) ? &fl_scalar_f32 : &fl_scalar_f64,
        .n = (size_t)n,
        .parts = fl_level1_is_complex(name->type) ? 2 : 1,
    };
    o->x = vector_of(o, (ptrdiff_t)stride);
    o->y = vector_of(o, (ptrdiff_t)stride_y);
    choose_bits(o);
    return 0;
}

static int map(const struct fl_level1_operands *o, struct fl_level1_vector *v, uint64_t seed,
               struct fl_arena *arena)
{
    const size_t scalars = v->matrix.cols * v->matrix.ld;

    v->matrix.seed = seed;
    v->matrix.at = fl_arena_alloc(arena, (scalars + 1) * o->scalar->bytes, 64);
    return v->matrix.at ? 0 : -ENOMEM;
}

int fl_level1_operands_map(struct fl_level1_operands *o, struct fl_arena *arena, uint64_t seed,
                           struct fl_err *err)
{
    int rc = map(o, &o->x, (seed + 1) * 0x9e3779b97f4a7c15u, arena);

    if (!rc && o->name->routine->has_y)
        rc = map(o, &o->y, (seed + 2) * 0x9e3779b97f4a7c15u, arena);
    if (rc)
        return fl_fail(err, rc, "cannot allocate vectors of %.0f MiB each: out of memory",
                       (double)(o->x.matrix.cols * o->x.matrix.ld * o->scalar->bytes) / 1048576);
    return 0;
}

double fl_level1_traffic(const struct fl_level1_operands *o)
{
    return (double)o->name->routine->moves * (double)o->n * (double)(o->parts * o->scalar->bytes);
}

static void *element_0(const struct fl_level1_operands *o, const struct fl_level1_vector *v)
{
    char *at = v->matrix.at;

    return at && o->n > 0 ? at + column_of(v, 0) * v->matrix.ld * o->scalar->bytes : at;
}

void fl_level1_operands_slice(const struct fl_level1_operands *o, struct fl_level1_slice *slice)
{
    const bool nothing = o->name->routine->forward_only && o->x.stride < 1;

    *slice = (struct fl_level1_slice){
        .n = nothing ? 0 : o->n,
        .x = element_0(o, &o->x),
        .y = element_0(o, &o->y),
        .stride_x = o->x.stride,
        .stride_y = o->y.stride,
        .alpha = {FL_LEVEL1_ALPHA_RE, o->parts == 2 ? FL_LEVEL1_ALPHA_IM : 0},
        .conjugate_x = o->name->conjugate_x,
    };
}

static void fill(const struct fl_level1_operands *o, int bits)
{
    o->scalar->fill(&o->x.matrix, bits, (double)NAN);
    if (o->name->routine->has_y)
        o->scalar->fill(&o->y.matrix, bits, PADDING);
}

void fl_level1_operands_fill(const struct fl_level1_operands *o)
{
    fill(o, 0);
}

void fl_level1_operands_prepare(const struct fl_level1_operands *o)
{
    fill(o, o->bits);
}

static int check_number(const char *what, long double got, long double want, long double allowed,
                        struct fl_err *err)
{
    if (fabsl(got - want) <= allowed)
        return 0;
    return fl_fail(err, -EBADMSG, "%s is %.17Lg, want %.17Lg within %Lg", what, got, want, allowed);
}

static long double allowed(const struct fl_level1_operands *o, long double weight)
{
    const long double half = ldexpl(1, -o->scalar->digits);

    return o->exact ? 0 : (long double)(o->n * o->parts) * half * weight;
}

static int compare(const struct fl_level1_operands *o, const struct fl_level1_value *value,
                   const struct fl_level1_expected *expected, struct fl_err *err)
{
    const long double bound = allowed(o, expected->weight);
    int rc;

    if (o->name->routine->op == FL_LEVEL1_IAMAX)
        return check_number("the index", (long double)value->index, (long double)expected->index, 0,
                            err);
    rc = check_number("the result", (long double)value->re, expected->re, bound, err);
    return rc ? rc
              : check_number("the imaginary part of the result", (long double)value->im,
                             expected->im, bound, err);
}

static int check_value(const struct fl_level1_operands *o, const struct fl_level1_value *value,
                       struct fl_err *err)
{
    const bool defined_0 = o->name->routine->forward_only && o->x.stride < 1;
    struct fl_level1_expected expected = {0};

    if (defined_0) {
        const int rc = compare(o, value, &expected, err);

        if (!rc || !o->lenient)
            return rc;
    }
    o->name->routine->expect(o, &expected);
    return compare(o, value, &expected, err);
}

static int check_element(const struct fl_level1_operands *o, size_t i, const long double want[2],
                         struct fl_err *err)
{
    const long double weight =
        (long double)o->n * (long double)o->name->routine->term(o, ldexp(1, o->bits - 1));

    for (unsigned part = 0; part < o->parts; part++) {
        const long double got = (long double)fl_level1_at(o, &o->y, i, part);

        if (!(fabsl(got - want[part]) <= allowed(o, weight)))
            return fl_fail(err, -EBADMSG, "part %u of element %zu of y is %Lg, want %Lg within %Lg",
                           part, i, got, want[part], allowed(o, weight));
    }
    return 0;
}

/* With a stride of 0 every element is the one before; only the last of them can be seen. */
static int check_elements(const struct fl_level1_operands *o, struct fl_err *err)
{
    long double now[2] = {0}, before[2] = {0};
    int rc = 0;

    for (size_t i = 0; i < o->n && !rc; i++) {
        for (unsigned part = 0; part < o->parts; part++)
            before[part] =
                i > 0 && o->y.stride == 0 ? now[part] : (long double)drawn(o, &o->y, i, part);
        for (unsigned part = 0; part < o->parts; part++)
            now[part] = o->name->routine->element(o, i, part, before);
        if (o->y.stride != 0 || i + 1 == o->n)
            rc = check_element(o, i, now, err);
    }
    return rc;
}

static int check_padding(const struct fl_level1_operands *o, struct fl_err *err)
{
    const struct fl_matrix *m = &o->y.matrix;

    for (size_t col = 0; col < m->cols; col++)
        for (size_t row = m->rows; row < m->ld; row++)
            if (o->scalar->get(m, row, col) != PADDING)
                return fl_fail(err, -EBADMSG,
                               "the call changed y between its elements, behind place %zu", col);
    return 0;
}

int fl_level1_operands_check(const struct fl_level1_operands *o,
                             const struct fl_level1_value *value, struct fl_err *err)
{
    int rc;

    if (!o->name->routine->writes_y)
        return check_value(o, value, err);
    rc = check_elements(o, err);
    return rc ? rc : check_padding(o, err);
}
