/* SPDX-License-Identifier: Apache-2.0 */
#include "results/number.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double fl_number_real(struct fl_number number)
{
    return number.is_real ? number.real : (double)number.integer;
}

/* The locale's decimal point, which may be several bytes, becomes '.'. */
static void use_point(char *text)
{
    const char *point = localeconv()->decimal_point;
    size_t length = strlen(point);
    char *at = length && strcmp(point, ".") != 0 ? strstr(text, point) : NULL;

    if (!at)
        return;
    *at = '.';
    memmove(at + 1, at + length, strlen(at + length) + 1);
}

void fl_number_text(struct fl_number number, char out[FL_NUMBER_TEXT])
{
    if (!number.is_real) {
        snprintf(out, FL_NUMBER_TEXT, "%" PRId64, number.integer);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, FL_NUMBER_TEXT, "%.*g", digits, number.real);
        if (strtod(out, NULL) == number.real)
            break;
    }
    use_point(out);
}

void fl_number_fixed(struct fl_number number, int decimals, char out[FL_NUMBER_TEXT])
{
    if (!number.is_real)
        snprintf(out, FL_NUMBER_TEXT, "%" PRId64, number.integer);
    else if (fabs(number.real) >= 1e15)
        snprintf(out, FL_NUMBER_TEXT, "%.4g", number.real);
    else
        snprintf(out, FL_NUMBER_TEXT, "%.*f", decimals, number.real);
    use_point(out);
}
