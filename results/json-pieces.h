/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON pieces: objects of json-c, built from text that may be anything. What fails for want of
 * memory is remembered and told when the whole is written. Private to results/.
 */
#ifndef RESULTS_JSON_PIECES_H
#define RESULTS_JSON_PIECES_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>

#include "faultline/arena.h"
#include "faultline/error.h"

/* A zeroed struct is ready. */
struct fl_json {
    struct fl_arena arena; /* of texts, until the whole is written */
    bool failed;
};

/* These take `value` over, and drop it where they fail. */
void fl_json_put(struct fl_json *json, struct json_object *object, const char *name,
                 struct json_object *value);
void fl_json_append(struct fl_json *json, struct json_object *array, struct json_object *value);

/* Bytes that are not UTF-8 become U+FFFD; NULL is null. */
void fl_json_text(struct fl_json *json, struct json_object *object, const char *name,
                  const char *text);
void fl_json_integer(struct fl_json *json, struct json_object *object, const char *name,
                     int64_t value);
/* null where it is not finite. */
void fl_json_real(struct fl_json *json, struct json_object *object, const char *name, double value);

/* One line. Takes `object` over and releases the texts. -ENOMEM; -errno of a failed write. */
int fl_json_write(struct fl_json *json, struct json_object *object, FILE *out,
                  struct fl_err *err) FL_MUST_CHECK;

#endif
