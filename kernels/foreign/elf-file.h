/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF file: what a shared library says of itself, read from the file without loading it.
 *
 * The file is not trusted: every offset and size is checked against the file's length before it is
 * used, tables are capped, and a string without end is cut. Needs section headers for the symbols;
 * a file stripped of them has none, and the rest is still read.
 */
#ifndef FL_ELF_FILE_H
#define FL_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "faultline/error.h"
#include "faultline/library.h"

#define FL_ELF_TEXT   256
#define FL_ELF_NEEDED 32

struct fl_elf_file {
    char soname[FL_ELF_TEXT];                /* "" where it has none */
    char build_id[FL_BUILD_ID_MAX];          /* GNU build id, hex; "" where it has none */
    char needed[FL_ELF_NEEDED][FL_ELF_TEXT]; /* libraries it is linked with; more are left out */
    size_t needed_count;
};

/*
 * Reads a file. `wanted`: NULL-terminated names of symbols; `found[i]` tells whether the file
 * defines wanted[i]. 0; -ENOENT and other errors of open(); -ENOEXEC: not a shared library that
 * this processor can load; the reason says why not, without the path.
 */
int fl_elf_read(const char *path, const char *const *wanted, bool *found, struct fl_elf_file *out,
                struct fl_err *why) FL_MUST_CHECK;

#endif
