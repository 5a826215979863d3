/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for the entry points in the process, then in libgomp. */
#include "openmp-runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#define LIBGOMP "libgomp.so.1"

static int find(const char *name, void *function)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &found, sizeof found); /* ISO C has no cast from objects to functions */
    return found ? 0 : -ENOENT;
}

static int find_all(struct fl_openmp *openmp)
{
    int rc = find("GOMP_parallel", &openmp->parallel);
    if (!rc)
        rc = find("GOMP_barrier", &openmp->barrier);
    if (!rc)
        rc = find("omp_get_thread_num", &openmp->thread);
    if (!rc)
        rc = find("omp_get_num_threads", &openmp->threads);
    return rc;
}

static const char *file_of(const void *function)
{
    void *address;
    Dl_info info;
    memcpy(&address, function, sizeof address);
    return dladdr(address, &info) ? info.dli_fname : "unknown";
}

int fl_openmp_find(struct fl_openmp *openmp, struct fl_err *err)
{
    int rc = find_all(openmp);
    if (rc && !dlopen(LIBGOMP, RTLD_NOW | RTLD_GLOBAL))
        return fl_fail(err, -ENOTSUP,
                       "no OpenMP runtime: %s cannot be loaded: install libgomp1, or omp-runtime="
                       "libomp with libomp5",
                       LIBGOMP);
    if (rc)
        rc = find_all(openmp);
    if (rc)
        return fl_fail(err, -ENOTSUP,
                       "the OpenMP runtime in this process lacks GOMP_parallel or "
                       "omp_get_thread_num: install libgomp1");
    openmp->path = file_of(&openmp->parallel);
    return 0;
}
