/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `template`: a counter that only goes up; whoever completes a phase sets the word.
 *
 * To add a barrier of your own: copy this file, replace `template` by its name throughout, and add
 * `fl_add_part(barrier NAME FILE.c)` to CMakeLists.txt. Nothing else names it. It is compiled twice
 * (rmw.h); FL_BARRIER(NAME) is its symbol in both. part.name is free text without ':' or spaces.
 */
#include "barrier-lines.h"
#include "rmw.h"

/*
 * Optional. Private state, zeroed and on lines of its own before open(); no other mutable data
 * belongs in a barrier. What is written often stands apart from what all read.
 */
struct template_state {
    _Alignas(FL_APART) _Atomic uint32_t arrived;
    struct fl_word_line phase;
    _Alignas(FL_APART) const struct fl_wait *wait;
    struct fl_epoch_line *own;
    unsigned threads;
};

/* Optional. 0, or -ENOTSUP with the reason why this barrier cannot run on this machine. */
static int template_probe(struct fl_err *why)
{
    (void)why;
    return 0;
}

/* Optional: a barrier without it takes no options. Refuses a bad one where it is written. */
static int template_check(const char *options, struct fl_err *err)
{
    if (!*options)
        return 0;
    return fl_fail(err, -EINVAL, "barrier 'template': option '%.60s' is unknown; it takes none",
                   options);
}

/* Required. Once, before the first arrive(). Lines for each thread come from the team's arena. */
static int template_open(void *state, const struct fl_barrier_team *team,
                         const struct fl_wait *wait, const char *options, struct fl_err *err)
{
    struct template_state *barrier = state;
    int rc = template_check(options, err);
    if (rc)
        return rc;
    barrier->wait = wait;
    barrier->threads = team->threads;
    return fl_barrier_lines(team, team->threads, sizeof *barrier->own, &barrier->own, err);
}

/*
 * Required. The measured slot. Waiting goes through fl_wait_until(), setting a word through
 * fl_wait_set(), a read-modify-write through fl_fetch_add(). `stat` may be NULL.
 */
static void template_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    struct template_state *barrier = state;
    uint32_t epoch = ++barrier->own[thread].epoch;
    uint32_t count = fl_fetch_add(&barrier->arrived, 1, memory_order_acq_rel, stat) + 1;
    if (count == epoch * barrier->threads)
        fl_wait_set(barrier->wait, &barrier->phase.word, epoch, stat);
    else
        fl_wait_until(barrier->wait, &barrier->phase.word, epoch - 1, stat);
}

/* Optional. Gives back what open() took from elsewhere than the arena. */
static void template_close(void *state)
{
    (void)state;
}

const struct fl_barrier_ops FL_BARRIER(template) = {
    .part = {.name = "template",                          /* required */
             .summary = "a counter that only goes up",    /* required */
             .abi = FL_PART_ABI,                          /* required */
             .state_size = sizeof(struct template_state), /* optional */
             .probe = template_probe},                    /* optional */
    .own_wait = false,                                    /* optional */
    .check = template_check,                              /* optional */
    .open = template_open,                                /* required */
    .arrive = template_arrive,                            /* required */
    .close = template_close,                              /* optional */
};
