/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faultline-worker: the measured process. Kept lean: no SQLite, no JSON, no hwloc; its own memory
 * comes from mmap. With --cell it measures one sample and reports it in lines (message.h); without,
 * it is an ordinary Google Benchmark program.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench-mode.h"
#include "hog.h"
#include "message.h"
#include "process.h"
#include "sample.h"

enum {
    OPT_CELL = 256,
    OPT_MODE,
    OPT_SETTLE,
    OPT_WINDOW,
    OPT_ITERATIONS,
    OPT_SEED,
    OPT_CPUS,
    OPT_PLACES,
    OPT_THREADS,
    OPT_METRICS,
    OPT_LIBRARY,
    OPT_PLUGIN,
    OPT_CACHES,
    OPT_MEMORY,
    OPT_FD,
    OPT_PARENT
};

#define WHOLE_MAX (0x1p53 - 1) /* beyond it a double cannot tell neighbours apart */

static const struct option options[] = {
    {"cell", required_argument, NULL, OPT_CELL},
    {"mode", required_argument, NULL, OPT_MODE},
    {"settle", required_argument, NULL, OPT_SETTLE},
    {"window", required_argument, NULL, OPT_WINDOW},
    {"iterations", required_argument, NULL, OPT_ITERATIONS},
    {"seed", required_argument, NULL, OPT_SEED},
    {"cpus", required_argument, NULL, OPT_CPUS},
    {"places", required_argument, NULL, OPT_PLACES},
    {"threads", required_argument, NULL, OPT_THREADS},
    {"metrics", required_argument, NULL, OPT_METRICS},
    {"library", required_argument, NULL, OPT_LIBRARY},
    {"plugin", required_argument, NULL, OPT_PLUGIN},
    {"caches", required_argument, NULL, OPT_CACHES},
    {"memory", required_argument, NULL, OPT_MEMORY},
    {"fd", required_argument, NULL, OPT_FD},
    {"parent", required_argument, NULL, OPT_PARENT},
    {NULL, 0, NULL, 0},
};

static int take_time(const char *text, double *seconds)
{
    return fl_factor_number(FL_FACTOR_TIME, text, seconds);
}

static int take_whole(const char *text, double *value)
{
    return fl_factor_number(FL_FACTOR_INT, text, value);
}

/* `L1,L2,L3` in bytes, 0 for unknown. */
static int take_caches(const char *text, unsigned long caches[4])
{
    int end = 0;
    int got = sscanf(text, "%lu,%lu,%lu%n", &caches[1], &caches[2], &caches[3], &end);
    return got == 3 && !text[end] && !strchr(text, '-') ? 0 : -EINVAL;
}

static int take_mode(const char *text, bool *counting)
{
    *counting = !strcmp(text, "count");
    return *counting || !strcmp(text, "time") ? 0 : -EINVAL;
}

static int take_plugin(const char *text, struct fl_sample_request *request)
{
    if (request->plugin_count == FL_SAMPLE_PLUGINS)
        return -EINVAL;
    request->plugins[request->plugin_count++] = text;
    return 0;
}

static int take_number_option(int option, const char *text, struct fl_sample_request *request,
                              pid_t *parent)
{
    double most = option == OPT_ITERATIONS ? FL_CALLS_MAX
                  : option == OPT_SEED     ? WHOLE_MAX
                  : option == OPT_MEMORY   ? WHOLE_MAX
                  : option == OPT_THREADS  ? FL_TEAM_THREADS_MAX
                                           : INT_MAX;
    double value = 0;
    int rc = take_whole(text, &value);
    if (rc || value < 0 || value > most)
        return -EINVAL;
    if (option == OPT_ITERATIONS)
        request->iterations = (uint64_t)value;
    else if (option == OPT_SEED)
        request->seed = (uint64_t)value;
    else if (option == OPT_MEMORY)
        request->memory = (size_t)value;
    else if (option == OPT_FD)
        request->fd = (int)value;
    else if (option == OPT_THREADS)
        request->threads = (unsigned)value;
    else
        *parent = (pid_t)value;
    return 0;
}

static int take_option(int option, const char *text, struct fl_sample_request *request,
                       pid_t *parent)
{
    switch (option) {
    case OPT_CELL:
        request->cell = text;
        return 0;
    case OPT_MODE:
        return take_mode(text, &request->counting);
    case OPT_SETTLE:
        return take_time(text, &request->settle);
    case OPT_WINDOW:
        return take_time(text, &request->window);
    case OPT_CPUS:
        request->cpus = text;
        return 0;
    case OPT_PLACES:
        request->places = text;
        return 0;
    case OPT_METRICS:
        request->metrics = text;
        return 0;
    case OPT_LIBRARY:
        request->library = text;
        return 0;
    case OPT_PLUGIN:
        return take_plugin(text, request);
    case OPT_CACHES:
        return take_caches(text, request->caches);
    default:
        return take_number_option(option, text, request, parent);
    }
}

static int usage(void)
{
    fputs("usage: faultline-worker --cell=KEY [--mode=time|count] [--settle=TIME] [--window=TIME]\n"
          "           [--iterations=N] [--seed=N] [--cpus=LIST] [--metrics=NAME,...]\n"
          "           [--places=CPU:PACKAGE:CORE,...] [--threads=N] [--library=PATH]\n"
          "           [--plugin=PATH]... [--caches=L1,L2,L3] [--memory=BYTES] [--fd=N]\n"
          "           [--parent=PID]\n"
          "       faultline-worker --hog --cpus=LIST --parent=PID\n"
          "       faultline-worker [--benchmark_...]\n",
          stderr);
    return 1;
}

static int parse(int argc, char **argv, struct fl_sample_request *request, pid_t *parent)
{
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == '?')
            return -EINVAL;
        if (take_option(option, optarg, request, parent)) {
            fprintf(stderr, "faultline-worker: '%s' is no value for --%s\n", optarg,
                    options[option - OPT_CELL].name);
            return -EINVAL;
        }
    }
    return optind == argc && request->cell ? 0 : -EINVAL;
}

/* Settings of the process that the cell names; reported like any failure of the sample. */
static int prepare(const struct fl_sample_request *request, const struct fl_cell *cell,
                   pid_t parent, struct fl_err *err)
{
    int rc = fl_process_follow(parent, err);
    if (!rc)
        rc = fl_malloc_verify(fl_malloc_find(fl_cell_get(cell, "malloc")), err);
    if (!rc)
        rc = fl_process_verify_runtime(fl_cell_get(cell, "omp-runtime"), err);
    if (!rc && request->cpus)
        rc = fl_process_pin(request->cpus, err);
    if (!rc && !strcmp(fl_cell_get(cell, "thp"), "off"))
        rc = fl_process_no_huge_pages(err);
    return rc;
}

/* Code of theirs runs from here on: should it crash, the phase says where. */
static int load_plugins(const struct fl_sample_request *request, struct fl_err *err)
{
    int rc = 0;
    if (request->plugin_count)
        fl_message(request->fd, "phase load");
    for (size_t i = 0; i < request->plugin_count && !rc; i++)
        rc = fl_registry_add_plugin(request->plugins[i], err);
    return rc;
}

static int add_plugin_facts(struct fl_sample *sample, struct fl_err *err)
{
    const struct fl_plugin_file *file = fl_registry_plugin_of(fl_registry_kernel(
        fl_cell_get(&sample->cell, "kernel"), fl_cell_get(&sample->cell, "library")));
    if (!file)
        return 0;
    int rc = 0; /* its path is known to the runner, who may have given a copy */
    if (file->build_id[0])
        rc = fl_facts_set(&sample->facts, "plugin-build-id", "%s", file->build_id);
    return rc ? fl_fail(err, rc, "too many facts in one sample") : 0;
}

static void *run_in_thread(void *arg)
{
    return fl_sample_run(arg) ? arg : NULL;
}

static int run_sample(struct fl_sample *sample)
{
    pthread_t thread;
    if (strcmp(fl_cell_get(&sample->cell, "caller"), "worker"))
        return fl_sample_run(sample);
    int error = pthread_create(&thread, NULL, run_in_thread, sample);
    if (error) {
        fl_message(sample->request.fd,
                   "outcome failed cannot create the caller's thread: %s: raise the limit on "
                   "processes (ulimit -u, pids.max of the cgroup) or on memory (ulimit -v)",
                   strerror(error));
        return 0;
    }
    void *failed;
    pthread_join(thread, &failed);
    return failed != NULL;
}

/* What tells a sample from a look with Google Benchmark, wherever among the options. */
static bool names_cell(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--cell") || !strncmp(argv[i], "--cell=", 7))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    /* Static, so that its pages are the loader's and not the heap's; one sample a process. */
    static struct fl_sample sample;
    struct fl_err err = {.text = ""};
    pid_t parent = 0;
    if (argc > 1 && !strcmp(argv[1], "--hog"))
        return fl_hog_mode(argc, argv);
    if (!names_cell(argc, argv))
        return fl_bench_mode(argc, argv);
    sample.request = (struct fl_sample_request){.fd = STDOUT_FILENO, .seed = 1};
    if (parse(argc, argv, &sample.request, &parent))
        return usage();
    int rc = load_plugins(&sample.request, &err);
    if (!rc)
        rc = fl_cell_parse(&sample.cell, sample.request.cell, &err);
    if (!rc)
        rc = add_plugin_facts(&sample, &err);
    if (!rc)
        rc = prepare(&sample.request, &sample.cell, parent, &err);
    if (rc) {
        fl_message(sample.request.fd, "outcome %s %s", rc == -ENOTSUP ? "unavailable" : "failed",
                   err.text);
        return 0;
    }
    return run_sample(&sample);
}
