/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growable list of name=value pairs.
 */
#include "machine/properties.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fl_property *find(const struct fl_properties *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    return NULL;
}

static void make_one_line(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = ' ';
}

/* Room for one more item. */
static int reserve(struct fl_properties *list)
{
    if (list->count < list->capacity)
        return 0;
    size_t capacity = list->capacity != 0 ? 2 * list->capacity : 64;
    struct fl_property *items = realloc(list->items, capacity * sizeof *items);
    if (items == NULL)
        return -ENOMEM;
    list->items = items;
    list->capacity = capacity;
    return 0;
}

/* Takes `value` over on success. */
static int add(struct fl_properties *list, const char *name, char *value)
{
    if (reserve(list) != 0)
        return -ENOMEM;
    char *own_name = strdup(name);
    if (own_name == NULL)
        return -ENOMEM;
    list->items[list->count++] = (struct fl_property){.name = own_name, .value = value};
    return 0;
}

int fl_properties_set(struct fl_properties *list, const char *name, const char *format, ...)
{
    char *value;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&value, format, args);
    va_end(args);
    if (length < 0)
        return -ENOMEM;
    make_one_line(value);
    struct fl_property *old = find(list, name);
    if (old != NULL) {
        free(old->value);
        old->value = value;
        return 0;
    }
    int status = add(list, name, value);
    if (status != 0)
        free(value);
    return status;
}

const char *fl_properties_get(const struct fl_properties *list, const char *name)
{
    const struct fl_property *property = find(list, name);
    return property != NULL ? property->value : NULL;
}

void fl_properties_clear(struct fl_properties *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].name);
        free(list->items[i].value);
    }
    free(list->items);
    *list = (struct fl_properties){0};
}
