/* junit.xml: a run as continuous integration reads it. A testsuite per lane and workload, a
 * testcase per cell; what is not measured is a failure, also when nobody knows why, and only what
 * never began is skipped. When the run as a whole went wrong there is one suite more, "run", with
 * one error: a stopped run whose cells are all skipped must not look green.
 *
 * The form has no standard; this is the common part of what Jenkins and GitLab read, and
 * tests/unit/report/data/junit.xsd says what that is.
 */
#include <stdio.h>
#include <string.h>

#include "coordinator/merge/confirm.h"
#include "coordinator/merge/settings.h"
#include "coordinator/report/columns.h"
#include "coordinator/report/fleet.h"
#include "coordinator/report/report.h"
#include "coordinator/report/xml.h"
#include "coordinator/verify/reasons.h"

struct counts {
    size_t tests, failures, errors, skipped;
    double seconds;
    bool timed; /* some cell took time; else there is none to tell */
};

/* ---- which cells ---- */

static bool same_suite(const struct mgc_cell *a, const struct mgc_cell *b)
{
    return strcmp(a->lane, b->lane) == 0 && strcmp(a->workload, b->workload) == 0;
}

static bool is_first_of_suite(const struct mgc_results *results, size_t cell)
{
    size_t i = cell; /* the nearest before it is mostly the like of it */
    while (i > 0 && !same_suite(results->cells[i - 1].cell, results->cells[cell].cell))
        i--;
    return i == 0;
}

static void count_cell(struct counts *counts, const struct mgc_cell_result *cell)
{
    counts->tests++;
    counts->skipped += cell->verdict.state == MGC_VERDICT_SKIPPED;
    counts->failures +=
        cell->verdict.state != MGC_VERDICT_SKIPPED && cell->verdict.state != MGC_VERDICT_MEASURED;
    counts->timed |= cell->attempts > 0;
    counts->seconds += cell->attempts ? (double)cell->duration_ns / 1e9 : 0;
}

/* `suite`: a cell of it; NULL: of all. */
static struct counts count(const struct mgc_results *results, const struct mgc_cell *suite)
{
    struct counts counts = {0};
    for (size_t i = 0; i < results->count; i++) {
        if (!suite || same_suite(results->cells[i].cell, suite))
            count_cell(&counts, &results->cells[i]);
    }
    return counts;
}

/* "crosshost.openra"; of a phone with a name "p1.crosshost.openra". */
static void name_suite(const struct mgc_results *results, char *ret_name, size_t size,
    const char *lane, const char *workload)
{
    const char *phone = results->plan->phone;
    snprintf(ret_name, size, "%s%s%s%s%s", phone ? phone : "", phone ? "." : "", lane,
        workload ? "." : "", workload ? workload : "");
}

/* A testcase and what it belongs to. Names are the same on all phones, so a phone's own goes before
 * them: readers want each name once. */
static void begin_case(
    const struct mgc_results *results, const char *name, const char *suite, struct mgc_buf *out)
{
    char own[384];
    const char *phone = results->plan->phone;
    snprintf(own, sizeof(own), "%s%s%s", phone ? phone : "", phone ? "/" : "", name);
    mgc_buf_puts(out, "    <testcase");
    mgc_xml_attribute(out, "name", own);
    mgc_xml_attribute(out, "classname", suite);
}

/* ---- the run ---- */

static void add_problem(struct mgc_buf *out, const char *what, const char *why)
{
    mgc_buf_printf(out, "%s%s%s", out->len ? "; " : "", what, why);
}

/* What is wrong with the run and no cell's own fault; empty: nothing. */
static void run_problem(const struct mgc_results *results, struct mgc_buf *out)
{
    const struct mgc_verdict *paths[] = {&results->path_before, &results->path_after};
    static const char *const when[] = {
        "path check before the cells: ", "path check after the cells: "};
    if (results->interrupted)
        add_problem(out, "the run was interrupted", "");
    if (results->stopped_reason)
        add_problem(out, "the run was stopped: ", results->stopped_reason);
    for (size_t i = 0; mgc_plan_checks_path(results->plan) && i < 2; i++) {
        if (paths[i]->state != MGC_VERDICT_MEASURED)
            add_problem(
                out, when[i], paths[i]->text[0] ? paths[i]->text : mgc_path_not_checked(results));
    }
    if (results->count == 0 && out->len == 0 && mgc_results_exit_code(results) != 0)
        add_problem(out, "the plan has no cell", "");
}

static void put_counts(const struct counts *counts, struct mgc_buf *out)
{
    mgc_buf_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
        counts->tests, counts->failures, counts->errors, counts->skipped);
    if (counts->timed)
        mgc_buf_printf(out, " time=\"%.3f\"", counts->seconds);
}

static void property(struct mgc_buf *out, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    mgc_buf_puts(out, "      <property");
    mgc_xml_attribute(out, "name", name);
    mgc_xml_attribute(out, "value", value);
    mgc_buf_puts(out, "/>\n");
}

static void properties(const struct mgc_results *results, struct mgc_buf *out)
{
    char device[192], code[16];
    struct mgc_buf reduced = {0};
    mgc_device_text(results, device, sizeof(device));
    mgc_results_reduced_text(results, &reduced);
    snprintf(code, sizeof(code), "%d", mgc_results_exit_code(results));
    mgc_buf_puts(out, "    <properties>\n");
    property(out, "run_id", results->plan->run_id);
    property(out, "plan", results->plan->name);
    property(out, "device", device);
    property(out, "device_kind", mgc_device_kind(results));
    property(out, "conditions", mgc_fields_get_str(&results->device, "conditions"));
    property(out, "frames_reduced", mgc_buf_text(&reduced));
    property(out, "build", results->tool_build);
    property(out, "exit_code", code);
    mgc_buf_puts(out, "    </properties>\n");
    mgc_buf_destroy(&reduced);
}

static void begin_suite(const struct mgc_results *results, const char *name,
    const struct counts *counts, struct mgc_buf *out)
{
    mgc_buf_puts(out, "  <testsuite");
    mgc_xml_attribute(out, "name", name);
    put_counts(counts, out);
    if (results->start_wall_ns) {
        mgc_buf_puts(out, " timestamp=\"");
        mgc_put_utc(out, results->start_wall_ns, 'T', "");
        mgc_buf_putc(out, '"');
    }
    mgc_buf_puts(out, ">\n");
    properties(results, out);
}

static void run_suite(const struct mgc_results *results, const char *problem, struct mgc_buf *out)
{
    struct counts counts = {.tests = 1, .errors = 1};
    char name[256];
    name_suite(results, name, sizeof(name), "run", NULL);
    begin_suite(results, name, &counts, out);
    begin_case(results, "run", name, out);
    mgc_buf_puts(out, ">\n      <error type=\"run\"");
    mgc_xml_attribute(out, "message", problem);
    mgc_buf_putc(out, '>');
    mgc_xml_text(out, problem);
    mgc_buf_puts(out, "</error>\n    </testcase>\n  </testsuite>\n");
}

/* One case for all arms: what the gate says of them stands in its text. */
static void gate_suite(const struct mgc_results *results, struct mgc_buf *out)
{
    bool failed = mgc_results_regressed(results);
    struct counts counts = {.tests = 1, .failures = failed};
    struct mgc_buf message = {0};
    char name[256];
    name_suite(results, name, sizeof(name), "gate", NULL);
    begin_suite(results, name, &counts, out);
    begin_case(results, "regression", name, out);
    if (failed) {
        mgc_buf_puts(&message, "regressed: ");
        mgc_results_regressed_text(results, &message);
        mgc_buf_puts(out, ">\n      <failure type=\"regressed\"");
        mgc_xml_attribute(out, "message", mgc_buf_text(&message));
        mgc_buf_putc(out, '>');
        for (size_t i = 0; mgc_results_gate_line(results, i); i++) {
            mgc_xml_text(out, mgc_results_gate_line(results, i));
            mgc_buf_putc(out, '\n');
        }
        mgc_buf_puts(out, "</failure>\n    </testcase>\n  </testsuite>\n");
    } else {
        mgc_buf_puts(out, "/>\n  </testsuite>\n");
    }
    mgc_buf_destroy(&message);
}

/* ---- a cell ---- */

static void put_sentence(
    const struct mgc_verdict *verdict, const char *element, const char *type, struct mgc_buf *out)
{
    struct mgc_buf message = {0};
    const struct mgc_reason_words *words = mgc_reason_find(verdict->reason);
    const char *sentence = verdict->text[0] ? verdict->text : words ? words->meaning : "no reason";
    mgc_buf_printf(
        &message, "%s: %s", verdict->reason[0] ? verdict->reason : "no reason", sentence);
    mgc_buf_printf(out, "      <%s", element);
    mgc_xml_attribute(out, "type", type);
    mgc_xml_attribute(out, "message", mgc_buf_text(&message));
    mgc_buf_destroy(&message);
}

static void put_line(struct mgc_buf *out, const char *head, const char *text)
{
    if (text && *text)
        mgc_buf_printf(out, "%s: %s\n", head, text);
}

static void put_evidence(const struct mgc_verdict *verdict, struct mgc_buf *out)
{
    for (size_t i = 0; i < verdict->evidence_count; i++) {
        const struct mgc_evidence *item = &verdict->evidence[i];
        if (item->outcome != MGC_CHECK_OK)
            mgc_buf_printf(out, "%s: %s, %s: %s\n", mgc_check_outcome_name(item->outcome),
                item->check, item->source, item->seen ? item->seen : "");
    }
}

static void put_failure(const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    const struct mgc_verdict *verdict = &cell->verdict;
    struct mgc_buf body = {0};
    put_line(&body, "verdict", mgc_verdict_state_name(verdict->state));
    put_line(&body, "reason", verdict->reason);
    put_line(&body, "what was seen", verdict->text);
    put_line(&body, "next step", verdict->next_step);
    put_line(&body, "files", cell->dir);
    put_evidence(verdict, &body);
    put_sentence(verdict, "failure", mgc_verdict_state_name(verdict->state), out);
    mgc_buf_putc(out, '>');
    mgc_xml_text(out, mgc_buf_text(&body));
    mgc_buf_puts(out, "</failure>\n");
    out->failed |= !mgc_buf_ok(&body);
    mgc_buf_destroy(&body);
}

static void put_cell(const struct mgc_results *results, const struct mgc_cell_result *cell,
    const char *suite, struct mgc_buf *out)
{
    begin_case(results, cell->cell->id, suite, out);
    if (cell->attempts)
        mgc_buf_printf(out, " time=\"%.3f\"", (double)cell->duration_ns / 1e9);
    if (cell->verdict.state == MGC_VERDICT_MEASURED) {
        mgc_buf_puts(out, "/>\n");
        return;
    }
    mgc_buf_puts(out, ">\n");
    if (cell->verdict.state == MGC_VERDICT_SKIPPED) {
        put_sentence(&cell->verdict, "skipped", NULL, out);
        mgc_buf_puts(out, "/>\n");
    } else {
        put_failure(cell, out);
    }
    mgc_buf_puts(out, "    </testcase>\n");
}

static void put_suite(
    const struct mgc_results *results, const struct mgc_cell *first, struct mgc_buf *out)
{
    char name[256];
    struct counts counts = count(results, first);
    name_suite(results, name, sizeof(name), first->lane, first->workload);
    begin_suite(results, name, &counts, out);
    for (size_t i = 0; i < results->count; i++) {
        if (same_suite(results->cells[i].cell, first))
            put_cell(results, &results->cells[i], name, out);
    }
    mgc_buf_puts(out, "  </testsuite>\n");
}

static void add_counts(struct counts *sum, const struct counts *one)
{
    sum->tests += one->tests;
    sum->failures += one->failures;
    sum->errors += one->errors;
    sum->skipped += one->skipped;
    sum->seconds += one->seconds;
    sum->timed |= one->timed;
}

/* All suites of a run, and what they have together. */
static void put_run(
    const struct mgc_results *results, struct counts *ret_counts, struct mgc_buf *out)
{
    struct counts counts = count(results, NULL);
    struct mgc_buf problem = {0};
    run_problem(results, &problem);
    counts.tests += problem.len > 0;
    counts.errors += problem.len > 0;
    counts.tests += results->gate != NULL;
    counts.failures += mgc_results_regressed(results);
    if (problem.len)
        run_suite(results, mgc_buf_text(&problem), out);
    if (results->gate)
        gate_suite(results, out);
    for (size_t i = 0; i < results->count; i++) {
        if (is_first_of_suite(results, i))
            put_suite(results, results->cells[i].cell, out);
    }
    mgc_buf_destroy(&problem);
    *ret_counts = counts;
}

static bool put_document(const char *name, const struct counts *counts, struct mgc_buf *suites,
    struct mgc_buf *out, struct mgc_error *err)
{
    mgc_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    mgc_xml_attribute(out, "name", name);
    put_counts(counts, out);
    mgc_buf_puts(out, ">\n");
    mgc_buf_puts(out, mgc_buf_text(suites));
    mgc_buf_puts(out, "</testsuites>\n");
    bool ok = mgc_buf_ok(suites) && mgc_buf_ok(out);
    mgc_buf_destroy(suites);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for junit.xml");
}

bool mgc_report_junit(const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err)
{
    struct counts counts;
    struct mgc_buf suites = {0};
    put_run(results, &counts, &suites);
    return put_document(results->plan->name, &counts, &suites, out, err);
}

/* One that has no results at all is an error of its own. */
static void put_refused(const struct mgc_fleet_report *report, const struct mgc_fleet_row *row,
    struct counts *ret_counts, struct mgc_buf *out)
{
    char name[128], code[16];
    *ret_counts = (struct counts){.tests = 1, .errors = 1};
    snprintf(name, sizeof(name), "%s.run", row->phone);
    snprintf(code, sizeof(code), "%d", mgc_fleet_row_code(row));
    mgc_buf_puts(out, "  <testsuite");
    mgc_xml_attribute(out, "name", name);
    put_counts(ret_counts, out);
    mgc_buf_puts(out, ">\n    <properties>\n");
    property(out, "run_id", report->run_id);
    property(out, "plan", report->plan);
    property(out, "device", "unknown device");
    property(out, "exit_code", code);
    mgc_buf_puts(out, "    </properties>\n    <testcase");
    mgc_xml_attribute(out, "name", name);
    mgc_xml_attribute(out, "classname", name);
    mgc_buf_puts(out, ">\n      <error type=\"run\"");
    mgc_xml_attribute(out, "message", row->refused ? row->refused : "no results");
    mgc_buf_puts(out, "/>\n    </testcase>\n  </testsuite>\n");
}

bool mgc_fleet_junit(
    const struct mgc_fleet_report *report, struct mgc_buf *out, struct mgc_error *err)
{
    struct counts sum = {0}, one;
    struct mgc_buf suites = {0};
    for (size_t i = 0; i < report->count; i++) {
        if (report->rows[i].results)
            put_run(report->rows[i].results, &one, &suites);
        else
            put_refused(report, &report->rows[i], &one, &suites);
        add_counts(&sum, &one);
    }
    return put_document(report->plan, &sum, &suites, out, err);
}
