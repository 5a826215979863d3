/* SPDX-License-Identifier: Apache-2.0 */
/* What makes a plug-in of kernels/TEMPLATE.c. */
#include "faultline/plugin.h"

extern const struct fl_kernel_ops fl_kernel_template;

FL_PLUGIN(&fl_kernel_template);
