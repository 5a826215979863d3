/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cell: one point of an experiment, a list of factors with one level each.
 *
 * The key is its canonical text: `kernel=dgemm n=192 workspace=stack+malloc malloc=glibc`. Levels
 * stand in the order of fl_registry_factors() for the cell's kernel. A level equal to its factor's
 * fallback is left out of the key (kernel, the kernel's required factors, workspace and malloc are
 * always in it), so that adding a factor with a fallback keeps every old key.
 *
 * Quoting: a level that is empty or holds a space, tab, comma, '#', ';', '"' or '\' is written in
 * double quotes, with '"' and '\' escaped by '\'. A name ends at the first '=', so that a level may
 * hold more of them unquoted: `blocking=eigen-3.4:l1=32K`.
 *
 * Nothing here allocates: a cell holds its own text. Not thread-safe for one cell; distinct cells
 * are independent.
 */
#ifndef FAULTLINE_CELL_H
#define FAULTLINE_CELL_H

#include <stdbool.h>
#include <stddef.h>

#include "faultline/error.h"
#include "faultline/factor.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FL_CELL_KEY_MAX 4096 /* bytes of a key, with its NUL */
#define FL_CELL_LEVELS  48   /* factors one cell can have */

struct fl_level {
    const struct fl_factor *factor;
    const char *text; /* points into the cell's own store */
};

struct fl_cell {
    struct fl_level levels[FL_CELL_LEVELS];
    size_t count;
    size_t used; /* bytes of store in use */
    char store[FL_CELL_KEY_MAX];
};

void fl_cell_clear(struct fl_cell *cell);

/* Adds or replaces a level after checking it. 0, -EINVAL (level), -E2BIG (key too long). */
int fl_cell_set(struct fl_cell *cell, const struct fl_factor *factor, const char *level,
                struct fl_err *err) FL_MUST_CHECK;

/* The level of a factor, or NULL where the cell has no such factor. */
FL_API const char *fl_cell_get(const struct fl_cell *cell, const char *factor);

/* Number of a level that was checked when set; `otherwise` where the cell has no such factor or
 * its level is a word. Units as in fl_factor_number(). */
FL_API double fl_cell_number(const struct fl_cell *cell, const char *factor, double otherwise);

/* Is the level spelt in the key, or implied by its factor's fallback? */
bool fl_cell_in_key(const struct fl_level *level);

/* Writes `factor=level` as keys spell it, the level in quotes where it needs them; also for factors
 * that no registry knows (`benchmark=BM_x/8`). Its length, or -E2BIG where `size` is too small. */
int fl_cell_put_level(char *out, size_t size, const char *factor, const char *level) FL_MUST_CHECK;

/* Writes the key. 0, or -E2BIG where `size` is too small. */
int fl_cell_key(const struct fl_cell *cell, char *out, size_t size) FL_MUST_CHECK;

/*
 * Reads `factor=level ...` text and resolves it: finds the kernel, drops what the kernel does not
 * use, fills fallbacks, sorts. -EINVAL: unknown factor, level or kernel, or a required factor is
 * missing; the reason names the thing and the nearest spelling. -EDOM: each level is legal, but two
 * of them do not go together (barrier=openmp team=persistent).
 */
int fl_cell_parse(struct fl_cell *cell, const char *text, struct fl_err *err) FL_MUST_CHECK;

/* As fl_cell_parse() for levels already split: `factors[i]` = `levels[i]`. */
int fl_cell_resolve(struct fl_cell *cell, const char *const *factors, const char *const *levels,
                    size_t count, struct fl_err *err) FL_MUST_CHECK;

/*
 * Splits one `name=level` off `*text` (quotes as above), copying into the two buffers, and moves
 * `*text` behind it. 1: got one; 0: end of text; -EINVAL: malformed.
 */
int fl_cell_split(const char **text, char *name, size_t name_size, char *level, size_t level_size,
                  struct fl_err *err) FL_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
