/* SPDX-License-Identifier: Apache-2.0 */
/* Name=value pairs in a fixed store, so that the measured process need not allocate. */
#include "faultline/facts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct fl_fact *find(struct fl_facts *facts, const char *name)
{
    for (size_t i = 0; i < facts->count; i++)
        if (!strcmp(facts->items[i].name, name))
            return &facts->items[i];
    return NULL;
}

/* Copies `text` to the end of the store; NULL when it does not fit. */
static char *keep(struct fl_facts *facts, const char *text)
{
    size_t bytes = strlen(text) + 1;
    if (bytes > sizeof facts->store - facts->used)
        return NULL;
    char *copy = facts->store + facts->used;
    memcpy(copy, text, bytes);
    facts->used += bytes;
    return copy;
}

int fl_facts_set(struct fl_facts *facts, const char *name, const char *format, ...)
{
    char value[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    for (char *c = value; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    struct fl_fact *fact = find(facts, name);
    if (!fact && facts->count == FL_FACTS_MAX)
        return -E2BIG;
    const char *kept_name = fact ? fact->name : keep(facts, name);
    const char *kept_value = keep(facts, value);
    if (!kept_name || !kept_value)
        return -E2BIG;
    if (!fact)
        fact = &facts->items[facts->count++];
    *fact = (struct fl_fact){kept_name, kept_value};
    return 0;
}

const char *fl_facts_get(const struct fl_facts *facts, const char *name)
{
    for (size_t i = 0; i < facts->count; i++)
        if (!strcmp(facts->items[i].name, name))
            return facts->items[i].value;
    return NULL;
}
