/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a JSON reader, one at a time out of its buffer. Private to the reader's files. */
#ifndef RESULTS_IMPORT_JSON_INPUT_H
#define RESULTS_IMPORT_JSON_INPUT_H

#include <string.h>

#include "json-reader.h"

#define FL_JSON_EOF (-1)

/* Fills the buffer until it holds `wanted` bytes or the input ends; keeps what is not read yet. */
void fl_json_fill(struct fl_json_reader *reader, size_t wanted);

/* The byte `ahead` of the next one, or FL_JSON_EOF. */
static inline int fl_json_peek(struct fl_json_reader *reader, size_t ahead)
{
    if (reader->filled - reader->at <= ahead)
        fl_json_fill(reader, ahead + 1);
    return reader->filled - reader->at > ahead ? (unsigned char)reader->buffer[reader->at + ahead]
                                               : FL_JSON_EOF;
}

static inline void fl_json_take(struct fl_json_reader *reader)
{
    reader->at++;
}

/* Adds bytes to the text, as far as there is room. */
static inline void fl_json_put(struct fl_json_reader *reader, const char *bytes, size_t count)
{
    size_t room = FL_JSON_TEXT_MAX - reader->length;

    if (count > room) {
        reader->mends[FL_JSON_TOO_LONG] += !reader->cut;
        reader->cut = true;
        count = room;
    }
    memcpy(reader->text + reader->length, bytes, count);
    reader->length += count;
}

static inline void fl_json_begin_text(struct fl_json_reader *reader)
{
    reader->length = 0;
    reader->cut = false;
}

static inline void fl_json_end_text(struct fl_json_reader *reader)
{
    reader->text[reader->length] = '\0';
}

/* A string, behind its first quote. False: the input ended in it. */
bool fl_json_read_string(struct fl_json_reader *reader);

/* A number or a word, from its first character. */
enum fl_json_event fl_json_read_word(struct fl_json_reader *reader, bool in_object);

#endif
