/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doctor check: what one check is made of. Private to the doctor's files.
 */
#ifndef FL_MACHINE_DOCTOR_CHECK_H
#define FL_MACHINE_DOCTOR_CHECK_H

#include "machine/doctor.h"

struct fl_doctor_row {
    const char *id, *title;
    /* Fills status and texts through the functions below. False: does not apply here, left out. */
    bool (*judge)(const struct fl_doctor_input *input, struct fl_check *check);
};

/* Rows by subject, each ended by a row without an id. */
extern const struct fl_doctor_row fl_doctor_counting_rows[];
extern const struct fl_doctor_row fl_doctor_timing_rows[];
extern const struct fl_doctor_row fl_doctor_part_rows[];

/* The finding; every check begins with it. Always true, so that a check can end in it. */
bool fl_check_good(struct fl_check *check, const char *format, ...) FL_PRINTF(2, 3);

/* Lowers the verdict of a check that has its finding. Always true. */
bool fl_check_less(struct fl_check *check, enum fl_check_status status, const char *effect,
                   const char *format, ...) FL_PRINTF(4, 5);

/* The property's text, or "unknown". */
const char *fl_doctor_text(const struct fl_doctor_input *input, const char *name);

/* The property as a number, or `otherwise`. */
double fl_doctor_number(const struct fl_doctor_input *input, const char *name, double otherwise);

bool fl_doctor_is(const struct fl_doctor_input *input, const char *name, const char *value);

#endif
