/* The table a person sees at the end of a run in the terminal. */
#include "coordinator/report/report.h"

#include <stdio.h>
#include <string.h>

#include "coordinator/report/columns.h"

/* What fits on a terminal line; REPORT.md has every column. */
static const char *const shown[] = {"frames", "fps", "steady fps", "median ms", "p95 ms",
    "first frame s", "rtt mean ms", "ssim", NULL};

static bool is_shown(const struct mgc_column *column)
{
    for (const char *const *title = shown; *title; title++) {
        if (strcmp(*title, column->title) == 0)
            return true;
    }
    return false;
}

static int id_width(const struct mgc_results *results)
{
    size_t width = strlen("cell");
    for (size_t i = 0; i < results->count; i++) {
        size_t len = strlen(results->cells[i].cell->id);
        if (width < len)
            width = len;
    }
    return (int)width;
}

static void head_line(const struct mgc_results *results, struct mgc_buf *out)
{
    mgc_buf_printf(out, "%-*s", id_width(results), "cell");
    for (const struct mgc_column *c = mgc_crosshost_columns; c->title; c++) {
        if (is_shown(c))
            mgc_buf_printf(
                out, "  %*s", (int)strlen(c->title) > 8 ? (int)strlen(c->title) : 8, c->title);
    }
    mgc_buf_puts(out, "  verdict\n");
}

static void cell_line(
    const struct mgc_results *results, const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    char text[MGC_COLUMN_TEXT_MAX], verdict[128];
    mgc_buf_printf(out, "%-*s", id_width(results), cell->cell->id);
    for (const struct mgc_column *c = mgc_crosshost_columns; c->title; c++) {
        if (!is_shown(c))
            continue;
        mgc_column_text(c, cell, text);
        mgc_buf_printf(out, "  %*s", (int)strlen(c->title) > 8 ? (int)strlen(c->title) : 8, text);
    }
    mgc_verdict_text(&cell->verdict, verdict, sizeof(verdict));
    mgc_buf_printf(out, "  %s\n", verdict);
}

static const struct mgc_evidence *proof(const struct mgc_verdict *verdict, const char *check)
{
    for (size_t i = 0; i < verdict->evidence_count; i++) {
        if (strcmp(verdict->evidence[i].check, check) == 0 &&
            verdict->evidence[i].outcome == MGC_CHECK_OK)
            return &verdict->evidence[i];
    }
    return NULL;
}

/* What proved a cell, in a few words; the whole evidence stands in REPORT.md and verdict.json. */
static void proof_line(const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    static const char *const checks[] = {"transport-spawn", "control-tcp", "run-ahead-armed",
        "present credit", "ssim", "totalFrames", "server session", NULL};
    const char *between = "";
    mgc_buf_printf(out, "  %s: ", cell->cell->id);
    for (const char *const *check = checks; *check; check++) {
        const struct mgc_evidence *evidence = proof(&cell->verdict, *check);
        if (!evidence)
            continue;
        mgc_buf_printf(out, "%s%s (%s)", between, *check, evidence->source);
        between = ", ";
    }
    mgc_buf_puts(out, *between ? "\n" : "nothing\n");
}

static void reason_lines(const struct mgc_results *results, struct mgc_buf *out)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        if (cell->verdict.state == MGC_VERDICT_MEASURED)
            continue;
        mgc_buf_printf(out, "%s: %s", cell->cell->id, cell->verdict.text);
        if (cell->verdict.next_step[0])
            mgc_buf_printf(out, "; %s", cell->verdict.next_step);
        mgc_buf_putc(out, '\n');
    }
}

static void path_line(const char *when, const struct mgc_verdict *verdict, struct mgc_buf *out)
{
    mgc_buf_printf(out, "path %s: ", when);
    if (verdict->state == MGC_VERDICT_MEASURED)
        mgc_buf_puts(out, "end to end\n");
    else
        mgc_buf_printf(out, "%s%s%s\n", verdict->text[0] ? verdict->text : "not checked",
            verdict->next_step[0] ? "; " : "", verdict->next_step);
}

bool mgc_report_table(
    const struct mgc_results *results, int columns, struct mgc_buf *out, struct mgc_error *err)
{
    char device[192];
    mgc_device_text(results, device, sizeof(device));
    mgc_buf_printf(out, "%s, device: %s%s\n\n", results->plan->run_id, device,
        results->frames_reduced ? ", reduced frame counts" : "");
    head_line(results, out);
    for (size_t i = 0; i < results->count; i++)
        cell_line(results, &results->cells[i], out);
    mgc_buf_putc(out, '\n');
    reason_lines(results, out);
    mgc_buf_puts(out, "proved by:\n");
    for (size_t i = 0; i < results->count; i++)
        proof_line(&results->cells[i], out);
    path_line("before", &results->path_before, out);
    path_line("after", &results->path_after, out);
    if (results->stopped_reason)
        mgc_buf_printf(out, "stopped: %s\n", results->stopped_reason);
    for (size_t i = 0; i < results->note_count; i++)
        mgc_buf_printf(out, "note: %s\n", results->notes[i]);
    return mgc_buf_ok(out) || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the table");
}
