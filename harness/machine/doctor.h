/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doctor: what this machine can and cannot measure, what that changes, and what to do about it.
 *
 * fl_doctor_examine() judges what it is handed and looks at nothing else, so that any machine can
 * be described to it; fl_doctor_run() looks at this one. docs/doctor.md explains every check by its
 * id. Texts may hold what others wrote (paths, variables): only fl_doctor_print() makes them safe
 * for a terminal. Not thread-safe; fl_doctor_run() starts short-lived children.
 */
#ifndef FL_MACHINE_DOCTOR_H
#define FL_MACHINE_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "faultline/error.h"
#include "machine/ability.h"
#include "machine/properties.h"
#include "machine/topology.h"

enum fl_check_status {
    FL_CHECK_GOOD,  /* nothing to do */
    FL_CHECK_NOTE,  /* measures well, but results depend on it, or something is left out */
    FL_CHECK_LIMIT, /* something cannot be measured, or not well */
};

#define FL_CHECK_TEXT_MAX 512

struct fl_check {
    const char *id;    /* stable, as in docs/doctor.md: `hardware-counters` */
    const char *title; /* for people */
    enum fl_check_status status;
    char finding[FL_CHECK_TEXT_MAX];
    const char *effect;           /* what it changes; "" where the status is good */
    char cure[FL_CHECK_TEXT_MAX]; /* what to do about it; "" where the status is good */
};

/* A zeroed struct is an empty list. */
struct fl_checks {
    struct fl_check *items;
    size_t count, capacity;
};

/* A named thing that is available here or not: a malloc, a library, a plug-in. */
struct fl_part_state {
    const char *name;
    const char *reason; /* NULL: available; else why not, with the cure */
};

struct fl_doctor_input {
    const struct fl_properties *environment;
    const struct fl_topology *topology;
    const struct fl_abilities *abilities;
    const char *probe_library; /* path of the preload library; NULL: not found */
    const char *gnuplot;       /* path of the program; NULL: not found */
    int lock_holder;           /* process that is measuring now; 0: none */
    /* Ended by a row without a name; or NULL. */
    const struct fl_part_state *mallocs, *libraries, *plugins;
};

/* Judges. 0 or -ENOMEM. */
int fl_doctor_examine(const struct fl_doctor_input *input, struct fl_checks *out,
                      struct fl_err *err) FL_MUST_CHECK;

/* Looks at this machine and judges. `probe_library`: where the runner would preload it from, may
 * be NULL. `plugins` as tried by the caller; NULL: none was named. 0, or an error of the topology
 * or of memory. */
int fl_doctor_run(const char *probe_library, const struct fl_part_state *plugins,
                  struct fl_checks *out, struct fl_err *err) FL_MUST_CHECK;

void fl_checks_release(struct fl_checks *checks);

/* "good", "note" or "limit". */
const char *fl_check_status_name(enum fl_check_status status);

/* One line a check, finding, effect and cure below where there is something to do, and a closing
 * count. `width` is the terminal's, 0: 100. */
void fl_doctor_print(const struct fl_checks *checks, FILE *out, unsigned width);

#endif
