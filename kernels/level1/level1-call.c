/* SPDX-License-Identifier: Apache-2.0 */
/* Level-1 calls, alone and shared out. */
#include "level1-call.h"

#include <errno.h>

#define LINE 64

int fl_level1_call_open(struct fl_level1_call *call, const struct fl_level1_operands *operands,
                        const struct fl_level1_set *set, const struct fl_team *team,
                        struct fl_arena *arena, struct fl_err *err)
{
    const unsigned threads = team ? team->threads : 1;

    call->name = operands->name;
    call->fn = set->ops[call->name->type][call->name->routine->op];
    call->team = team;
    fl_level1_operands_slice(operands, &call->slice);
    call->slots = fl_arena_alloc(arena, threads * sizeof(*call->slots), 128);
    return call->slots ? 0 : fl_fail(err, -ENOMEM, "cannot allocate results: out of memory");
}

bool fl_level1_call_can_share(const struct fl_level1_call *call)
{
    return !(call->name->routine->writes_y && call->slice.stride_y == 0);
}

/* BLAS counts from 1 and says 0 of an empty vector. */
static void finish(struct fl_level1_call *call)
{
    if (call->name->routine->op == FL_LEVEL1_IAMAX)
        call->value.index = call->slice.n > 0 ? call->value.index + 1 : 0;
}

static void nothing(struct fl_level1_value *value)
{
    *value = (struct fl_level1_value){0};
}

void fl_level1_call_one(struct fl_level1_call *call)
{
    nothing(&call->value);
    call->fn(&call->slice, &call->value);
    finish(call);
}

static void *moved(const void *at, ptrdiff_t stride, size_t elements, size_t bytes)
{
    return (char *)(uintptr_t)at + stride * (ptrdiff_t)(elements * bytes);
}

static int share(void *arg, unsigned thread)
{
    const struct fl_level1_call *call = arg;
    const size_t bytes = fl_level1_bytes(call->name->type), grain = LINE / bytes;
    struct fl_level1_value *value = &call->slots[thread].value;
    struct fl_level1_slice slice = call->slice;
    size_t begin, end;

    fl_team_split((slice.n + grain - 1) / grain, thread, call->team->threads, &begin, &end);
    begin *= grain;
    end = end * grain < slice.n ? end * grain : slice.n;
    begin = begin < end ? begin : end;
    slice.x = moved(slice.x, slice.stride_x, begin, bytes);
    if (call->name->routine->has_y)
        slice.y = moved(slice.y, slice.stride_y, begin, bytes);
    slice.n = end - begin;
    nothing(value);
    call->fn(&slice, value);
    value->index += begin;
    return 0;
}

int fl_level1_call_all(struct fl_level1_call *call)
{
    const struct fl_level1_routine *routine = call->name->routine;
    const int rc = fl_team_run(call->team, share, call);

    call->value = call->slots[0].value;
    for (unsigned i = 1; routine->join && i < call->team->threads; i++)
        routine->join(fl_level1_is_single(call->name->type), &call->value, &call->slots[i].value);
    finish(call);
    return rc;
}
