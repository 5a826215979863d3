/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at this machine and has it judged.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faultline/library.h"
#include "faultline/malloc.h"
#include "machine/doctor.h"
#include "machine/environment.h"
#include "machine/measurement-lock.h"

/* Parts with the reasons that their states point to. */
struct parts {
    struct fl_part_state *states; /* ended by a row without a name */
    struct fl_err *reasons;
};

static int parts_init(struct parts *parts, size_t count)
{
    parts->states = calloc(count + 1, sizeof *parts->states);
    parts->reasons = calloc(count + 1, sizeof *parts->reasons);
    return parts->states != NULL && parts->reasons != NULL ? 0 : -ENOMEM;
}

static void parts_release(struct parts *parts)
{
    free(parts->states);
    free(parts->reasons);
}

static void set_part(struct parts *parts, size_t i, const char *name, int status)
{
    parts->states[i].name = name;
    parts->states[i].reason = status == 0 ? NULL : parts->reasons[i].text;
}

static int find_mallocs(struct parts *parts)
{
    const struct fl_malloc *rows = fl_mallocs();
    size_t count = 0;
    while (rows[count].name != NULL)
        count++;
    if (parts_init(parts, count) != 0)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        set_part(parts, i, rows[i].name, fl_malloc_probe(&rows[i], &parts->reasons[i]));
    return 0;
}

static int find_libraries(struct parts *parts)
{
    const struct fl_library *rows = fl_libraries();
    struct fl_library_place place;
    size_t count = 0;
    while (rows[count].alias != NULL)
        count++;
    if (parts_init(parts, count) != 0)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        set_part(parts, i, rows[i].alias,
                 fl_library_find(rows[i].alias, NULL, NULL, &place, &parts->reasons[i]));
    return 0;
}

/* A program of PATH that can be executed; `out` is "" where there is none. */
static void find_program(const char *name, char *out, size_t size)
{
    const char *path = getenv("PATH");
    for (; path != NULL && *path != '\0'; path += *path == ':') {
        struct stat info;
        size_t length = strcspn(path, ":");
        snprintf(out, size, "%.*s/%s", (int)length, path, name);
        if (length > 0 && stat(out, &info) == 0 && S_ISREG(info.st_mode) && access(out, X_OK) == 0)
            return;
        path += length;
    }
    out[0] = '\0';
}

/* The machine's part is in `machine`; the rest is looked for here. */
static int look_and_judge(const struct fl_doctor_input *machine, struct fl_checks *out,
                          struct fl_err *err)
{
    struct fl_doctor_input input = *machine;
    struct fl_abilities abilities;
    struct parts mallocs = {0}, libraries = {0};
    char gnuplot[PATH_MAX];
    fl_abilities_probe(&abilities);
    find_program("gnuplot", gnuplot, sizeof gnuplot);
    int status = find_mallocs(&mallocs);
    if (status == 0)
        status = find_libraries(&libraries);
    if (status == 0) {
        input.abilities = &abilities;
        input.gnuplot = gnuplot[0] != '\0' ? gnuplot : NULL;
        input.lock_holder = fl_measurement_lock_holder(NULL);
        input.mallocs = mallocs.states;
        input.libraries = libraries.states;
        status = fl_doctor_examine(&input, out, err);
    } else {
        fl_fail(err, status, "cannot look for mallocs and libraries: out of memory");
    }
    parts_release(&mallocs);
    parts_release(&libraries);
    return status;
}

int fl_doctor_run(const char *probe_library, const struct fl_part_state *plugins,
                  struct fl_checks *out, struct fl_err *err)
{
    struct fl_topology topology;
    struct fl_properties environment = {0};
    int status = fl_topology_load(NULL, &topology, err);
    if (status != 0)
        return status;
    status = fl_environment_collect(&(struct fl_environment_source){.topology = &topology},
                                    &environment, err);
    if (status == 0) {
        struct fl_doctor_input input = {.environment = &environment,
                                        .topology = &topology,
                                        .probe_library = probe_library,
                                        .plugins = plugins};
        status = look_and_judge(&input, out, err);
    }
    fl_properties_clear(&environment);
    fl_topology_release(&topology);
    return status;
}
