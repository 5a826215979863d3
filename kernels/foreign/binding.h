/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binding: from a cell to a function of the shared library it names, whatever the operation.
 */
#ifndef FL_BINDING_H
#define FL_BINDING_H

#include "blas-symbol.h"
#include "faultline/kernel.h"

/*
 * Loads env->library, finds the symbol and records what was loaded as facts. -ENOENT: no such
 * library or symbol. -ENOTSUP: the library cannot be loaded, or runs on another instruction set
 * than the cell asks for. The library stays loaded until the process ends.
 */
int fl_foreign_bind(const struct fl_kernel_env *env, const struct fl_blas_symbol *symbol,
                    fl_blas_fn *function, struct fl_err *err) FL_MUST_CHECK;

#endif
