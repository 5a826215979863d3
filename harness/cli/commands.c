/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands. */
#include "command.h"

extern const struct fl_command fl_command_run, fl_command_ab, fl_command_calibrate, fl_command_show,
    fl_command_scaling, fl_command_ratio, fl_command_compare, fl_command_crossover,
    fl_command_export, fl_command_list, fl_command_doctor, fl_command_gate, fl_command_baseline,
    fl_command_import, fl_command_explain, fl_command_history, fl_command_changes;

const struct fl_command *const fl_commands[] = {
    &fl_command_run,     &fl_command_ab,       &fl_command_calibrate,
    &fl_command_show,    &fl_command_scaling,  &fl_command_ratio,
    &fl_command_compare, &fl_command_explain,  &fl_command_crossover,
    &fl_command_export,  &fl_command_list,     &fl_command_doctor,
    &fl_command_gate,    &fl_command_baseline, &fl_command_import,
    &fl_command_history, &fl_command_changes,  NULL};
