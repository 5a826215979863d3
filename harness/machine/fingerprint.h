/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fingerprint: the named fields that decide a count.
 *
 * Page faults, locks and allocations per call compare across machines and months only where these
 * are equal; where they are not, the verdict is "not comparable" and names the first field that
 * differs. The machine gives `isa`, `page`, `thp`, `libc` and `kernel`; whoever knows the cell adds
 * the rest (`blocking`, `malloc`, `library`, `threads`, compared in this order after the
 * machine's), and replaces `thp` by "off" where the cell switches it off:
 * results/cell-fingerprint.h.
 *
 * The text form is canonical: fields in the fixed order, unknown names after them in alphabetical
 * order, quoted as levels of a key are. It is what the store keeps; the hash is for grouping only.
 */
#ifndef FL_MACHINE_FINGERPRINT_H
#define FL_MACHINE_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

#include "machine/properties.h"

#define FL_FINGERPRINT_TEXT_MAX 4096

/* A zeroed struct is empty. */
struct fl_fingerprint {
    struct fl_properties fields;
};

/* Fills the machine's fields from an environment; a field not known there is "unknown". 0 or
 * -ENOMEM. */
int fl_fingerprint_of_machine(const struct fl_properties *environment,
                              struct fl_fingerprint *out) FL_MUST_CHECK;

/* Adds or replaces. 0, -EINVAL: empty name, or one with a space, '=' or '"'; -ENOMEM. */
int fl_fingerprint_set(struct fl_fingerprint *fingerprint, const char *name,
                       const char *value) FL_MUST_CHECK;

void fl_fingerprint_release(struct fl_fingerprint *fingerprint);

/* 0, or -E2BIG. */
int fl_fingerprint_text(const struct fl_fingerprint *fingerprint, char *out,
                        size_t size) FL_MUST_CHECK;

/* Reads the text form into an empty fingerprint. 0, -EINVAL with the reason, -ENOMEM. */
int fl_fingerprint_parse(const char *text, struct fl_fingerprint *out,
                         struct fl_err *err) FL_MUST_CHECK;

/*
 * The name of the first field that differs, or NULL where all are equal. A field that one side
 * lacks differs. The name belongs to one of the two.
 */
const char *fl_fingerprint_differs(const struct fl_fingerprint *a, const struct fl_fingerprint *b);

/* FNV-1a over the text form: the same in every build. 0 where the text does not fit. */
uint64_t fl_fingerprint_hash(const struct fl_fingerprint *fingerprint);

#endif
