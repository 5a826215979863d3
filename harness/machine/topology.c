/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topology through hwloc, flattened into plain arrays.
 */
#include "machine/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/cgroup.h"
#include "machine/cpulist.h"
#include "machine/placement.h"
#include "machine/sysfile.h"

static const struct fl_topology_source live;

static unsigned ancestor_index(hwloc_topology_t hw, hwloc_obj_t pu, hwloc_obj_type_t type,
                               unsigned otherwise)
{
    hwloc_obj_t obj = hwloc_get_ancestor_obj_by_type(hw, type, pu);
    return obj != NULL ? obj->logical_index : otherwise;
}

static unsigned core_width(hwloc_topology_t hw, hwloc_obj_t pu)
{
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(hw, HWLOC_OBJ_CORE, pu);
    int width = core != NULL ? hwloc_bitmap_weight(core->complete_cpuset) : 1;
    return width > 0 ? (unsigned)width : 1;
}

/* hwloc ranks kinds of cores by efficiency, the fast ones highest; -1: it cannot tell. */
static int speed_of(hwloc_topology_t hw, hwloc_obj_t pu)
{
    int efficiency = -1;
    int kind = hwloc_cpukinds_get_by_cpuset(hw, pu->cpuset, 0);
    if (kind < 0 ||
        hwloc_cpukinds_get_info(hw, (unsigned)kind, NULL, &efficiency, NULL, NULL, 0) != 0)
        return 0;
    return efficiency > 0 ? efficiency : 0;
}

static unsigned sibling_rank(const struct fl_topology *t, unsigned core)
{
    unsigned rank = 0;
    for (size_t i = t->count; i > 0 && t->processors[i - 1].core == core; i--)
        rank++;
    return rank;
}

static void add_processor(struct fl_topology *t, hwloc_topology_t hw, hwloc_obj_t pu,
                          const struct fl_cpulist *isolated)
{
    unsigned core = ancestor_index(hw, pu, HWLOC_OBJ_CORE, pu->logical_index);
    unsigned package = ancestor_index(hw, pu, HWLOC_OBJ_PACKAGE, 0);
    int node = pu->nodeset != NULL ? hwloc_bitmap_first(pu->nodeset) : 0;
    t->processors[t->count] = (struct fl_processor){
        .cpu = pu->os_index,
        .core = core,
        .package = package,
        .cache = ancestor_index(hw, pu, HWLOC_OBJ_L3CACHE, package),
        .numa = node > 0 ? (unsigned)node : 0,
        .sibling = sibling_rank(t, core),
        .siblings = core_width(hw, pu),
        .speed = speed_of(hw, pu),
        .isolated = fl_cpulist_has(isolated, pu->os_index),
    };
    t->count++;
}

/* Distinct values of a member; processors stand in topological order, but nodes may repeat. */
static unsigned distinct(const struct fl_topology *t, size_t offset)
{
    unsigned count = 0;
    for (size_t i = 0; i < t->count; i++) {
        const char *mine = (const char *)&t->processors[i] + offset;
        size_t j = 0;
        while (j < i &&
               memcmp((const char *)&t->processors[j] + offset, mine, sizeof(unsigned)) != 0)
            j++;
        count += j == i;
    }
    return count;
}

static void read_isolated(const char *root, struct fl_cpulist *out)
{
    char text[FL_CPULIST_TEXT_MAX];
    if (fl_sysfile_read(root, "/sys/devices/system/cpu/isolated", text, sizeof text) != 0 ||
        fl_cpulist_parse(text, out) != 0)
        memset(out, 0, sizeof *out);
}

static int read_allowed(const struct fl_topology_source *source, struct fl_cpulist *out,
                        struct fl_err *err)
{
    if (source->allowed != NULL) {
        if (fl_cpulist_parse(source->allowed, out) != 0)
            return fl_fail(err, -EINVAL, "cannot read CPU list '%s'", source->allowed);
        return 0;
    }
    if (source->synthetic != NULL) {
        memset(out, 0xff, sizeof *out);
        return 0;
    }
    int status = fl_cpulist_affinity(out);
    return status == 0
               ? 0
               : fl_fail(err, status, "cannot read the affinity mask: %s", strerror(-status));
}

static int collect(struct fl_topology *t, hwloc_topology_t hw,
                   const struct fl_topology_source *source, struct fl_err *err)
{
    struct fl_cpulist allowed, isolated;
    int status = read_allowed(source, &allowed, err);
    if (status != 0)
        return status;
    read_isolated(source->root, &isolated);
    int online = hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_PU);
    t->online = online > 0 ? (unsigned)online : 0;
    t->processors = calloc(t->online + 1u, sizeof *t->processors);
    if (t->processors == NULL)
        return fl_fail(err, -ENOMEM, "cannot hold %u processors: out of memory", t->online);
    for (unsigned i = 0; i < t->online; i++) {
        hwloc_obj_t pu = hwloc_get_obj_by_type(hw, HWLOC_OBJ_PU, i);
        if (fl_cpulist_has(&allowed, pu->os_index))
            add_processor(t, hw, pu, &isolated);
    }
    if (t->count == 0)
        return fl_fail(err, -ENODEV, "cannot find a processor that this process may use");
    t->cores = distinct(t, offsetof(struct fl_processor, core));
    t->packages = distinct(t, offsetof(struct fl_processor, package));
    t->numa_nodes = distinct(t, offsetof(struct fl_processor, numa));
    return fl_placement_make(t) == 0 ? 0
                                     : fl_fail(err, -ENOMEM, "cannot place threads: out of memory");
}

static void read_caches(struct fl_topology *t, hwloc_topology_t hw)
{
    unsigned cpu = fl_topology_place(t, FL_PIN_COMPACT, 0)->cpu;
    for (hwloc_obj_t obj = hwloc_get_pu_obj_by_os_index(hw, cpu); obj != NULL; obj = obj->parent) {
        unsigned depth = hwloc_obj_type_is_dcache(obj->type) ? obj->attr->cache.depth : 0;
        if (depth < 1 || depth > 3)
            continue;
        int sharers = hwloc_bitmap_weight(obj->complete_cpuset);
        t->cache_bytes[depth] = obj->attr->cache.size;
        t->cache_sharers[depth] = sharers > 0 ? (unsigned)sharers : 1;
        if (obj->attr->cache.linesize > 0)
            t->line_bytes = obj->attr->cache.linesize;
    }
}

static void read_quota(struct fl_topology *t, const char *root)
{
    struct fl_cgroup group;
    fl_cgroup_read(root, &group);
    t->quota = group.cpus;
    t->usable = (unsigned)t->count;
    if (t->quota > 0 && t->quota < t->usable)
        t->usable = (unsigned)ceil(t->quota);
}

/* A topology of the live machine or of the description, loaded; *out is destroyed by the caller. */
static int load_hwloc(const char *synthetic, hwloc_topology_t *out, struct fl_err *err)
{
    if (hwloc_topology_init(out) != 0) {
        *out = NULL;
        return fl_fail(err, -ENOMEM, "cannot start hwloc: out of memory");
    }
    if (synthetic != NULL && hwloc_topology_set_synthetic(*out, synthetic) != 0)
        return fl_fail(err, -EINVAL, "cannot read machine description '%s'", synthetic);
    hwloc_topology_set_io_types_filter(*out, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (hwloc_topology_load(*out) != 0)
        return fl_fail(err, -EIO, "cannot read the machine's topology through hwloc");
    return 0;
}

int fl_topology_load(const struct fl_topology_source *source, struct fl_topology *out,
                     struct fl_err *err)
{
    struct fl_topology_source from = source != NULL ? *source : live;
    hwloc_topology_t hw = NULL;
    if (from.root == NULL)
        from.root = "";
    *out = (struct fl_topology){0};
    int status = load_hwloc(from.synthetic, &hw, err);
    if (status == 0)
        status = collect(out, hw, &from, err);
    if (status == 0) {
        read_caches(out, hw);
        read_quota(out, from.root);
    } else {
        fl_topology_release(out);
    }
    if (hw != NULL)
        hwloc_topology_destroy(hw);
    return status;
}

void fl_topology_release(struct fl_topology *topology)
{
    free(topology->processors);
    for (int pin = 0; pin < FL_PINS; pin++)
        free(topology->order[pin]);
    *topology = (struct fl_topology){0};
}
