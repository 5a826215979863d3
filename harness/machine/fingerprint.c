/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fingerprints: fields in canonical order, their text and their comparison.
 */
#include "machine/fingerprint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/cell.h"
#include "machine/environment.h"

static const char *const order[] = {"isa",      "page",   "thp",     "libc",    "kernel",
                                    "blocking", "malloc", "library", "threads", NULL};

static size_t rank(const char *name)
{
    size_t i = 0;
    while (order[i] != NULL && strcmp(order[i], name) != 0)
        i++;
    return i;
}

static int compare_names(const char *a, const char *b)
{
    size_t rank_a = rank(a), rank_b = rank(b);
    if (rank_a != rank_b)
        return rank_a < rank_b ? -1 : 1;
    return strcmp(a, b);
}

static int compare_fields(const void *a, const void *b)
{
    return compare_names(((const struct fl_property *)a)->name,
                         ((const struct fl_property *)b)->name);
}

int fl_fingerprint_set(struct fl_fingerprint *fingerprint, const char *name, const char *value)
{
    if (name[0] == '\0' || strpbrk(name, " \t\n=\"\\") != NULL)
        return -EINVAL;
    int status = fl_properties_set(&fingerprint->fields, name, "%s", value);
    if (status == 0)
        qsort(fingerprint->fields.items, fingerprint->fields.count,
              sizeof *fingerprint->fields.items, compare_fields);
    return status;
}

static const char *known(const struct fl_properties *environment, const char *name)
{
    return fl_environment_knows(environment, name) ? fl_properties_get(environment, name)
                                                   : "unknown";
}

/* "always" and the sizes that are on: what decides how many pages one fault brings. */
static int set_thp(const struct fl_properties *environment, struct fl_fingerprint *out)
{
    char text[1200];
    const char *sizes = fl_properties_get(environment, "thp.sizes");
    if (sizes == NULL || strcmp(sizes, FL_ABSENT) == 0)
        sizes = "none";
    snprintf(text, sizeof text, "%s %s", known(environment, "thp.enabled"), sizes);
    return fl_fingerprint_set(out, "thp", text);
}

static int set_kernel(const struct fl_properties *environment, struct fl_fingerprint *out)
{
    char major_number[32];
    const char *release = known(environment, "kernel.release");
    snprintf(major_number, sizeof major_number, "%.*s", (int)strcspn(release, ".-"), release);
    return fl_fingerprint_set(out, "kernel", major_number);
}

static int set_libc(const struct fl_properties *environment, struct fl_fingerprint *out)
{
    char text[256];
    snprintf(text, sizeof text, "%s %s", known(environment, "libc.version"),
             known(environment, "libc.build-id"));
    return fl_fingerprint_set(out, "libc", text);
}

int fl_fingerprint_of_machine(const struct fl_properties *environment, struct fl_fingerprint *out)
{
    int status = fl_fingerprint_set(out, "isa", known(environment, "cpu.isa-level"));
    if (status == 0)
        status = fl_fingerprint_set(out, "page", known(environment, "memory.page-bytes"));
    if (status == 0)
        status = set_thp(environment, out);
    if (status == 0)
        status = set_libc(environment, out);
    return status == 0 ? set_kernel(environment, out) : status;
}

void fl_fingerprint_release(struct fl_fingerprint *fingerprint)
{
    fl_properties_clear(&fingerprint->fields);
}

/* One byte; false where there is no room for it and a NUL. */
static bool put(char *out, size_t size, size_t *used, char c)
{
    if (*used + 1 >= size)
        return false;
    out[(*used)++] = c;
    out[*used] = '\0';
    return true;
}

static bool put_value(char *out, size_t size, size_t *used, const char *value)
{
    bool fits = put(out, size, used, '"');
    for (; *value != '\0' && fits; value++) {
        if (*value == '"' || *value == '\\')
            fits = put(out, size, used, '\\');
        fits = fits && put(out, size, used, *value);
    }
    return fits && put(out, size, used, '"');
}

static bool put_plain(char *out, size_t size, size_t *used, const char *text)
{
    bool fits = true;
    for (; *text != '\0' && fits; text++)
        fits = put(out, size, used, *text);
    return fits;
}

int fl_fingerprint_text(const struct fl_fingerprint *fingerprint, char *out, size_t size)
{
    size_t used = 0;
    bool fits = size > 0;
    if (fits)
        out[0] = '\0';
    for (size_t i = 0; i < fingerprint->fields.count && fits; i++) {
        const struct fl_property *field = &fingerprint->fields.items[i];
        bool plain = field->value[0] != '\0' && strpbrk(field->value, " \t,:=\"\\") == NULL;
        fits = (i == 0 || put(out, size, &used, ' ')) && put_plain(out, size, &used, field->name) &&
               put(out, size, &used, '=') &&
               (plain ? put_plain : put_value)(out, size, &used, field->value);
    }
    return fits ? 0 : -E2BIG;
}

int fl_fingerprint_parse(const char *text, struct fl_fingerprint *out, struct fl_err *err)
{
    char name[64], value[FL_FINGERPRINT_TEXT_MAX];
    int got;
    while ((got = fl_cell_split(&text, name, sizeof name, value, sizeof value, err)) == 1) {
        int status = fl_fingerprint_set(out, name, value);
        if (status != 0)
            return fl_fail(err, status, "cannot take fingerprint field '%s'", name);
    }
    return got;
}

const char *fl_fingerprint_differs(const struct fl_fingerprint *a, const struct fl_fingerprint *b)
{
    size_t i = 0;
    for (; i < a->fields.count && i < b->fields.count; i++) {
        const struct fl_property *in_a = &a->fields.items[i], *in_b = &b->fields.items[i];
        int names = compare_names(in_a->name, in_b->name);
        if (names != 0)
            return names < 0 ? in_a->name : in_b->name;
        if (strcmp(in_a->value, in_b->value) != 0)
            return in_a->name;
    }
    if (i < a->fields.count)
        return a->fields.items[i].name;
    return i < b->fields.count ? b->fields.items[i].name : NULL;
}

uint64_t fl_fingerprint_hash(const struct fl_fingerprint *fingerprint)
{
    char text[FL_FINGERPRINT_TEXT_MAX];
    if (fl_fingerprint_text(fingerprint, text, sizeof text) != 0)
        return 0;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return hash;
}
