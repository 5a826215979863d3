/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workspace `mmap`: a mapping of its own for every buffer of every call, so that every page faults
 * in every call, whatever malloc the process has.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hand-aligned.h"
#include "workspace-options.h"

struct mmap_each {
    size_t page; /* bytes */
};

struct mapping {
    void *address;
    size_t bytes;
};

static int mmap_open(void *state, const struct fl_request *requests, size_t count, unsigned threads,
                     const char *options, struct fl_err *err)
{
    (void)requests, (void)count, (void)threads;
    struct mmap_each *ws = state;
    ws->page = (size_t)sysconf(_SC_PAGESIZE);
    return fl_ws_options_none("mmap", options, err);
}

/* Whole pages for the buffer, one at least; alignment beyond a page takes room of its own. */
static int map_buffer(size_t page, const struct fl_request *request, struct mapping *mapping,
                      void **pointer)
{
    size_t more = request->align > page ? request->align : 0;
    size_t bytes = request->bytes ? request->bytes : 1;
    if (__builtin_add_overflow(bytes, more, &bytes) ||
        __builtin_add_overflow(bytes, page - 1, &bytes))
        return -ENOMEM;
    mapping->bytes = bytes & ~(page - 1);
    mapping->address =
        mmap(NULL, mapping->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping->address == MAP_FAILED)
        return -ENOMEM;
    *pointer = (void *)fl_align_up((uintptr_t)mapping->address, request->align);
    return 0;
}

static int mmap_with(void *state, const struct fl_request *requests, size_t count, fl_body_fn body,
                     void *arg)
{
    const struct mmap_each *ws = state;
    struct mapping mappings[FL_REQUESTS_MAX];
    void *pointers[FL_REQUESTS_MAX] = {NULL};
    size_t taken = 0;
    while (taken < count &&
           !map_buffer(ws->page, &requests[taken], &mappings[taken], &pointers[taken]))
        taken++;
    int result = taken == count ? body(arg, pointers) : -ENOMEM;
    while (taken > 0) {
        taken--;
        munmap(mappings[taken].address, mappings[taken].bytes);
    }
    return result;
}

static size_t mmap_held(const void *state)
{
    (void)state;
    return 0;
}

static void mmap_close(void *state)
{
    (void)state;
}

const struct fl_workspace_ops fl_workspace_mmap = {
    .part = {.name = "mmap",
             .summary = "mmap and munmap of every buffer in every call",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct mmap_each)},
    .open = mmap_open,
    .with = mmap_with,
    .held = mmap_held,
    .close = mmap_close,
};
