/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a loaded library and what it needs through the dynamic linker's list. */
#include "symbol-imports.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LIBRARIES_MAX 256 /* more are not followed */

#if UINTPTR_MAX == UINT64_MAX
typedef Elf64_Sym elf_symbol;
typedef Elf64_Dyn elf_entry;
#else
typedef Elf32_Sym elf_symbol;
typedef Elf32_Dyn elf_entry;
#endif

struct image {
    const elf_symbol *symbols;
    const char *strings, *soname;
    size_t count; /* symbols that may be undefined */
};

/* The dynamic linker has added the load address to these on most machines, but not on all. */
static const void *address_of(const struct link_map *map, uintptr_t value)
{
    return (const void *)(value < map->l_addr ? value + map->l_addr : value);
}

static const elf_entry *entry(const struct link_map *map, long tag)
{
    for (const elf_entry *dyn = map->l_ld; dyn && dyn->d_tag != DT_NULL; dyn++)
        if (dyn->d_tag == tag)
            return dyn;
    return NULL;
}

/* DT_HASH knows the number of symbols. DT_GNU_HASH lists the defined ones, which stand last: the
 * index of the first of them is how many may be undefined. */
static size_t undefined_count(const struct link_map *map)
{
    const elf_entry *hash = entry(map, DT_HASH);
    if (hash)
        return ((const uint32_t *)address_of(map, hash->d_un.d_ptr))[1];
    hash = entry(map, DT_GNU_HASH);
    return hash ? ((const uint32_t *)address_of(map, hash->d_un.d_ptr))[1] : 0;
}

static bool open_image(const struct link_map *map, struct image *image)
{
    const elf_entry *symbols = entry(map, DT_SYMTAB), *strings = entry(map, DT_STRTAB);
    const elf_entry *soname = entry(map, DT_SONAME);
    if (!symbols || !strings)
        return false;
    image->symbols = address_of(map, symbols->d_un.d_ptr);
    image->strings = address_of(map, strings->d_un.d_ptr);
    image->soname = soname ? image->strings + soname->d_un.d_val : "";
    image->count = undefined_count(map);
    return true;
}

static bool is_one_of(const char *name, const char *const *symbols)
{
    for (; *symbols; symbols++)
        if (!strcmp(name, *symbols))
            return true;
    return false;
}

static bool image_imports(const struct image *image, const char *const *symbols)
{
    for (size_t i = 1; i < image->count; i++)
        if (image->symbols[i].st_shndx == SHN_UNDEF &&
            is_one_of(image->strings + image->symbols[i].st_name, symbols))
            return true;
    return false;
}

/* Is this the library that a DT_NEEDED entry names? */
static bool is_named(const struct link_map *map, const char *needed)
{
    struct image image;
    const char *slash = strrchr(map->l_name, '/');
    return !strcmp(slash ? slash + 1 : map->l_name, needed) ||
           (open_image(map, &image) && !strcmp(image.soname, needed));
}

static const struct link_map *find_needed(const struct link_map *any, const char *needed)
{
    while (any->l_prev)
        any = any->l_prev;
    while (any && !is_named(any, needed))
        any = any->l_next;
    return any;
}

struct closure {
    const struct link_map *maps[LIBRARIES_MAX];
    size_t count;
};

static void include(struct closure *closure, const struct link_map *map)
{
    for (size_t i = 0; i < closure->count; i++)
        if (closure->maps[i] == map)
            return;
    if (map && closure->count < LIBRARIES_MAX)
        closure->maps[closure->count++] = map;
}

static void include_needed(struct closure *closure, const struct link_map *map,
                           const struct image *image)
{
    for (const elf_entry *dyn = map->l_ld; dyn->d_tag != DT_NULL; dyn++)
        if (dyn->d_tag == DT_NEEDED)
            include(closure, find_needed(map, image->strings + dyn->d_un.d_val));
}

int fl_imports_any(const char *path, const char *const *symbols)
{
    struct link_map *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return -ENOENT;
    struct closure closure = {.count = 0};
    include(&closure, handle);
    int found = 0;
    for (size_t i = 0; i < closure.count && !found; i++) {
        struct image image;
        if (!open_image(closure.maps[i], &image))
            continue;
        found = image_imports(&image, symbols);
        include_needed(&closure, closure.maps[i], &image);
    }
    dlclose(handle);
    return found;
}
