/* SPDX-License-Identifier: Apache-2.0 */
/* Sides, from their text to their files. */
#include "runner/side.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faultline/library.h"
#include "faultline/registry.h"
#include "runner/plugins.h"
#include "runner/scenario-keys.h"
#include "runner/side-subjects.h"

void fl_side_plain(struct fl_side *side, const struct fl_scenario *scenario, const char *worker)
{
    *side = (struct fl_side){
        .asked = {.text = "", .worker = worker},
        .ops = &fl_worker_side_ops,
        .scenario = scenario,
        .folder = {.lock = -1},
    };
    snprintf(side->worker, sizeof side->worker, "%s", worker);
}

/* ---- words ---- */

/* Room for a level in which every character is quoted. */
#define QUOTED_MAX (2 * FL_LEVEL_MAX + 3)

/* As one level of a list, whatever is in it. */
static void quote(const char *level, char out[QUOTED_MAX])
{
    char *to = out;
    *to++ = '"';
    for (; *level && to < out + QUOTED_MAX - 4; level++) {
        if (*level == '"' || *level == '\\')
            *to++ = '\\';
        *to++ = *level;
    }
    *to++ = '"';
    *to = 0;
}

struct named_level {
    const char *factor, *level;
};

static int try_level(void *arg, struct fl_rehearsal *rehearsal, struct fl_err *err)
{
    const struct named_level *named = arg;
    snprintf(rehearsal->stage, sizeof rehearsal->stage, "in check() of factor '%s'", named->factor);
    return fl_registry_check_level(named->factor, named->level, err);
}

static int take_level(struct fl_side *side, const char *factor, const char *level,
                      struct fl_err *err)
{
    for (size_t i = 0; i < side->named_count; i++)
        if (!strcmp(side->named[i].factor, factor))
            return fl_fail(err, -EINVAL, "'%s' is named twice", factor);
    if (side->named_count == FL_SIDE_WORDS)
        return fl_fail(err, -E2BIG, "more than %d factors", FL_SIDE_WORDS);
    char quoted[QUOTED_MAX];
    quote(level, quoted);
    struct named_level asked = {factor, level};
    int rc = fl_plugins_rehearse(try_level, &asked, err);
    if (!rc)
        rc = fl_registry_check_level(factor, level, err);
    if (!rc && !side->limited)
        rc = fl_scenario_set(side->asked.scenario, factor, quoted, err);
    if (rc)
        return rc;
    struct fl_side_level *named = &side->named[side->named_count++];
    snprintf(named->factor, sizeof named->factor, "%s", factor);
    snprintf(named->level, sizeof named->level, "%s", level);
    return 0;
}

/* `git:REVISION`, which is no NAME=LEVEL, off the text. 1: got one; 0: there is none; -errno. */
static int take_revision(struct fl_side *side, const char **text, struct fl_err *err)
{
    char word[256];
    const char *start = *text + strspn(*text, " ");
    size_t length = strcspn(start, " ");
    const struct fl_side_subject *subject = fl_side_subject_of(start);
    if (!subject || strchr(subject->start, '='))
        return 0;
    if (length >= sizeof word)
        return fl_fail(err, -EINVAL, "a word has more than %zu bytes", sizeof word - 1);
    memcpy(word, start, length);
    word[length] = 0;
    *text = start + length;
    int rc = subject->open(side, word + strlen(subject->start), err);
    return rc ? rc : 1;
}

/* One word off the text. 1: got one; 0: no more; -errno. */
static int take_word(struct fl_side *side, const char **text, struct fl_err *err)
{
    char name[64], value[FL_CELL_KEY_MAX], word[sizeof name + sizeof value];
    int taken = side->limited ? 0 : take_revision(side, text, err);
    if (taken)
        return taken;
    int rc = fl_cell_split(text, name, sizeof name, value, sizeof value, err);
    if (rc <= 0)
        return rc;
    snprintf(word, sizeof word, "%s=%s", name, value);
    const struct fl_side_subject *subject = fl_side_subject_of(word);
    if (subject && side->limited)
        return fl_fail(err, -EINVAL, "'%s' cannot be limited to some cells: only factors can",
                       subject->start);
    rc = subject ? subject->open(side, word + strlen(subject->start), err)
                 : take_level(side, name, value, err);
    return rc ? rc : 1;
}

/* The ':' of `SELECTOR : FACTOR=LEVEL`, with spaces around it and not in quotes; or NULL. */
static const char *find_colon(const char *text)
{
    bool quoted = false;
    for (const char *at = text; *at; at++) {
        if (*at == '\\' && quoted && at[1])
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted && !strncmp(at, " : ", 3))
            return at + 1;
    }
    return NULL;
}

static int take_limit(struct fl_side *side, const char **text, struct fl_err *err)
{
    const char *colon = find_colon(*text), *end = *text;
    if (!colon)
        return 0;
    int rc = fl_rule_parse_selector(&end, FL_RULE_KNOWN_NAMES, &side->limit, err);
    if (rc)
        return rc;
    if (end != colon || fl_rule_asks_facts(&side->limit))
        return fl_fail(err, -EINVAL, "expected SELECTOR : FACTOR=LEVEL, a selector without facts");
    side->limited = true;
    *text = colon + 1;
    return 0;
}

static int take_text(struct fl_side *side, struct fl_err *err)
{
    const char *text = side->asked.text;
    int rc = take_limit(side, &text, err);
    if (rc)
        return rc;
    while ((rc = take_word(side, &text, err)) > 0)
        ;
    if (!rc && side->ops != &fl_worker_side_ops &&
        (side->named_count || side->library_count || side->plugin_count))
        return fl_fail(err, -EINVAL,
                       "'%.64s' has no effect on a program that is not faultline's: leave it out",
                       side->named_count     ? side->named[0].factor
                       : side->library_count ? "library="
                                             : "plugin=");
    if (!rc && side->limited && !side->named_count)
        return fl_fail(err, -EINVAL, "no FACTOR=LEVEL behind ':'");
    return rc;
}

int fl_side_open(struct fl_side *side, const struct fl_side_request *request, struct fl_err *err)
{
    fl_side_plain(side, request->scenario, request->worker);
    side->asked = *request;
    int rc = take_text(side, err);
    if (!rc)
        return 0;
    fl_side_close(side);
    return fl_fail_within(err, rc, "'%.200s'", request->text);
}

/* ---- programs and libraries ---- */

int fl_side_path(const struct fl_side *side, const char *path, char out[PATH_MAX],
                 struct fl_err *err)
{
    bool below = side->root[0] && *path != '/';
    int length = snprintf(out, PATH_MAX, "%s%s%s", below ? side->root : "", below ? "/" : "", path);
    return length < PATH_MAX ? 0 : fl_fail(err, -ENAMETOOLONG, "too long a path: '%.200s'", path);
}

int fl_side_set_worker(struct fl_side *side, const char *given, struct fl_err *err)
{
    char path[PATH_MAX];
    int rc = fl_side_path(side, given, path, err);
    if (rc)
        return rc;
    char *whole = realpath(path, NULL);
    if (!whole)
        return fl_fail(err, -errno, "cannot run '%s': %s", path, strerror(errno));
    rc = access(whole, X_OK) ? -errno : 0;
    if (!rc && strlen(whole) >= sizeof side->worker - 64)
        rc = -ENAMETOOLONG;
    if (rc) {
        free(whole);
        return fl_fail(err, rc, "cannot run '%s': %s", path, strerror(-rc));
    }
    snprintf(side->worker, sizeof side->worker, "%s", whole);
    free(whole);
    /* A build reads its own probe best: what they share may have changed since. */
    char *slash = strrchr(side->worker, '/');
    snprintf(side->probe, sizeof side->probe, "%.*s/../lib/libfaultline-probe.so",
             (int)(slash - side->worker), side->worker);
    if (access(side->probe, R_OK))
        side->probe[0] = 0;
    return 0;
}

/* The only library that the scenario's cells have beside our own; NULL: none or several. */
static const char *only_library(const struct fl_scenario *scenario)
{
    const char *found = NULL;
    for (size_t i = 0; i < scenario->factor_count; i++) {
        const struct fl_scenario_factor *factor = &scenario->factors[i];
        for (size_t j = 0; j < factor->count && !strcmp(factor->name, "library"); j++) {
            if (!strcmp(factor->levels[j].text, FL_OWN_LIBRARY))
                continue;
            if (found)
                return NULL;
            found = factor->levels[j].text;
        }
    }
    return found;
}

int fl_side_set_library(struct fl_side *side, const char *alias, const char *given,
                        struct fl_err *err)
{
    char path[PATH_MAX];
    struct fl_scenario *scenario = side->asked.scenario;
    struct fl_library_place place;
    if (!alias && !(alias = only_library(scenario)))
        return fl_fail(err, -EINVAL,
                       "the scenario has not one library but none or several: write "
                       "library=ALIAS:PATH");
    if (side->library_count == FL_SIDE_WORDS)
        return fl_fail(err, -E2BIG, "more than %d libraries", FL_SIDE_WORDS);
    int rc = fl_side_path(side, given, path, err);
    const struct fl_ini_line line = {.section = "libraries", .key = alias, .value = path};
    if (!rc)
        rc = fl_scenario_take(scenario, &line, err);
    if (!rc)
        rc = fl_library_find(alias, path, NULL, &place, err);
    for (size_t i = 0; !rc && i < scenario->library_count; i++)
        if (!strcmp(scenario->libraries[i].alias, alias))
            side->libraries[side->library_count++] = scenario->libraries[i].alias;
    return rc;
}

int fl_side_set_plugin(struct fl_side *side, const char *given, struct fl_err *err)
{
    char path[PATH_MAX], whole[PATH_MAX];
    const struct fl_plugin_file *loaded;
    if (side->plugin_count == FL_SIDE_WORDS)
        return fl_fail(err, -E2BIG, "more than %d plug-ins", FL_SIDE_WORDS);
    int rc = fl_side_path(side, given, path, err);
    if (!rc)
        rc = fl_plugins_find_loaded(path, &loaded, err);
    if (rc)
        return rc;
    if (!loaded)
        return fl_fail(err, -ENOENT,
                       "no plug-in with the kernels of '%.200s' is loaded: name one by --plugin",
                       given);
    if (!realpath(path, whole))
        return fl_fail(err, -errno, "cannot load plug-in '%.200s': %s", path, strerror(errno));
    side->plugins[side->plugin_count++] = loaded->path;
    return fl_scenario_set_plugin(side->asked.scenario, loaded->path, whole, NULL, err);
}

int fl_side_use_plugins(const char *text, struct fl_err *err)
{
    char name[64], value[FL_CELL_KEY_MAX];
    if (find_colon(text) || !strncmp(text, "git:", 4) || strstr(text, " git:"))
        return 0;
    while (fl_cell_split(&text, name, sizeof name, value, sizeof value, NULL) > 0) {
        int rc = strcmp(name, "plugin") ? 0 : fl_plugins_use_variant(value, err);
        if (rc)
            return rc;
    }
    return 0;
}

/* Libraries that look for others beside themselves must stay where they are. */
static bool is_bound_to_its_place(const char *path)
{
    static const char word[] = "$ORIGIN";
    bool found = false;
    char chunk[65536 + sizeof word];
    size_t kept = 0;
    ssize_t got;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && !found && (got = read(fd, chunk + kept, sizeof chunk - kept)) > 0) {
        size_t have = kept + (size_t)got;
        found = memmem(chunk, have, word, sizeof word - 1) != NULL;
        kept = have < sizeof word ? have : sizeof word - 1;
        memmove(chunk, chunk + have - kept, kept);
    }
    if (fd >= 0)
        close(fd);
    return found;
}

static int copy_library(struct fl_side *side, const char *alias, struct fl_err *err)
{
    char copy[PATH_MAX];
    struct fl_library_place place;
    struct fl_scenario *scenario = side->asked.scenario;
    int rc = fl_library_find(alias, fl_scenario_library(scenario, alias), NULL, &place, err);
    if (rc || is_bound_to_its_place(place.path))
        return rc;
    rc = fl_private_folder_add(&side->folder, place.path, copy, sizeof copy, err);
    const struct fl_ini_line line = {.section = "libraries", .key = alias, .value = copy};
    return rc ? rc : fl_scenario_take(scenario, &line, err);
}

static int copy_plugin(struct fl_side *side, const char *loaded, struct fl_err *err)
{
    char copy[PATH_MAX];
    struct fl_scenario *scenario = side->asked.scenario;
    const char *origin = fl_scenario_plugin_origin(scenario, loaded);
    if (is_bound_to_its_place(origin))
        return 0;
    int rc = fl_private_folder_add(&side->folder, origin, copy, sizeof copy, err);
    return rc ? rc : fl_scenario_set_plugin(scenario, loaded, origin, copy, err);
}

static void add_missing(const char **list, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (!strcmp(list[i], name))
            return;
    if (*count < FL_SIDE_WORDS)
        list[(*count)++] = name;
}

/* Has this side a file behind the alias that is the same in all its cells? */
static bool has_library(const struct fl_side *side, const char *alias)
{
    struct fl_library_place place;
    struct fl_err why;
    const char *given = fl_scenario_library(side->asked.scenario, alias);
    return !fl_library_find(alias, given, NULL, &place, &why) &&
           (given || place.family != FL_LIBRARY_EIGEN);
}

void fl_side_copy_alike(struct fl_side *side, const struct fl_side *other)
{
    for (size_t i = 0; i < other->library_count; i++)
        if (has_library(side, other->libraries[i]))
            add_missing(side->libraries, &side->library_count, other->libraries[i]);
    for (size_t i = 0; i < other->plugin_count; i++)
        add_missing(side->plugins, &side->plugin_count, other->plugins[i]);
}

int fl_side_make_private(struct fl_side *side, struct fl_err *err)
{
    char copy[PATH_MAX];
    int rc = fl_private_folder_open(&side->folder, err);
    for (size_t i = 0; !rc && i < side->library_count; i++)
        rc = copy_library(side, side->libraries[i], err);
    for (size_t i = 0; !rc && i < side->plugin_count; i++)
        rc = copy_plugin(side, side->plugins[i], err);
    /* A worker of ours is not: it looks beside itself for shims alone, which keys name. */
    if (rc || (side->ops != &fl_worker_side_ops && is_bound_to_its_place(side->worker)))
        return rc;
    rc = fl_private_folder_add(&side->folder, side->worker, copy, sizeof copy, err);
    if (rc)
        return rc;
    memcpy(side->original, side->worker, sizeof side->original);
    memcpy(side->worker, copy, sizeof side->worker);
    return 0;
}

void fl_side_close(struct fl_side *side)
{
    if (side->ops && side->ops->close)
        side->ops->close(side);
    fl_private_folder_close(&side->folder);
    side->ops = NULL;
}
