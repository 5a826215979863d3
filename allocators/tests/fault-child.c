/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fresh process that calls one workspace and prints how many minor faults the counted calls took.
 *
 *   fault-child MALLOC WORKSPACE CALLS OFFSET main|worker ALIGN BYTES...
 *
 * OFFSET is where the heap's top begins in its page; `-` leaves it as it is. Nothing here allocates
 * or frees before the count but what OFFSET needs, so that glibc's thresholds are untouched.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "faultline/arena.h"
#include "faultline/registry.h"

enum { PAGE = 4096, WARM_UP = 3 };

struct work {
    struct fl_workspace ws;
    struct fl_request requests[FL_REQUESTS_MAX];
    size_t count;
    long calls;
    const char *offset; /* "-": leave the heap alone */
    void *heap[2];      /* what moved it */
    long faults;
};

/* Moves the start of the heap's top to `offset` in its page with blocks that stay. */
static void normalise_heap(struct work *work, long offset)
{
    work->heap[0] = malloc(24); /* the heap begins */
    uintptr_t top = (uintptr_t)sbrk(0) - mallinfo2().keepcost;
    size_t delta = (size_t)(offset - (long)(top % PAGE) + PAGE) % PAGE;
    if (delta)
        work->heap[1] = malloc((delta < 32 ? delta + PAGE : delta) - sizeof(size_t));
    top = (uintptr_t)sbrk(0) - mallinfo2().keepcost;
    if ((long)(top % PAGE) != offset) {
        fprintf(stderr, "fault-child: the heap cannot be moved to offset %ld\n", offset);
        exit(2);
    }
}

static int touch(void *arg, void *const *pointers)
{
    const struct work *work = arg;
    for (size_t i = 0; i < work->count; i++) {
        volatile char *bytes = pointers[i];
        for (size_t b = 0; b < work->requests[i].bytes; b += PAGE)
            bytes[b] = 1;
        if (work->requests[i].bytes)
            bytes[work->requests[i].bytes - 1] = 1;
    }
    return 0;
}

static long thread_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

static void *count_faults(void *arg)
{
    struct work *work = arg;
    if (*work->offset != '-')
        normalise_heap(work, atol(work->offset));
    long before = 0;
    for (long i = -WARM_UP; i < work->calls; i++) {
        if (i == 0)
            before = thread_faults();
        if (fl_workspace_with(&work->ws, work->requests, work->count, touch, work)) {
            fprintf(stderr, "fault-child: no memory\n");
            exit(2);
        }
    }
    work->faults = thread_faults() - before;
    return NULL;
}

static void on_thread(struct work *work)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, count_faults, work) || pthread_join(thread, NULL))
        exit(2);
}

static int open_workspace(struct work *work, const char *level)
{
    struct fl_arena arena = {0};
    struct fl_err err = {""};
    const char *colon = strchr(level, ':');
    work->ws.ops = fl_registry_workspace(level);
    if (!work->ws.ops)
        return 2;
    work->ws.state = fl_arena_alloc(&arena, work->ws.ops->part.state_size + 64, 64);
    if (work->ws.ops->open(work->ws.state, work->requests, work->count, 1, colon ? colon + 1 : "",
                           &err)) {
        fprintf(stderr, "fault-child: %s\n", err.text);
        return 2;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct work work = {.count = 0};
    struct fl_err err = {""};
    if (argc < 8)
        return 2;
    for (int i = 7; i < argc && work.count < FL_REQUESTS_MAX; i++)
        work.requests[work.count++] =
            (struct fl_request){strtoul(argv[i], NULL, 10), strtoul(argv[6], NULL, 10)};
    work.calls = atol(argv[3]);
    work.offset = argv[4];
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    if (open_workspace(&work, argv[2]))
        return 2;
    if (!strcmp(argv[5], "worker"))
        on_thread(&work);
    else
        count_faults(&work);
    printf("%ld %zu\n", work.faults, work.ws.ops->held(work.ws.state));
    free(work.heap[1]);
    free(work.heap[0]);
    /* After the count, since it asks the dynamic linker, which may allocate. */
    if (fl_malloc_verify(fl_malloc_find(argv[1]), &err)) {
        fprintf(stderr, "fault-child: %s\n", err.text);
        return 3;
    }
    return 0;
}
