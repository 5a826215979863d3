/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gate formats: a judged gate as text for people, for CI servers and for programs.
 *
 * Each escapes all names for its own syntax; characters that reorder, hide or control others, and
 * bytes that are not UTF-8, become visible escapes (fl_text_for_terminal()) in all but JSON, which
 * keeps what is valid. Writes to `out`, which stays open. 0; -ENOMEM; -errno of a failed write.
 */
#ifndef RESULTS_GATE_FORMATS_H
#define RESULTS_GATE_FORMATS_H

#include "results/gate.h"

typedef int (*fl_gate_format_fn)(const struct fl_gate *gate, FILE *out, struct fl_err *err);

/* For a terminal or a log. */
int fl_gate_print_terminal(const struct fl_gate *gate, FILE *out, struct fl_err *err) FL_MUST_CHECK;

/* For GitHub's job summary and comments of merge requests. */
int fl_gate_print_markdown(const struct fl_gate *gate, FILE *out, struct fl_err *err) FL_MUST_CHECK;

/* JUnit XML as Jenkins reads it: one test case a judged row. */
int fl_gate_print_junit(const struct fl_gate *gate, FILE *out, struct fl_err *err) FL_MUST_CHECK;

/* GitHub's workflow commands, one annotation a finding, at most ten of a kind. */
int fl_gate_print_github(const struct fl_gate *gate, FILE *out, struct fl_err *err) FL_MUST_CHECK;

/* GitLab's code quality report. */
int fl_gate_print_gitlab(const struct fl_gate *gate, FILE *out, struct fl_err *err) FL_MUST_CHECK;

/* Everything, for programs; docs/gate.md has the fields. */
int fl_gate_print_json(const struct fl_gate *gate, FILE *out, struct fl_err *err) FL_MUST_CHECK;

#endif
