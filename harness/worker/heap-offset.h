/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heap offset: where the top of glibc's main heap starts within its page.
 *
 * Whether a call faults 61 or 62 pages depends on it, and every earlier small allocation moves it,
 * even a longer benchmark name. Padding it to a fixed offset makes the count a property of the
 * cell.
 */
#ifndef FL_HEAP_OFFSET_H
#define FL_HEAP_OFFSET_H

#include <stddef.h>

#include "faultline/error.h"

/* Offset of the top chunk in its page now, bytes; a multiple of 16. */
size_t fl_heap_offset(void);

/*
 * Leaks small blocks until fl_heap_offset() is `wanted` (a multiple of 16 below the page size). 0,
 * or -EIO where the calling thread does not run on glibc's main heap and `wanted` is not 0. Call it
 * from the measured thread, just before settling. Touches no page beyond the one that holds the
 * top.
 */
int fl_heap_offset_set(size_t wanted, struct fl_err *err) FL_MUST_CHECK;

#endif
