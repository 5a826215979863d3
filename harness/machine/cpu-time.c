/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processor time from /proc/stat.
 */
#include "machine/cpu-time.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "machine/sysfile.h"

/* The values behind `name` at the start of a line, or NULL. */
static const char *find_line(const char *text, const char *name)
{
    size_t length = strlen(name);
    while (*text != '\0') {
        if (strncmp(text, name, length) == 0 && text[length] == ' ')
            return text + length;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return NULL;
}

int fl_cpu_time_parse(const char *text, int cpu, struct fl_cpu_time *out)
{
    char name[32] = "cpu";
    uint64_t user, nice, system, idle, wait = 0, irq = 0, soft = 0, steal = 0;
    if (cpu >= 0)
        snprintf(name, sizeof name, "cpu%d", cpu);
    const char *line = find_line(text, name);
    if (line == NULL || sscanf(line,
                               "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                               " %" SCNu64 " %" SCNu64 " %" SCNu64,
                               &user, &nice, &system, &idle, &wait, &irq, &soft, &steal) < 4)
        return -ENOENT;
    *out = (struct fl_cpu_time){
        .busy = user + nice + system + irq + soft, .idle = idle + wait, .steal = steal};
    return 0;
}

int fl_cpu_time_read(const char *root, int cpu, struct fl_cpu_time *out)
{
    char text[FL_SYSFILE_LONG];
    int status = fl_sysfile_read(root, "/proc/stat", text, sizeof text);
    return status != 0 ? status : fl_cpu_time_parse(text, cpu, out);
}

static uint64_t since(uint64_t earlier, uint64_t later)
{
    return later > earlier ? later - earlier : 0;
}

struct fl_cpu_time fl_cpu_time_since(const struct fl_cpu_time *earlier,
                                     const struct fl_cpu_time *later)
{
    return (struct fl_cpu_time){.busy = since(earlier->busy, later->busy),
                                .idle = since(earlier->idle, later->idle),
                                .steal = since(earlier->steal, later->steal)};
}

double fl_cpu_time_steal_share(const struct fl_cpu_time *delta)
{
    double wanted = (double)delta->busy + (double)delta->steal;
    return wanted > 0 ? (double)delta->steal / wanted : 0;
}
