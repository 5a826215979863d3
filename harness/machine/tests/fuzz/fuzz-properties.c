/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines `name=value` set into a list of properties: each name stands there once, with the last
 * value given to it, on one line.
 */
#include "fuzz.h"
#include "machine/properties.h"

static void set(struct fl_properties *list, char *line)
{
    char *value = strchr(line, '=');
    if (value)
        *value++ = 0;
    FL_FUZZ_HOLDS(fl_properties_set(list, line, "%s", value ? value : "") == 0);
    const char *kept = fl_properties_get(list, line);
    FL_FUZZ_HOLDS(kept && strlen(kept) == strlen(value ? value : ""));
    for (; *kept; kept++)
        FL_FUZZ_HOLDS((unsigned char)*kept >= 0x20 && *kept != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_properties list = {.count = 0};
    char *text = fl_fuzz_text(data, size), *line = text;
    while (line) {
        char *newline = strchr(line, '\n');
        if (newline)
            *newline++ = 0;
        set(&list, line);
        line = newline;
    }
    for (size_t i = 1; i < list.count; i++)
        FL_FUZZ_HOLDS(strcmp(list.items[0].name, list.items[i].name) != 0);
    fl_properties_clear(&list);
    free(text);
    return 0;
}
