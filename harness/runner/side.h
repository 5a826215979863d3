/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Side: what is measured, base or head of an A/B run, or all of a plain run. A source of samples
 * that is opened once, plans its cells and takes one sample at a time.
 *
 * Its text is words separated by spaces, quoted as levels of keys are, each one of
 *
 *   worker=PATH          another build of faultline-worker
 *   library=PATH         another file behind the one library of the scenario; a PATH has a '/'
 *   library=ALIAS:PATH   the same where the scenario has several
 *   eigen=DIR            the shim over Eigen, compiled against the headers in DIR
 *   gbench=PATH          a Google Benchmark program, whose benchmarks are the cells (gbench-side.h)
 *   filter=REGEX         behind gbench=: only the benchmarks that the program itself would run
 *   git:REVISION         that revision, built by --build: paths behind it are those of the checkout
 *   plugin=PATH          another build of a plug-in, which has its first kernel
 *   FACTOR=LEVEL         that level instead of the scenario's list
 *
 * or `SELECTOR : FACTOR=LEVEL ...`, by which only the selected cells differ. An empty text is the
 * scenario as it is. What the words name is compared and leaves the key of a pair.
 *
 * A further kind of side is a row in side-subjects.c, and its own ops where its samples do not come
 * from a worker of ours.
 */
#ifndef FL_SIDE_H
#define FL_SIDE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "runner/plan.h"
#include "runner/private-folder.h"
#include "runner/sampler.h"

#define FL_SIDE_WORDS 8

/* Levels of a cell as the store keeps them, and the text they point into. */
struct fl_side_levels {
    struct fl_cell cell;
    char text[FL_CELL_KEY_MAX];
    struct fl_stored_level list[FL_CELL_LEVELS];
    size_t count;
};

struct fl_side;

/* All slots are required, close() apart. */
struct fl_side_ops {
    /* The cells. On success the caller releases the plan. */
    int (*plan)(struct fl_side *side, struct fl_plan *plan, struct fl_err *err);
    int (*levels)(const struct fl_side *side, const char *key, struct fl_side_levels *out,
                  struct fl_err *err);
    /* As fl_sampler_probe() and fl_sampler_take(). The sampler has the settings, and the metrics
     * with their ids in the store: values of others need fl_store_metric() first. */
    int (*probe)(struct fl_side *side, const struct fl_sampler *sampler, const char *key,
                 struct fl_err *why);
    int (*take)(struct fl_side *side, const struct fl_sampler *sampler,
                const struct fl_sample_task *task, struct fl_taken *taken, struct fl_err *err);
    /* Releases `state`. */
    void (*close)(struct fl_side *side);
};

struct fl_side_level {
    char factor[64], level[FL_LEVEL_MAX];
};

struct fl_side_request {
    const char *text;                  /* as typed; outlives the side */
    struct fl_scenario *scenario;      /* the side's own, which it changes; outlives it */
    const char *worker;                /* path of faultline-worker where the text names none */
    const char *shim;                  /* source of the shim over Eigen; NULL: there is none */
    const char *build;                 /* --build: how a revision is built; NULL: not given */
    struct fl_store *store;            /* NULL while it is opened; then open for writing */
    const volatile sig_atomic_t *stop; /* builds end when it is set; NULL: never */
};

struct fl_side {
    struct fl_side_request asked;
    const struct fl_side_ops *ops;
    const struct fl_scenario *scenario; /* as asked for */
    char worker[PATH_MAX];              /* that is run: a private copy once there is one */
    char original[PATH_MAX];            /* of which it is a copy; "": it is none */
    char probe[PATH_MAX];               /* that comes with the worker; "": any */
    struct fl_private_folder folder;    /* of private copies and of what was built */
    char root[PATH_MAX];                /* of relative paths in the text; "": the current folder */
    bool limited;                       /* only the cells of `limit` have the levels below */
    struct fl_rule limit;
    struct fl_side_level named[FL_SIDE_WORDS]; /* by FACTOR=LEVEL */
    size_t named_count;
    const char *libraries[FL_SIDE_WORDS]; /* aliases that have a path in the text */
    size_t library_count;
    const char *plugins[FL_SIDE_WORDS]; /* loaded here, in whose place the text has another */
    size_t plugin_count;
    char commit_id[72]; /* revision under test; "": not known */
    int64_t commit_ns;  /* its time; 0: not known */
    void *state;        /* of ops that need one */
};

/* A plain run's: the scenario as it is, by that worker. Nothing to close. */
void fl_side_plain(struct fl_side *side, const struct fl_scenario *scenario, const char *worker);

/*
 * Reads the text, checks what it names and changes the side's scenario accordingly; builds what has
 * to be built. 0; -EINVAL, -ENOENT, ... with the reason. On success the caller closes it.
 */
int fl_side_open(struct fl_side *side, const struct fl_side_request *request,
                 struct fl_err *err) FL_MUST_CHECK;

/*
 * Copies the worker and the libraries that the text names to a folder of the side's own, so that
 * the paths of both sides are equally long and nobody replaces a file while it is measured. Call it
 * when the run is described: records name the originals. 0, or -errno with the reason.
 */
int fl_side_make_private(struct fl_side *side, struct fl_err *err) FL_MUST_CHECK;

/*
 * Before that: also copies what stands behind the libraries and plug-ins that the text of the other
 * side names, so that the paths of these are equally long, too. Shims over Eigen that were not
 * named stay where they are: which one a cell has depends on its instruction set.
 */
void fl_side_copy_alike(struct fl_side *side, const struct fl_side *other);

/* Also of a side that was not opened. */
void fl_side_close(struct fl_side *side);

/*
 * Puts another file behind an alias of the side's scenario, for subjects; `alias` NULL: the only
 * one its cells have. 0; -EINVAL: no or several; as fl_library_find().
 */
int fl_side_set_library(struct fl_side *side, const char *alias, const char *given,
                        struct fl_err *err) FL_MUST_CHECK;

/* Where a path of the text leads to: below the root of a checkout, where there is one. 0,
 * -ENAMETOOLONG. */
int fl_side_path(const struct fl_side *side, const char *path, char out[PATH_MAX],
                 struct fl_err *err) FL_MUST_CHECK;

/*
 * Another file in the place of the loaded plug-in that has its first kernel, for subjects. 0;
 * -ENOENT: none is loaded; as fl_plugins_use().
 */
int fl_side_set_plugin(struct fl_side *side, const char *path, struct fl_err *err) FL_MUST_CHECK;

/*
 * Before a scenario is read: loads the plug-ins that a side's text names, unless others with their
 * kernels are there, so that its cells can be planned. What a revision is still to build is not
 * there yet: for that, name a build of the same kernels by --plugin. As fl_plugins_use().
 */
int fl_side_use_plugins(const char *text, struct fl_err *err) FL_MUST_CHECK;

/* Another worker, and the probe that was built with it, for subjects. 0, -errno. */
int fl_side_set_worker(struct fl_side *side, const char *given, struct fl_err *err) FL_MUST_CHECK;

/* The ops of sides whose samples come from a worker of ours. */
extern const struct fl_side_ops fl_worker_side_ops;

#endif
