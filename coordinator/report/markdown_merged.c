/* REPORT.md of a run with several lanes: what they say together. Each lane's own sections follow.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/merge/rounds.h"
#include "coordinator/report/columns.h"
#include "coordinator/report/merged.h"
#include "coordinator/report/phone.h"
#include "coordinator/stats/wording.h"

enum { TEXT_MAX = 384 };

/* ---- all arms ------------------------------------------------------------------------------- */

static void put_against(const struct mgc_merged_arm *arm, struct mgc_buf *out)
{
    char text[TEXT_MAX], numbers[160] = "-";
    if (!arm->against) {
        mgc_md_text(arm->is_reference ? "(reference)" : "", out);
        mgc_md_text("", out);
        return;
    }
    if (arm->against->comparable == MGC_COMPARABLE_YES)
        mgc_comparison_numbers(&arm->against->result, numbers, sizeof(numbers));
    mgc_md_text(numbers, out);
    mgc_arm_comparison_text(arm->against, text, sizeof(text));
    mgc_md_text(text, out);
}

static void arm_row(
    const struct mgc_results *results, const struct mgc_merged_arm *arm, struct mgc_buf *out)
{
    mgc_md_begin(out);
    mgc_md_arm(results, arm->cell, out);
    mgc_md_text(mgc_merged_client(arm->cell), out);
    mgc_buf_printf(out, " %zu of %zu |", arm->n, arm->cells);
    mgc_md_real(arm->mean_ms, 2, out);
    mgc_md_real(arm->best_ms, 2, out);
    mgc_md_real(arm->spread_pct, 1, out);
    mgc_md_real(arm->fps, 1, out);
    mgc_md_real(arm->p95_ms, 2, out);
    mgc_md_real(arm->p99_ms, 2, out);
    put_against(arm, out);
    mgc_md_end(out);
}

static void footnotes(const struct mgc_merged *merged, struct mgc_buf *out)
{
    const char *text;
    for (size_t nth = 0; (text = mgc_merged_footnote(merged, nth)); nth++) {
        mgc_put_markdown(out, text);
        mgc_buf_puts(out, ".\n\n");
    }
}

static void arms(
    const struct mgc_results *results, const struct mgc_merged *merged, struct mgc_buf *out)
{
    static const char *const titles[] = {"arm", "client", ">n", ">mean ms", ">best ms", ">spread %",
        ">fps", ">p95 ms", ">p99 ms", "time per frame against the reference", "conclusion", NULL};
    const char *workload = NULL;
    char device[192];
    mgc_device_text(results, device, sizeof(device));
    mgc_buf_puts(out, "## All arms side by side (device: ");
    mgc_put_markdown(out, device);
    mgc_buf_puts(out, ")\n\n");
    for (size_t i = 0; i < merged->count; i++) {
        const struct mgc_merged_arm *arm = &merged->arms[i];
        if (!workload || strcmp(workload, arm->cell->workload) != 0) {
            mgc_buf_printf(
                out, "%s### %s, all lanes\n\n", workload ? "\n" : "", arm->cell->workload);
            workload = arm->cell->workload;
            mgc_md_head(titles, out);
        }
        arm_row(results, arm, out);
    }
    mgc_buf_puts(out,
        "\nAll times are per frame after the workload's skip window, the same for all lanes. *n* "
        "is "
        "how many of the plan's rounds were measured; *mean* is the geometric mean over them, "
        "*fps* "
        "1000 over it, *p95* and *p99* the medians over the rounds, *spread* slowest minus best "
        "round, of their median. Arms are held against the reference round by round, all lanes of "
        "a "
        "workload and backend as one family.\n\n");
    footnotes(merged, out);
}

/* ---- across hosts --------------------------------------------------------------------------- */

static void penalty_row(
    const struct mgc_results *results, const struct mgc_arm_comparison *row, struct mgc_buf *out)
{
    char text[TEXT_MAX], numbers[160] = "-";
    mgc_md_begin(out);
    mgc_md_text(row->workload, out);
    mgc_phone_arm_text(results, row->arm, row->backend, text, sizeof(text));
    mgc_md_text(text, out);
    mgc_phone_arm_text(results, row->reference, row->reference_backend, text, sizeof(text));
    mgc_md_text(text, out);
    mgc_buf_printf(out, " %zu of %zu |", row->result.n, row->rounds);
    if (row->comparable == MGC_COMPARABLE_YES)
        mgc_comparison_numbers(&row->result, numbers, sizeof(numbers));
    mgc_md_text(numbers, out);
    mgc_arm_comparison_text(row, text, sizeof(text));
    mgc_md_text(text, out);
    mgc_md_end(out);
}

static void penalties(
    const struct mgc_results *results, const struct mgc_merged *merged, struct mgc_buf *out)
{
    static const char *const titles[] = {"workload", "across hosts", "on the phone", ">rounds",
        "time per frame, across hosts against on the phone", "conclusion", NULL};
    if (merged->penalty_count == 0)
        return;
    mgc_buf_puts(out, "## What it costs to cross hosts\n\n");
    mgc_md_head(titles, out);
    for (size_t i = 0; i < merged->penalty_count; i++)
        penalty_row(results, &merged->penalties[i], out);
    mgc_buf_puts(out, "\nPaired by round, as above; both rows of a workload are one family. **The "
                      "client's CPU changed**: it is the WSL host's, so this is not the price of "
                      "the link alone.\n\n");
}

/* ---- the link ------------------------------------------------------------------------------- */

static void look_text(const struct mgc_bracket_result *bracket, struct mgc_buf *out)
{
    char text[TEXT_MAX], link[128];
    mgc_merged_link(bracket, link, sizeof(link));
    snprintf(text, sizeof(text), "%s%s%s", mgc_merged_look(bracket), link[0] ? ", " : "", link);
    mgc_md_text(text, out);
}

static void look_row(const struct mgc_block_look *look, struct mgc_buf *out)
{
    const struct mgc_cell *cell = look->before->cell;
    mgc_buf_printf(out, "| %zu |", cell->block);
    mgc_md_text(cell->workload, out);
    mgc_buf_printf(out, " %lld |", (long long)cell->round);
    look_text(look->before, out);
    look_text(look->after, out);
    mgc_buf_printf(out, " %zu of %zu | %zu |", look->measured, look->cells, look->again);
    mgc_md_end(out);
}

/* Of a block, and not measured: the path changed, say. */
static void void_cells(const struct mgc_results *results, struct mgc_buf *out)
{
    bool any = false;
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        char verdict[128];
        if (!cell->cell->block || cell->verdict.state == MGC_VERDICT_MEASURED)
            continue;
        mgc_verdict_text(&cell->verdict, verdict, sizeof(verdict));
        mgc_buf_printf(out, "- %s is %s\n", cell->cell->id, verdict);
        any = true;
    }
    mgc_buf_puts(out, any ? "\n" : "");
}

static void replaced(const struct mgc_results *results, struct mgc_buf *out)
{
    bool any = false;
    for (size_t i = 0; i < results->count; i++) {
        char text[TEXT_MAX];
        if (!mgc_replaced_text(&results->cells[i], text, sizeof(text)))
            continue;
        if (!any)
            mgc_buf_puts(out, "### Measured again\n\n");
        mgc_buf_puts(out, "- ");
        mgc_put_markdown(out, text);
        mgc_buf_putc(out, '\n');
        any = true;
    }
    mgc_buf_puts(out, any ? "\n" : "");
}

static void looks(const struct mgc_results *results, struct mgc_buf *out)
{
    static const char *const titles[] = {
        ">block", "workload", ">round", "before", "after", ">measured", ">measured again", NULL};
    struct mgc_block_look look;
    for (size_t nth = 0; mgc_results_block(results, nth, &look); nth++) {
        if (nth == 0) {
            mgc_buf_puts(out, "## Looks at the link\n\n");
            mgc_md_head(titles, out);
        }
        look_row(&look, out);
    }
    mgc_buf_puts(out, results->bracket_count ? "\n" : "");
    void_cells(results, out);
    replaced(results, out);
}

/* ---- the link as a covariate ---------------------------------------------------------------- */

static void put_range(
    const struct mgc_link_effect *link, enum mgc_link_figure figure, struct mgc_buf *out)
{
    char text[64];
    mgc_merged_range(link, figure, text, sizeof(text));
    mgc_md_text(text, out);
}

static void link_row(
    const struct mgc_results *results, const struct mgc_merged_arm *arm, struct mgc_buf *out)
{
    const struct mgc_link_effect *link = &arm->link;
    struct mgc_spread read;
    char text[192];
    mgc_md_begin(out);
    mgc_md_text(arm->cell->workload, out);
    mgc_md_arm(results, arm->cell, out);
    mgc_md_real(arm->mean_ms, 2, out);
    mgc_buf_printf(out, " %zu of %zu |", link->looked, link->cells);
    put_range(link, MGC_LINK_UP, out);
    put_range(link, MGC_LINK_DOWN, out);
    put_range(link, MGC_LINK_RTT, out);
    mgc_md_real(link->use.mbyte_per_frame, 3, out);
    mgc_md_real(link->use.trips_per_frame, 1, out);
    mgc_md_real(link->moves.ms, 2, out);
    mgc_md_real(100 * link->floor, 1, out);
    mgc_md_real(mgc_merged_read(results, arm, &read) ? read.median : NAN, 1, out);
    mgc_link_effect_text(link, text, sizeof(text));
    mgc_md_text(text, out);
    mgc_md_end(out);
}

static void cell_row(
    const struct mgc_results *results, const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    mgc_md_begin(out);
    mgc_md_text(cell->cell->id, out);
    mgc_md_metric(cell, MGC_COMPARED_METRIC, 1, 2, out);
    mgc_buf_printf(out, " %zu |", cell->cell->block);
    look_text(mgc_results_look(results, cell->cell, false), out);
    look_text(mgc_results_look(results, cell->cell, true), out);
    mgc_md_metric(cell, "server_read_mb_s", 1, 1, out);
    mgc_md_end(out);
}

static void link_cells(const struct mgc_results *results, struct mgc_buf *out)
{
    static const char *const titles[] = {
        "cell", ">mean ms", ">block", "before", "after", ">server read MB/s", NULL};
    mgc_buf_putc(out, '\n');
    mgc_md_head(titles, out);
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        if (mgc_cell_over_network(cell->cell) && mgc_cell_is_regular(cell->cell) &&
            cell->verdict.state == MGC_VERDICT_MEASURED)
            cell_row(results, cell, out);
    }
}

static void link_beside(
    const struct mgc_results *results, const struct mgc_merged *merged, struct mgc_buf *out)
{
    static const char *const titles[] = {"workload", "arm", ">mean ms", ">tested around",
        ">up Mbit/s", ">down Mbit/s", ">rtt ms", ">MB per frame", ">round trips per frame",
        ">explains ms", ">floor %", ">server read MB/s", "in words", NULL};
    mgc_buf_puts(out, "## The link beside what crosses hosts\n\n");
    mgc_md_head(titles, out);
    for (size_t i = 0; i < merged->count; i++) {
        if (mgc_cell_over_network(merged->arms[i].cell))
            link_row(results, &merged->arms[i], out);
    }
    link_cells(results, out);
    mgc_buf_puts(out,
        "\nLowest to highest figure of the link tests before and after the cells that count. "
        "*explains*: 8 x MB per frame x (1 / lowest up - 1 / highest up) + round trips per frame x "
        "(longest - shortest rtt): as much of the mean may be the link's movement alone; *round "
        "trips per frame*: 1 / present credit, and the replies that a frame waits for. *floor*: "
        "that, of the mean without it; a smaller difference from an arm on the phone is no "
        "conclusion. *server read*: bytes by the time of reading, waiting for the client included, "
        "where the server tells it (`lanes.crosshost.extra_server_env: "
        "MOBILEGL_SERVER_FRAME_STATS=1`); - where it does not.\n\n");
}

/* ---- pictures and proof --------------------------------------------------------------------- */

static void put_picture(
    const struct mgc_results *results, const struct mgc_cell *arm, struct mgc_buf *out)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        if (cell->cell->mode != MGC_MODE_SSIM || mgc_cell_of_link(cell->cell) ||
            !mgc_cell_same_arm(cell->cell, arm))
            continue;
        mgc_md_metric(cell, "ssim", 1, 6, out);
        mgc_md_real(cell->cell->expect.ssim_threshold, 3, out);
        mgc_md_verdict(cell, out);
        return;
    }
    mgc_buf_puts(out, " - | - | no picture of this arm |");
}

static void put_checks(
    const struct mgc_results *results, const struct mgc_cell *arm, struct mgc_buf *out)
{
    size_t good = 0, all = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        if (mgc_cell_of_link(cell->cell) || !mgc_cell_same_arm(cell->cell, arm))
            continue;
        all += cell->verdict.evidence_count;
        for (size_t k = 0; k < cell->verdict.evidence_count; k++)
            good += cell->verdict.evidence[k].outcome == MGC_CHECK_OK;
    }
    mgc_buf_printf(out, " %zu of %zu |", good, all);
}

static void proof(
    const struct mgc_results *results, const struct mgc_merged *merged, struct mgc_buf *out)
{
    static const char *const titles[] = {"workload", "arm", ">ssim", ">at least", "picture",
        ">benchmarks measured", ">checks good", NULL};
    mgc_buf_puts(out, "## Pictures and proof of all lanes\n\n");
    mgc_md_head(titles, out);
    for (size_t i = 0; i < merged->count; i++) {
        const struct mgc_merged_arm *arm = &merged->arms[i];
        mgc_md_begin(out);
        mgc_md_text(arm->cell->workload, out);
        mgc_md_arm(results, arm->cell, out);
        put_picture(results, arm->cell, out);
        mgc_buf_printf(out, " %zu of %zu |", arm->n, arm->cells);
        put_checks(results, arm->cell, out);
        mgc_md_end(out);
    }
    mgc_buf_puts(out, "\nThe checks themselves, with file and line, stand at the end under *What "
                      "each verdict rests on*.\n\n");
}

bool mgc_sections_merged(
    const struct mgc_results *results, struct mgc_buf *out, struct mgc_error *err)
{
    struct mgc_merged merged;
    if (!mgc_merged_make(&merged, results, err))
        return false;
    arms(results, &merged, out);
    penalties(results, &merged, out);
    link_beside(results, &merged, out);
    looks(results, out);
    proof(results, &merged, out);
    mgc_merged_destroy(&merged);
    return true;
}
