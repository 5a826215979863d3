/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instruction sets: which micro-kernels were built in and which of them this processor and this
 * operating system can run.
 */
#ifndef FAULTLINE_KERNELS_ISA_H
#define FAULTLINE_KERNELS_ISA_H

#include "faultline/error.h"

enum fl_isa { FL_ISA_PORTABLE, FL_ISA_AVX2, FL_ISA_AVX512, FL_ISA_NEON, FL_ISA_COUNT };

/* Levels of the factor `isa`: `auto`, then the names in the order of enum fl_isa; NULL at the end.
 */
extern const char *const fl_isa_words[];

const char *fl_isa_name(enum fl_isa isa);

/* 0, or -ENOTSUP with the reason: not built for this architecture, or no such instructions here. */
int fl_isa_probe(enum fl_isa isa, struct fl_err *why) FL_MUST_CHECK;

/* The same, and its 8-bit dot products are here too: F16C beside AVX2 (for the scales), VNNI beside
 * AVX-512, the dot products of Armv8.2 beside NEON. */
int fl_isa_probe_dot(enum fl_isa isa, struct fl_err *why) FL_MUST_CHECK;

/* The instruction set of a level; `auto` is the widest that runs. 0, -EINVAL, -ENOTSUP. */
int fl_isa_choose(const char *level, enum fl_isa *isa, struct fl_err *err) FL_MUST_CHECK;
int fl_isa_choose_dot(const char *level, enum fl_isa *isa, struct fl_err *err) FL_MUST_CHECK;

#endif
