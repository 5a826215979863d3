/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of slots: more callers than slots, threads that end, homes, processors, and the table. */
#include "pool-rig.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rseq-claim.h"

enum { SLOTS = 2, BY_MALLOC = 3, ENDED = 60, AT_ONCE = 4, CALLS = 200, ALARMS = 3000, LOOKS = 20 };

static const char *const shared[] = {"slots-mutex", "slots-lock", "slots-hint", "slots-percpu"};
static const char *const bases[] = {"slots=2", "slots=2:base=32", "slots=2:base=48"};

/* Goes through all shared pools with all bases. */
static void for_every_pool(void (*check)(const char *name, const char *options))
{
    for (size_t p = 0; p < sizeof shared / sizeof *shared; p++)
        for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
            check(shared[p], bases[b]);
}

static void pin_to(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    assert_int_equal(sched_setaffinity(0, sizeof set, &set), 0);
}

static bool claims_by_rseq(struct pool_rig *rig)
{
    struct fl_facts facts = {.count = 0};
    assert_int_equal(rig->ws.ops->facts(rig->state, &facts), 0);
    const char *how = fl_facts_get(&facts, "workspace-claim");
    return how && !strcmp(how, "rseq");
}

/* Slots of the table that one thread on one processor can have at once. */
static size_t slots_within_reach(struct pool_rig *rig)
{
    const struct fl_slot_pool *pool = pool_of(rig);
    return claims_by_rseq(rig) ? pool->asked + 1 : pool->count;
}

static void check_overflow_fact(struct pool_rig *rig, const char *expected)
{
    struct fl_facts facts = {.count = 0};
    assert_int_equal(rig->ws.ops->facts(rig->state, &facts), 0);
    assert_string_equal(fl_facts_get(&facts, "workspace-overflow"), expected);
}

/* --- nested calls --------------------------------------------------------------------------------
 */

struct nest {
    struct pool_rig *rig;
    unsigned depth, deepest;
};

/* Each level marks its whole buffer, and finds the mark when the levels inside are done. */
static int descend(void *arg, void *const *pointers)
{
    struct nest *nest = arg;
    unsigned mark = ++nest->depth;
    unsigned *words = pointers[0];
    for (size_t i = 0; i < POOL_BYTES / sizeof *words; i++)
        words[i] = mark;
    int result = mark < nest->deepest ? pool_call(nest->rig, descend, nest) : (int)mark;
    for (size_t i = 0; i < POOL_BYTES / sizeof *words; i++)
        if (words[i] != mark)
            fail_msg("level %u has %u in its buffer", mark, words[i]);
    return result;
}

static void nest(struct pool_rig *rig, size_t deepest)
{
    struct nest nest = {rig, 0, (unsigned)deepest};
    assert_int_equal(pool_call(rig, descend, &nest), deepest);
}

static void check_nesting(const char *name, const char *options)
{
    struct pool_rig rig;
    pin_to(sched_getcpu());
    pool_open(&rig, name, options, 1);
    const struct fl_slot_pool *pool = pool_of(&rig);
    size_t within = slots_within_reach(&rig);
    nest(&rig, within);
    check_overflow_fact(&rig, "unused");
    assert_int_equal(rig.ws.ops->held(rig.state), within * pool->bytes);
    nest(&rig, within + 1);
    check_overflow_fact(&rig, "used");
    assert_int_equal(pool->overflow_calls, 1);
    nest(&rig, within + FL_OVERFLOW_SLOTS);
    check_overflow_fact(&rig, "used");
    nest(&rig, within + FL_OVERFLOW_SLOTS + BY_MALLOC);
    check_overflow_fact(&rig, "malloc");
    assert_int_equal(pool->overflow_calls, 1 + 2 * FL_OVERFLOW_SLOTS);
    assert_int_equal(pool->malloc_calls, BY_MALLOC);
    /* All of it is free again. */
    nest(&rig, within);
    assert_int_equal(pool->overflow_calls, 1 + 2 * FL_OVERFLOW_SLOTS);
    pool_close(&rig);
}

static void calls_beyond_the_slots_overflow_and_beyond_that_get_malloc(void **unused)
{
    (void)unused;
    cpu_set_t before;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    for_every_pool(check_nesting);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void a_full_table_of_a_thread_is_relieved_by_malloc(void **unused)
{
    (void)unused;
    struct pool_rig rig;
    pool_open(&rig, "slots-tls-mutex", "slots=2", 1);
    nest(&rig, SLOTS);
    check_overflow_fact(&rig, "unused");
    nest(&rig, SLOTS + BY_MALLOC);
    check_overflow_fact(&rig, "malloc");
    assert_int_equal(pool_of(&rig)->malloc_calls, BY_MALLOC);
    pool_close(&rig);
}

/* --- threads -------------------------------------------------------------------------------------
 */

/* Threads that are all in their bodies at one moment. */
struct crowd {
    struct pool_rig *rig;
    pthread_barrier_t inside;
    unsigned depth; /* calls of each thread, one in another */
    struct member {
        struct crowd *crowd;
        unsigned id, level;
        int wrong;
        void *deepest; /* buffer */
    } members[POOL_THREADS_MAX];
};

static int meet(void *arg, void *const *pointers)
{
    struct member *member = arg;
    unsigned *words = pointers[0], mark = member->id * 1000 + member->level;
    for (size_t i = 0; i < POOL_BYTES / sizeof *words; i++)
        words[i] = mark;
    int result = 7;
    if (++member->level < member->crowd->depth) {
        result = pool_call(member->crowd->rig, meet, member);
    } else {
        member->deepest = pointers[0];
        pthread_barrier_wait(&member->crowd->inside);
    }
    for (size_t i = 0; i < POOL_BYTES / sizeof *words; i++)
        member->wrong += words[i] != mark;
    return result;
}

static void *join_crowd(void *arg)
{
    struct member *member = arg;
    member->wrong += pool_call(member->crowd->rig, meet, member) != 7;
    return NULL;
}

/* Leaves the crowd for its members to be looked at. */
static void gather(struct crowd *crowd, struct pool_rig *rig, unsigned threads, unsigned depth)
{
    pthread_t ids[POOL_THREADS_MAX];
    crowd->rig = rig;
    crowd->depth = depth;
    assert_int_equal(pthread_barrier_init(&crowd->inside, NULL, threads), 0);
    for (unsigned i = 0; i < threads; i++) {
        crowd->members[i] = (struct member){crowd, i + 1, 0, 0, NULL};
        assert_int_equal(pthread_create(&ids[i], NULL, join_crowd, &crowd->members[i]), 0);
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        if (crowd->members[i].wrong)
            fail_msg("%s: thread %u saw %d foreign words", rig->ws.ops->part.name, i,
                     crowd->members[i].wrong);
    }
    pthread_barrier_destroy(&crowd->inside);
}

static void check_crowd(const char *name, const char *options)
{
    struct pool_rig rig;
    struct crowd crowd;
    pool_open(&rig, name, options, SLOTS);
    const struct fl_slot_pool *pool = pool_of(&rig);
    gather(&crowd, &rig, POOL_THREADS_MAX, 1);
    /* Where a thread may not have every slot, more are left over. */
    assert_in_range(pool->overflow_calls, POOL_THREADS_MAX - pool->count, POOL_THREADS_MAX - SLOTS);
    check_overflow_fact(&rig, "used");
    gather(&crowd, &rig, POOL_THREADS_MAX, 40);
    size_t most = POOL_THREADS_MAX * 40 - FL_OVERFLOW_SLOTS;
    assert_in_range(pool->malloc_calls, most - pool->count, most - SLOTS);
    check_overflow_fact(&rig, "malloc");
    pool_close(&rig);
}

static void more_threads_than_slots_get_buffers_of_their_own(void **unused)
{
    (void)unused;
    for_every_pool(check_crowd);
}

static size_t mapped_slots(const struct fl_slot_pool *pool)
{
    size_t mapped = 0;
    for (size_t i = 0; i < pool->count; i++)
        mapped += atomic_load(&pool->slots[i].address) != NULL;
    return mapped;
}

static void check_ended(const char *name, const char *options)
{
    struct pool_rig rig;
    struct crowd crowd;
    (void)options;
    pool_open(&rig, name, "slots=50", AT_ONCE);
    const struct fl_slot_pool *pool = pool_of(&rig);
    /* A thread may be moved to another processor before it claims. */
    size_t processors = pool->count - pool->asked;
    for (int i = 0; i < ENDED; i++)
        gather(&crowd, &rig, 1 + (unsigned)i % AT_ONCE, 1);
    assert_in_range(mapped_slots(pool), AT_ONCE, AT_ONCE + processors);
    check_overflow_fact(&rig, "unused");
    for (size_t i = 0; i < pool->count; i++) {
        assert_int_equal(atomic_load(&pool->slots[i].used), 0);
        assert_int_equal(atomic_load(&pool->slots[i].homes), 0);
    }
    pool_close(&rig);
}

static void threads_that_end_give_their_slots_back(void **unused)
{
    (void)unused;
    for (size_t p = 0; p < sizeof shared / sizeof *shared; p++)
        check_ended(shared[p], "");
    struct pool_rig rig;
    struct crowd crowd;
    pool_open(&rig, "slots-tls-mutex", "", AT_ONCE);
    for (int i = 0; i < ENDED; i++)
        gather(&crowd, &rig, AT_ONCE, 2);
    assert_int_equal(rig.ws.ops->held(rig.state), 0);
    nest(&rig, 2);
    assert_true(rig.ws.ops->held(rig.state) > 2 * POOL_BYTES);
    pool_close(&rig);
}

/* --- homes and processors ------------------------------------------------------------------------
 */

static int note_buffer(void *arg, void *const *pointers)
{
    *(void **)arg = pointers[0];
    sched_yield();
    return 0;
}

struct resident {
    struct pool_rig *rig;
    void *home;
    int moves;
};

static void *call_often(void *arg)
{
    struct resident *resident = arg;
    pool_call(resident->rig, note_buffer, &resident->home);
    for (int i = 0; i < CALLS; i++) {
        void *buffer = NULL;
        pool_call(resident->rig, note_buffer, &buffer);
        resident->moves += buffer != resident->home;
    }
    return NULL;
}

/* In a pool without homes, a call gets another slot as soon as a lower one is free. */
static void a_thread_of_slots_hint_stays_at_its_home(void **unused)
{
    (void)unused;
    struct pool_rig rig;
    pthread_t ids[AT_ONCE];
    struct resident residents[AT_ONCE];
    pool_open(&rig, "slots-hint", "", AT_ONCE);
    for (int i = 0; i < AT_ONCE; i++) {
        residents[i] = (struct resident){&rig, NULL, 0};
        pthread_create(&ids[i], NULL, call_often, &residents[i]);
    }
    for (int i = 0; i < AT_ONCE; i++)
        pthread_join(ids[i], NULL);
    for (int i = 0; i < AT_ONCE; i++)
        assert_int_equal(residents[i].moves, 0);
    assert_in_range(mapped_slots(pool_of(&rig)), 1, AT_ONCE);
    pool_close(&rig);
}

static void *call_pinned(void *arg)
{
    pin_to(0);
    pool_call(arg, note_buffer, &(void *){NULL});
    return NULL;
}

static void threads_of_one_processor_take_turns_at_its_slot(void **unused)
{
    (void)unused;
    struct pool_rig rig;
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) || !CPU_ISSET(0, &mine))
        skip();
    pool_open(&rig, "slots-percpu", "", AT_ONCE);
    for (int i = 0; i < ENDED; i++) {
        pthread_t id;
        pthread_create(&id, NULL, call_pinned, &rig);
        pthread_join(id, NULL);
    }
    assert_int_equal(mapped_slots(pool_of(&rig)), 1);
    assert_non_null(atomic_load(&pool_of(&rig)->slots[0].address));
    pool_close(&rig);
}

static void the_sequence_claims_a_free_word_of_its_processor_alone(void **unused)
{
    (void)unused;
    atomic_uint word = 0;
    cpu_set_t before;
    if (!fl_rseq_works())
        skip();
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    int here = fl_rseq_cpu();
    pin_to(here);
    assert_int_equal(fl_rseq_cpu(), here);
    assert_int_equal(fl_rseq_claim(here + 1, &word), FL_RSEQ_MOVED);
    assert_int_equal(word, 0);
    assert_int_equal(fl_rseq_claim(here, &word), FL_RSEQ_CLAIMED);
    assert_int_equal(word, 1);
    assert_int_equal(fl_rseq_claim(here, &word), FL_RSEQ_BUSY);
    assert_int_equal(fl_rseq_claim(here + 1, &word), FL_RSEQ_MOVED);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

/* A word in the buffer that is 0 whenever nobody has the slot. */
static int hold(void *arg, void *const *pointers)
{
    volatile unsigned *word = pointers[0];
    unsigned mine = *(unsigned *)arg;
    int wrong = *word != 0;
    *word = mine;
    for (int i = 0; i < LOOKS; i++)
        wrong += *word != mine;
    *word = 0;
    return wrong;
}

/* For the threads below; a handler has no other place. */
static atomic_uint alarms;
static cpu_set_t halves[2]; /* of the processors */

/* In the middle of whatever it was, others get the processor, and then the thread moves on. */
static void on_alarm(int signal)
{
    (void)signal;
    sched_yield();
    sched_setaffinity(0, sizeof *halves, &halves[atomic_fetch_add(&alarms, 1) % 2]);
}

/* Every second processor of those that this thread may use; false where it has only one. */
static bool split_processors(const cpu_set_t *mine)
{
    int count = 0;
    CPU_ZERO(&halves[0]);
    CPU_ZERO(&halves[1]);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, mine))
            CPU_SET(cpu, &halves[count++ % 2]);
    return count > 1;
}

struct disturbed {
    struct pool_rig *rig;
    unsigned id;
    int wrong;
};

static void *call_disturbed(void *arg)
{
    struct disturbed *thread = arg;
    while (atomic_load(&alarms) < ALARMS)
        thread->wrong += pool_call(thread->rig, hold, &thread->id);
    return NULL;
}

/* The claim is some instructions of the few in a call, so signals hit it again and again. */
static void disturb(struct pool_rig *rig)
{
    struct disturbed threads[AT_ONCE];
    pthread_t ids[AT_ONCE];
    sigset_t alarm_only;
    struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    atomic_store(&alarms, 0);
    for (unsigned i = 0; i < AT_ONCE; i++) {
        threads[i] = (struct disturbed){rig, i + 1, 0};
        assert_int_equal(pthread_create(&ids[i], NULL, call_disturbed, &threads[i]), 0);
    }
    /* This thread only waits: the signals are for the others. */
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm_only, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < AT_ONCE; i++)
        pthread_join(ids[i], NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    /* One that still waits is for nobody. */
    signal(SIGALRM, SIG_IGN);
    pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
    for (int i = 0; i < AT_ONCE; i++)
        assert_int_equal(threads[i].wrong, 0);
}

static void interrupted_claims_are_made_again(void **unused)
{
    (void)unused;
    struct pool_rig rig;
    cpu_set_t mine;
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    if (sched_getaffinity(0, sizeof mine, &mine) || !split_processors(&mine))
        skip();
    sigaction(SIGALRM, &action, NULL);
    pool_open(&rig, "slots-percpu", "", AT_ONCE);
    disturb(&rig);
    pool_close(&rig);
}

/* --- table ---------------------------------------------------------------------------------------
 */

static void check_table(const char *name, const char *options, unsigned threads, size_t base,
                        const char *slots)
{
    struct pool_rig rig;
    struct fl_facts facts = {.count = 0};
    pool_open(&rig, name, options, threads);
    if (pool_of(&rig)->slots)
        assert_int_equal((uintptr_t)pool_of(&rig)->slots % FL_SLOT_LINE, base);
    assert_int_equal(rig.ws.ops->facts(rig.state, &facts), 0);
    assert_string_equal(fl_facts_get(&facts, "workspace-slots"), slots);
    pool_close(&rig);
}

static void slots_and_base_are_as_asked(void **unused)
{
    (void)unused;
    for (size_t p = 0; p < sizeof shared / sizeof *shared; p++) {
        check_table(shared[p], "", 1, 0, "50");
        check_table(shared[p], "", 25, 0, "50");
        check_table(shared[p], "", 26, 0, "52");
        check_table(shared[p], "slots=7", 26, 0, "7");
        check_table(shared[p], "base=32", 1, 32, "50");
        check_table(shared[p], "base=56:slots=1", 1, 56, "1");
    }
    check_table("slots-tls-mutex", "", 40, 0, "80");
}

/* Larger than what open() was told: the slot is given back, and malloc serves the call. */
static void a_call_too_large_for_a_slot_gets_malloc(void **unused)
{
    (void)unused;
    static const char *const all[] = {"slots-mutex", "slots-tls-mutex", "slots-lock", "slots-hint",
                                      "slots-percpu"};
    for (size_t p = 0; p < sizeof all / sizeof *all; p++) {
        struct pool_rig rig;
        void *small = NULL, *large = NULL;
        pool_open(&rig, all[p], "slots=1", 1);
        pool_call(&rig, note_buffer, &small);
        rig.request.bytes = 100 * POOL_BYTES;
        pool_call(&rig, note_buffer, &large);
        assert_non_null(large);
        assert_ptr_not_equal(large, small);
        check_overflow_fact(&rig, "malloc");
        rig.request.bytes = POOL_BYTES;
        pool_call(&rig, note_buffer, &large);
        assert_int_equal(pool_of(&rig)->malloc_calls, 1);
        assert_int_equal(pool_of(&rig)->overflow_calls, 0);
        pool_close(&rig);
    }
}

/* Without rseq: glibc registers no thread when it is told so. */
static void check_without_rseq(void)
{
    struct pool_rig rig;
    pool_open(&rig, "slots-percpu", "", 1);
    assert_false(claims_by_rseq(&rig));
    pool_close(&rig);
}

static void without_rseq_the_processor_only_chooses_where_to_begin(void **unused)
{
    (void)unused;
    pid_t pid = fork();
    int status = -1;
    if (!pid) {
        setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
        execl("/proc/self/exe", "test-slot-pools", "without-rseq", (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_beyond_the_slots_overflow_and_beyond_that_get_malloc),
        cmocka_unit_test(a_full_table_of_a_thread_is_relieved_by_malloc),
        cmocka_unit_test(more_threads_than_slots_get_buffers_of_their_own),
        cmocka_unit_test(threads_that_end_give_their_slots_back),
        cmocka_unit_test(a_thread_of_slots_hint_stays_at_its_home),
        cmocka_unit_test(threads_of_one_processor_take_turns_at_its_slot),
        cmocka_unit_test(the_sequence_claims_a_free_word_of_its_processor_alone),
        cmocka_unit_test(interrupted_claims_are_made_again),
        cmocka_unit_test(slots_and_base_are_as_asked),
        cmocka_unit_test(a_call_too_large_for_a_slot_gets_malloc),
        cmocka_unit_test(without_rseq_the_processor_only_chooses_where_to_begin),
    };
    size_t count = sizeof tests / sizeof *tests;
    /* Run again without rseq: all but itself. */
    if (argc > 1 && !strcmp(argv[1], "without-rseq")) {
        check_without_rseq();
        return _cmocka_run_group_tests("slot-pools-without-rseq", tests, count - 1, NULL, NULL);
    }
    return _cmocka_run_group_tests("slot-pools", tests, count, NULL, NULL);
}
