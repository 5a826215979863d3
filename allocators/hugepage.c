/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workspace `hugepage`: one mapping per thread of whole huge pages, advised MADV_HUGEPAGE, touched
 * when it is taken, grown to the largest call and kept.
 *
 * The advice holds even where the process has transparent huge pages switched off: they are
 * allowed while the new mapping is touched, and huge pages once there stay. Blocks are taken under
 * the lock of their workspace, so that no two threads interleave the switching.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "hand-aligned.h"
#include "kept-block.h"
#include "workspace-options.h"

enum { HUGE_BYTES = 2 * 1024 * 1024, SMALL_BYTES = 4096 };

#define ENABLED "/sys/kernel/mm/transparent_hugepage/enabled"

/* A mapping that begins on a huge page: one more is mapped, and the ends are given back. */
static void *map_aligned(size_t bytes)
{
    char *raw =
        mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED)
        return NULL;
    char *start = (char *)fl_align_up((uintptr_t)raw, HUGE_BYTES);
    size_t before = (size_t)(start - raw);
    if (before)
        munmap(raw, before);
    if (before < HUGE_BYTES)
        munmap(start + bytes, HUGE_BYTES - before);
    return start;
}

static void touch_huge(char *start, size_t bytes)
{
    int disabled = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);
    if (disabled == 1)
        prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
    madvise(start, bytes, MADV_HUGEPAGE);
    /* Every small page, since the kernel may have had no huge one to give. */
    for (size_t i = 0; i < bytes; i += SMALL_BYTES)
        ((volatile char *)start)[i] = 0;
    if (disabled == 1)
        prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

/*
 * Tried, because a block of small pages would go by the name of huge ones. A huge page is one
 * fault; room for a sanitizer's own is left.
 */
static bool gives_huge_pages(void)
{
    struct rusage before, after;
    char *start = map_aligned(HUGE_BYTES);
    if (!start)
        return true; /* with() will say what is wrong */
    getrusage(RUSAGE_THREAD, &before);
    touch_huge(start, HUGE_BYTES);
    getrusage(RUSAGE_THREAD, &after);
    munmap(start, HUGE_BYTES);
    return after.ru_minflt - before.ru_minflt < HUGE_BYTES / SMALL_BYTES / 4;
}

static int hugepage_probe(struct fl_err *why)
{
    char text[64] = "";
    int file = open(ENABLED, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return fl_fail(why, -ENOTSUP, "this kernel has no transparent huge pages (no " ENABLED ")");
    ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    if (got <= 0 || strstr(text, "[never]"))
        return fl_fail(why, -ENOTSUP,
                       "transparent huge pages are off: echo madvise > " ENABLED " allows them");
    if (!gives_huge_pages())
        return fl_fail(why, -ENOTSUP,
                       "the kernel gives small pages where a huge one is allowed: its memory is in "
                       "pieces (echo 1 > /proc/sys/vm/compact_memory) or has a limit");
    return 0;
}

static void *take(size_t *bytes)
{
    size_t whole;
    if (__builtin_add_overflow(*bytes, HUGE_BYTES - 1, &whole) || whole > SIZE_MAX / 2)
        return NULL;
    whole &= ~((size_t)HUGE_BYTES - 1);
    void *start = map_aligned(whole);
    if (start) {
        touch_huge(start, whole);
        *bytes = whole;
    }
    return start;
}

static void give(void *block, size_t bytes)
{
    munmap(block, bytes);
}

static int hugepage_open(void *state, const struct fl_request *requests, size_t count,
                         unsigned threads, const char *options, struct fl_err *err)
{
    static const struct fl_kept_source source = {take, give};
    (void)requests, (void)count, (void)threads;
    int rc = fl_ws_options_none("hugepage", options, err);
    return rc ? rc : fl_kept_open(state, &source, err);
}

const struct fl_workspace_ops fl_workspace_hugepage = {
    .part = {.name = "hugepage",
             .summary = "one mapping per thread of 2 MiB pages (MADV_HUGEPAGE), kept",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct fl_kept),
             .probe = hugepage_probe},
    .open = hugepage_open,
    .with = fl_kept_with,
    .held = fl_kept_held,
    .close = fl_kept_close,
};
