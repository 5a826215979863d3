/* SPDX-License-Identifier: Apache-2.0 */
/* Rig for counter tests. */
#include "counter-rig.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY   65534
#define STATE_AT (4096 - 64)

static void split(struct rig *rig, const char *wanted)
{
    size_t count = 0;
    char *text = strdup(wanted), *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word && count < RIG_METRICS;
         word = strtok_r(NULL, " ", &rest))
        rig->wanted[count++] = strdup(word);
    rig->wanted[count] = NULL;
    free(text);
}

void rig_open_with(struct rig *rig, const struct fl_counter_ops *ops, const char *wanted,
                   const struct fl_workspace *workspace, const char *library)
{
    memset(rig, 0, sizeof(*rig));
    rig->ops = ops;
    /* Pages of its own, as from the worker's arena: what is written here faults here alone. The
     * first edge and the last fall on both sides of a page's end. */
    size_t bytes = (ops->part.state_size + STATE_AT + 4095) / 4096 * 4096;
    rig->memory = aligned_alloc(4096, bytes);
    memset(rig->memory, 0, bytes);
    rig->state = rig->memory + STATE_AT;
    split(rig, wanted);
    const struct fl_counter_env env = {
        .wanted = rig->wanted,
        .workspace = workspace,
        .library = library,
        .facts = &rig->facts,
    };
    rig->rc = ops->open(rig->state, &env, &rig->err);
}

void rig_open(struct rig *rig, const struct fl_counter_ops *ops, const char *wanted)
{
    rig_open_with(rig, ops, wanted, NULL, NULL);
}

void rig_window(struct rig *rig, rig_body_fn body, void *arg)
{
    rig->ops->start(rig->state);
    if (body)
        body(arg);
    rig->ops->stop(rig->state);
}

struct fl_reading rig_read(struct rig *rig, const char *metric)
{
    struct fl_reading reading;
    memset(&reading, 0xff, sizeof(reading));
    rig->ops->read(rig->state, metric, &reading);
    return reading;
}

int64_t rig_total(struct rig *rig, const char *metric)
{
    struct fl_reading reading = rig_read(rig, metric);
    return reading.state == FL_READING_OK ? reading.total : INT64_MIN;
}

bool rig_is_exact(int64_t total, int64_t expected)
{
#ifdef FL_SANITIZED
    return total >= expected;
#else
    return total == expected;
#endif
}

void rig_close(struct rig *rig)
{
    if (!rig->rc)
        rig->ops->close(rig->state);
    free(rig->memory);
    for (size_t i = 0; rig->wanted[i]; i++)
        free((void *)rig->wanted[i]);
}

char *rig_pages(size_t pages)
{
    size_t bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    return memory;
}

static void become_nobody(void)
{
    if (setgid(NOBODY) || setuid(NOBODY))
        _exit(99);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* as after an exec, which this child does without */
}

int rig_child(int (*body)(void *arg), void *arg, bool unprivileged)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    pid_t child = fork();
    if (!child) {
        if (unprivileged && geteuid() == 0)
            become_nobody();
        _exit(body(arg));
    }
    int status = 0;
    waitpid(child, &status, 0);
    while (waitpid(-1, NULL, 0) > 0)
        ; /* its tracer, which ends behind it */
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
