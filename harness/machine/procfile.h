/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proc file: pure parsers of the texts that the kernel shows under /proc and /sys.
 *
 * They take any bytes up to the NUL, never fail loudly and never read past it: what is not there is
 * "not found". Nothing allocates; thread-safe.
 */
#ifndef FL_MACHINE_PROCFILE_H
#define FL_MACHINE_PROCFILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The value of the first line `key : value` (white space around the separator is dropped), as in
 * cpuinfo, meminfo and status. False: no such line, or it does not fit; `out` is "" then.
 */
bool fl_proc_field(const char *text, const char *key, char *out, size_t size);

/* The same as a number with the suffix kB resolved: bytes. False: no such line or no number. */
bool fl_proc_bytes(const char *text, const char *key, unsigned long long *out);

/* The value of a `KEY=value` or `KEY="value"` line, as in os-release. */
bool fl_proc_assignment(const char *text, const char *key, char *out, size_t size);

/* The chosen word of `always [madvise] never`. False: no brackets; `out` is the whole text then. */
bool fl_proc_choice(const char *text, char *out, size_t size);

/* Is `word` one of the words of `text`, separated by white space? */
bool fl_proc_has_word(const char *text, const char *word);

/*
 * The x86-64 level ("x86-64-v1" to "x86-64-v4") of a `flags` line, or for aarch64 its vector
 * extension ("aarch64", "aarch64+sve", "aarch64+sve2") of a `Features` line. `machine` is as in
 * uname(); another machine is its own level.
 */
void fl_proc_isa_level(const char *machine, const char *flags, char *out, size_t size);

#endif
