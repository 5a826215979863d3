/* SPDX-License-Identifier: Apache-2.0 */
/* Machine, environment and settings of a run, as rows for the store. */
#include "runner/run-description.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faultline/registry.h"
#include "machine/build-info.h"

static struct fl_fact *as_facts(const struct fl_properties *list)
{
    struct fl_fact *facts = malloc((list->count + 1) * sizeof *facts);
    for (size_t i = 0; facts && i < list->count; i++)
        facts[i] = (struct fl_fact){list->items[i].name, list->items[i].value};
    return facts;
}

static int collect(struct fl_run_description *description, const struct fl_topology *topology,
                   struct fl_err *err)
{
    const struct fl_environment_source source = {.topology = topology};
    int rc = fl_environment_collect(&source, &description->environment, err);
    if (rc)
        return rc;
    rc = fl_fingerprint_of_machine(&description->environment, &description->fingerprint);
    if (!rc)
        rc = fl_fingerprint_text(&description->fingerprint, description->fingerprint_text,
                                 sizeof description->fingerprint_text);
    return rc ? fl_fail(err, rc, "cannot describe the machine: %s", strerror(-rc)) : 0;
}

/* FNV-1a over a file: whether it is the same, against no one's ill will. */
static uint64_t hash_file(const char *path)
{
    unsigned char chunk[65536];
    uint64_t hash = 0xcbf29ce484222325u;
    FILE *file = fopen(path, "re");
    size_t got;
    while (file && (got = fread(chunk, 1, sizeof chunk, file)) > 0)
        for (size_t i = 0; i < got; i++)
            hash = (hash ^ chunk[i]) * 0x100000001b3u;
    if (file)
        fclose(file);
    return hash;
}

/* What was built for the side lies in a folder whose name is another each time. */
static bool is_built(const struct fl_side *side, const char *path)
{
    size_t length = strlen(side->folder.path);
    return length && !strncmp(path, side->folder.path, length);
}

static const char *place_of(const struct fl_side *side, const char *path)
{
    return is_built(side, path) ? path + strlen(side->folder.path) : path;
}

/* One of two: a run alone goes on only with a side of the same text and program. */
static int add_side(struct fl_properties *environment, const struct fl_side *side)
{
    if (!side->asked.scenario)
        return 0;
    int rc = fl_properties_set(environment, FL_RUN_SETTING "side", "%s", side->asked.text);
    if (!rc)
        rc = fl_properties_set(environment, FL_RUN_SETTING "worker", "%s",
                               place_of(side, side->worker));
    if (!rc && !is_built(side, side->worker))
        rc = fl_properties_set(environment, FL_RUN_SETTING "worker-hash", "%016llx",
                               (unsigned long long)hash_file(side->worker));
    /* What is built is not hashed: no two builds need to be equal. Branches move. */
    if (!rc && side->commit_id[0])
        rc = fl_properties_set(environment, FL_RUN_SETTING "revision", "%s", side->commit_id);
    return rc;
}

/* Of every plug-in, whether a cell has a kernel of it or not: a run goes on with the same ones. */
static int add_plugins(struct fl_properties *environment, const struct fl_side *side)
{
    const struct fl_plugin_file *file;
    int rc = 0;
    for (size_t i = 0; !rc && (file = fl_registry_plugin(i)); i++) {
        char name[32];
        const char *path = fl_scenario_plugin_origin(side->scenario, file->path);
        snprintf(name, sizeof name, FL_RUN_SETTING "plugin.%zu", i);
        rc = fl_properties_set(environment, name, "%s", place_of(side, path));
        snprintf(name, sizeof name, FL_RUN_SETTING "plugin-hash.%zu", i);
        if (!rc && !is_built(side, path))
            rc = fl_properties_set(environment, name, "%016llx",
                                   (unsigned long long)hash_file(path));
    }
    return rc;
}

static int add_settings(struct fl_properties *environment, const struct fl_side *side)
{
    const struct fl_scenario *scenario = side->scenario;
    int rc = fl_properties_set(environment, FL_RUN_SETTING "timeout-ns", "%lld",
                               (long long)fl_run_nanoseconds(scenario->timeout));
    for (size_t i = 0; i < scenario->library_count && !rc; i++) {
        char name[FL_LEVEL_MAX + 16];
        snprintf(name, sizeof name, FL_RUN_SETTING "library.%s", scenario->libraries[i].alias);
        rc =
            fl_properties_set(environment, name, "%s", place_of(side, scenario->libraries[i].path));
    }
    if (!rc)
        rc = add_plugins(environment, side);
    return rc ? rc : add_side(environment, side);
}

int fl_run_description_make(struct fl_run_description *description, const struct fl_side *side,
                            struct fl_err *err)
{
    struct fl_topology *topology = &description->topology;
    *description = (struct fl_run_description){.fingerprint_text = ""};
    int rc = fl_topology_load(NULL, topology, err);
    if (rc)
        return rc;
    memcpy(description->caches, topology->cache_bytes, sizeof description->caches);
    rc = collect(description, topology, err);
    if (!rc && add_settings(&description->environment, side))
        rc = fl_fail(err, -ENOMEM, "out of memory");
    if (rc)
        return rc;
    gethostname(description->host, sizeof description->host - 1);
    description->environment_facts = as_facts(&description->environment);
    description->machine_facts = as_facts(&description->fingerprint.fields);
    bool got = description->environment_facts && description->machine_facts;
    return got ? 0 : fl_fail(err, -ENOMEM, "out of memory");
}

void fl_run_description_release(struct fl_run_description *description)
{
    free(description->environment_facts);
    free(description->machine_facts);
    fl_properties_clear(&description->environment);
    fl_fingerprint_release(&description->fingerprint);
    fl_topology_release(&description->topology);
    *description = (struct fl_run_description){.fingerprint_text = ""};
}

int64_t fl_run_nanoseconds(double seconds)
{
    return (int64_t)llround(seconds * 1e9);
}

void fl_run_describe(const struct fl_run_description *description,
                     const struct fl_run_request *request, struct fl_run_info *info)
{
    const struct fl_scenario *scenario = request->scenario;
    *info = (struct fl_run_info){
        .fingerprint = description->fingerprint_text,
        .machine = description->machine_facts,
        .machine_count = description->fingerprint.fields.count,
        .environment = description->environment_facts,
        .environment_count = description->environment.count,
        .host = description->host,
        .label = request->label,
        .scenario = scenario->name,
        .title = scenario->title,
        .scenario_text = scenario->text,
        .command_line = request->command_line,
        .version = FL_BUILD_VERSION,
        .build_flags = FL_BUILD_COMPILER " " FL_BUILD_TYPE " " FL_BUILD_FLAGS,
        .seed = request->seed,
        .settle_ns = fl_run_nanoseconds(scenario->settle),
        .window_ns = fl_run_nanoseconds(scenario->window),
        .counted_calls = scenario->calls,
        .rounds = scenario->rounds,
        .counted_rounds = scenario->counting_rounds,
    };
}
