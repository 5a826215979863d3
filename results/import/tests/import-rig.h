/* SPDX-License-Identifier: Apache-2.0 */
/* Importing text and files into a fixture's store. */
#ifndef RESULTS_IMPORT_TESTS_IMPORT_RIG_H
#define RESULTS_IMPORT_TESTS_IMPORT_RIG_H

#include "results/import/import.h"
#include "results/tests/store-fixture.h"

struct import_rig {
    struct fl_import_options options;
    struct fl_import_report report;
};

/* A descriptor that reads the bytes. */
int import_open(const char *bytes, size_t length);

/* One file each, ended by NULL; returns what the import does. */
int import_texts(struct fixture *f, struct import_rig *rig, const char *const *texts);
int import_bytes(struct fixture *f, struct import_rig *rig, const char *bytes, size_t length);
/* Fails the test where the import fails. */
void import_text(struct fixture *f, struct import_rig *rig, const char *text);
void import_file(struct fixture *f, struct import_rig *rig, const char *path);

/* How often a note was made; 0: not. */
size_t import_noted(const struct import_rig *rig, const char *text);

/* A number of one cell (by key) and metric of a run. */
double import_value(struct fixture *f, int64_t run, const char *key, const char *metric);

#endif
