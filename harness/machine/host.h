/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host: what stands between this process and the hardware: hypervisor, container, emulator.
 *
 * Each is a short text, "none" where nothing was found; that is no proof that nothing is there. No
 * allocation; thread-safe.
 */
#ifndef FL_MACHINE_HOST_H
#define FL_MACHINE_HOST_H

#include <stddef.h>

#define FL_HOST_TEXT_MAX 128

/* "KVM", "Xen", "VMware", ...; "unknown" where the processor only says that there is one. */
void fl_host_hypervisor(const char *root, char *out, size_t size);

/* "docker", "podman", "lxc", "kubernetes", "systemd-nspawn", ... */
void fl_host_container(const char *root, char *out, size_t size);

/* "qemu-user" where another processor is emulated for this process alone; counts mean nothing
 * there. Live machine only. */
void fl_host_emulator(char *out, size_t size);

#endif
