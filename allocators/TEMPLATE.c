/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workspace `template`: one malloc for all buffers of a call, cut into pieces.
 *
 * To add a workspace of your own: copy this file, replace `template` by its name throughout, and
 * add `fl_add_part(workspace NAME FILE.c)` to CMakeLists.txt. Nothing else names it. The symbol is
 * fl_workspace_NAME; part.name is free text without ':' or spaces (`stack+malloc`).
 */
#include <errno.h>
#include <stdlib.h>

#include "hand-aligned.h"
#include "workspace-options.h"

/*
 * Optional. Private state, zeroed and 64-byte aligned before open(); no other mutable data belongs
 * in a workspace. Leave the struct and part.state_size out where there is none.
 */
struct template_state {
    size_t pad; /* bytes left free behind each buffer */
};

/* Optional. 0, or -ENOTSUP with the reason why this workspace cannot run on this machine. Cheap and
 * without side effects. Leave it out where it runs everywhere. */
static int template_probe(struct fl_err *why)
{
    return sizeof(void *) >= 8 ? 0 : fl_fail(why, -ENOTSUP, "needs a 64-bit process");
}

static int read_options(const char *options, size_t *pad, struct fl_err *err)
{
    const struct fl_ws_option table[] = {{.name = "pad", .value = pad, .max = 1024 * 1024},
                                         {.name = NULL}};
    return fl_ws_options_read("template", options, table, err);
}

/* Optional: a workspace without it takes no options. Refuses what it does not know, where the level
 * is written in a scenario. */
static int template_check(const char *options, struct fl_err *err)
{
    size_t pad;
    return read_options(options, &pad, err);
}

/*
 * Required. Once, before the first call, with the largest requests that will come and the number of
 * calling threads. Without options: fl_ws_options_none().
 */
static int template_open(void *state, const struct fl_request *requests, size_t count,
                         unsigned threads, const char *options, struct fl_err *err)
{
    struct template_state *ws = state;
    (void)requests, (void)count, (void)threads;
    return read_options(options, &ws->pad, err);
}

/* Bytes for all buffers wherever the block begins; false where no size_t holds them. */
static bool total_bytes(const struct template_state *ws, const struct fl_request *requests,
                        size_t count, size_t *bytes)
{
    *bytes = 1; /* malloc(0) may be NULL */
    for (size_t i = 0; i < count; i++)
        if (__builtin_add_overflow(*bytes, requests[i].bytes, bytes) ||
            __builtin_add_overflow(*bytes, requests[i].align, bytes) ||
            __builtin_add_overflow(*bytes, ws->pad, bytes))
            return false;
    return true;
}

/*
 * Required. The measured slot: hand out, call body, take back in reverse order, return body's
 * result; -ENOMEM without calling body where there is no memory. Several threads may be in it.
 */
static int template_with(void *state, const struct fl_request *requests, size_t count,
                         fl_body_fn body, void *arg)
{
    const struct template_state *ws = state;
    void *pointers[FL_REQUESTS_MAX];
    size_t bytes;
    void *block = total_bytes(ws, requests, count, &bytes) ? malloc(bytes) : NULL;
    if (!block)
        return -ENOMEM;
    uintptr_t cursor = (uintptr_t)block;
    for (size_t i = 0; i < count; i++) {
        cursor = fl_align_up(cursor, requests[i].align);
        pointers[i] = (void *)cursor;
        /* A buffer of 0 bytes takes 1, so that no two have the same address. */
        cursor += requests[i].bytes + !requests[i].bytes + ws->pad;
    }
    int result = body(arg, pointers);
    free(block);
    return result;
}

/* Required. Bytes kept between calls: 0 for a policy that gives everything back. */
static size_t template_held(const void *state)
{
    (void)state;
    return 0;
}

/* Optional. Resolved values to be kept beside each sample. */
static int template_facts(const void *state, struct fl_facts *facts)
{
    const struct template_state *ws = state;
    return fl_facts_set(facts, "workspace-pad", "%zu", ws->pad);
}

/* Required. Gives everything back. */
static void template_close(void *state)
{
    (void)state;
}

const struct fl_workspace_ops fl_workspace_template = {
    .part = {.name = "template",                                /* required */
             .summary = "one malloc for all buffers of a call", /* required */
             .abi = FL_PART_ABI,                                /* required */
             .state_size = sizeof(struct template_state),       /* optional */
             .probe = template_probe},                          /* optional */
    .check = template_check,                                    /* optional */
    .open = template_open,                                      /* required */
    .with = template_with,                                      /* required */
    .held = template_held,                                      /* required */
    .facts = template_facts,                                    /* optional */
    .close = template_close,                                    /* required */
};
