/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocking: reads the levels of the factor and chooses the blocks of `auto`.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "blocking.h"
#include "eigen-rule.h"
#include "faultline/factor.h"

#define THIS_MACHINE (-1)       /* a cache size that is to come from this machine */
#define SIZE_LIMIT   (1L << 24) /* of a given block: far above the largest dimension */
#define WANTED                                                                                     \
    "want auto, KCxMCxNC, or eigen-3.4: or eigen-master: with "                                    \
    "l1=BYTES|auto:l2=BYTES|auto[:l3=BYTES]:mr=N:nr=N"

/* A positive decimal number; moves *text behind it. 0 or -EINVAL. */
static int read_size(const char **text, size_t *size)
{
    char *end;
    long value;

    if (!isdigit((unsigned char)**text))
        return -EINVAL;
    errno = 0;
    value = strtol(*text, &end, 10);
    if (errno || value < 1 || value > SIZE_LIMIT)
        return -EINVAL;
    *size = (size_t)value;
    *text = end;
    return 0;
}

/* KCxMCxNC */
static int read_given(const char *level, struct fl_blocking *given)
{
    size_t *const sizes[] = {&given->kc, &given->mc, &given->nc};

    for (int i = 0; i < 3; i++) {
        if (i > 0 && *level++ != 'x')
            return -EINVAL;
        if (read_size(&level, sizes[i]))
            return -EINVAL;
    }
    return *level == '\0' ? 0 : -EINVAL;
}

/* Where the value of a key of an Eigen rule goes; NULL: no such key. */
static long long *rule_slot(struct fl_eigen_rule *rule, const char *key, size_t length,
                            enum fl_factor_type *type)
{
    const struct {
        const char *key;
        enum fl_factor_type type;
        long long *slot;
    } slots[] = {
        {"l1", FL_FACTOR_BYTES, &rule->l1}, {"l2", FL_FACTOR_BYTES, &rule->l2},
        {"l3", FL_FACTOR_BYTES, &rule->l3}, {"mr", FL_FACTOR_INT, &rule->mr},
        {"nr", FL_FACTOR_INT, &rule->nr},
    };

    for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
        if (strlen(slots[i].key) == length && strncmp(slots[i].key, key, length) == 0) {
            *type = slots[i].type;
            return slots[i].slot;
        }
    }
    return NULL;
}

/* One key=value; each key once. 0 or -EINVAL. */
static int read_pair(struct fl_eigen_rule *rule, const char *pair, size_t length)
{
    const char *equals = memchr(pair, '=', length);
    char value[32];
    enum fl_factor_type type;
    double number;

    if (!equals)
        return -EINVAL;
    long long *slot = rule_slot(rule, pair, (size_t)(equals - pair), &type);
    const size_t size = length - (size_t)(equals + 1 - pair);
    if (!slot || *slot != 0 || size >= sizeof(value))
        return -EINVAL;
    memcpy(value, equals + 1, size);
    value[size] = '\0';
    if (strcmp(value, "auto") == 0 && (slot == &rule->l1 || slot == &rule->l2)) {
        *slot = THIS_MACHINE;
        return 0;
    }
    if (fl_factor_number(type, value, &number) || !(number >= 1 && number <= 1e12) ||
        number != (double)(long long)number)
        return -EINVAL;
    *slot = (long long)number;
    return 0;
}

/* The text behind `eigen-3.4:` or `eigen-master:`. */
static int read_rule(const char *text, struct fl_eigen_rule *rule)
{
    while (true) {
        const size_t length = strcspn(text, ":");

        if (read_pair(rule, text, length))
            return -EINVAL;
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    if (!rule->l1 || !rule->l2 || !rule->mr || !rule->nr || rule->mr > 1024 || rule->nr > 1024)
        return -EINVAL;
    return 0;
}

enum form { FORM_AUTO, FORM_GIVEN, FORM_EIGEN };

/* What a level is, with its numbers. 0 or -EINVAL. */
static int read_level(const char *level, enum form *form, struct fl_blocking *given,
                      struct fl_eigen_rule *rule)
{
    static const char release[] = "eigen-3.4:", master[] = "eigen-master:";

    memset(given, 0, sizeof(*given));
    memset(rule, 0, sizeof(*rule));
    if (strcmp(level, "auto") == 0) {
        *form = FORM_AUTO;
        return 0;
    }
    *form = FORM_EIGEN;
    if (strncmp(level, release, sizeof(release) - 1) == 0)
        return read_rule(level + sizeof(release) - 1, rule);
    rule->master = true;
    if (strncmp(level, master, sizeof(master) - 1) == 0)
        return read_rule(level + sizeof(master) - 1, rule);
    *form = FORM_GIVEN;
    return read_given(level, given);
}

int fl_blocking_check(const char *level, struct fl_err *err)
{
    enum form form;
    struct fl_blocking given;
    struct fl_eigen_rule rule;

    if (read_level(level, &form, &given, &rule))
        return fl_fail(err, -EINVAL, "cannot use blocking '%s': " WANTED, level);
    return 0;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* `size` in the fewest parts of at most `limit`, all nearly equal, in whole units. */
static size_t even_parts(size_t size, size_t limit, size_t unit)
{
    const size_t parts = (size + limit - 1) / limit;
    const size_t part = (size + parts - 1) / parts;

    return min_size(size, (part + unit - 1) / unit * unit);
}

/*
 * Our own rule: a micro-panel of A takes half of the first level while those of B stream through
 * the rest, and a block of B an eighth of the second, so that its pages stay in the TLB too. Where
 * that holds all columns, A is packed panel by panel beside it; otherwise all of its rows for each
 * kc. syrk pays for the diagonal in each kc, so its panels may fill most of the first level.
 */
static struct fl_blocking choose(const struct fl_blocking_input *in)
{
    const size_t l1 = in->l1 ? in->l1 : 32 << 10, l2 = in->l2 ? in->l2 : 512 << 10;
    const size_t room = in->syrk ? l1 * 5 / 6 : l1 / 2;
    const size_t k_limit = room / (in->mr * in->scalar);
    struct fl_blocking b = {.align = in->lanes * in->scalar};

    b.kc = even_parts(in->k, k_limit > 8 ? k_limit : 8, 8);
    b.nc = even_parts(in->n, l2 / 8 / (b.kc * in->scalar) + in->nr, in->nr);
    b.mc = b.nc < in->n ? in->m : even_parts(in->m, l2 / 4 / (b.kc * in->scalar) + in->mr, in->mr);
    return b;
}

/* Puts this machine's caches where the rule says `auto`. 0, or -ENOTSUP: they are unknown. */
static int take_caches(struct fl_eigen_rule *rule, const struct fl_blocking_input *input)
{
    if (rule->l1 == THIS_MACHINE)
        rule->l1 = (long long)input->l1;
    if (rule->l2 == THIS_MACHINE)
        rule->l2 = (long long)input->l2;
    return rule->l1 && rule->l2 ? 0 : -ENOTSUP;
}

int fl_blocking_resolve(const char *level, const struct fl_blocking_input *input,
                        struct fl_blocking *blocking, struct fl_err *err)
{
    enum form form;
    struct fl_eigen_rule rule;

    if (read_level(level, &form, blocking, &rule))
        return fl_fail(err, -EINVAL, "cannot use blocking '%s': " WANTED, level);
    if (form == FORM_EIGEN && take_caches(&rule, input))
        return fl_fail(err, -ENOTSUP, "cannot use blocking '%s': this machine's caches are unknown",
                       level);
    if (form == FORM_EIGEN) {
        *blocking = fl_eigen_blocking(&rule, input);
    } else if (form == FORM_AUTO) {
        *blocking = choose(input);
    } else {
        blocking->kc = min_size(blocking->kc, input->k);
        blocking->mc = min_size(blocking->mc, input->m);
        blocking->nc = min_size(blocking->nc, input->n);
        blocking->align = input->lanes * input->scalar;
    }
    return 0;
}
