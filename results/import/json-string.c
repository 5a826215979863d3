/* SPDX-License-Identifier: Apache-2.0 */
/* Strings: escapes, and what old writers left without one. */
#include "json-input.h"

#define REPLACEMENT 0xfffd

/* Bytes that stand for themselves, up to the next one that needs a look. */
static size_t plain_run(const char *from, size_t count)
{
    size_t i = 0;

    while (i < count) {
        unsigned char c = (unsigned char)from[i];
        if (c == '"' || c == '\\' || c < 0x20 || c >= 0x80)
            break;
        i++;
    }
    return i;
}

static void put_character(struct fl_json_reader *reader, uint32_t code)
{
    char bytes[4];
    size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

    for (size_t i = count - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    bytes[0] = (char)(lead[count] | code);
    fl_json_put(reader, bytes, count);
}

static void replace(struct fl_json_reader *reader)
{
    reader->mends[FL_JSON_NOT_UTF8]++;
    put_character(reader, REPLACEMENT);
}

/* ---- UTF-8 ---- */

/* Length of the sequence that a byte leads; 0: none. `least` and `most`: of the second byte. */
static size_t sequence(int lead, int *least, int *most)
{
    *least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    *most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef)
        return 3;
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

static void take_utf8(struct fl_json_reader *reader)
{
    int least, most;
    size_t length = sequence(fl_json_peek(reader, 0), &least, &most), good = 1;

    while (good < length) {
        int c = fl_json_peek(reader, good);
        if (c < least || c > most)
            break;
        least = 0x80;
        most = 0xbf;
        good++;
    }
    if (length && good == length)
        fl_json_put(reader, reader->buffer + reader->at, length);
    else
        replace(reader);
    reader->at += good;
}

/* ---- escapes ---- */

static int hex_digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The four digits that stand `ahead` of the next byte; -1: not four. */
static int32_t peek_unit(struct fl_json_reader *reader, size_t ahead)
{
    int32_t unit = 0;

    for (size_t i = 0; i < 4; i++) {
        int digit = hex_digit(fl_json_peek(reader, ahead + i));
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static bool within(int32_t unit, int32_t from)
{
    return unit >= from && unit < from + 0x400;
}

/* From the backslash of \uXXXX on; a pair of surrogates is one character. */
static bool take_unit(struct fl_json_reader *reader)
{
    int32_t unit = peek_unit(reader, 2), low = -1;

    if (unit < 0)
        return false;
    reader->at += 6;
    if (within(unit, 0xd800) && fl_json_peek(reader, 0) == '\\' && fl_json_peek(reader, 1) == 'u')
        low = peek_unit(reader, 2);
    if (within(low, 0xdc00)) {
        reader->at += 6;
        put_character(reader, 0x10000 + (((uint32_t)unit & 0x3ff) << 10) + ((uint32_t)low & 0x3ff));
    } else if (!unit || within(unit, 0xd800) || within(unit, 0xdc00)) {
        replace(reader); /* no text of ours holds a NUL */
    } else {
        put_character(reader, (uint32_t)unit);
    }
    return true;
}

/* From a backslash on. One before anything else stands for itself: names used not to be escaped. */
static void take_escape(struct fl_json_reader *reader)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    int c = fl_json_peek(reader, 1);
    const char *found = c > 0 ? strchr(names, c) : NULL;

    if (c == 'u' && take_unit(reader))
        return;
    if (found) {
        reader->at += 2;
        fl_json_put(reader, &meant[found - names], 1);
        return;
    }
    fl_json_take(reader);
    reader->mends[FL_JSON_QUOTES]++;
    fl_json_put(reader, "\\", 1);
}

/* ---- all ---- */

/* A quote ends the string unless a letter follows, or anything else that never follows a string. */
static void take_quote(struct fl_json_reader *reader, bool *closed)
{
    fl_json_take(reader);
    int c = fl_json_peek(reader, 0);
    *closed = c == FL_JSON_EOF || !c || strchr(",:}]\" \t\r\n", c) != NULL;
    if (*closed)
        return;
    reader->mends[FL_JSON_QUOTES]++;
    fl_json_put(reader, "\"", 1);
}

static void take_control(struct fl_json_reader *reader)
{
    if (reader->buffer[reader->at]) {
        reader->mends[FL_JSON_CONTROL]++;
        fl_json_put(reader, reader->buffer + reader->at, 1);
    } else {
        replace(reader);
    }
    fl_json_take(reader);
}

bool fl_json_read_string(struct fl_json_reader *reader)
{
    bool closed = false;

    fl_json_begin_text(reader);
    while (!closed) {
        size_t run = plain_run(reader->buffer + reader->at, reader->filled - reader->at);
        fl_json_put(reader, reader->buffer + reader->at, run);
        reader->at += run;
        int c = fl_json_peek(reader, 0);
        if (c == FL_JSON_EOF)
            break;
        if (c >= 0x80) {
            take_utf8(reader);
        } else if (c == '\\') {
            take_escape(reader);
        } else if (c == '"') {
            take_quote(reader, &closed);
        } else if (c < 0x20) {
            take_control(reader);
        }
    }
    fl_json_end_text(reader);
    return closed;
}
