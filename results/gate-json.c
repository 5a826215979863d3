/* SPDX-License-Identifier: Apache-2.0 */
/* A gate as JSON, all of it, for programs. */
#include "json-pieces.h"
#include "results/gate-formats.h"

#define FORMAT_VERSION 1

static struct json_object *row_of(struct fl_json *json, const struct fl_compare_row *row)
{
    struct json_object *object = json_object_new_object();
    const struct fl_comparison *result = &row->result;

    fl_json_text(json, object, "cell", row->cell);
    fl_json_text(json, object, "metric", row->metric);
    fl_json_text(json, object, "unit", row->unit);
    fl_json_text(json, object, "kind", fl_metric_kind_name(row->kind));
    fl_json_text(json, object, "verdict", fl_verdict_name(result->verdict));
    fl_json_text(json, object, "reason", result->reason);
    fl_json_real(json, object, "base", result->base);
    fl_json_real(json, object, "head", result->head);
    fl_json_real(json, object, "effect", result->effect);
    fl_json_real(json, object, "low", result->low);
    fl_json_real(json, object, "high", result->high);
    fl_json_integer(json, object, "pairs", (int64_t)result->pairs);
    fl_json_real(json, object, "at-least", result->bounds.at_least);
    fl_json_real(json, object, "at-most", result->bounds.at_most);
    fl_json_real(json, object, "tolerance", row->tolerance);
    fl_json_real(json, object, "detect", row->detect);
    return object;
}

static struct json_object *finding_of(struct fl_json *json, const struct fl_gate_finding *finding)
{
    struct json_object *object = json_object_new_object();

    fl_json_text(json, object, "severity", fl_gate_severity_name(finding->severity));
    fl_json_text(json, object, "verdict", fl_verdict_name(finding->row->result.verdict));
    fl_json_text(json, object, "title", finding->title);
    fl_json_text(json, object, "message", finding->message);
    fl_json_text(json, object, "cell", finding->row->cell);
    fl_json_text(json, object, "metric", finding->row->metric);
    fl_json_integer(json, object, "values", (int64_t)finding->rows);
    fl_json_text(json, object, "cause", finding->cause);
    fl_json_text(json, object, "command", finding->command);
    fl_json_text(json, object, "file", finding->place.file);
    fl_json_integer(json, object, "line", finding->place.line);
    return object;
}

static struct json_object *counts_of(struct fl_json *json, const struct fl_gate *gate)
{
    struct json_object *object = json_object_new_object();

    for (int i = 0; i < FL_VERDICT_COUNT; i++)
        fl_json_integer(json, object, fl_verdict_name((enum fl_verdict)i),
                        (int64_t)gate->verdicts[i]);
    return object;
}

int fl_gate_print_json(const struct fl_gate *gate, FILE *out, struct fl_err *err)
{
    struct fl_json json = {.failed = false};
    struct json_object *all = json_object_new_object(), *judged = json_object_new_array(),
                       *findings = json_object_new_array();

    fl_json_integer(&json, all, "faultline-gate", FORMAT_VERSION);
    fl_json_integer(&json, all, "exit", gate->exit);
    fl_json_text(&json, all, "outcome", fl_gate_exit_name(gate->exit));
    fl_json_text(&json, all, "title", gate->compare->title);
    fl_json_text(&json, all, "base", gate->compare->base);
    fl_json_text(&json, all, "head", gate->compare->head);
    fl_json_put(&json, all, "paired", json_object_new_boolean(gate->compare->paired));
    fl_json_text(&json, all, "summary", gate->summary);
    fl_json_text(&json, all, "warning", gate->compare->warning);
    fl_json_put(&json, all, "verdicts", counts_of(&json, gate));
    for (size_t i = 0; i < gate->count; i++)
        fl_json_append(&json, findings, finding_of(&json, &gate->findings[i]));
    fl_json_put(&json, all, "findings", findings);
    for (size_t i = 0; i < gate->judged_count; i++)
        fl_json_append(&json, judged, row_of(&json, gate->judged[i]));
    fl_json_put(&json, all, "judged", judged);
    return fl_json_write(&json, all, out, err);
}
