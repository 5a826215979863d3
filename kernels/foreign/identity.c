/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking a loaded library what it is.
 *
 * OpenBLAS may take a new processor for an old one and BLIS a virtual one for one without AVX-512
 * units, each silently; so the core is asked for and not derived from the processor.
 */
#include "identity.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "elf-file.h"

typedef const char *(*text_fn)(void);
typedef long (*count_fn)(void);
typedef int (*small_fn)(void);
typedef const char *(*name_fn)(int);
typedef void (*action_fn)(void);

/* Stores the symbol into the function pointer at `function`; false where there is none. */
static bool get(void *handle, const char *name, void *function)
{
    void *address = dlsym(handle, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static const char *ask_text(void *handle, const char *name)
{
    text_fn ask;
    return get(handle, name, &ask) ? ask() : NULL;
}

static bool identify_openblas(void *handle, struct fl_identity *out)
{
    small_fn threads;
    out->version = ask_text(handle, "openblas_get_config");
    if (!out->version)
        return false;
    out->family = FL_LIBRARY_OPENBLAS;
    out->core = ask_text(handle, "openblas_get_corename");
    if (get(handle, "openblas_get_num_threads", &threads))
        out->threads = threads();
    return true;
}

/* Before bli_init(), asking for the core aborts when BLIS_ARCH_TYPE is set (seen in 0.9.0). */
static bool identify_blis(void *handle, struct fl_identity *out)
{
    action_fn init;
    small_fn id;
    name_fn name;
    count_fn threads;
    out->version = ask_text(handle, "bli_info_get_version_str");
    if (!out->version || !get(handle, "bli_init", &init))
        return false;
    out->family = FL_LIBRARY_BLIS;
    init();
    if (get(handle, "bli_arch_query_id", &id) && get(handle, "bli_arch_string", &name))
        out->core = name(id());
    /* The build without threads says -1. */
    if (get(handle, "bli_thread_get_num_threads", &threads) && threads() > 0)
        out->threads = threads();
    return true;
}

static bool identify_eigen(void *handle, struct fl_identity *out)
{
    out->version = ask_text(handle, "fl_eigen_version");
    if (!out->version)
        return false;
    out->family = FL_LIBRARY_EIGEN;
    out->core = ask_text(handle, "fl_eigen_isa");
    out->threads = 1;
    return true;
}

void fl_identify(void *handle, struct fl_identity *out)
{
    *out = (struct fl_identity){.family = FL_LIBRARY_OTHER};
    if (!identify_eigen(handle, out) && !identify_openblas(handle, out))
        (void)identify_blis(handle, out);
}

/* glibc leaves addresses in the dynamic section relocated. */
static const char *soname_of(const struct link_map *map)
{
    const char *strings = NULL;
    size_t at = 0;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_STRTAB)
            strings = (const char *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_SONAME)
            at = entry->d_un.d_val;
    }
    return strings && at ? strings + at : NULL;
}

struct wanted_image {
    ElfW(Addr) base;
    const char *name;
    char build_id[FL_BUILD_ID_MAX];
};

static int read_image(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct wanted_image *wanted = arg;
    (void)size;
    if (info->dlpi_addr != wanted->base || strcmp(info->dlpi_name, wanted->name) != 0)
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum && !wanted->build_id[0]; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            fl_build_id_read((const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
                             info->dlpi_phdr[i].p_memsz, wanted->build_id);
    return 1;
}

static int set_known(struct fl_facts *facts, const char *name, const char *value)
{
    return value && *value ? fl_facts_set(facts, name, "%s", value) : 0;
}

static int record_image(const struct link_map *map, struct fl_facts *facts)
{
    char path[PATH_MAX];
    struct wanted_image image = {.base = map->l_addr, .name = map->l_name};
    dl_iterate_phdr(read_image, &image);
    int rc = set_known(facts, "library-path", realpath(map->l_name, path) ? path : map->l_name);
    if (!rc)
        rc = set_known(facts, "library-soname", soname_of(map));
    if (!rc)
        rc = set_known(facts, "library-build-id", image.build_id);
    return rc;
}

int fl_identity_record(void *handle, const struct fl_identity *identity, struct fl_facts *facts)
{
    struct link_map *map;
    int rc = 0;
    if (!dlinfo(handle, RTLD_DI_LINKMAP, &map))
        rc = record_image(map, facts);
    if (!rc)
        rc = set_known(facts, "library-version", identity->version);
    if (!rc)
        rc = set_known(facts, "library-core", identity->core);
    if (!rc && identity->threads)
        rc = fl_facts_set(facts, "library-threads", "%ld", identity->threads);
    return rc;
}
