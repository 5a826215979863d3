/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Import: results that other programs measured, as runs of the store.
 *
 * One file is one round of one cell each: repetitions inside a process share everything that makes
 * rounds differ, so their median is the sample's value and they are facts beside it. Files of one
 * call are rounds of one run; an export of ours is a run of its own. docs/import.md has what
 * becomes of each field. All files of one call are one transaction: a failing import leaves
 * nothing. Memory does not grow with the files.
 */
#ifndef RESULTS_IMPORT_IMPORT_H
#define RESULTS_IMPORT_IMPORT_H

#include "results/store.h"

#define FL_IMPORT_NOTES     32
#define FL_IMPORT_NOTE_TEXT 200

struct fl_import_input {
    const char *name; /* as the user wrote it */
    int fd;           /* read to its end; not closed */
};

struct fl_import_options {
    const char *format;                       /* NULL: told from the beginning of each file */
    const char *label, *scenario, *commit_id; /* NULL: none; the scenario is then the program's */
    int64_t commit_ns;
    const char *command_line, *version;
    /*
     * Whether a metric of this name is faultline's own: an imported one of that name is stored
     * under another, so that no file can change what ours mean.
     */
    bool (*known)(const char *metric);
};

/* Something that was left out or mended. */
struct fl_import_note {
    char text[FL_IMPORT_NOTE_TEXT];
    size_t count;
    bool damaged; /* something of the file is lost */
};

struct fl_import_report {
    int64_t run; /* the last one that was made */
    size_t runs, files, rounds;
    size_t cells, samples, failed; /* failed: samples that are no success */
    const char *format;
    struct fl_import_note notes[FL_IMPORT_NOTES];
    size_t count;
};

/* Names of --format, ended by NULL. */
const char *const *fl_import_formats(void);

/*
 * -EINVAL: unknown format, or a file that is none; -ENODATA: nothing in it that can be imported;
 * -EXDEV: files of different machines or formats; else as reading and the store.
 */
int fl_import(struct fl_store *store, const struct fl_import_input *inputs, size_t count,
              const struct fl_import_options *options, struct fl_import_report *report,
              struct fl_err *err) FL_MUST_CHECK;

#endif
