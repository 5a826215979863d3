/* SPDX-License-Identifier: Apache-2.0 */
/* The table of suspects, and which cells a row is for. */
#include "runner/suspects.h"

#include <string.h>

/* Workspaces that ask malloc in every call; a library's own calls do that or not, who knows. */
#define BY_MALLOC  "workspace=malloc|stack+malloc"
#define IN_LIBRARY "library!=faultline"
#define TEAM       "threads!=1"

/* ---- testimonies that several rows share ---- */

#define TRIM                                                                                       \
    {                                                                                              \
        "trim threshold", {"brk-calls", "minor-faults"}, {NULL},                                   \
            "the process gives the free top of glibc's heap back to the kernel at the end of the " \
            "call, because it exceeds the trim threshold, and faults it in again in the next one", \
            "raise M_TRIM_THRESHOLD with mallopt() or MALLOC_TRIM_THRESHOLD_, and "                \
            "M_MMAP_THRESHOLD with it, since setting one alone fixes the other at 128 KiB; "       \
            "M_TOP_PAD does it too; or keep the memory between calls in a workspace"               \
    }

#define MAPPED                                                                                     \
    {                                                                                              \
        "mmap threshold", {"munmap-calls", "mmap-calls", "minor-faults"}, {NULL},                  \
            "malloc maps the buffers anew in every call and unmaps them at its end, because they " \
            "are larger than the mmap threshold",                                                  \
            "raise M_MMAP_THRESHOLD with mallopt() or MALLOC_MMAP_THRESHOLD_, or keep the memory " \
            "between calls in a workspace"                                                         \
    }

#define HISTORY                                                                                    \
    {                                                                                              \
        "history", {"brk-calls", "munmap-calls", "minor-faults"}, {NULL},                          \
            "what the process freed before decides glibc's dynamic thresholds, and these are too " \
            "low for the call's buffers",                                                          \
            "free one mapped block as large as the buffers together when the program begins, or "  \
            "pin M_MMAP_THRESHOLD and M_TRIM_THRESHOLD with mallopt()"                             \
    }

#define OTHER_MALLOC                                                                               \
    {                                                                                              \
        "malloc", {"brk-calls", "munmap-calls", "madvise-calls", "minor-faults"},                  \
            {"malloc-calls"},                                                                      \
            "this malloc gives the call's memory back to the kernel, and takes it again in the "   \
            "next call",                                                                           \
            "run the program on another malloc, or keep the memory between calls in a workspace"   \
    }

#define OMP_SLEEPS                                                                                 \
    {                                                                                              \
        "OpenMP's sleeping", {"futex-calls", "process-voluntary-switches"}, {NULL},                \
            "the OpenMP runtime's threads sleep between regions and at barriers",                  \
            "let them spin: OMP_WAIT_POLICY=active, or GOMP_SPINCOUNT and KMP_BLOCKTIME"           \
    }

#define OMP_SPINS                                                                                  \
    {                                                                                              \
        "OpenMP's spinning", {"process-involuntary-switches"}, {"process-voluntary-switches"},     \
            "the OpenMP runtime's threads spin on processors that other threads need",             \
            "let them sleep: OMP_WAIT_POLICY=passive"                                              \
    }

const struct fl_suspect fl_suspects[] = {
    /* ---- memory ---- */
    {TRIM, "malloc=glibc|glibc-mmap-only|glibc-arena1 " BY_MALLOC, {"malloc=glibc-pinned"}, true},
    {TRIM, "malloc=glibc|glibc-mmap-only|glibc-arena1 " IN_LIBRARY, {"malloc=glibc-pinned"}, true},
    {MAPPED, "malloc=glibc|glibc-arena1 " BY_MALLOC, {"malloc=glibc-mmap-only"}, true},
    {MAPPED, "malloc=glibc|glibc-arena1 " IN_LIBRARY, {"malloc=glibc-mmap-only"}, true},
    {MAPPED, "malloc=glibc-trim-only|glibc-top-pad " BY_MALLOC, {"malloc=glibc-pinned"}, true},
    {MAPPED, "malloc=glibc-trim-only|glibc-top-pad " IN_LIBRARY, {"malloc=glibc-pinned"}, true},
    {HISTORY, "malloc=glibc|glibc-arena1 history=fresh " BY_MALLOC, {"history=malloc:16M"}, true},
    {HISTORY, "malloc=glibc|glibc-arena1 history=fresh " IN_LIBRARY, {"history=malloc:16M"}, true},
    {HISTORY, "history!=fresh", {"history=fresh"}, true},
    {{"arenas",
      {"brk-calls", "minor-faults", "futex-calls"},
      {NULL},
      "all threads allocate from one arena, the main heap",
      "leave MALLOC_ARENA_MAX alone"},
     "malloc=glibc-arena1 " BY_MALLOC,
     {"malloc=glibc"},
     true},
    {OTHER_MALLOC,
     "malloc=glibc|glibc-mmap-only|glibc-trim-only|glibc-top-pad|glibc-arena1|glibc-pinned "
     "" BY_MALLOC,
     {"malloc=jemalloc", "malloc=mimalloc", "malloc=tcmalloc"},
     true},
    {OTHER_MALLOC,
     "malloc=glibc|glibc-mmap-only|glibc-trim-only|glibc-top-pad|glibc-arena1|glibc-pinned "
     "" IN_LIBRARY,
     {"malloc=jemalloc", "malloc=mimalloc", "malloc=tcmalloc"},
     true},
    {OTHER_MALLOC, "malloc=jemalloc|mimalloc|tcmalloc " BY_MALLOC, {"malloc=glibc-pinned"}, true},
    {{"small pages",
      {"minor-faults"},
      {NULL},
      "memory comes in small pages, each with a fault of its own",
      "allow transparent huge pages: madvise(MADV_HUGEPAGE) on the buffers, or the system's "
      "setting"},
     "thp=off",
     {"thp=system"},
     true},
    {{"huge pages",
      {"minor-faults", "madvise-calls"},
      {NULL},
      "the kernel puts huge pages under the call's memory, and clears them whole",
      "keep huge pages off this memory: prctl(PR_SET_THP_DISABLE) or madvise(MADV_NOHUGEPAGE)"},
     "thp=system",
     {"thp=off"},
     true},
    {{"pool's mutex",
      {"pthread-mutex-locks"},
      {"pthread-mutex-contended", "futex-calls"},
      "every call takes the one mutex of the pool of buffers, and threads wait for each other "
      "there",
      "claim slots without the pool's mutex: a lock for each slot, a slot of its own to begin at "
      "for each thread (slots-hint), or a workspace for each thread"},
     "workspace=slots-mutex|slots-tls-mutex",
     {"workspace=slots-lock", "workspace=slots-hint", "workspace=slots-percpu"},
     true},
    {{"slots' locks",
      {NULL},
      {"pthread-mutex-locks"},
      "all threads begin to look for a free slot at the same place",
      "give each thread a slot of its own to begin at"},
     "workspace=slots-lock",
     {"workspace=slots-hint"},
     true},
    {{"memory of each call",
      {"minor-faults", "munmap-calls", "brk-calls", "malloc-calls"},
      {"mmap-calls"},
      "the call takes its memory anew every time",
      "keep the memory between calls: a block for each thread that grows to the largest call"},
     "workspace=malloc|stack+malloc|mmap",
     {"workspace=thread-local"},
     true},
    {{"pool of buffers",
      {"pthread-mutex-locks"},
      {"pthread-mutex-contended", "futex-calls", "malloc-calls"},
      "threads share a pool of buffers and meet at its locks",
      "keep a block of memory for each thread"},
     "workspace=slots-mutex|slots-tls-mutex|slots-lock|size-class",
     {"workspace=thread-local"},
     true},
    /* ---- libraries ---- */
    {{"library's lock",
      {"pthread-mutex-locks"},
      {"pthread-mutex-contended", "futex-calls"},
      "the library takes a mutex around its pool of buffers in every call",
      "link the library's build on OpenMP, whose slots have a lock each, or a version without the "
      "mutex"},
     "library=openblas|openblas-pthread",
     {"library=openblas-openmp"},
     false},
    {{"library's threads",
      {"futex-calls", "process-voluntary-switches", "process-involuntary-switches",
       "pthread-mutex-locks"},
      {NULL},
      "the library shares the call out to threads, and waking them and meeting them costs more "
      "than they save",
      "let the library use one thread for calls of this size"},
     "library-threads!=1",
     {"library-threads=1"},
     false},
    /* ---- threads ---- */
    {{"a busy neighbour",
      {"involuntary-switches", "process-involuntary-switches"},
      {NULL},
      "other processes run on the cell's processors",
      "keep other work off these processors"},
     "hogs!=0",
     {"hogs=0"},
     false},
    {{"sleeping",
      {"futex-calls", "sleeps", "process-voluntary-switches"},
      {"wake-ups"},
      "threads sleep as soon as they wait, and every wait costs a wake-up",
      "spin for about as long as a wake-up costs before sleeping (wait=spin-futex)"},
     TEAM " wait=futex|mutex-cond",
     {"wait=spin-futex", "wait=spin-yield"},
     false},
    {{"spinning",
      {"process-involuntary-switches"},
      {"process-voluntary-switches"},
      "threads that wait spin, and keep the processor from the thread they wait for",
      "give the processor away while waiting: yield or sleep (wait=spin-yield, wait=spin-futex)"},
     TEAM " wait=spin|spin-backoff|umwait|tpause|wfe|null",
     {"wait=spin-yield", "wait=spin-futex"},
     false},
    {{"parking",
      {"futex-calls", "sleeps", "process-voluntary-switches"},
      {"wake-ups"},
      "threads stop spinning before the others arrive, and sleep",
      "spin for longer before sleeping, where there is a processor for every thread"},
     TEAM " wait=spin-futex|spin-yield",
     {"wait=spin"},
     false},
    {OMP_SLEEPS, TEAM " team=openmp omp-wait=default|passive", {"omp-wait=active"}, false},
    {OMP_SLEEPS, "library-threads!=1 omp-wait=default|passive", {"omp-wait=active"}, false},
    {OMP_SPINS, TEAM " team=openmp omp-wait=active", {"omp-wait=passive"}, false},
    {OMP_SPINS, "library-threads!=1 omp-wait=active", {"omp-wait=passive"}, false},
    {{"writes to shared lines",
      {"rmws-per-phase"},
      {"barrier-share"},
      "every thread adds to a shared counter on leaving the barrier, too",
      "let the last thread alone release the others (ggml-fixed)"},
     TEAM " barrier=ggml-packed|ggml-split",
     {"barrier=ggml-fixed"},
     false},
    {{"barrier",
      {"rmws-per-phase", "barrier-share"},
      {NULL},
      "the barrier's own traffic between the processors",
      "exchange flags instead of adding to a shared counter (barrier=grouped)"},
     TEAM " barrier=ggml-packed|ggml-split|ggml-single-release|ggml-fixed|central|combining-tree|"
          "mcs-tree|tournament|hyper|all-to-all",
     {"barrier=grouped", "barrier=dissemination"},
     false},
    {{"barrier",
      {"futex-calls", "process-voluntary-switches", "sleeps"},
      {"barrier-share"},
      "the barrier sleeps while threads are on their way",
      "use a barrier that spins before it sleeps (barrier=grouped wait=spin-futex)"},
     TEAM " barrier=pthread",
     {"barrier=grouped wait=spin-futex"},
     false},
    {{"OpenMP's team",
      {"futex-calls", "process-voluntary-switches"},
      {NULL},
      "waking and meeting the OpenMP runtime's threads",
      "keep a team of threads of your own, which spins before it sleeps"},
     TEAM " team=openmp",
     {"team=persistent barrier=grouped wait=spin-futex"},
     false},
    {{"threads without a place",
      {"involuntary-switches", "process-involuntary-switches", "process-voluntary-switches"},
      {NULL},
      "the scheduler moves the threads, and sometimes puts two on one processor",
      "pin the threads"},
     TEAM " pin=none",
     {"pin=compact"},
     false},
    {{"threads far apart",
      {"barrier-share"},
      {NULL},
      "the threads stand on processors that share no cache",
      "pin neighbours to processors that share a cache (pin=compact)"},
     TEAM " pin=scatter",
     {"pin=compact"},
     false},
    {.where = NULL},
};

/* ---- which cells ---- */

static size_t name_length(const char *level)
{
    return strcspn(level, ":|");
}

/* Is the level, without its options, one of those joined by '|'? */
static bool is_one_of(const char *level, const char *names)
{
    size_t length = strcspn(level, ":");
    for (const char *name = names; name; name = strchr(name, '|')) {
        name += *name == '|';
        if (name_length(name) == length && !strncmp(name, level, length))
            return true;
    }
    return false;
}

/* `factor` with a '!' at its end is that factor, and must not be one of the names. */
static bool meets(const struct fl_cell *cell, char *factor, const char *names)
{
    size_t length = strlen(factor);
    bool not = length && factor[length - 1] == '!';
    if (not )
        factor[length - 1] = 0;
    const char *level = fl_cell_get(cell, factor);
    return level && is_one_of(level, names) != not ;
}

bool fl_suspect_fits(const struct fl_suspect *suspect, const struct fl_cell *cell)
{
    const char *where = suspect->where;
    char factor[64], names[FL_LEVEL_MAX];
    while (fl_cell_split(&where, factor, sizeof factor, names, sizeof names, NULL) > 0)
        if (!meets(cell, factor, names))
            return false;
    return true;
}
