/* SPDX-License-Identifier: Apache-2.0 */
/* The validator of a kernel's table, for the registry. */
#ifndef FL_REGISTRY_CHECK_H
#define FL_REGISTRY_CHECK_H

#include "faultline/kernel.h"

/* ABI, name, summary, slots, factors. 0, or -EINVAL naming what is wrong. */
int fl_registry_check_kernel(const struct fl_kernel_ops *kernel, struct fl_err *err) FL_MUST_CHECK;

#endif
