/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forgets what was defined for tile.h, so that a file can include it for its other type.
 */
#undef FL_REAL
#undef FL_NAME
#undef FL_VEC
#undef FL_LANES
#undef FL_TILE_V
#undef FL_TILE_W
#undef FL_TURN
#undef FL_LOAD_PART
#undef FL_STORE_PART
#undef FL_STORE_RANGE
#undef FL_TRANSPOSE
#undef FL_INLINE
#undef FL_UNROLL
#undef FL_AHEAD
#undef FL_LINE
#undef FL_SHAPE
#undef FL_PAIR
#undef FL_ROW
#undef FL_MICRO
