/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf stat -x: fields without names. In front of the value stand the time of an interval or the
 * processor, where asked for; behind the event a deviation, the time it ran and its share.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import-perf.h"
#include "lines.h"

#define FIELDS_MAX 24

static bool is_number(const char *field)
{
    return *field && !field[strspn(field, "0123456789.")];
}

static bool is_value(const char *field)
{
    return is_number(field) || strncmp(field, "<not ", 5) == 0;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The separator is whatever stands most often of those that people choose. */
static char separator_of(const char *line)
{
    static const char usual[] = ",;\t|";
    char best = ',';
    size_t most = 0;

    for (const char *s = usual; *s; s++) {
        size_t count = 0;
        for (const char *c = line; *c; c++)
            count += *c == *s;
        if (count > most)
            best = *s;
        if (count > most)
            most = count;
    }
    return best;
}

/* An event between slashes may hold the separator: `cpu/event=0x3c,umask=0x1/`. */
static size_t split(char *line, char separator, char *fields[FIELDS_MAX])
{
    size_t count = 0;
    bool inside = false;

    fields[count++] = line;
    for (char *c = line; *c; c++) {
        inside ^= *c == '/';
        if (*c != separator || (inside && strchr(c, '/')))
            continue;
        *c = '\0';
        if (count == FIELDS_MAX)
            break;
        fields[count++] = c + 1;
    }
    return count;
}

/* Where the value stands, in front of a unit and an event; `count`: nowhere. */
static size_t find_value(char *const *fields, size_t count)
{
    for (size_t i = 0; i + 2 < count; i++)
        if (is_value(fields[i]) && !is_value(fields[i + 1]) && is_letter(fields[i + 2][0]))
            return i;
    return count;
}

static double find_running(char *const *fields, size_t from, size_t count)
{
    if (from < count && strchr(fields[from], '%'))
        from++;
    return from + 1 < count && is_number(fields[from + 1]) ? strtod(fields[from + 1], NULL) : 100;
}

static int take_line(struct fl_perf *perf, char *text)
{
    char *fields[FIELDS_MAX];
    size_t count = split(text, separator_of(text), fields);
    size_t at = find_value(fields, count);
    struct fl_perf_line line = {.part = at > 0};

    if (at == count) {
        fl_intake_note(perf->intake, 1, false, "lines without an event, such as derived metrics");
        return 0;
    }
    if (strlen(fields[at + 2]) >= sizeof(line.event)) {
        fl_intake_note(perf->intake, 1, true, "events with names longer than %zu bytes",
                       sizeof(line.event) - 1);
        return 0;
    }
    snprintf(line.value, sizeof(line.value), "%s", fields[at]);
    snprintf(line.unit, sizeof(line.unit), "%s", fields[at + 1]);
    snprintf(line.event, sizeof(line.event), "%s", fields[at + 2]);
    line.running = find_running(fields, at + 3, count);
    return fl_perf_take(perf, &line);
}

static int take_lines(struct fl_perf *perf, struct fl_lines *lines)
{
    int status = 0;

    while (!status && fl_lines_next(lines, false)) {
        char *text = lines->line + strspn(lines->line, " \t");
        if (*text && *text != '#')
            status = take_line(perf, text);
    }
    if (!status && lines->failure)
        status = fl_fail(perf->intake->err, lines->failure, "cannot read '%s': %s",
                         perf->intake->file, strerror(-lines->failure));
    return status ? status : fl_perf_end(perf);
}

int fl_import_perf_csv(struct fl_intake *intake, const struct fl_json_source *source)
{
    struct fl_perf *perf = calloc(1, sizeof(*perf));
    struct fl_lines *lines = calloc(1, sizeof(*lines));
    int status = -ENOMEM;

    snprintf(intake->program, sizeof(intake->program), "perf stat");
    if (perf && lines) {
        perf->intake = intake;
        lines->source = *source;
        status = take_lines(perf, lines);
    } else {
        status = fl_fail(intake->err, status, "cannot import: out of memory");
    }
    free(lines);
    free(perf);
    return status;
}
