/* SPDX-License-Identifier: Apache-2.0 */
/* The structure: documents, containers, members and what stands between them. */
#include "json-reader.h"

#include <errno.h>
#include <stdlib.h>

#include "json-input.h"

enum { AWAIT_KEY, AWAIT_VALUE, AWAIT_COMMA };

int fl_json_open(const struct fl_json_source *source, struct fl_json_reader **out,
                 struct fl_err *err)
{
    struct fl_json_reader *reader = malloc(sizeof(*reader));

    if (reader) {
        memset(reader, 0, offsetof(struct fl_json_reader, buffer));
        reader->locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    }
    if (!reader || !reader->locale) {
        free(reader);
        return fl_fail(err, -ENOMEM, "cannot read: out of memory");
    }
    reader->source = *source;
    reader->line_start = true;
    *out = reader;
    return 0;
}

void fl_json_close(struct fl_json_reader *reader)
{
    if (!reader)
        return;
    freelocale(reader->locale);
    free(reader);
}

void fl_json_fill(struct fl_json_reader *reader, size_t wanted)
{
    if (reader->ended)
        return;
    memmove(reader->buffer, reader->buffer + reader->at, reader->filled - reader->at);
    reader->filled -= reader->at;
    reader->at = 0;
    while (reader->filled < wanted && !reader->ended) {
        ssize_t got = reader->source.read(reader->source.arg, reader->buffer + reader->filled,
                                          sizeof(reader->buffer) - reader->filled);
        if (got < 0)
            reader->failure = (int)got;
        if (got <= 0)
            reader->ended = true;
        else
            reader->filled += (size_t)got;
    }
}

static bool is_space(int c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* The next byte that is no white space, not yet taken. */
static int skip_space(struct fl_json_reader *reader)
{
    int c;

    while (is_space(c = fl_json_peek(reader, 0)))
        fl_json_take(reader);
    return c;
}

/* ---- containers ---- */

static enum fl_json_event open_container(struct fl_json_reader *reader, char bracket)
{
    fl_json_take(reader);
    reader->open[reader->depth++] = bracket;
    reader->expected = bracket == '{' ? AWAIT_KEY : AWAIT_VALUE;
    return bracket == '{' ? FL_JSON_OBJECT : FL_JSON_ARRAY;
}

static enum fl_json_event close_container(struct fl_json_reader *reader)
{
    char bracket = reader->open[--reader->depth];

    reader->expected = AWAIT_COMMA;
    reader->line_start = true; /* a document may stand right behind another */
    return bracket == '{' ? FL_JSON_OBJECT_END : FL_JSON_ARRAY_END;
}

/* A container that is too deep: to its end, whatever is in it. */
static enum fl_json_event skip_deep(struct fl_json_reader *reader)
{
    size_t open = 0;
    int c;

    reader->mends[FL_JSON_TOO_DEEP]++;
    do {
        c = fl_json_peek(reader, 0);
        if (c == FL_JSON_EOF)
            break;
        fl_json_take(reader);
        open += c == '{' || c == '[';
        open -= c == '}' || c == ']';
        if (c == '"')
            (void)fl_json_read_string(reader);
    } while (open);
    return FL_JSON_BROKEN;
}

/* A closing bracket: ends the innermost container of its kind, and first those inside that. */
static bool closes(const struct fl_json_reader *reader, char bracket)
{
    for (size_t i = reader->depth; i > 0; i--)
        if (reader->open[i - 1] == bracket)
            return true;
    return false;
}

/* False: the bracket closes nothing and is passed over. */
static bool take_closing(struct fl_json_reader *reader, int c, enum fl_json_event *out)
{
    char opening = c == '}' ? '{' : '[';

    if (!closes(reader, opening)) {
        reader->mends[FL_JSON_BRACKETS]++;
        fl_json_take(reader);
        return false;
    }
    if (reader->open[reader->depth - 1] == opening)
        fl_json_take(reader);
    else
        reader->mends[FL_JSON_BRACKETS]++;
    *out = close_container(reader);
    return true;
}

/* ---- documents ---- */

/* To the brace that begins a document: the first character of a line but for blanks. */
static enum fl_json_event next_document(struct fl_json_reader *reader)
{
    bool other = false;
    int c;

    while ((c = fl_json_peek(reader, 0)) != FL_JSON_EOF) {
        if (c == '{' && reader->line_start) {
            reader->mends[FL_JSON_TEXT_AROUND] += other;
            reader->documents++;
            return open_container(reader, '{');
        }
        fl_json_take(reader);
        if (c == '\n') {
            reader->mends[FL_JSON_TEXT_AROUND] += other;
            other = false;
            reader->line_start = true;
        } else if (!is_space(c) && c != 0xef && c != 0xbb && c != 0xbf) {
            /* Not the mark that some editors put in front of UTF-8. */
            other = true;
            reader->line_start = false;
        }
    }
    reader->mends[FL_JSON_TEXT_AROUND] += other;
    return FL_JSON_END;
}

/* ---- members ---- */

static enum fl_json_event take_key(struct fl_json_reader *reader)
{
    fl_json_take(reader);
    if (!fl_json_read_string(reader))
        return FL_JSON_END;
    reader->expected = AWAIT_VALUE;
    if (skip_space(reader) == ':')
        fl_json_take(reader);
    else
        reader->mends[FL_JSON_UNREADABLE]++;
    return FL_JSON_KEY;
}

/* Something without a key: it gets an empty one, so that a value always has one. */
static enum fl_json_event make_key(struct fl_json_reader *reader)
{
    reader->mends[FL_JSON_UNREADABLE]++;
    fl_json_begin_text(reader);
    fl_json_end_text(reader);
    if (fl_json_peek(reader, 0) == ':')
        fl_json_take(reader);
    reader->expected = AWAIT_VALUE;
    return FL_JSON_KEY;
}

static enum fl_json_event take_value(struct fl_json_reader *reader, int c)
{
    bool in_object = reader->open[reader->depth - 1] == '{';

    reader->expected = AWAIT_COMMA;
    if ((c == '{' || c == '[') && reader->depth == FL_JSON_DEPTH)
        return skip_deep(reader);
    if (c == '{' || c == '[')
        return open_container(reader, (char)c);
    if (c == '"') {
        fl_json_take(reader);
        return fl_json_read_string(reader) ? FL_JSON_STRING : FL_JSON_END;
    }
    if (c == ':' || !c) {
        fl_json_take(reader);
        reader->mends[FL_JSON_UNREADABLE]++;
        return FL_JSON_BROKEN;
    }
    return fl_json_read_word(reader, in_object);
}

/* The value that a key needs and that is not there. */
static enum fl_json_event no_value(struct fl_json_reader *reader)
{
    reader->expected = AWAIT_COMMA;
    reader->mends[FL_JSON_UNREADABLE]++;
    return FL_JSON_BROKEN;
}

static enum fl_json_event next_in_document(struct fl_json_reader *reader)
{
    enum fl_json_event event;
    int c;

    while ((c = skip_space(reader)) != FL_JSON_EOF) {
        bool in_object = reader->open[reader->depth - 1] == '{';
        bool owes = in_object && reader->expected == AWAIT_VALUE;
        if (owes && (c == ',' || c == '}' || c == ']'))
            return no_value(reader);
        if (c == '}' || c == ']') {
            if (take_closing(reader, c, &event))
                return event;
        } else if (c == ',') {
            fl_json_take(reader);
            reader->expected = in_object ? AWAIT_KEY : AWAIT_VALUE;
        } else {
            reader->mends[FL_JSON_NO_COMMA] += reader->expected == AWAIT_COMMA;
            if (!in_object || owes)
                return take_value(reader, c);
            return c == '"' ? take_key(reader) : make_key(reader);
        }
    }
    return FL_JSON_END;
}

enum fl_json_event fl_json_next(struct fl_json_reader *reader)
{
    if (!reader->depth)
        return next_document(reader);
    enum fl_json_event event = next_in_document(reader);
    if (event == FL_JSON_END)
        reader->mends[FL_JSON_TRUNCATED] = 1;
    return event;
}

void fl_json_skip(struct fl_json_reader *reader, enum fl_json_event event)
{
    size_t depth = reader->depth;

    if (event != FL_JSON_OBJECT && event != FL_JSON_ARRAY)
        return;
    while (reader->depth >= depth)
        if (fl_json_next(reader) == FL_JSON_END)
            return;
}

const char *fl_json_mend_text(enum fl_json_mend mend)
{
    static const char *const texts[FL_JSON_MENDS] = {
        [FL_JSON_TRUNCATED] = "the file ends in the middle: what was complete is imported",
        [FL_JSON_UNREADABLE] = "values or keys that cannot be read",
        [FL_JSON_TOO_DEEP] = "containers nested too deep, skipped",
        [FL_JSON_TOO_LONG] = "texts longer than 65535 bytes, cut",
        [FL_JSON_BRACKETS] = "brackets that do not fit",
        [FL_JSON_NO_COMMA] = "missing commas",
        [FL_JSON_DIGIT_GROUPS] = "numbers written for people (1,234)",
        [FL_JSON_NOT_JSON_REAL] = "numbers that are NaN or infinite",
        [FL_JSON_CONTROL] = "control characters in text",
        [FL_JSON_QUOTES] = "quotes or backslashes in text without an escape",
        [FL_JSON_NOT_UTF8] = "bytes that are no UTF-8, replaced",
        [FL_JSON_TEXT_AROUND] = "lines of other text around the JSON, skipped",
    };

    return (size_t)mend < FL_JSON_MENDS ? texts[mend] : "";
}
