/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <string.h>

static bool fill(struct fl_lines *lines)
{
    ssize_t got = lines->ended
                      ? 0
                      : lines->source.read(lines->source.arg, lines->buffer, sizeof(lines->buffer));

    lines->at = 0;
    lines->filled = got > 0 ? (size_t)got : 0;
    lines->ended = got <= 0;
    if (got < 0)
        lines->failure = (int)got;
    return got > 0;
}

static void put(struct fl_lines *lines, char c)
{
    if (!c)
        c = ' ';
    if (lines->length < FL_LINE_MAX)
        lines->line[lines->length++] = c;
    else
        lines->cut = true;
}

bool fl_lines_next(struct fl_lines *lines, bool quoted)
{
    bool open = false, any = false;

    lines->length = 0;
    lines->cut = false;
    while (lines->at < lines->filled || fill(lines)) {
        char c = lines->buffer[lines->at++];
        any = true;
        if (c == '\n' && !open)
            break;
        open ^= quoted && c == '"';
        put(lines, c);
    }
    if (lines->length && lines->line[lines->length - 1] == '\r')
        lines->length--;
    lines->line[lines->length] = '\0';
    return any;
}
