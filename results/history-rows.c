/* SPDX-License-Identifier: Apache-2.0 */
#include "history-rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "results/export.h"
#include "results/number.h"
#include "results/text.h"

void fl_rows_begin(struct fl_rows *rows)
{
    rows->begun = false;
    if (rows->format != FL_HISTORY_JSON)
        return;
    rows->object = json_object_new_object();
    rows->json.failed = !rows->object;
}

/* As RFC 4180 quotes it. */
static void put_csv(struct fl_rows *rows, const char *name, const char *text)
{
    if (rows->begun)
        putc(',', rows->out);
    rows->begun = true;
    if (rows->titles)
        text = name;
    if (!text)
        return;
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, rows->out);
        return;
    }
    putc('"', rows->out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', rows->out);
        putc(*text, rows->out);
    }
    putc('"', rows->out);
}

void fl_rows_text(struct fl_rows *rows, const char *name, const char *text)
{
    if (rows->format == FL_HISTORY_JSON)
        fl_json_text(&rows->json, rows->object, name, text);
    else
        put_csv(rows, name, text ? fl_text_as_utf8(&rows->arena, text) : NULL);
}

static void put_number(struct fl_rows *rows, const char *name, struct fl_number number)
{
    char text[FL_NUMBER_TEXT];

    fl_number_text(number, text);
    put_csv(rows, name, text);
}

void fl_rows_integer(struct fl_rows *rows, const char *name, int64_t value)
{
    if (rows->format == FL_HISTORY_JSON)
        fl_json_integer(&rows->json, rows->object, name, value);
    else
        put_number(rows, name, (struct fl_number){.integer = value});
}

void fl_rows_real(struct fl_rows *rows, const char *name, double value)
{
    if (rows->format == FL_HISTORY_JSON)
        fl_json_real(&rows->json, rows->object, name, value);
    else if (isfinite(value))
        put_number(rows, name, (struct fl_number){.is_real = true, .real = value});
    else
        put_csv(rows, name, NULL);
}

void fl_rows_time_text(int64_t ns, char out[FL_ROWS_TIME])
{
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm parts;

    *out = 0;
    if (ns && gmtime_r(&seconds, &parts))
        strftime(out, FL_ROWS_TIME, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

void fl_rows_time(struct fl_rows *rows, const char *name, int64_t ns)
{
    char text[FL_ROWS_TIME];

    fl_rows_time_text(ns, text);
    fl_rows_text(rows, name, *text ? text : NULL);
}

static void put_list(struct fl_rows *rows, const char *name, const struct fl_history_fields *fields)
{
    struct json_object *list = json_object_new_array();

    for (size_t i = 0; list && i < fields->count; i++) {
        struct json_object *field = json_object_new_object();
        if (field) {
            fl_json_text(&rows->json, field, "name", fields->items[i].name);
            fl_json_text(&rows->json, field, "before", fields->items[i].before);
            fl_json_text(&rows->json, field, "after", fields->items[i].after);
        }
        fl_json_append(&rows->json, list, field);
    }
    fl_json_put(&rows->json, rows->object, name, list);
}

static const char *join(struct fl_rows *rows, const struct fl_history_fields *fields)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    for (size_t i = 0; i < fields->count; i++) {
        const struct fl_history_field *field = &fields->items[i];
        fprintf(out, "%s%s: %s -> %s", i ? "; " : "", field->name,
                field->before ? field->before : "-", field->after ? field->after : "-");
    }
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    const char *copy = fl_text_copy(&rows->arena, text);
    free(text);
    return copy;
}

void fl_rows_fields(struct fl_rows *rows, const char *name, const struct fl_history_fields *fields)
{
    if (rows->format == FL_HISTORY_JSON)
        put_list(rows, name, fields);
    else
        fl_rows_text(rows, name, fields->count ? join(rows, fields) : NULL);
}

int fl_rows_end(struct fl_rows *rows)
{
    if (rows->format == FL_HISTORY_JSON)
        return fl_json_write(&rows->json, rows->object, rows->out, rows->err);
    putc('\n', rows->out);
    fl_arena_release(&rows->arena);
    return fl_export_check(rows->out, rows->err);
}
