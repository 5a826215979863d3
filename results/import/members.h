/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a JSON object, into variables by name. Private to results/import/. */
#ifndef RESULTS_IMPORT_MEMBERS_H
#define RESULTS_IMPORT_MEMBERS_H

#include "faultline/arena.h"
#include "json-reader.h"

struct fl_member {
    const char *key;
    enum {
        FL_MEMBER_TEXT,
        FL_MEMBER_INTEGER,
        FL_MEMBER_UNSIGNED,
        FL_MEMBER_REAL,
        FL_MEMBER_FLAG,
        FL_MEMBER_CALL
    } kind;
    /* const char *, int64_t, uint64_t, double or int (0 or 1); left alone at a null. */
    void *to;
    /* Reads the value that `event` began, to its end. 0, or -errno. */
    int (*call)(void *arg, enum fl_json_event event);
};

/*
 * Reads from behind the brace to the end of the object. Others and those of another type are passed
 * over; text is copied to the arena. 1: whole; 0: the input ended in it; -ENOMEM or what a call
 * returned. The list ends with a NULL key.
 */
int fl_members_read(struct fl_json_reader *reader, const struct fl_member *members,
                    struct fl_arena *arena, void *arg) FL_MUST_CHECK;

#endif
