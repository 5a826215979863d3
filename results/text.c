/* SPDX-License-Identifier: Apache-2.0 */
#include "results/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ESCAPED_MAX 10 /* bytes: \u{10ffff} */

char *fl_text_copy(struct fl_arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;
    char *out = fl_arena_alloc(arena, size, 1);

    return out ? memcpy(out, text, size) : NULL;
}

char *fl_text_format(struct fl_arena *arena, const char *format, va_list values)
{
    va_list again;

    va_copy(again, values);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *out = length < 0 ? NULL : fl_arena_alloc(arena, (size_t)length + 1, 1);
    if (out)
        vsnprintf(out, (size_t)length + 1, format, values);
    return out;
}

/* Length of the UTF-8 character at `text`, its number in *code; 0 where there is none. */
static size_t decode(const unsigned char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = text[0] < 0x80   ? 1
                    : text[0] < 0xc0 ? 0
                    : text[0] < 0xe0 ? 2
                    : text[0] < 0xf0 ? 3
                    : text[0] < 0xf8 ? 4
                                     : 0;

    *code = length < 2 ? text[0] : text[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    if (length == 0 || *code < least[length] || *code > 0x10ffff || surrogate)
        return 0;
    return length;
}

/* Control characters, those that a terminal shows elsewhere, as nothing, or as line ends, and codes
 * that are no characters, which XML forbids. */
static bool is_treacherous(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code >= 0xe0000) ||
           (code & 0xfffe) == 0xfffe;
}

char *fl_text_for_terminal(struct fl_arena *arena, const char *text)
{
    const unsigned char *in = (const unsigned char *)text;
    char *out = fl_arena_alloc(arena, strlen(text) * ESCAPED_MAX + 1, 1);
    size_t used = 0;
    uint32_t code;

    while (out && *in) {
        size_t length = decode(in, &code);
        if (length && !is_treacherous(code)) {
            memcpy(out + used, in, length);
            used += length;
        } else if (length > 1) {
            used += (size_t)sprintf(out + used, "\\u{%x}", (unsigned)code);
        } else {
            used += (size_t)sprintf(out + used, "\\x%02x", *in);
        }
        in += length ? length : 1;
    }
    return out;
}

char *fl_text_as_utf8(struct fl_arena *arena, const char *text)
{
    const unsigned char *in = (const unsigned char *)text;
    char *out = fl_arena_alloc(arena, strlen(text) * 3 + 1, 1);
    size_t used = 0;
    uint32_t code;

    while (out && *in) {
        size_t length = decode(in, &code);
        memcpy(out + used, length ? (const char *)in : "\xef\xbf\xbd", length ? length : 3);
        used += length ? length : 3;
        in += length ? length : 1;
    }
    return out;
}

size_t fl_text_columns(const char *text)
{
    size_t columns = 0;

    for (; *text; text++)
        columns += ((unsigned char)*text & 0xc0) != 0x80;
    return columns;
}
