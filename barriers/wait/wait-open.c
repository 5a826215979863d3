/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a wait policy, and the wait that is counted. */
#include <errno.h>

#include "wait-clock.h"

int fl_wait_open(struct fl_wait *wait, const struct fl_wait_ops *ops, const char *options,
                 struct fl_arena *arena, struct fl_err *err)
{
    int rc = fl_part_probe(&ops->part, err);
    if (rc)
        return fl_fail_within(err, rc, "wait policy '%s'", ops->part.name);
    if (*options && !ops->check)
        return fl_fail(err, -EINVAL, "wait policy '%s': option '%.60s' is unknown; it takes none",
                       ops->part.name, options);
    wait->ops = ops;
    wait->state = fl_arena_alloc(arena, ops->part.state_size + 1, 128);
    if (!wait->state)
        return fl_fail(err, -ENOMEM, "wait policy '%s': no memory", ops->part.name);
    return ops->open ? ops->open(wait->state, options, err) : 0;
}

void fl_wait_close(struct fl_wait *wait)
{
    if (wait->ops->close)
        wait->ops->close(wait->state);
}

void fl_wait_until_timed(const struct fl_wait *wait, struct fl_wait_word *word, uint32_t old,
                         struct fl_wait_stat *stat)
{
    uint64_t start = fl_wait_now_ns();
    wait->ops->until(wait->state, word, old, stat);
    stat->waits++;
    stat->wait_ns += fl_wait_now_ns() - start;
}
