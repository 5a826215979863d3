/* SPDX-License-Identifier: Apache-2.0 */
#include "members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int set_text(const struct fl_json_reader *reader, const char **to, struct fl_arena *arena)
{
    char *copy = fl_arena_alloc(arena, reader->length + 1, 1);

    if (!copy)
        return -ENOMEM;
    memcpy(copy, reader->text, reader->length + 1);
    *to = copy;
    return 0;
}

static int set(struct fl_json_reader *reader, const struct fl_member *member,
               enum fl_json_event event, struct fl_arena *arena)
{
    const struct fl_json_number *number = &reader->number;

    if (member->kind == FL_MEMBER_TEXT)
        return event == FL_JSON_STRING ? set_text(reader, member->to, arena) : 0;
    if (member->kind == FL_MEMBER_FLAG && (event == FL_JSON_TRUE || event == FL_JSON_FALSE))
        *(int *)member->to = event == FL_JSON_TRUE;
    if (event != FL_JSON_NUMBER)
        return 0;
    if (member->kind == FL_MEMBER_REAL)
        *(double *)member->to = number->real;
    else if (member->kind == FL_MEMBER_UNSIGNED)
        *(uint64_t *)member->to = strtoull(reader->text, NULL, 10);
    else if (member->kind == FL_MEMBER_INTEGER && number->is_integer)
        *(int64_t *)member->to = number->integer;
    return 0;
}

static const struct fl_member *find(const struct fl_member *members, const char *key)
{
    for (; members->key; members++)
        if (strcmp(members->key, key) == 0)
            return members;
    return NULL;
}

int fl_members_read(struct fl_json_reader *reader, const struct fl_member *members,
                    struct fl_arena *arena, void *arg)
{
    enum fl_json_event event;
    int status = 0;

    while (!status && (event = fl_json_next(reader)) == FL_JSON_KEY) {
        const struct fl_member *member = find(members, reader->text);
        event = fl_json_next(reader);
        if (event == FL_JSON_END)
            return 0;
        if (member && member->kind == FL_MEMBER_CALL) {
            status = member->call(arg, event);
            continue;
        }
        if (member)
            status = set(reader, member, event, arena);
        fl_json_skip(reader, event);
    }
    return status ? status : event == FL_JSON_OBJECT_END;
}
