/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol imports: could a library call a function that the probe interposes? */
#ifndef FL_SYMBOL_IMPORTS_H
#define FL_SYMBOL_IMPORTS_H

#include "faultline/error.h"

/*
 * Does the loaded library at `path`, or one that it needs, import one of the NULL-terminated
 * `symbols`? 1, 0, or -ENOENT where `path` is not loaded. Reads the loaded libraries' symbol
 * tables: a symbol that is bound inside a library is no import.
 */
int fl_imports_any(const char *path, const char *const *symbols) FL_MUST_CHECK;

#endif
