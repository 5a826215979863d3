/* SPDX-License-Identifier: Apache-2.0 */
/* Placement: the order in which the threads of a team take processors. For topology.c. */
#ifndef FL_MACHINE_PLACEMENT_H
#define FL_MACHINE_PLACEMENT_H

#include "machine/topology.h"

/* Fills topology->order[] from its processors. 0, -ENOMEM. */
int fl_placement_make(struct fl_topology *topology) FL_MUST_CHECK;

#endif
