/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which malloc this process really runs on: the first object in the dynamic linker's search order
 * that defines it. A probe library in front of it only passes calls on and is skipped.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "faultline/malloc.h"

#define PROBE_LIBRARY "libfaultline-probe"

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Does the object define malloc itself, rather than through a library that it needs? */
static bool defines_malloc(const struct link_map *object)
{
    void *handle = dlopen(*object->l_name ? object->l_name : NULL, RTLD_NOLOAD | RTLD_LAZY);
    void *symbol = handle ? dlsym(handle, "malloc") : NULL;
    Dl_info info;
    void *owner = NULL;
    if (symbol && !dladdr1(symbol, &info, &owner, RTLD_DL_LINKMAP))
        owner = NULL;
    if (handle)
        dlclose(handle);
    return owner == object;
}

/* File name of the object whose malloc is called; "" is the program itself. */
static const char *malloc_owner(void)
{
    void *program = dlopen(NULL, RTLD_LAZY);
    struct link_map *object = NULL;
    if (!program || dlinfo(program, RTLD_DI_LINKMAP, &object))
        return "nothing that the dynamic linker knows";
    for (; object; object = object->l_next) {
        const char *name = file_name(object->l_name);
        if (strncmp(name, PROBE_LIBRARY, strlen(PROBE_LIBRARY)) && defines_malloc(object))
            return name;
    }
    return "nothing that the dynamic linker knows";
}

int fl_malloc_verify(const struct fl_malloc *row, struct fl_err *why)
{
    static const char *const libc[] = {"libc.so.6", NULL};
    const char *owner = malloc_owner();
    for (const char *const *soname = row->preload ? row->preload : libc; *soname; soname++)
        if (!strncmp(owner, *soname, strlen(*soname)))
            return 0;
    return fl_fail(why, -ENOTSUP, "this process does not run on malloc '%s': malloc is %s%s",
                   row->name, *owner ? "from " : "the program's own", owner);
}
