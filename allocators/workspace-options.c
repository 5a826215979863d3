/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of the `name=number` options of workspaces. */
#include "workspace-options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "faultline/factor.h"

enum { OPTION_MAX = 64, OPTIONS_MAX = 32, ACCEPTED_MAX = 256 };

/* Writes what a row accepts: `limit=BYTES, 0 to 1048576 (64K, 1M)`, `slots=N, 1 to 65536`. */
static int describe_one(const struct fl_ws_option *o, char *out, size_t size)
{
    char steps[OPTION_MAX] = "";
    if (o->step)
        snprintf(steps, sizeof steps, " in steps of %zu", o->step);
    return snprintf(out, size, "%s=%s, %zu to %zu%s%s", o->name, o->counts ? "N" : "BYTES", o->min,
                    o->max, steps, o->counts || o->step ? "" : " (64K, 1M)");
}

static void describe(const struct fl_ws_option *table, char *out, size_t size)
{
    size_t used = 0;
    for (const struct fl_ws_option *o = table; o->name && used < size; o++) {
        if (o != table)
            used += (size_t)snprintf(out + used, size - used, "; ");
        if (used < size)
            used += (size_t)describe_one(o, out + used, size - used);
    }
}

static int refuse(const char *workspace, const char *word, const char *what,
                  const struct fl_ws_option *table, struct fl_err *err)
{
    char accepted[ACCEPTED_MAX] = "";
    describe(table, accepted, sizeof accepted);
    return fl_fail(err, -EINVAL, "workspace '%s': option '%.60s' %s; it takes %s", workspace, word,
                   what, accepted);
}

static int read_one(const char *workspace, const char *word, const struct fl_ws_option *table,
                    unsigned *seen, struct fl_err *err)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    for (unsigned i = 0; table[i].name; i++) {
        if (strlen(table[i].name) != length || strncmp(table[i].name, word, length))
            continue;
        double number;
        enum fl_factor_type type = table[i].counts ? FL_FACTOR_INT : FL_FACTOR_BYTES;
        if (!equals || fl_factor_number(type, equals + 1, &number))
            return refuse(workspace, word,
                          table[i].counts ? "is not a number" : "is not a number of bytes", table,
                          err);
        if (number < (double)table[i].min || number > (double)table[i].max ||
            (table[i].step && (size_t)number % table[i].step))
            return refuse(workspace, word, "is out of range", table, err);
        if (*seen & 1u << i)
            return refuse(workspace, word, "is given twice", table, err);
        *seen |= 1u << i;
        *table[i].value = (size_t)number;
        return 0;
    }
    return refuse(workspace, word, "is unknown", table, err);
}

int fl_ws_options_read(const char *workspace, const char *text, const struct fl_ws_option *table,
                       struct fl_err *err)
{
    unsigned seen = 0;
    int rc = 0;
    while (*text && !rc) {
        char word[OPTION_MAX];
        size_t length = strcspn(text, ":");
        if (length >= sizeof word)
            return refuse(workspace, text, "is too long", table, err);
        memcpy(word, text, length);
        word[length] = '\0';
        rc = read_one(workspace, word, table, &seen, err);
        text += length + (text[length] == ':');
    }
    return rc;
}

int fl_ws_options_none(const char *workspace, const char *text, struct fl_err *err)
{
    if (!*text)
        return 0;
    return fl_fail(err, -EINVAL, "workspace '%s': option '%.60s' is unknown; it takes none",
                   workspace, text);
}
