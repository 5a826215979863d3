/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzz: what the fuzz targets share.
 *
 * A target takes any bytes. It must return, read nothing outside its input, and abort where a
 * property that it states does not hold.
 */
#ifndef FL_FUZZ_H
#define FL_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The target; libFuzzer's name. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property: aborts with its text where it does not hold, in every build. */
#define FL_FUZZ_HOLDS(property)                                                                    \
    do {                                                                                           \
        if (!(property)) {                                                                         \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #property);          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The input as a string of exactly its length, so that a sanitizer sees the first byte behind. */
static inline char *fl_fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    return text;
}

#endif
