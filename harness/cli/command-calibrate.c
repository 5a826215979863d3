/* SPDX-License-Identifier: Apache-2.0 */
/* faultline calibrate: a scenario against itself: noise, bias and legal counts of this machine. */
#include <errno.h>
#include <stdlib.h>

#include "command.h"
#include "pair-options.h"
#include "results/pair-calibration.h"
#include "terminal.h"

/* A lean of 0.3 % is found where pairs are off by 1 %. */
enum { ROUNDS = 54 };

static int print(const struct fl_pair_measured *measured, struct fl_err *err)
{
    const struct fl_scenario_gate *gate = &measured->scenario.gate;
    const struct fl_calibration_limits limits = {gate->tolerance, gate->detect};
    struct fl_calibration calibration;
    struct fl_store *store;
    int rc = fl_store_open(measured->store, FL_STORE_READ, &store, err);
    if (rc)
        return rc;
    rc = fl_calibration_read(store, measured->result.pairing, &calibration, err);
    fl_store_close(store);
    if (rc)
        return rc;
    rc = fl_calibration_print(&calibration, &limits, fl_terminal_width(), stdout, err);
    fl_calibration_release(&calibration);
    return rc;
}

static int measure(const struct fl_pair_options *options, const char *scenario,
                   const char *command_line)
{
    struct fl_err err = {.text = ""};
    struct fl_pair_measured measured;
    int code = fl_pair_measure(options, scenario, command_line, &measured);
    if (code != FL_EXIT_OK && code != FL_EXIT_CELL)
        return code;
    if (print(&measured, &err))
        code = fl_complain(&err);
    fl_scenario_release(&measured.scenario);
    return code;
}

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct fl_err err = {.text = ""};
    const char *side = "";
    struct fl_pair_options options = {
        .store = FL_STORE_DEFAULT,
        .purpose = FL_PAIRING_CALIBRATE,
        .rounds = ROUNDS,
    };
    const struct fl_option table[] = {
        {"side", "SIDE", "what is measured, as of `faultline ab` (the scenario as it is)",
         FL_OPTION_TEXT, &side},
        {"build", "CMD", "how a side git:REF is built", FL_OPTION_TEXT, &options.build},
        FL_PAIR_OPTION_ROWS(&options),
        FL_SCENARIO_OPTION_ROWS(&options.scenario, "timed pairs of each cell (54)"),
        {.name = NULL},
    };
    int first, rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    if (argc - first > 1) {
        fl_fail(&err, -EINVAL, "calibrate takes one scenario: its name or a file");
        return fl_complain(&err);
    }
    options.texts[FL_AB_BASE] = options.texts[FL_AB_HEAD] = side;
    char *command_line = fl_command_line(argc, argv);
    if (!command_line) {
        fl_fail(&err, -ENOMEM, "out of memory");
        return fl_complain(&err);
    }
    int code = measure(&options, first < argc ? argv[first] : NULL, command_line);
    free(command_line);
    return code;
}

const struct fl_command fl_command_calibrate = {
    .name = "calibrate",
    .summary = "measure a scenario against itself: noise, bias, legal counts",
    .arguments = "[SCENARIO|FILE.ini]",
    .details = "`faultline ab` on the same machine and store predicts its minutes from it and\n"
               "keeps its tolerance above the bias. It holds until the machine changes. Of a\n"
               "Google Benchmark program, --side gbench=PATH, no scenario is needed.\n"
               "Exit codes: as of `faultline ab`.\n",
    .run = run,
};
