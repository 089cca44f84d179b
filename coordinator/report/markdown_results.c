#include "coordinator/report/sections.h"

#include <string.h>

#include "coordinator/merge/comparisons.h"
#include "coordinator/report/columns.h"

/* ---- verdicts ---- */

static void count_states(const struct mgc_results *results, struct mgc_buf *out)
{
    size_t counts[MGC_VERDICT_SKIPPED + 1] = {0};
    const char *between = "";
    for (size_t i = 0; i < results->count; i++)
        counts[results->cells[i].verdict.state]++;
    mgc_buf_printf(out, "%zu cell%s: ", results->count, results->count == 1 ? "" : "s");
    for (int state = 0; state <= MGC_VERDICT_SKIPPED; state++) {
        if (!counts[state])
            continue;
        mgc_buf_printf(out, "%s%zu %s", between, counts[state],
            mgc_verdict_state_name((enum mgc_verdict_state)state));
        between = ", ";
    }
    mgc_buf_puts(out, *between ? ".\n\n" : "none.\n\n");
}

void mgc_section_verdicts(const struct mgc_results *results, struct mgc_buf *out)
{
    mgc_buf_puts(out, "## Verdicts\n\n");
    count_states(results, out);
    if (results->count == 0)
        return;
    mgc_buf_puts(
        out, "| cell | verdict | what was seen | next step | attempts |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        char verdict[128];
        mgc_verdict_text(&cell->verdict, verdict, sizeof(verdict));
        mgc_buf_printf(out, "| %s | %s | ", cell->cell->id, verdict);
        mgc_put_markdown(out, cell->verdict.text);
        mgc_buf_puts(out, " | ");
        mgc_put_markdown(out, cell->verdict.next_step);
        mgc_buf_printf(out, " | %d |\n", cell->attempts);
    }
    mgc_buf_putc(out, '\n');
}

/* ---- numbers, by workload ---- */

static bool is_of(const struct mgc_cell_result *cell, const char *workload)
{
    return strcmp(cell->cell->workload, workload) == 0 && mgc_cell_over_network(cell->cell);
}

static bool is_first_of_workload(const struct mgc_results *results, size_t i)
{
    for (size_t k = i; k > 0; k--) { /* the nearest is mostly the like of it */
        if (is_of(&results->cells[k - 1], results->cells[i].cell->workload))
            return false;
    }
    return true;
}

/* A bit per column of mgc_crosshost_columns: those that some cell of the workload has. A column
 * that none has would only be noise. */
static uint64_t columns_of(const struct mgc_results *results, const char *workload)
{
    uint64_t columns = 0;
    for (size_t i = 0; i < results->count; i++) {
        if (!is_of(&results->cells[i], workload))
            continue;
        for (size_t c = 0; mgc_crosshost_columns[c].title; c++) {
            uint64_t bit = UINT64_C(1) << c;
            if (!(columns & bit) && mgc_column_has(&mgc_crosshost_columns[c], &results->cells[i]))
                columns |= bit;
        }
    }
    return columns;
}

static void number_head(const char *workload, uint64_t columns, struct mgc_buf *out)
{
    struct mgc_buf rule = {0};
    mgc_buf_printf(out, "### %s\n\n| cell | verdict |", workload);
    mgc_buf_puts(&rule, "\n|---|---|");
    for (size_t c = 0; mgc_crosshost_columns[c].title; c++) {
        if (!(columns >> c & 1))
            continue;
        mgc_buf_printf(out, " %s |", mgc_crosshost_columns[c].title);
        mgc_buf_puts(&rule, "---:|");
    }
    mgc_buf_printf(out, "%s\n", mgc_buf_text(&rule));
    mgc_buf_destroy(&rule);
}

/* What keeps a number from being taken for more than it is. */
static void put_remark(
    const struct mgc_column *column, const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    int64_t replies;
    if (strcmp(column->metric, "steady_fps") == 0 && mgc_cell_in_bursts(cell))
        mgc_buf_puts(out, " (bursts)");
    else if (strncmp(column->metric, "rtt_", 4) == 0 && mgc_column_has(column, cell) &&
             mgc_rtt_of_few(cell, &replies))
        mgc_buf_printf(out, " (n = %lld)", (long long)replies);
}

static void number_row(const struct mgc_cell_result *cell, uint64_t columns, struct mgc_buf *out)
{
    char text[MGC_COLUMN_TEXT_MAX];
    bool counts = cell->verdict.state == MGC_VERDICT_MEASURED;
    mgc_buf_printf(out, "| %s | %s%s |", cell->cell->id,
        mgc_verdict_state_name(cell->verdict.state), counts ? "" : ", not counted");
    for (size_t c = 0; mgc_crosshost_columns[c].title; c++) {
        if (!(columns >> c & 1))
            continue;
        mgc_column_text(&mgc_crosshost_columns[c], cell, text);
        mgc_buf_printf(out, " %s", text);
        put_remark(&mgc_crosshost_columns[c], cell, out);
        mgc_buf_puts(out, " |");
    }
    mgc_buf_putc(out, '\n');
}

static void number_table(
    const struct mgc_results *results, const char *workload, struct mgc_buf *out)
{
    uint64_t columns = columns_of(results, workload);
    number_head(workload, columns, out);
    for (size_t i = 0; i < results->count; i++) {
        if (is_of(&results->cells[i], workload))
            number_row(&results->cells[i], columns, out);
    }
    mgc_buf_putc(out, '\n');
}

static bool is_shown(const struct mgc_results *results, const struct mgc_column *column)
{
    for (size_t i = 0; i < results->count; i++) {
        if (mgc_column_has(column, &results->cells[i]))
            return true;
    }
    return false;
}

static void legend(const struct mgc_results *results, struct mgc_buf *out)
{
    bool any = false;
    for (const struct mgc_column *c = mgc_crosshost_columns; c->title; c++) {
        if (!c->meaning || !is_shown(results, c))
            continue;
        if (!any)
            mgc_buf_puts(out, "| column | meaning |\n|---|---|\n");
        any = true;
        mgc_buf_printf(out, "| %s | %s |\n", c->title, c->meaning);
    }
    mgc_buf_puts(out, any ? "\n" : "");
}

void mgc_section_numbers(const struct mgc_results *results, struct mgc_buf *out)
{
    char device[192];
    mgc_device_text(results, device, sizeof(device));
    mgc_buf_puts(out, "## Numbers (device: ");
    mgc_put_markdown(out, device);
    mgc_buf_puts(out, ")\n\n");
    for (size_t i = 0; i < results->count; i++) {
        if (mgc_cell_over_network(results->cells[i].cell) && is_first_of_workload(results, i))
            number_table(results, results->cells[i].cell->workload, out);
    }
    mgc_buf_puts(out, "Each row is one run (n = 1). \"-\" is a number that was not there.\n\n");
    legend(results, out);
}

/* ---- evidence ---- */

static void evidence_row(const struct mgc_evidence *item, struct mgc_buf *out)
{
    const char *bold = item->outcome == MGC_CHECK_OK ? "" : "**";
    mgc_buf_puts(out, "| ");
    mgc_put_markdown(out, item->check);
    mgc_buf_printf(out, " | %s%s%s | ", bold, mgc_check_outcome_name(item->outcome), bold);
    mgc_put_markdown(out, item->seen);
    mgc_buf_puts(out, " | ");
    mgc_put_markdown(out, item->source);
    mgc_buf_puts(out, " |\n");
}

static void evidence_table(const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    const struct mgc_verdict *verdict = &cell->verdict;
    mgc_buf_printf(out, "### %s\n\n", cell->cell->id);
    if (cell->dir)
        mgc_buf_printf(out, "Files: [%s](%s/)\n\n", cell->dir, cell->dir);
    if (verdict->evidence_count == 0) {
        mgc_buf_puts(out, "No evidence.\n\n");
        return;
    }
    mgc_buf_puts(out, "| check | outcome | seen | source |\n|---|---|---|---|\n");
    for (size_t i = 0; i < verdict->evidence_count; i++)
        evidence_row(&verdict->evidence[i], out);
    mgc_buf_putc(out, '\n');
}

void mgc_section_evidence(const struct mgc_results *results, struct mgc_buf *out)
{
    mgc_buf_puts(out, "## What each verdict rests on\n\n");
    for (size_t i = 0; i < results->count; i++)
        evidence_table(&results->cells[i], out);
}
