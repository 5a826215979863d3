/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the file behind an alias, without loading it.
 *
 * The folders are asked of the dynamic linker at run time, so that multiarch names are nowhere
 * spelled out. A candidate counts only if this processor could load it; the first reason against
 * one is kept for the message.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../isa.h"
#include "elf-file.h"
#include "faultline/factor.h"
#include "faultline/library.h"

/* Where `cmake --install` puts the shims; FL_SHIM_FOLDER comes from the build. */
static const char *const fixed_folders[] = {FL_SHIM_FOLDER, "/usr/local/lib", NULL};

enum { BLAS_MARK, BLIS_MARK, EIGEN_MARK, MARKS };
static const char *const marks[MARKS + 1] = {"openblas_get_config", "bli_info_get_version_str",
                                             "fl_eigen_version", NULL};

/* What a search has seen so far. */
struct search {
    const char *file; /* below each folder */
    struct fl_library_place *place;
    struct fl_err refused; /* why the first file that was there cannot be used */
};

static bool links(const struct fl_elf_file *file, const char *stem)
{
    for (size_t i = 0; i < file->needed_count; i++)
        if (!strncmp(file->needed[i], stem, strlen(stem)))
            return true;
    return !strncmp(file->soname, stem, strlen(stem));
}

/* By what it defines; a thin libblas.so.3 in front of the real library by what it is linked with.
 */
static enum fl_library_family family_of(const struct fl_elf_file *file, const bool found[MARKS])
{
    if (found[EIGEN_MARK])
        return FL_LIBRARY_EIGEN;
    if (found[BLAS_MARK] || links(file, "libopenblas"))
        return FL_LIBRARY_OPENBLAS;
    if (found[BLIS_MARK] || links(file, "libblis"))
        return FL_LIBRARY_BLIS;
    return FL_LIBRARY_OTHER;
}

/* 0, or why the file at place->path is of no use. */
static int inspect(struct fl_library_place *place, struct fl_err *why)
{
    bool found[MARKS];
    struct fl_elf_file *file = malloc(sizeof *file);
    if (!file)
        return fl_fail(why, -ENOMEM, "%s", strerror(ENOMEM));
    int rc = fl_elf_read(place->path, marks, found, file, why);
    if (!rc)
        place->family = family_of(file, found);
    free(file);
    return rc;
}

/* 0: place is filled. -ENOENT: not in this folder, or not usable. */
static int try_folder(struct search *search, const char *folder)
{
    struct fl_err why = {0};
    int length =
        snprintf(search->place->path, sizeof search->place->path, "%s/%s", folder, search->file);
    if (length < 0 || (size_t)length >= sizeof search->place->path ||
        access(search->place->path, F_OK))
        return -ENOENT;
    if (!inspect(search->place, &why))
        return 0;
    if (!search->refused.text[0])
        fl_fail(&search->refused, 0, "'%s': %s", search->place->path, why.text);
    return -ENOENT;
}

/* The folders in which the dynamic linker would look. */
static int try_linker_folders(struct search *search)
{
    Dl_serinfo size;
    void *self = dlopen(NULL, RTLD_LAZY);
    int rc = -ENOENT;
    if (!self)
        return rc;
    if (!dlinfo(self, RTLD_DI_SERINFOSIZE, &size)) {
        Dl_serinfo *folders = calloc(1, size.dls_size);
        if (folders && !dlinfo(self, RTLD_DI_SERINFOSIZE, folders) &&
            !dlinfo(self, RTLD_DI_SERINFO, folders))
            for (unsigned i = 0; i < folders->dls_cnt && rc; i++)
                rc = try_folder(search, folders->dls_serpath[i].dls_name);
        free(folders);
    }
    dlclose(self);
    return rc;
}

/* build/bin -> build/lib, and the same in an installed tree. */
static int try_beside_program(struct search *search)
{
    char folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - sizeof "/../lib");
    if (length <= 0)
        return -ENOENT;
    folder[length] = 0;
    char *slash = strrchr(folder, '/');
    if (!slash)
        return -ENOENT;
    strcpy(slash, "/../lib");
    return try_folder(search, folder);
}

static int try_everywhere(struct search *search, bool shim)
{
    int rc = shim ? try_beside_program(search) : -ENOENT;
    if (rc)
        rc = try_linker_folders(search);
    for (const char *const *folder = fixed_folders; *folder && rc; folder++)
        rc = try_folder(search, *folder);
    return rc;
}

/* Of the shims, the widest that runs. */
static const char *const best_first[] = {"avx512", "avx2", "neon", "portable", NULL};

static bool processor_has(const char *isa)
{
    enum fl_isa chosen;
    return !fl_isa_choose(isa, &chosen, NULL);
}

static bool is_auto(const char *isa)
{
    return !isa || !strcmp(isa, "auto");
}

/* One candidate, its '*' replaced by `isa`. */
static int try_candidate(struct search *search, const char *candidate, const char *isa)
{
    char file[NAME_MAX];
    const char *star = strchr(candidate, '*');
    search->file = candidate;
    if (star) {
        snprintf(file, sizeof file, "%.*s%s%s", (int)(star - candidate), candidate, isa, star + 1);
        search->file = file;
    }
    int rc = try_everywhere(search, star != NULL);
    search->file = candidate;
    return rc;
}

static int try_row(struct search *search, const struct fl_library *row, const char *isa)
{
    const char *const named[] = {isa, NULL};
    int rc = -ENOENT;
    for (const char *const *candidate = row->candidates; *candidate && rc; candidate++) {
        if (!strchr(*candidate, '*')) {
            rc = try_candidate(search, *candidate, NULL);
            continue;
        }
        for (const char *const *level = is_auto(isa) ? best_first : named; *level && rc; level++)
            if (processor_has(*level))
                rc = try_candidate(search, *candidate, *level);
    }
    return rc;
}

static int unknown_alias(const char *alias, struct fl_err *why)
{
    const char *names[32] = {NULL};
    size_t count = 0;
    for (const struct fl_library *row = fl_libraries(); row->alias; row++)
        if (count < sizeof names / sizeof *names - 1)
            names[count++] = row->alias;
    const char *near = fl_nearest(alias, names);
    return fl_fail(why, -ENOENT,
                   "unknown library '%.80s'%s%s%s; name its file with --library %.80s=PATH", alias,
                   near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "", alias);
}

static int find_given(struct search *search, const char *alias, const char *given,
                      struct fl_err *why)
{
    struct fl_err reason = {0};
    if (!*given || strlen(given) >= sizeof search->place->path)
        return fl_fail(why, -ENOTSUP, "cannot use library '%.80s': its path is %s", alias,
                       *given ? "too long" : "empty");
    if (strchr(given, '/')) {
        strcpy(search->place->path, given);
        if (!inspect(search->place, &reason))
            return 0;
    } else {
        search->file = given;
        if (!try_everywhere(search, false))
            return 0;
        fl_fail(&reason, 0, "%s",
                search->refused.text[0] ? search->refused.text : "not in the library folders");
    }
    return fl_fail(why, -ENOTSUP,
                   "cannot use library '%.80s' at '%.200s': %s; --library %.80s=PATH names another",
                   alias, given, reason.text, alias);
}

static int find_known(struct search *search, const struct fl_library *row, const char *isa,
                      struct fl_err *why)
{
    if (!try_row(search, row, isa))
        return 0;
    bool shim = strchr(row->candidates[0], '*') != NULL;
    return fl_fail(why, -ENOTSUP,
                   "cannot find library '%s' (%s): %s; apt-get install %s%s, or --library %s=PATH",
                   row->alias, row->candidates[0],
                   search->refused.text[0] ? search->refused.text : "not in the library folders",
                   row->package, shim ? " and build faultline again" : "", row->alias);
}

int fl_library_find(const char *alias, const char *given, const char *isa,
                    struct fl_library_place *place, struct fl_err *why)
{
    struct search search = {.place = place};
    struct fl_err reason = {.text = ""};
    const struct fl_library *row = fl_library_row(alias);
    place->family = FL_LIBRARY_OTHER;
    if (!row && !given)
        return unknown_alias(alias, why);
    enum fl_isa chosen;
    if (!is_auto(isa) && fl_isa_choose(isa, &chosen, &reason))
        return fl_fail(why, -ENOTSUP, "cannot run library '%.80s': %s", alias, reason.text);
    int rc = given ? find_given(&search, alias, given, why) : find_known(&search, row, isa, why);
    if (rc)
        place->path[0] = 0;
    return rc;
}
