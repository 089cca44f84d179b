/* The table a person sees at the end of a run in the terminal. */
#include "coordinator/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "coordinator/merge/aggregate.h"
#include "coordinator/merge/comparisons.h"
#include "coordinator/merge/confirm.h"
#include "coordinator/merge/put_back.h"
#include "coordinator/merge/settings.h"
#include "coordinator/report/columns.h"
#include "coordinator/report/fold.h"
#include "coordinator/report/link.h"
#include "coordinator/report/merged.h"
#include "coordinator/report/phone.h"
#include "coordinator/report/table_proof.h"
#include "coordinator/verify/reasons.h"

enum {
    SHOWN_MAX = 32,
    STATE_WIDTH = 10, /* "incomplete" */
};

/* Which columns stand in the table; REPORT.md has them all. */
struct layout {
    const struct mgc_column *columns[SHOWN_MAX];
    size_t count;
    int id_width;
    int width; /* of the whole table */
    int prose; /* of sentences */
};

static void drop_column(struct layout *layout)
{
    size_t worst = 0;
    for (size_t i = 1; i < layout->count; i++) {
        if (layout->columns[i]->rank > layout->columns[worst]->rank)
            worst = i;
    }
    layout->width -= layout->columns[worst]->width + 2;
    layout->count--;
    memmove(&layout->columns[worst], &layout->columns[worst + 1],
        (layout->count - worst) * sizeof(layout->columns[0]));
}

static void lay_out(const struct mgc_results *results, int columns, struct layout *layout)
{
    *layout = (struct layout){.id_width = 4, .prose = columns};
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell *cell = results->cells[i].cell;
        int len = (int)strlen(cell->id);
        if (layout->id_width < len && mgc_cell_over_network(cell))
            layout->id_width = len;
    }
    layout->width = layout->id_width + 2 + STATE_WIDTH;
    for (const struct mgc_column *c = mgc_crosshost_columns; c->title; c++) {
        if (!c->brief || layout->count == SHOWN_MAX)
            continue;
        layout->columns[layout->count++] = c;
        layout->width += c->width + 2;
    }
    while (columns > 0 && layout->width > columns && layout->count)
        drop_column(layout);
}

/* ---- rows ---- */

static void head_line(const struct layout *layout, struct mgc_buf *out)
{
    mgc_buf_printf(out, "%-*s  %-*s", layout->id_width, "cell", STATE_WIDTH, "verdict");
    for (size_t i = 0; i < layout->count; i++)
        mgc_buf_printf(out, "  %*s", layout->columns[i]->width, layout->columns[i]->brief);
    mgc_buf_putc(out, '\n');
}

static void cell_line(
    const struct layout *layout, const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    char text[MGC_COLUMN_TEXT_MAX];
    mgc_buf_printf(out, "%-*s  %-*s", layout->id_width, cell->cell->id, STATE_WIDTH,
        mgc_verdict_state_name(cell->verdict.state));
    for (size_t i = 0; i < layout->count; i++) {
        bool of_few = strcmp(layout->columns[i]->metric, "rtt_mean_ms") == 0 &&
                      mgc_rtt_of_few(cell, NULL); /* REPORT.md has it, with its n */
        mgc_column_text(layout->columns[i], cell, text);
        mgc_buf_printf(out, "  %*s", layout->columns[i]->width, of_few ? "-" : text);
    }
    mgc_buf_putc(out, '\n');
}

/* ---- sentences ---- */

static void reason_line(
    const struct layout *layout, const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    const struct mgc_verdict *verdict = &cell->verdict;
    char name[128];
    mgc_verdict_text(verdict, name, sizeof(name));
    mgc_say(layout->prose, out, "%s is %s: %s%s%s", cell->cell->id, name, verdict->text,
        verdict->next_step[0] ? "; next: " : "", verdict->next_step);
}

static bool same_skip(const struct mgc_verdict *a, const struct mgc_verdict *b)
{
    return a->state == MGC_VERDICT_SKIPPED && b->state == MGC_VERDICT_SKIPPED &&
           strcmp(a->text, b->text) == 0;
}

/* Skipped cells share a reason, that the run was stopped or a rule of the plan: one line for all.
 */
static void skipped_line(
    const struct layout *layout, const struct mgc_results *results, size_t at, struct mgc_buf *out)
{
    const struct mgc_verdict *skipped = &results->cells[at].verdict;
    size_t same = 0;
    for (size_t i = 0; i < results->count; i++) {
        if (!same_skip(&results->cells[i].verdict, skipped))
            continue;
        if (i < at)
            return;
        same++;
    }
    /* Why the run was stopped stands at the end, once for all. */
    const char *why =
        results->stopped_reason ? strstr(skipped->text, results->stopped_reason) : NULL;
    int len = (int)(why ? (size_t)(why - skipped->text) : strlen(skipped->text));
    while (why && len > 0 && strchr(": ", skipped->text[len - 1]))
        len--;
    const char *missing = mgc_reason_words(MGC_REASON_NOT_INSTALLED)->name;
    bool is_told = strcmp(skipped->reason, missing) != 0; /* elsewhere, or there is nothing to do */
    mgc_say(layout->prose, out, "%zu skipped: %.*s%s%s", same, len, skipped->text,
        is_told ? "" : "; next: ", is_told ? "" : skipped->next_step);
}

static void reason_lines(
    const struct layout *layout, const struct mgc_results *results, struct mgc_buf *out)
{
    size_t measured_count = 0;
    for (size_t i = 0; i < results->count; i++) {
        enum mgc_verdict_state state = results->cells[i].verdict.state;
        if (state == MGC_VERDICT_MEASURED)
            measured_count++;
        else if (state != MGC_VERDICT_SKIPPED)
            reason_line(layout, &results->cells[i], out);
    }
    for (size_t i = 0; i < results->count; i++) {
        if (results->cells[i].verdict.state == MGC_VERDICT_SKIPPED)
            skipped_line(layout, results, i, out);
    }
    if (measured_count < results->count)
        mgc_buf_putc(out, '\n');
}

static bool has_own_table(const struct mgc_cell *cell)
{
    return !mgc_cell_over_network(cell);
}

static void proofs(
    const struct layout *layout, const struct mgc_results *results, struct mgc_buf *out)
{
    struct mgc_buf lines = {0};
    char *rest = NULL;
    mgc_table_proofs(results, has_own_table, &lines);
    for (char *line = lines.len ? strtok_r(lines.data, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        mgc_say(layout->prose, out, "%s", line);
    mgc_buf_destroy(&lines);
}

static void path_line(const struct layout *layout, const struct mgc_results *results,
    const char *when, const struct mgc_verdict *verdict, struct mgc_buf *out)
{
    if (verdict->state == MGC_VERDICT_MEASURED)
        mgc_say(layout->prose, out, "path %s: end to end", when);
    else
        mgc_say(layout->prose, out, "path %s: %s%s%s", when,
            verdict->text[0] ? verdict->text : mgc_path_not_checked(results),
            verdict->next_step[0] ? "; next: " : "", verdict->next_step);
}

static void put_back_line(
    const struct layout *layout, const struct mgc_results *results, struct mgc_buf *out)
{
    struct mgc_buf text = {0};
    mgc_results_put_back_text(results, &text);
    if (mgc_results_left_behind(results))
        mgc_say(layout->prose, out,
            "put back: not everything, see REPORT.md; next: start the worker again");
    else if (text.len)
        mgc_say(layout->prose, out, "put back: %s", mgc_buf_text(&text));
    mgc_buf_destroy(&text);
}

/* What the rounds say together, one line per workload and arm; nothing for single runs. */
static void repetitions(const struct layout *layout, const struct mgc_results *results,
    const struct mgc_aggregate *list, size_t count, struct mgc_buf *out)
{
    bool repeated = false;
    for (size_t i = 0; i < count; i++)
        repeated = repeated || list[i].count > 1;
    for (size_t i = 0; repeated && i < count; i++) {
        struct mgc_spread fps;
        if (mgc_aggregate_spread(results, &list[i], "throughput_fps", &fps))
            mgc_say(layout->prose, out, "%s %s: throughput %.1f fps, median of %zu (%.1f to %.1f)",
                list[i].workload, list[i].arm, fps.median, fps.n, fps.min, fps.max);
    }
    if (repeated)
        mgc_buf_putc(out, '\n');
}

/* Cells that run over a network; those on the phone have a table of their own. */
static void cells(const struct layout *layout, const struct mgc_results *results,
    struct mgc_aggregate *list, size_t count, struct mgc_buf *out)
{
    head_line(layout, out);
    for (size_t i = 0; i < results->count; i++) {
        if (mgc_cell_over_network(results->cells[i].cell))
            cell_line(layout, &results->cells[i], out);
    }
    mgc_buf_putc(out, '\n');
    repetitions(layout, results, list, mgc_aggregates_keep(list, count, false), out);
}

static void endings(
    const struct layout *layout, const struct mgc_results *results, struct mgc_buf *out)
{
    for (size_t i = 0; mgc_results_gate_line(results, i); i++)
        mgc_say(layout->prose, out, "%s", mgc_results_gate_line(results, i));
    if (mgc_plan_checks_path(results->plan)) {
        path_line(layout, results, "before", &results->path_before, out);
        path_line(layout, results, "after", &results->path_after, out);
    }
    put_back_line(layout, results, out);
    bool said = results->stopped_reason && mgc_plan_checks_path(results->plan) &&
                strcmp(results->stopped_reason, results->path_before.text) == 0;
    if (said)
        mgc_say(layout->prose, out, "stopped: see the path before");
    else if (results->stopped_reason)
        mgc_say(layout->prose, out, "stopped: %s", results->stopped_reason);
    if (results->interrupted)
        mgc_say(layout->prose, out, "interrupted");
    if (results->resumes)
        mgc_say(layout->prose, out, "resumed %zu time%s", results->resumes,
            results->resumes == 1 ? "" : "s");
    for (size_t i = 0; i < results->note_count; i++)
        mgc_say(layout->prose, out, "note: %s", results->notes[i]);
}

/* Is there anything that a table of cells would have? */
static bool has_cells(const struct mgc_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        if (mgc_cell_over_network(results->cells[i].cell))
            return true;
    }
    return results->count == 0 && !mgc_plan_on_phone(results->plan) &&
           !mgc_brings_fixtures_only(results);
}

/* What makes these numbers other than those of a whole run on a quiet bench. */
static void conditions(
    const struct layout *layout, const struct mgc_results *results, struct mgc_buf *out)
{
    const char *text = mgc_fields_get_str(&results->device, "conditions");
    struct mgc_buf reduced = {0}, few = {0};
    mgc_results_reduced_text(results, &reduced);
    mgc_results_few_frames_text(results, &few);
    if (text)
        mgc_say(layout->prose, out, "conditions: %s", text);
    if (results->frames_reduced)
        mgc_say(layout->prose, out, "reduced frame counts: %s", mgc_buf_text(&reduced));
    if (few.len)
        mgc_say(layout->prose, out, "too few frames for a rate: %s; next: measure at least %d",
            mgc_buf_text(&few), MGC_FRAMES_FOR_A_RATE);
    mgc_buf_destroy(&reduced);
    mgc_buf_destroy(&few);
}

/* Each lane by itself. */
static bool lanes(const struct layout *layout, const struct mgc_results *results, int columns,
    struct mgc_buf *out, struct mgc_error *err)
{
    struct mgc_aggregate *list;
    size_t count;
    if (!mgc_results_aggregate(results, &list, &count, err))
        return false;
    if (has_cells(results))
        cells(layout, results, list, count, out);
    free(list);
    return !mgc_plan_on_phone(results->plan) || mgc_table_phone(results, columns, out, err);
}

/* Several lanes are many cells: what did not count comes before the numbers. */
static bool together(const struct layout *layout, const struct mgc_results *results, int columns,
    struct mgc_buf *out, struct mgc_error *err)
{
    size_t measured = 0, good = 0, checks = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_verdict *verdict = &results->cells[i].verdict;
        measured += verdict->state == MGC_VERDICT_MEASURED;
        checks += verdict->evidence_count;
        for (size_t k = 0; k < verdict->evidence_count; k++)
            good += verdict->evidence[k].outcome == MGC_CHECK_OK;
    }
    mgc_say(layout->prose, out,
        "%zu of %zu cells measured; %zu of %zu checks good (each of them: REPORT.md)", measured,
        results->count, good, checks);
    mgc_buf_putc(out, '\n');
    reason_lines(layout, results, out);
    return mgc_table_merged(results, columns, out, err);
}

bool mgc_report_table(
    const struct mgc_results *results, int columns, struct mgc_buf *out, struct mgc_error *err)
{
    char device[192];
    struct layout layout;
    bool merged = mgc_plan_is_merged(results->plan);
    lay_out(results, columns, &layout);
    mgc_device_text(results, device, sizeof(device));
    mgc_say(layout.prose, out, "%s, device: %s", results->plan->run_id, device);
    conditions(&layout, results, out);
    mgc_buf_putc(out, '\n');
    if (merged ? !together(&layout, results, columns, out, err)
               : !lanes(&layout, results, columns, out, err))
        return false;
    mgc_table_link(results, layout.prose, out);
    if (mgc_brings_fixtures_only(results))
        mgc_table_fixtures(results, layout.prose, out);
    if (!merged)
        reason_lines(&layout, results, out);
    proofs(&layout, results, out);
    endings(&layout, results, out);
    return mgc_buf_ok(out) || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the table");
}
