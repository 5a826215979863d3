/* SPDX-License-Identifier: Apache-2.0 */
/* The command line that compiles the shim, as kernels/foreign/eigen.cmake has it. */
#include "runner/eigen-build.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runner/tool.h"

enum { FLAGS = 7, ARGUMENTS = 24 };

struct target {
    const char *isa;
    const char *flags[FLAGS];
};

/* Widest first; the last one runs everywhere. */
#if defined(__x86_64__)
static const struct target targets[] = {
    {"avx512", {"-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl", "-mavx2", "-mfma", NULL}},
    {"avx2", {"-mavx2", "-mfma", NULL}},
    {"portable", {NULL}},
};

static const struct target *widest(void)
{
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    return &targets[avx512 ? 0 : avx2 ? 1 : 2];
}
#elif defined(__aarch64__)
static const struct target targets[] = {{"neon", {NULL}}};

static const struct target *widest(void)
{
    return &targets[0];
}
#else
static const struct target targets[] = {{"portable", {NULL}}};

static const struct target *widest(void)
{
    return &targets[0];
}
#endif

static int compile(const struct fl_eigen_build *build, const char *include, const char *define,
                   const struct target *target, struct fl_err *err)
{
    const char *compiler = getenv("CXX");
    const char *argv[ARGUMENTS] = {compiler && *compiler ? compiler : "c++",
                                   "-std=c++17",
                                   "-O3",
                                   "-DNDEBUG",
                                   "-w",
                                   "-shared",
                                   "-fPIC",
                                   "-fvisibility=hidden",
                                   "-fvisibility-inlines-hidden",
                                   include,
                                   define,
                                   "-Wl,--build-id=sha1",
                                   "-o",
                                   build->output,
                                   build->source};
    size_t count = 15;
    for (size_t i = 0; target->flags[i]; i++)
        argv[count++] = target->flags[i];
    const struct fl_tool tool = {.argv = argv, .timeout = 1800, .stop = build->stop};
    struct fl_err why;
    int rc = fl_tool_run(&tool, NULL, 0, &why);
    return rc ? fl_fail(err, rc, "cannot compile Eigen of '%s': %s", build->headers, why.text) : 0;
}

int fl_eigen_build(const struct fl_eigen_build *build, struct fl_err *err)
{
    char core[PATH_MAX], include[PATH_MAX + 2], define[64];
    const struct target *target = widest();
    int length = snprintf(core, sizeof core, "%s/Eigen/Core", build->headers);
    if (length >= (int)sizeof core || access(core, R_OK))
        return fl_fail(err, -ENOENT, "eigen=%.200s: there is no Eigen/Core in that folder",
                       build->headers);
    if (access(build->source, R_OK))
        return fl_fail(err, -ENOENT, "eigen=%.200s: the source of the shim, '%s', is missing",
                       build->headers, build->source);
    snprintf(include, sizeof include, "-I%s", build->headers);
    snprintf(define, sizeof define, "-DFL_SHIM_ISA=\"%s\"", target->isa);
    return compile(build, include, define, target, err);
}
