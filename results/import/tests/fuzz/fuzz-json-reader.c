/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON that anybody may have written. Whatever it is: containers open and close in pairs, a key has
 * a value or the end behind it, text is valid and bounded, and the size of reads changes nothing.
 */
#include <math.h>

#include "fuzz.h"
#include "results/import/json-reader.h"

struct bytes {
    const uint8_t *at;
    size_t left, piece;
};

static ssize_t read_bytes(void *arg, char *buffer, size_t size)
{
    struct bytes *from = arg;
    size_t count = from->left < from->piece ? from->left : from->piece;

    if (count > size)
        count = size;
    if (count)
        memcpy(buffer, from->at, count);
    from->at += count;
    from->left -= count;
    return (ssize_t)count;
}

static void check_value(const struct fl_json_reader *reader, enum fl_json_event event)
{
    if (event == FL_JSON_KEY || event == FL_JSON_STRING || event == FL_JSON_NUMBER) {
        FL_FUZZ_HOLDS(reader->length <= FL_JSON_TEXT_MAX);
        FL_FUZZ_HOLDS(strlen(reader->text) == reader->length);
    }
    if (event == FL_JSON_NUMBER && reader->number.is_integer)
        FL_FUZZ_HOLDS(isfinite(reader->number.real));
}

/* A sum over all events, by which two readings are compared. */
static uint64_t read_all(const uint8_t *data, size_t size, size_t piece)
{
    struct bytes bytes = {data, size, piece};
    const struct fl_json_source source = {read_bytes, &bytes};
    struct fl_json_reader *reader;
    struct fl_err err;
    uint64_t sum = 14695981039346656037U;
    size_t depth = 0;
    bool owed = false;

    FL_FUZZ_HOLDS(fl_json_open(&source, &reader, &err) == 0);
    for (;;) {
        enum fl_json_event event = fl_json_next(reader);
        if (event == FL_JSON_END)
            break;
        depth += event == FL_JSON_OBJECT || event == FL_JSON_ARRAY;
        FL_FUZZ_HOLDS(depth > 0 && depth <= FL_JSON_DEPTH);
        depth -= event == FL_JSON_OBJECT_END || event == FL_JSON_ARRAY_END;
        FL_FUZZ_HOLDS(depth == reader->depth);
        FL_FUZZ_HOLDS(!owed || (event != FL_JSON_KEY && event != FL_JSON_OBJECT_END &&
                                event != FL_JSON_ARRAY_END));
        owed = event == FL_JSON_KEY;
        check_value(reader, event);
        sum = (sum ^ (uint64_t)event) * 1099511628211U;
        for (size_t i = 0; i < reader->length && event <= FL_JSON_NUMBER; i++)
            sum = (sum ^ (uint8_t)reader->text[i]) * 1099511628211U;
    }
    FL_FUZZ_HOLDS(!depth || reader->mends[FL_JSON_TRUNCATED]);
    for (size_t i = 0; i < FL_JSON_MENDS; i++)
        sum = (sum ^ reader->mends[i]) * 1099511628211U;
    fl_json_close(reader);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t whole = read_all(data, size, size + 1);

    FL_FUZZ_HOLDS(read_all(data, size, 1) == whole);
    FL_FUZZ_HOLDS(read_all(data, size, 7) == whole);
    return 0;
}
