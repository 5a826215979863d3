/* SPDX-License-Identifier: Apache-2.0 */
/* Asks libpfm4, in a child process, for an event's encoding. */
#include "perf-name.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf-set.h"

/* What the child writes into a page shared with its parent. */
struct answer {
    int code;       /* of libpfm4 */
    bool elsewhere; /* an event of some processor that is not this one */
    int open_error; /* errno where libpfm4 would have no file to read, else 0 */
    struct perf_event_attr attr;
};

/* `pmu::EVENT:modifiers`: length of the event's own name, and where it begins. */
static const char *base_name(const char *event, size_t *length)
{
    const char *colons = strstr(event, "::");
    const char *base = colons ? colons + 2 : event;
    *length = strcspn(base, ":");
    return base;
}

static bool pmu_has(const pfm_pmu_info_t *pmu, const char *base, size_t length)
{
    pfm_event_info_t info = {.size = sizeof(info)};
    for (int i = pmu->first_event; i != -1; i = pfm_get_event_next(i))
        if (pfm_get_event_info(i, PFM_OS_NONE, &info) == PFM_SUCCESS &&
            strlen(info.name) == length && !strncasecmp(info.name, base, length))
            return true;
    return false;
}

static bool is_prefix(const char *event, const char *pmu)
{
    size_t length = strlen(pmu);
    return !strncasecmp(event, pmu, length) && !strncmp(event + length, "::", 2);
}

/* libpfm4 is built for one architecture: an event with a prefix that it does not know may well be
 * one of another, while a bare name that it does not know is a mistake. */
static bool belongs_elsewhere(const char *event)
{
    size_t length = 0;
    const char *base = base_name(event, &length);
    bool prefixed = base != event;
    for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t pmu = {.size = sizeof(pmu)};
        if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS)
            continue;
        if (prefixed ? is_prefix(event, pmu.name) : pmu_has(&pmu, base, length))
            return !prefixed || pmu_has(&pmu, base, length);
    }
    return prefixed;
}

/* errno where no file can be opened, else 0. Newer versions of libpfm4 read files; without, they
 * say 'not supported' or ask for memory of a senseless size. */
static int cannot_open(void)
{
    int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno;
    close(file);
    return 0;
}

static void ask(const char *event, struct answer *answer)
{
    answer->code = PFM_ERR_NOTSUPP;
    answer->open_error = cannot_open();
    if (answer->open_error)
        return;
    answer->code = pfm_initialize();
    if (answer->code != PFM_SUCCESS)
        return;
    pfm_perf_encode_arg_t request = {.attr = &answer->attr, .size = sizeof(request)};
    answer->code =
        pfm_get_os_event_encoding(event, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &request);
    if (answer->code == PFM_ERR_NOTFOUND)
        answer->elsewhere = belongs_elsewhere(event);
}

/* 0, or -errno where the child could not run to its end. */
static int ask_in_child(const char *event, struct answer *answer)
{
    pid_t child = fork();
    if (child < 0)
        return -errno;
    if (!child) {
        ask(event, answer);
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return status ? -ECHILD : 0;
}

static int judge(const char *event, const struct answer *answer, char *out, size_t size)
{
    if (answer->code == PFM_SUCCESS)
        return 0;
    if (answer->elsewhere) {
        snprintf(out, size, "cannot count '%s': this processor has no such event", event);
        return -ENOENT;
    }
    if (answer->open_error) {
        fl_perf_reason(-answer->open_error, event, out, size);
        return -answer->open_error;
    }
    snprintf(out, size,
             "cannot count '%s': libpfm4 says '%s': its names are listed by 'perf list' "
             "and by libpfm4's showevtinfo",
             event, pfm_strerror(answer->code));
    return answer->code == PFM_ERR_NOTSUPP ? -ENOTSUP : -EINVAL;
}

int fl_perf_encode(const char *event, struct perf_event_attr *attr, char *out, size_t size)
{
    struct answer *answer =
        mmap(NULL, sizeof(*answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (answer == MAP_FAILED) {
        int rc = -errno;
        snprintf(out, size, "cannot count '%s': %s", event, strerror(-rc));
        return rc;
    }
    int rc = ask_in_child(event, answer);
    if (rc)
        snprintf(out, size, "cannot count '%s': the child that asks libpfm4 failed: %s", event,
                 strerror(-rc));
    else
        rc = judge(event, answer, out, size);
    *attr = answer->attr;
    munmap(answer, sizeof(*answer));
    return rc;
}
