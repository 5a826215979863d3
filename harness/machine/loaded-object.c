/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of this process, from the dynamic linker's list.
 */
#include "machine/loaded-object.h"

#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct search {
    const char *name;
    struct fl_loaded_object *out;
};

static bool is_wanted(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    /* The program is the first object and has an empty path. */
    return name == NULL || strncmp(base, name, strlen(name)) == 0;
}

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
    const struct search *search = arg;
    (void)size;
    if (!is_wanted(info->dlpi_name, search->name))
        return 0;
    snprintf(search->out->path, sizeof search->out->path, "%s", info->dlpi_name);
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE && search->out->build_id[0] == '\0')
            fl_build_id_read((const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                             info->dlpi_phdr[i].p_memsz, search->out->build_id);
    return 1;
}

int fl_loaded_object_find(const char *name, struct fl_loaded_object *out)
{
    struct search search = {.name = name, .out = out};
    *out = (struct fl_loaded_object){0};
    return dl_iterate_phdr(visit, &search) == 1 ? 0 : -ENOENT;
}
