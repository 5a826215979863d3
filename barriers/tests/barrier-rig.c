/* SPDX-License-Identifier: Apache-2.0 */
/* The team of the barriers' tests. */
#include "barrier-rig.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void rig_open(struct rig *rig, const struct rig_pair *pair, unsigned threads,
              const struct fl_barrier_place *places)
{
    struct fl_err err = {.text = ""};
    memset(rig, 0, sizeof *rig);
    rig->threads = threads;
    struct fl_barrier_team team = {threads, places, &rig->arena};
    if (fl_wait_open(&rig->wait, pair->wait, pair->wait_options, &rig->arena, &err))
        fail_msg("%s", err.text);
    if (fl_barrier_open(&rig->barrier, pair->barrier, pair->barrier_options, &team, &rig->wait,
                        &err))
        fail_msg("%s", err.text);
}

void rig_close(struct rig *rig)
{
    fl_barrier_close(&rig->barrier);
    fl_wait_close(&rig->wait);
    fl_arena_release(&rig->arena);
}

static void *run_thread(void *arg)
{
    struct rig_thread *self = arg;
    self->rig->body(self->rig, self->thread, &self->stat);
    return NULL;
}

void rig_run(struct rig *rig)
{
    pthread_t threads[RIG_THREADS_MAX] = {0};
    for (unsigned i = 0; i < rig->threads; i++)
        rig->team[i] = (struct rig_thread){.rig = rig, .thread = i};
    for (unsigned i = 1; i < rig->threads; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_thread, &rig->team[i]), 0);
    run_thread(&rig->team[0]);
    for (unsigned i = 1; i < rig->threads; i++)
        pthread_join(threads[i], NULL);
}

unsigned rig_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    return (unsigned)CPU_COUNT(&set);
}

bool rig_waits(const struct fl_wait_ops *wait)
{
    return !wait->runtime && !fl_part_probe(&wait->part, NULL);
}

bool rig_gives_way(const struct fl_wait_ops *wait)
{
    return wait->runtime || wait->wake || !strcmp(wait->part.name, "spin-yield");
}
