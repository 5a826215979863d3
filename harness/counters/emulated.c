/* SPDX-License-Identifier: Apache-2.0 */
/* Tells qemu-user from a real processor. */
#include "emulated.h"

#include <string.h>
#include <unistd.h>

const char *fl_emulated(void)
{
    /* qemu-user answers for /proc/self/exe and /proc/PID/exe in the guest's name, but hands this
     * spelling through to the kernel. */
    char path[4096];
    ssize_t length = readlink("/proc/thread-self/exe", path, sizeof(path) - 1);
    if (length <= 0)
        return NULL;
    path[length] = 0;
    const char *slash = strrchr(path, '/');
    if (strncmp(slash ? slash + 1 : path, "qemu-", 5) != 0)
        return NULL;
    return "emulated: this process runs under qemu-user, whose own events the kernel would count; "
           "run it on a real processor";
}
