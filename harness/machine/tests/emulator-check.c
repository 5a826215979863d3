/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Succeeds where fl_host_emulator() finds the emulator named on the command line. Built for another
 * architecture and run under qemu-user, and built for this one.
 */
#include <string.h>

#include "machine/host.h"

int main(int argc, char **argv)
{
    char found[FL_HOST_TEXT_MAX];
    fl_host_emulator(found, sizeof found);
    return argc == 2 && strcmp(found, argv[1]) == 0 ? 0 : 1;
}
