/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hypervisor, container and emulator detection.
 */
#include "machine/host.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "machine/procfile.h"
#include "machine/sysfile.h"

/* What a text contains, and what that is called. */
struct sign {
    const char *mark, *name;
};

static const char *find_sign(const char *text, const struct sign *signs)
{
    for (; signs->mark != NULL; signs++)
        if (strstr(text, signs->mark) != NULL)
            return signs->name;
    return NULL;
}

static const struct sign hypervisors[] = {
    {"KVMKVMKVM", "KVM"},
    {"TCGTCGTCGTCG", "QEMU (emulated processor)"},
    {"Microsoft Hv", "Hyper-V"},
    {"VMwareVMware", "VMware"},
    {"XenVMMXenVMM", "Xen"},
    {"bhyve bhyve ", "bhyve"},
    {"ACRNACRNACRN", "ACRN"},
    {"VBoxVBoxVBox", "VirtualBox"},
    {NULL, NULL},
};

static const struct sign vendors[] = {
    {"QEMU", "QEMU"},
    {"VMware", "VMware"},
    {"Xen", "Xen"},
    {"innotek", "VirtualBox"},
    {"Amazon EC2", "Amazon EC2"},
    {"Google", "Google Compute Engine"},
    {"Microsoft", "Hyper-V"},
    {"KVM", "KVM"},
    {NULL, NULL},
};

/* The processor's own word for its hypervisor, or NULL. */
static const char *ask_processor(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    char signature[13] = {0};
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c >> 31 & 1u) == 0)
        return NULL;
    __cpuid(0x40000000, a, b, c, d);
    memcpy(signature, &b, 4);
    memcpy(signature + 4, &c, 4);
    memcpy(signature + 8, &d, 4);
    return find_sign(signature, hypervisors);
#else
    return NULL;
#endif
}

/* The firmware's word for who made the machine, or NULL. A physical Microsoft or Google machine
 * has these names too, so it only counts where the processor says it is virtual. */
static const char *ask_firmware(const char *root)
{
    char vendor[256], product[256], both[520];
    if (fl_sysfile_read(root, "/sys/class/dmi/id/sys_vendor", vendor, sizeof vendor) != 0)
        return NULL;
    if (fl_sysfile_read(root, "/sys/class/dmi/id/product_name", product, sizeof product) != 0)
        product[0] = '\0';
    snprintf(both, sizeof both, "%s %s", vendor, product);
    return find_sign(both, vendors);
}

static bool says_virtual(const char *root)
{
    char text[FL_SYSFILE_MAX], flags[8192];
    if (fl_sysfile_exists(root, "/proc/device-tree/hypervisor") ||
        fl_sysfile_exists(root, "/sys/hypervisor/type"))
        return true;
    return fl_sysfile_read(root, "/proc/cpuinfo", text, sizeof text) == 0 &&
           fl_proc_field(text, "flags", flags, sizeof flags) &&
           fl_proc_has_word(flags, "hypervisor");
}

void fl_host_hypervisor(const char *root, char *out, size_t size)
{
    const char *name = NULL;
    char type[64];
    bool is_virtual = says_virtual(root);
    if (fl_sysfile_read(root, "/sys/hypervisor/type", type, sizeof type) == 0) {
        snprintf(out, size, "%s", type);
        return;
    }
    if (root == NULL || root[0] == '\0')
        name = ask_processor();
    if (name == NULL && is_virtual)
        name = ask_firmware(root);
    snprintf(out, size, "%s", name != NULL ? name : is_virtual ? "unknown" : "none");
}

void fl_host_container(const char *root, char *out, size_t size)
{
    static const struct sign groups[] = {
        {"kubepods", "kubernetes"},
        {"/docker", "docker"},
        {"libpod", "podman"},
        {"containerd", "containerd"},
        {"/lxc", "lxc"},
        {"/crio", "cri-o"},
        {NULL, NULL},
    };
    char text[FL_SYSFILE_MAX];
    const char *name = NULL;
    if (fl_sysfile_read(root, "/run/systemd/container", text, 64) == 0 && text[0] != '\0') {
        snprintf(out, size, "%s", text);
        return;
    }
    if (fl_sysfile_exists(root, "/run/.containerenv"))
        name = "podman";
    else if (fl_sysfile_exists(root, "/.dockerenv"))
        name = "docker";
    else if (fl_sysfile_read(root, "/proc/self/cgroup", text, sizeof text) == 0)
        name = find_sign(text, groups);
    snprintf(out, size, "%s", name != NULL ? name : "none");
}

void fl_host_emulator(char *out, size_t size)
{
    /* qemu-user answers /proc/self/exe itself but hands this spelling through to the host. */
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/thread-self/exe", path, sizeof path - 1);
    const char *base = NULL;
    if (length > 0) {
        path[length] = '\0';
        base = strrchr(path, '/');
    }
    snprintf(out, size, "%s",
             base != NULL && strncmp(base, "/qemu-", 6) == 0 ? "qemu-user" : "none");
}
