/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forgets what was defined for level1-unit.h and level1-strided.h, so that a file can include them
 * for its other type.
 */
#undef FL_REAL
#undef FL_NAME
#undef FL_VEC
#undef FL_INTS
#undef FL_LANES
#undef FL_SIGN
#undef FL_PART
#undef FL_SWAP
#undef FL_MAX
#undef FL_ABS
#undef FL_FOLD
#undef FL_KEEP
#undef FL_ANY
#undef FL_LOAD_PART
#undef FL_STORE_PART
#undef FL_INLINE
#undef FL_UNROLL
#undef FL_SUMS
#undef FL_DOTS
#undef FL_BLOCK
#undef FL_OF_PARTS
