/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts: resolved values that belong beside a sample, as `name=value` pairs.
 *
 * `blocking=auto` stays symbolic in the key; the blocking that came out of it is a fact, like the
 * instruction set chosen, a library's path and build id, or a processor number. Values are free
 * text without newlines. No allocation: the caller gives the buffer. Not thread-safe.
 */
#ifndef FAULTLINE_FACTS_H
#define FAULTLINE_FACTS_H

#include <stddef.h>

#include "faultline/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FL_FACTS_MAX   64
#define FL_FACTS_BYTES 8192

struct fl_fact {
    const char *name, *value; /* point into the store */
};

/* A zeroed struct is an empty list. */
struct fl_facts {
    struct fl_fact items[FL_FACTS_MAX];
    size_t count, used;
    char store[FL_FACTS_BYTES];
};

/* Adds or replaces a fact; newlines in the value become spaces. 0, or -E2BIG when full. */
FL_API int fl_facts_set(struct fl_facts *facts, const char *name, const char *format, ...)
    FL_PRINTF(3, 4);

/* The value, or NULL. */
FL_API const char *fl_facts_get(const struct fl_facts *facts, const char *name);

#ifdef __cplusplus
}
#endif

#endif
