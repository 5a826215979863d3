/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The running benchmark: the loop, its clock, and what it says about itself.
 *
 * Google Benchmark aborts the process where its state is used out of order (a pause outside the
 * loop, a return from within it). The phase kept here turns each of those into an error code or
 * into an error outcome of the run.
 */
#include <cstdio>
#include <type_traits>

#include "gbench-internal.hh"

static_assert(std::is_same<benchmark::IterationCount, int64_t>::value,
              "the C header counts iterations in int64_t");

namespace
{

benchmark::State &state_of(const struct fl_state *state)
{
    return *static_cast<benchmark::State *>(state->run);
}

const fl_bench &bench_of(const struct fl_state *state)
{
    return *static_cast<const fl_bench *>(state->bench);
}

/* SkipWithMessage() came with the outcome that is no failure; its absence means neither exists. */
template <typename State>
auto skip_with_message(State &run, const char *message, int)
    -> decltype(run.SkipWithMessage(message), int())
{
    run.SkipWithMessage(message);
    return 0;
}

template <typename State> int skip_with_message(State &, const char *, long)
{
    return -ENOTSUP;
}

/* `begun` as counted before the skip: the library counts all iterations as run after it. */
void note_skip(struct fl_state *state, int64_t begun)
{
    state->skipped = true;
    state->begun = begun;
    state->paused = false; /* the library has stopped the clock for good */
    state->left = 0;
}

/* The library stops a running clock at the end of the loop and aborts on a stopped one. */
void end_pause(struct fl_state *state)
{
    if (!state->paused)
        return;
    state->paused = false;
    state_of(state).ResumeTiming();
}

bool take(struct fl_state *state, int64_t n)
{
    if (state->phase == FL_STATE_FINISHED)
        return false;
    benchmark::State &run = state_of(state);
    if (run.iterations() >= run.max_iterations)
        end_pause(state);
    const bool again = run.KeepRunningBatch(n);
    state->phase = again ? FL_STATE_RUNNING : FL_STATE_FINISHED;
    return again;
}

} // namespace

void fl_state_enter(benchmark::State &run, const fl_bench *bench) noexcept
{
    struct fl_state state = {};
    state.run = &run;
    state.bench = bench;
    if (bench->wrong) {
        char text[256];
        snprintf(text, sizeof(text), "%s %s",
                 bench->wrong_code == -ENOMEM ? "out of memory in" : "wrong call of", bench->wrong);
        (void)fl_state_skip_with_error(&state, text);
        return;
    }
    bench->fn(&state, bench->arg);
    if (state.phase == FL_STATE_FINISHED || state.skipped)
        return;
    (void)fl_state_skip_with_error(&state, state.phase == FL_STATE_FRESH
                                               ? "the function has run no loop"
                                               : "the function left its loop before the end");
}

extern "C" {

int64_t fl_state_take(struct fl_state *state)
{
    const int64_t n = state_of(state).max_iterations;
    return take(state, n) ? n : 0;
}

bool fl_state_take_batch(struct fl_state *state, int64_t n)
{
    if (n <= 0) {
        (void)fl_state_skip_with_error(state, "fl_state_take_batch: wants a batch of 1 or more");
        return false;
    }
    return take(state, n);
}

int fl_state_pause(struct fl_state *state)
{
    if (state->phase != FL_STATE_RUNNING || state->paused || state->skipped)
        return -EINVAL;
    state_of(state).PauseTiming();
    state->paused = true;
    return 0;
}

int fl_state_resume(struct fl_state *state)
{
    if (!state->paused)
        return -EINVAL;
    end_pause(state);
    return 0;
}

void fl_state_set_iteration_time(struct fl_state *state, double seconds)
{
    state_of(state).SetIterationTime(seconds);
}

int64_t fl_state_range(struct fl_state *state, size_t pos)
{
    if (pos < bench_of(state).arity)
        return state_of(state).range(pos);
    (void)fl_state_skip_with_error(state, "fl_state_range: the run has no such argument");
    return 0;
}

size_t fl_state_range_count(const struct fl_state *state)
{
    return bench_of(state).arity;
}

int fl_state_threads(const struct fl_state *state)
{
    return state_of(state).threads();
}

int fl_state_thread_index(const struct fl_state *state)
{
    return state_of(state).thread_index();
}

int64_t fl_state_iterations(const struct fl_state *state)
{
    return state->skipped ? state->begun : state_of(state).iterations() - state->left;
}

int64_t fl_state_max_iterations(const struct fl_state *state)
{
    return state_of(state).max_iterations;
}

int fl_state_skip_with_error(struct fl_state *state, const char *message)
{
    return fl_guard([&] {
        const int64_t begun = fl_state_iterations(state);
        state_of(state).SkipWithError(message ? message : "");
        note_skip(state, begun);
        return 0;
    });
}

int fl_state_skip_with_message(struct fl_state *state, const char *message)
{
    return fl_guard([&] {
        const int64_t begun = fl_state_iterations(state);
        const int rc = skip_with_message(state_of(state), message ? message : "", 0);
        if (rc == 0)
            note_skip(state, begun);
        return rc;
    });
}

bool fl_state_skipped(const struct fl_state *state)
{
    return state->skipped;
}

int fl_state_set_bytes_processed(struct fl_state *state, int64_t bytes)
{
    return fl_guard([&] {
        state_of(state).SetBytesProcessed(bytes);
        return 0;
    });
}

int fl_state_set_items_processed(struct fl_state *state, int64_t items)
{
    return fl_guard([&] {
        state_of(state).SetItemsProcessed(items);
        return 0;
    });
}

int fl_state_set_label(struct fl_state *state, const char *label)
{
    return fl_guard([&] {
        state_of(state).SetLabel(label ? label : "");
        return 0;
    });
}

void fl_state_set_complexity_n(struct fl_state *state, int64_t n)
{
    state_of(state).SetComplexityN(n);
}

int fl_state_counter(struct fl_state *state, const char *name, double value, unsigned flags,
                     enum fl_counter_k k)
{
    const unsigned known = FL_COUNTER_RATE | FL_COUNTER_AVG_THREADS | FL_COUNTER_PER_ITERATION |
                           FL_COUNTER_AVG_ITERATIONS | FL_COUNTER_INVERT;
    if (!name || !*name || (flags & ~known) || (k != FL_K_1000 && k != FL_K_1024))
        return -EINVAL;
    return fl_guard([&] {
        state_of(state).counters[name] = fl_counter_to_library(value, flags, k);
        return 0;
    });
}

} // extern "C"
