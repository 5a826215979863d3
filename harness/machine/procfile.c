/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsers of /proc and /sys texts.
 */
#include "machine/procfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Copies [start, end) without the white space around it. */
static bool copy_trimmed(const char *start, const char *end, char *out, size_t size)
{
    while (start < end && is_blank(*start))
        start++;
    while (end > start && is_blank(end[-1]))
        end--;
    size_t length = (size_t)(end - start);
    if (length >= size)
        return false;
    memcpy(out, start, length);
    out[length] = '\0';
    return true;
}

/* Behind `key`, blanks and `separator` at the start of a line, or NULL. */
static const char *after_key(const char *line, const char *key, char separator)
{
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0)
        return NULL;
    line += length;
    while (is_blank(*line))
        line++;
    return *line == separator ? line + 1 : NULL;
}

static bool find_value(const char *text, const char *key, char separator, char *out, size_t size)
{
    out[0] = '\0';
    while (*text != '\0') {
        const char *end = text + strcspn(text, "\n");
        const char *value = after_key(text, key, separator);
        if (value != NULL)
            return copy_trimmed(value, end, out, size);
        text = end + (*end == '\n');
    }
    return false;
}

bool fl_proc_field(const char *text, const char *key, char *out, size_t size)
{
    return find_value(text, key, ':', out, size);
}

bool fl_proc_bytes(const char *text, const char *key, unsigned long long *out)
{
    char value[64], *end;
    if (!fl_proc_field(text, key, value, sizeof value) || value[0] == '-')
        return false;
    unsigned long long number = strtoull(value, &end, 10);
    if (end == value || number > ~0ull / 1024)
        return false;
    *out = strcmp(end, " kB") == 0 ? number * 1024 : number;
    return true;
}

bool fl_proc_assignment(const char *text, const char *key, char *out, size_t size)
{
    if (!find_value(text, key, '=', out, size))
        return false;
    size_t length = strlen(out);
    if (length >= 2 && out[0] == '"' && out[length - 1] == '"') {
        memmove(out, out + 1, length - 2);
        out[length - 2] = '\0';
    }
    return true;
}

bool fl_proc_choice(const char *text, char *out, size_t size)
{
    const char *open = strchr(text, '[');
    const char *close = open != NULL ? strchr(open, ']') : NULL;
    if (close != NULL && copy_trimmed(open + 1, close, out, size))
        return true;
    snprintf(out, size, "%s", text);
    return false;
}

bool fl_proc_has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    while (*text != '\0') {
        size_t this = strcspn(text, " \t\n");
        if (this == length && memcmp(text, word, length) == 0)
            return true;
        text += this;
        text += strspn(text, " \t\n");
    }
    return false;
}

static bool has_all(const char *flags, const char *const *words)
{
    for (; *words != NULL; words++)
        if (!fl_proc_has_word(flags, *words))
            return false;
    return true;
}

static unsigned x86_level(const char *flags)
{
    static const char *const needs[][11] = {
        {"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3", NULL},
        {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave", NULL},
        {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", NULL},
    };
    unsigned level = 1;
    while (level <= sizeof needs / sizeof *needs && has_all(flags, needs[level - 1]))
        level++;
    return level;
}

void fl_proc_isa_level(const char *machine, const char *flags, char *out, size_t size)
{
    if (strcmp(machine, "x86_64") == 0)
        snprintf(out, size, "x86-64-v%u", x86_level(flags));
    else if (strcmp(machine, "aarch64") == 0)
        snprintf(out, size, "aarch64%s",
                 fl_proc_has_word(flags, "sve2")  ? "+sve2"
                 : fl_proc_has_word(flags, "sve") ? "+sve"
                                                  : "");
    else
        snprintf(out, size, "%s", machine);
}
