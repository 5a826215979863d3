/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/export.h"

int fl_export_check(FILE *out, struct fl_err *err)
{
    int cause = errno ? errno : EIO;

    return ferror(out) ? fl_fail(err, -cause, "cannot write: %s", strerror(cause)) : 0;
}

int fl_export_flush(FILE *out, struct fl_err *err)
{
    int status = fl_export_check(out, err);

    if (status)
        return status;
    errno = 0;
    fflush(out);
    return fl_export_check(out, err);
}

/* One field: `text`, with the harmless `suffix` behind it. */
static void put_joined(FILE *out, const char *text, const char *suffix)
{
    bool spaced = text[0] == ' ' || (*text && text[strlen(text) - 1] == ' ');
    bool quoted = spaced || strpbrk(text, ",\"\r\n");

    fputs(quoted ? "\"" : "", out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    fprintf(out, "%s%s", suffix, quoted ? "\"" : "");
}

static void put_text(FILE *out, const char *text)
{
    put_joined(out, text, "");
}

static void put_number(FILE *out, bool known, struct fl_number number)
{
    char text[FL_NUMBER_TEXT] = "";

    if (known)
        fl_number_text(number, text);
    fprintf(out, "%s,", text);
}

static void put_metric_names(FILE *out, const char *name)
{
    static const char *const parts[] = {"", ".min", ".max", ".count"};

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        put_joined(out, name, parts[i]);
        putc(',', out);
    }
}

static void put_header(FILE *out, const struct fl_summary *summary)
{
    for (size_t i = 0; i < summary->factor_count; i++) {
        put_text(out, summary->factors[i]);
        putc(',', out);
    }
    for (size_t i = 0; i < summary->metric_count; i++)
        put_metric_names(out, summary->metrics[i].metric.name);
    fputs("status,reason\n", out);
}

static void put_value(FILE *out, const struct fl_summary_value *value)
{
    put_number(out, value->count, value->median);
    put_number(out, value->count, value->min);
    put_number(out, value->count, value->max);
    fprintf(out, "%zu,", value->count);
}

/* Why the cell, and then why single metrics of it, are not (wholly) there. */
static int put_reasons(FILE *out, const struct fl_summary *summary,
                       const struct fl_summary_cell *cell, struct fl_err *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *line = open_memstream(&text, &size);

    if (!line)
        return fl_fail(err, -ENOMEM, "cannot write: out of memory");
    const char *between = cell->reason ? "; " : "";
    fputs(cell->reason ? cell->reason : "", line);
    for (size_t i = 0; i < summary->metric_count; i++) {
        if (!cell->values[i].reason)
            continue;
        fprintf(line, "%s%s %s", between, summary->metrics[i].metric.name, cell->values[i].reason);
        between = "; ";
    }
    int failed = fclose(line);
    if (!failed)
        put_text(out, text);
    free(text);
    return failed ? fl_fail(err, -ENOMEM, "cannot write: out of memory") : 0;
}

static int put_cell(FILE *out, const struct fl_summary *summary, const struct fl_summary_cell *cell,
                    struct fl_err *err)
{
    errno = 0;
    for (size_t i = 0; i < summary->factor_count; i++) {
        if (cell->levels[i])
            put_text(out, cell->levels[i]);
        putc(',', out);
    }
    for (size_t i = 0; i < summary->metric_count; i++)
        put_value(out, &cell->values[i]);
    fprintf(out, "%s,", cell->status);
    int status = put_reasons(out, summary, cell, err);
    putc('\n', out);
    return status ? status : fl_export_check(out, err);
}

int fl_export_csv(const struct fl_summary *summary, FILE *out, struct fl_err *err)
{
    int status = 0;

    errno = 0;
    put_header(out, summary);
    for (size_t i = 0; i < summary->cell_count && !status; i++)
        status = put_cell(out, summary, &summary->cells[i], err);
    return status ? status : fl_export_flush(out, err);
}
