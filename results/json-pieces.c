/* SPDX-License-Identifier: Apache-2.0 */
#include "json-pieces.h"

#include <errno.h>
#include <math.h>

#include "results/export.h"
#include "results/text.h"

#define PLAIN (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

void fl_json_put(struct fl_json *json, struct json_object *object, const char *name,
                 struct json_object *value)
{
    if (!json_object_object_add(object, name, value))
        return;
    json_object_put(value);
    json->failed = true;
}

void fl_json_append(struct fl_json *json, struct json_object *array, struct json_object *value)
{
    if (value && !json_object_array_add(array, value))
        return;
    json_object_put(value);
    json->failed = true;
}

void fl_json_text(struct fl_json *json, struct json_object *object, const char *name,
                  const char *text)
{
    char *valid = text ? fl_text_as_utf8(&json->arena, text) : NULL;

    json->failed |= text && !valid;
    fl_json_put(json, object, name, valid ? json_object_new_string(valid) : NULL);
}

void fl_json_integer(struct fl_json *json, struct json_object *object, const char *name,
                     int64_t value)
{
    fl_json_put(json, object, name, json_object_new_int64(value));
}

void fl_json_real(struct fl_json *json, struct json_object *object, const char *name, double value)
{
    fl_json_put(json, object, name, isfinite(value) ? json_object_new_double(value) : NULL);
}

int fl_json_write(struct fl_json *json, struct json_object *object, FILE *out, struct fl_err *err)
{
    const char *text = json->failed ? NULL : json_object_to_json_string_ext(object, PLAIN);
    int rc = 0;

    errno = 0;
    if (text)
        fprintf(out, "%s\n", text);
    else
        rc = fl_fail(err, -ENOMEM, "cannot write JSON: out of memory");
    json_object_put(object);
    fl_arena_release(&json->arena);
    return rc ? rc : fl_export_flush(out, err);
}
