/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workspace `slots-percpu`: a slot for each processor in front of a common pool. A call claims the
 * slot of the processor it runs on by a restartable sequence, without a lock, an atomic operation
 * or a search, and gives it back through the header of its mapping by one store, wherever it runs
 * by then. Where that slot is in use (a call inside a call, or one that was preempted or moved away
 * while it ran), it claims a common slot by compare-exchange. So few slots are ever used, and
 * their number follows the processors, not the threads. Options slots=N, of common slots, and
 * base=BYTES.
 *
 * A slot of a processor is only ever claimed from there. It may be given back from anywhere, since
 * its owner alone stores 0, and only 0 may be claimed.
 *
 * Where threads are not registered for restartable sequences, or on processors that this file has
 * none for, sched_getcpu() chooses the slot to begin at, and all are claimed by compare-exchange.
 */
#include <sched.h>
#include <unistd.h>

#include "rseq-claim.h"
#include "slot-pool.h"

enum { TRIES = 4 }; /* of the sequence; each lost one is a preemption */

struct percpu {
    struct fl_slot_pool pool; /* first, since its slots take the state */
    size_t cpus;              /* slots of processors, the first ones of the table */
    bool rseq;                /* these are claimed by the sequence alone */
};

/* A common slot, then the overflow array. Threads begin apart, by their processor. */
static struct fl_slot *claim_common(struct percpu *ws, size_t from, size_t begin)
{
    size_t count = ws->pool.count - from;
    for (size_t i = 0; i < count; i++) {
        struct fl_slot *slot = &ws->pool.slots[from + (begin + i) % count];
        if (fl_slot_try(slot))
            return slot;
    }
    return fl_overflow_claim(&ws->pool);
}

static struct fl_slot *claim_by_getcpu(struct percpu *ws)
{
    int cpu = sched_getcpu();
    return claim_common(ws, 0, cpu < 0 ? 0 : (size_t)cpu);
}

static struct fl_slot *claim(void *state)
{
    struct percpu *ws = state;
    if (!ws->rseq)
        return claim_by_getcpu(ws);
    int cpu = fl_rseq_cpu();
    for (int i = 0; i < TRIES && (size_t)cpu < ws->cpus; i++) {
        struct fl_slot *slot = &ws->pool.slots[cpu];
        enum fl_rseq_result result = fl_rseq_claim(cpu, &slot->used);
        if (result == FL_RSEQ_CLAIMED) {
            /* A load of no cost, which tells compiler and TSan what the sequence has acquired. */
            (void)atomic_load_explicit(&slot->used, memory_order_acquire);
            return slot;
        }
        if (result == FL_RSEQ_BUSY)
            break;
        cpu = fl_rseq_cpu();
    }
    return claim_common(ws, ws->cpus, cpu < 0 ? 0 : (size_t)cpu);
}

static int slots_percpu_with(void *state, const struct fl_request *requests, size_t count,
                             fl_body_fn body, void *arg)
{
    static const struct fl_pool_policy policy = {claim, fl_slot_release_by_header};
    return fl_pool_with(state, &policy, requests, count, body, arg);
}

static int slots_percpu_check(const char *options, struct fl_err *err)
{
    return fl_pool_check("slots-percpu", false, options, err);
}

static int slots_percpu_open(void *state, const struct fl_request *requests, size_t count,
                             unsigned threads, const char *options, struct fl_err *err)
{
    struct percpu *ws = state;
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    ws->cpus = cpus > 0 ? (size_t)cpus : 1;
    ws->rseq = fl_rseq_works();
    const struct fl_pool_plan plan = {.name = "slots-percpu",
                                      .header = FL_SLOT_LINE,
                                      .extra = ws->cpus,
                                      .threads = threads,
                                      .options = options};
    return fl_pool_open(&ws->pool, &plan, requests, count, err);
}

static int slots_percpu_facts(const void *state, struct fl_facts *facts)
{
    const struct percpu *ws = state;
    int rc = fl_pool_facts(state, facts);
    return rc ? rc
              : fl_facts_set(facts, "workspace-claim", "%s",
                             ws->rseq ? "rseq" : "getcpu: no rseq is registered here");
}

const struct fl_workspace_ops fl_workspace_slots_percpu = {
    .part = {.name = "slots-percpu",
             .summary = "a slot per processor, claimed without atomics by rseq, before a pool",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct percpu)},
    .check = slots_percpu_check,
    .open = slots_percpu_open,
    .with = slots_percpu_with,
    .held = fl_pool_held,
    .facts = slots_percpu_facts,
    .close = fl_pool_close,
};
