/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a baseline: pieces that no line break divides, in lines that INI can hold. */
#include <errno.h>
#include <string.h>

#include "faultline/error.h"
#include "results/baseline.h"
#include "results/export.h"
#include "results/ini-text.h"
#include "results/number.h"
#include "results/text.h"

#define COLUMNS (FL_INI_LINE_MAX - 4) /* where a line is broken, if it can be */

struct writing {
    FILE *out;
    size_t column; /* 0: nothing stands on the line */
    struct fl_arena arena;
    struct fl_err *err;
};

static int put_piece(struct writing *w, const char *piece)
{
    size_t length = strlen(piece), space = w->column > 0;

    if (length + 4 > FL_INI_LINE_MAX)
        return fl_fail(w->err, -EINVAL, "'%.200s' is too long for a line of the baseline", piece);
    if (w->column && w->column + space + length > COLUMNS) {
        fputs("\n   ", w->out);
        w->column = 3;
    }
    fprintf(w->out, "%s%s", space ? " " : "", piece);
    w->column += space + length;
    return 0;
}

static void end_line(struct writing *w)
{
    putc('\n', w->out);
    w->column = 0;
}

/* A level as a key quotes it, and ';' so that INI takes it for a letter. NULL: cannot be. */
static char *quote(struct writing *w, const char *text)
{
    char *out = fl_arena_alloc(&w->arena, 2 * strlen(text) + 3, 1), *to = out;
    bool plain = *text && !strpbrk(text, " \t,\"\\#;=");

    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' && *c != '\t')
            out = NULL;
    if (!out) {
        fl_fail(w->err, -EINVAL, "a line of the baseline cannot hold '%.200s'", text);
        return NULL;
    }
    if (!plain)
        *to++ = '"';
    for (const char *c = text; *c; c++) {
        if (strchr("\"\\;", *c))
            *to++ = '\\';
        *to++ = *c;
    }
    if (!plain)
        *to++ = '"';
    *to = 0;
    return out;
}

static char *join(struct writing *w, const char *format, ...) FL_PRINTF(2, 3);

static char *join(struct writing *w, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    char *text = fl_text_format(&w->arena, format, values);
    va_end(values);
    if (!text)
        fl_fail(w->err, -ENOMEM, "cannot write the baseline: out of memory");
    return text;
}

/* `NAME=VALUE`, or with spaces around the '='. */
static int put_pair(struct writing *w, const char *name, const char *between, const char *value)
{
    const char *quoted = quote(w, value);
    const char *piece = quoted ? join(w, "%s%s%s", name, between, quoted) : NULL;

    return piece ? put_piece(w, piece) : -EINVAL;
}

/* Can it stand without quotes, and be broken at each space? */
static bool is_plain(const char *value)
{
    for (const char *c = value; *c; c++)
        if ((unsigned char)*c < ' ' || strchr("\"\\;#", *c) ||
            (*c == ' ' && (c[1] == ' ' || !c[1])))
            return false;
    return *value && *value != ' ';
}

static int put_words(struct writing *w, const char *name, const char *value)
{
    size_t length = strcspn(value, " ");
    const char *piece = join(w, "%s = %.*s", name, (int)length, value);
    int rc = piece ? put_piece(w, piece) : -ENOMEM;

    while (value[length] && !rc) {
        value += length + 1;
        length = strcspn(value, " ");
        piece = join(w, "%.*s", (int)length, value);
        rc = piece ? put_piece(w, piece) : -ENOMEM;
    }
    return rc;
}

static int put_field(struct writing *w, const char *name, const char *value)
{
    int rc = is_plain(value) ? put_words(w, name, value) : put_pair(w, name, " = ", value);

    end_line(w);
    return rc;
}

/* The key's own pieces, with their quotes: only a ';' needs more. */
static int put_cell(struct writing *w, const char *cell)
{
    int rc = 0;

    while (*cell && !rc) {
        bool quoted = false;
        const char *end = cell;
        char *piece = fl_arena_alloc(&w->arena, 2 * strlen(cell) + 1, 1), *to = piece;
        if (!piece)
            return fl_fail(w->err, -ENOMEM, "cannot write the baseline: out of memory");
        for (; *end && (quoted || *end != ' '); end++) {
            if ((unsigned char)*end < ' ' && *end != '\t')
                return fl_fail(w->err, -EINVAL, "a line of the baseline cannot hold '%.200s'",
                               cell);
            quoted ^= *end == '"';
            if (*end == ';')
                *to++ = '\\';
            *to++ = *end;
            if (*end == '\\' && end[1])
                *to++ = *++end;
        }
        *to = 0;
        rc = *piece ? put_piece(w, piece) : 0;
        cell = end + (*end == ' ');
    }
    return rc;
}

/* `61|62`; many of them may need several lines. */
static int put_values(struct writing *w, const struct fl_baseline_count *count)
{
    char piece[100] = "";
    size_t used = 0;
    int rc = 0;

    for (size_t i = 0; i < count->value_count && !rc; i++) {
        const struct fl_number number = {.is_real = true, .real = count->values[i]};
        bool last = i + 1 == count->value_count;
        fl_number_text(number, piece + used);
        used = strlen(piece);
        used += (size_t)snprintf(piece + used, sizeof(piece) - used, "%s", last ? "" : "|");
        if (!last && used + FL_NUMBER_TEXT + 1 < sizeof(piece))
            continue;
        rc = put_piece(w, piece);
        used = 0;
    }
    return rc;
}

static int put_count(struct writing *w, const struct fl_baseline_count *count)
{
    int rc = put_cell(w, count->cell);

    for (size_t i = 0; i < count->fact_count && !rc; i++) {
        const char *name = join(w, "fact.%s", count->facts[i].name);
        rc = name ? put_pair(w, name, "=", count->facts[i].value) : -ENOMEM;
    }
    if (!rc)
        rc = put_piece(w, ":");
    const char *metric = rc ? NULL : quote(w, count->metric);
    if (!rc)
        rc = metric ? put_piece(w, metric) : -EINVAL;
    if (!rc)
        rc = put_piece(w, "=");
    if (!rc)
        rc = put_values(w, count);
    end_line(w);
    fl_arena_release(&w->arena);
    return rc;
}

int fl_baseline_write(const struct fl_baseline *baseline, FILE *out, struct fl_err *err)
{
    struct writing w = {.out = out, .err = err};

    errno = 0;
    fputs(
        "; Counts of a run, by faultline. `faultline baseline check` compares them with another.\n"
        "[baseline]\n",
        out);
    int rc = put_field(&w, "scenario", baseline->scenario);
    fprintf(out, "samples = %zu\ncalls = %lld\n", baseline->samples, (long long)baseline->calls);
    fputs("\n[machine]\n", out);
    for (size_t i = 0; i < baseline->machine_count && !rc; i++)
        rc = put_field(&w, baseline->machine[i].name, baseline->machine[i].value);
    fputs("\n[counts]\n", out);
    for (size_t i = 0; i < baseline->count && !rc; i++)
        rc = put_count(&w, &baseline->counts[i]);
    fl_arena_release(&w.arena);
    return rc ? rc : fl_export_flush(out, err);
}
