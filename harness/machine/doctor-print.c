/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The doctor's list as text for a terminal.
 *
 * Everything but printable ASCII is shown as '?': findings quote paths and variables, and a
 * terminal obeys control sequences in both 7-bit and 8-bit form.
 */
#include "machine/doctor.h"

#include <string.h>

#define INDENT      8u /* below the status column */
#define LEAST_WIDTH 40u

static void put_word(FILE *out, const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        fputc(word[i] >= 0x20 && word[i] < 0x7f ? word[i] : '?', out);
}

/* Writes words, breaking lines before `width`; continuation lines start at `indent`. */
static void put_wrapped(FILE *out, const char *text, unsigned column, unsigned indent,
                        unsigned width)
{
    bool first = true;
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        if (!first && column + 1 + length > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        put_word(out, text, length);
        column += (unsigned)length;
        first = false;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static void put_labelled(FILE *out, const char *label, const char *text, unsigned width)
{
    if (text[0] == '\0')
        return;
    unsigned column = INDENT + (unsigned)strlen(label) + 2;
    fprintf(out, "%*s%s: ", (int)INDENT, "", label);
    put_wrapped(out, text, column, column, width);
}

static void put_check(FILE *out, const struct fl_check *check, unsigned width)
{
    unsigned column = INDENT + (unsigned)strlen(check->title) + 2;
    fprintf(out, "%-*s%s: ", (int)INDENT, fl_check_status_name(check->status), check->title);
    put_wrapped(out, check->finding, column, INDENT, width);
    put_labelled(out, "changes", check->effect, width);
    put_labelled(out, "cure", check->cure, width);
}

static size_t count_status(const struct fl_checks *checks, enum fl_check_status status)
{
    size_t count = 0;
    for (size_t i = 0; i < checks->count; i++)
        count += checks->items[i].status == status;
    return count;
}

void fl_doctor_print(const struct fl_checks *checks, FILE *out, unsigned width)
{
    if (width == 0)
        width = 100;
    else if (width < LEAST_WIDTH)
        width = LEAST_WIDTH;
    for (size_t i = 0; i < checks->count; i++)
        put_check(out, &checks->items[i], width);
    fprintf(out, "checks: %zu; good: %zu, note: %zu, limit: %zu\n", checks->count,
            count_status(checks, FL_CHECK_GOOD), count_status(checks, FL_CHECK_NOTE),
            count_status(checks, FL_CHECK_LIMIT));
}
