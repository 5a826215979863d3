/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gate as JUnit XML, as Jenkins reads it: one test case a judged row. A regression is a failure,
 * a cell that failed or is missing an error; what is undecided is skipped, or fails where the
 * policy says so.
 */
#include <errno.h>
#include <libxml/xmlwriter.h>

#include "page.h"
#include "results/export.h"
#include "results/gate-formats.h"

struct junit {
    const struct fl_gate *gate;
    xmlTextWriter *xml;
    struct fl_page texts; /* made safe: XML has no escape for control characters */
    bool failed;
};

static void check(struct junit *j, int rc)
{
    j->failed |= rc < 0;
}

static void start(struct junit *j, const char *name)
{
    check(j, xmlTextWriterStartElement(j->xml, BAD_CAST name));
}

static void end(struct junit *j)
{
    check(j, xmlTextWriterEndElement(j->xml));
}

static void put_attribute(struct junit *j, const char *name, const char *text)
{
    check(j, xmlTextWriterWriteAttribute(j->xml, BAD_CAST name,
                                         BAD_CAST fl_page_safe(&j->texts, text)));
}

static void put_count(struct junit *j, const char *name, size_t count)
{
    check(j, xmlTextWriterWriteFormatAttribute(j->xml, BAD_CAST name, "%zu", count));
}

static const char *outcome_of(const struct fl_gate *gate, const struct fl_compare_row *row)
{
    enum fl_verdict verdict = row->result.verdict;

    if (verdict == FL_VERDICT_ERROR || verdict == FL_VERDICT_MISSING)
        return "error";
    if (fl_gate_severity_of(gate, row) == FL_GATE_ERROR)
        return "failure";
    return verdict == FL_VERDICT_PASS || verdict == FL_VERDICT_IMPROVEMENT ? NULL : "skipped";
}

static void put_text(struct junit *j, const char *before, const char *text)
{
    check(j, xmlTextWriterWriteString(j->xml, BAD_CAST before));
    check(j, xmlTextWriterWriteString(j->xml, BAD_CAST fl_page_safe(&j->texts, text)));
}

static void put_outcome(struct junit *j, const struct fl_compare_row *row,
                        const struct fl_gate_finding *finding, const char *outcome)
{
    const char *verdict = fl_verdict_name(row->result.verdict);
    const char *reason = row->result.reason ? row->result.reason : verdict;

    start(j, outcome);
    put_attribute(j, "message", finding->rows == 1 ? finding->title : reason);
    if (outcome[0] != 's') {
        put_attribute(j, "type", verdict);
        put_text(j, "", finding->rows == 1 ? finding->message : reason);
        if (finding->command)
            put_text(j, "\nagain: ", finding->command);
    }
    end(j);
}

static void put_case(struct junit *j, const struct fl_compare_row *row,
                     const struct fl_gate_finding *finding)
{
    const char *outcome = outcome_of(j->gate, row);

    start(j, "testcase");
    put_attribute(j, "classname", "faultline.gate");
    put_attribute(j, "name", fl_page_text(&j->texts, "%s: %s", row->cell, row->metric));
    if (outcome && finding)
        put_outcome(j, row, finding, outcome);
    end(j);
}

static void put_cases(struct junit *j)
{
    const struct fl_gate *gate = j->gate;
    size_t at = 0;

    for (size_t i = 0; i < gate->count; i++)
        for (size_t k = 0; k < gate->findings[i].rows; k++)
            put_case(j, gate->judged[at++], &gate->findings[i]);
    while (at < gate->judged_count)
        put_case(j, gate->judged[at++], NULL);
}

static void put_counts(struct junit *j)
{
    size_t failures = 0, errors = 0, skipped = 0;

    for (size_t i = 0; i < j->gate->judged_count; i++) {
        const char *outcome = outcome_of(j->gate, j->gate->judged[i]);
        failures += outcome && outcome[0] == 'f';
        errors += outcome && outcome[0] == 'e';
        skipped += outcome && outcome[0] == 's';
    }
    put_count(j, "tests", j->gate->judged_count);
    put_count(j, "failures", failures);
    put_count(j, "errors", errors);
    put_count(j, "skipped", skipped);
}

static void put_document(struct junit *j)
{
    check(j, xmlTextWriterSetIndent(j->xml, 1));
    check(j, xmlTextWriterStartDocument(j->xml, NULL, "UTF-8", NULL));
    start(j, "testsuites");
    start(j, "testsuite");
    put_attribute(j, "name", j->gate->compare->title);
    put_counts(j);
    put_cases(j);
    start(j, "system-out");
    put_text(j, "", j->gate->summary);
    end(j);
    end(j);
    end(j);
    check(j, xmlTextWriterEndDocument(j->xml));
}

int fl_gate_print_junit(const struct fl_gate *gate, FILE *out, struct fl_err *err)
{
    xmlBuffer *buffer = xmlBufferCreate();
    struct junit j = {.gate = gate, .texts = {.out = out, .err = err}};
    int rc = 0;

    j.xml = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL;
    if (j.xml) {
        put_document(&j);
        xmlFreeTextWriter(j.xml); /* and flushes it */
    }
    if (!j.xml || j.failed)
        rc = fl_fail(err, -ENOMEM, "cannot write the JUnit report: out of memory");
    else
        fputs((const char *)xmlBufferContent(buffer), out);
    if (buffer)
        xmlBufferFree(buffer);
    return fl_page_end(&j.texts, rc);
}
