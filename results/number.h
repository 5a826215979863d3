/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Number: an integer that stays one, or a real; and its text, which reads back as the same number
 * whatever the process's locale is. No allocation; thread-safe.
 */
#ifndef RESULTS_NUMBER_H
#define RESULTS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#define FL_NUMBER_TEXT 32 /* bytes that any number's text fits */

struct fl_number {
    bool is_real;
    int64_t integer;
    double real; /* finite */
};

double fl_number_real(struct fl_number number);

/* Shortest decimal text that reads back as the same number; `.` is the point. */
void fl_number_text(struct fl_number number, char out[FL_NUMBER_TEXT]);

/* With that many decimals, for people; integers have none. */
void fl_number_fixed(struct fl_number number, int decimals, char out[FL_NUMBER_TEXT]);

#endif
