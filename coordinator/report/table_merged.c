/* The terminal's table of a run with several lanes: per workload all arms side by side, then what
 * it costs to cross hosts, how the link was, and the pictures of all lanes. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/plan/bench.h"
#include "coordinator/report/fold.h"
#include "coordinator/report/merged.h"
#include "coordinator/report/phone.h"
#include "coordinator/stats/wording.h"

enum { TEXT_MAX = 384, NAME_MAX_LEN = 128, N_WIDTH = 3, CLIENT_WIDTH = 6 };

/* The last ones go first where it is too narrow. */
static const struct {
    const char *title;
    int width, decimals;
} columns[] = {{"mean ms", 8, 2}, {"fps", 7, 1}, {"p95 ms", 8, 2}, {"p99 ms", 8, 2},
    {"spread %", 8, 1}, {"best ms", 8, 2}};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

struct layout {
    const struct mgc_results *results;
    const struct mgc_merged *merged;
    int width; /* 0: as wide as needed */
    int arm_width;
    size_t shown; /* columns */
    bool beside;  /* comparisons stand in their arm's line, not below the table */
};

/* ---- shared pieces -------------------------------------------------------------------------- */

void mgc_merged_against(
    const struct mgc_arm_comparison *row, size_t known_n, char *text, size_t size)
{
    char words[256], ratio[64], n[32] = "";
    mgc_arm_comparison_text(row, words, sizeof(words));
    mgc_comparison_ratio(&row->result, ratio, sizeof(ratio));
    if (row->result.n != known_n)
        snprintf(n, sizeof(n), ", n = %zu", row->result.n);
    if (row->result.n)
        snprintf(text, size, "%s%s, %s%s", ratio, n, words, row->crosses ? " *" : "");
    else
        snprintf(text, size, "%s", words);
}

const char *mgc_merged_client(const struct mgc_cell *cell)
{
    return mgc_cell_on_phone(cell) ? "phone" : "host *";
}

const char *mgc_merged_look(const struct mgc_bracket_result *bracket)
{
    if (!bracket)
        return "none";
    if (bracket->verdict.state == MGC_VERDICT_MEASURED)
        return "end to end";
    return bracket->verdict.reason[0] ? bracket->verdict.reason : "nobody looked";
}

void mgc_merged_link(const struct mgc_bracket_result *bracket, char *text, size_t size)
{
    double up, down, rtt;
    text[0] = '\0';
    if (!bracket || !mgc_fields_get_double(&bracket->verdict.metrics, "up_mbit_s", &up) ||
        !mgc_fields_get_double(&bracket->verdict.metrics, "down_mbit_s", &down))
        return;
    int len = snprintf(text, size, "up %.2f, down %.2f Mbit/s", up, down);
    if (len > 0 && (size_t)len < size &&
        mgc_fields_get_double(&bracket->verdict.metrics, "link_rtt_ms", &rtt))
        snprintf(text + len, size - (size_t)len, ", rtt %.2f ms", rtt);
}

/* ---- layout --------------------------------------------------------------------------------- */

static void arm_text(const struct layout *layout, const struct mgc_cell *cell, char *text)
{
    mgc_phone_arm_text(layout->results, cell->arm, cell->expect.backend, text, NAME_MAX_LEN);
}

static void against(const struct mgc_merged_arm *arm, char *text)
{
    text[0] = '\0';
    if (arm->against)
        mgc_merged_against(arm->against, arm->n, text, TEXT_MAX);
    else if (arm->is_reference)
        snprintf(text, TEXT_MAX, "(reference)");
}

static void head_text(const struct layout *layout, char *text)
{
    const char *reference = layout->results->plan->reference;
    snprintf(text, TEXT_MAX, "against %s, 95 %% interval", reference ? reference : "");
}

static void lay_out(struct layout *layout)
{
    char text[TEXT_MAX];
    head_text(layout, text);
    int last = (int)strlen(text);
    layout->arm_width = (int)strlen("arm");
    for (size_t i = 0; i < layout->merged->count; i++) {
        const struct mgc_merged_arm *arm = &layout->merged->arms[i];
        arm_text(layout, arm->cell, text);
        int len = (int)strlen(text);
        layout->arm_width = len > layout->arm_width ? len : layout->arm_width;
        against(arm, text);
        len = (int)strlen(text);
        last = len > last ? len : last;
    }
    int used = layout->arm_width + 2 + CLIENT_WIDTH + 2 + N_WIDTH;
    for (layout->shown = 0; layout->shown < COLUMNS; layout->shown++) {
        int wanted = columns[layout->shown].width + 2;
        if (layout->width > 0 && used + wanted > layout->width)
            break;
        used += wanted;
    }
    layout->beside =
        layout->merged->compared && (layout->width <= 0 || used + 2 + last <= layout->width);
}

/* ---- arms ----------------------------------------------------------------------------------- */

static void head(const struct layout *layout, const char *workload, struct mgc_buf *out)
{
    const struct mgc_bench_workload *bench = mgc_bench_workload(mgc_bench_built_in(), workload);
    char text[TEXT_MAX];
    if (bench)
        mgc_say(layout->width, out, "%s, without its first %lld frames", workload,
            (long long)bench->skip_frames);
    else
        mgc_say(layout->width, out, "%s", workload);
    mgc_buf_printf(
        out, "%-*s  %-*s  %*s", layout->arm_width, "arm", CLIENT_WIDTH, "client", N_WIDTH, "n");
    for (size_t i = 0; i < layout->shown; i++)
        mgc_buf_printf(out, "  %*s", columns[i].width, columns[i].title);
    head_text(layout, text);
    mgc_buf_printf(out, "%s%s\n", layout->beside ? "  " : "", layout->beside ? text : "");
}

static void arm_line(
    const struct layout *layout, const struct mgc_merged_arm *arm, struct mgc_buf *out)
{
    double values[COLUMNS] = {
        arm->mean_ms, arm->fps, arm->p95_ms, arm->p99_ms, arm->spread_pct, arm->best_ms};
    char text[TEXT_MAX];
    arm_text(layout, arm->cell, text);
    mgc_buf_printf(out, "%-*s  %-*s  %*zu", layout->arm_width, text, CLIENT_WIDTH,
        mgc_merged_client(arm->cell), N_WIDTH, arm->n);
    for (size_t i = 0; i < layout->shown; i++) {
        if (isfinite(values[i]))
            mgc_buf_printf(out, "  %*.*f", columns[i].width, columns[i].decimals, values[i]);
        else
            mgc_buf_printf(out, "  %*s", columns[i].width, "-");
    }
    against(arm, text);
    if (layout->beside && text[0])
        mgc_buf_printf(out, "  %s", text);
    mgc_buf_putc(out, '\n');
}

static void comparison_line(
    const struct layout *layout, const struct mgc_arm_comparison *row, struct mgc_buf *out)
{
    char arm[NAME_MAX_LEN], reference[NAME_MAX_LEN], text[TEXT_MAX];
    mgc_phone_arm_text(layout->results, row->arm, row->backend, arm, sizeof(arm));
    mgc_phone_arm_text(
        layout->results, row->reference, row->reference_backend, reference, sizeof(reference));
    mgc_merged_against(row, SIZE_MAX, text, sizeof(text));
    mgc_say(layout->width, out, "%s %s against %s: %s", row->workload, arm, reference, text);
}

static void arm_tables(const struct layout *layout, struct mgc_buf *out)
{
    const char *workload = NULL;
    for (size_t i = 0; i < layout->merged->count; i++) {
        const struct mgc_merged_arm *arm = &layout->merged->arms[i];
        if (!workload || strcmp(workload, arm->cell->workload) != 0) {
            mgc_buf_puts(out, workload ? "\n" : "");
            workload = arm->cell->workload;
            head(layout, workload, out);
        }
        arm_line(layout, arm, out);
    }
    mgc_buf_putc(out, '\n');
    for (size_t i = 0; !layout->beside && i < layout->merged->compared; i++)
        comparison_line(layout, &layout->merged->comparisons[i], out);
    mgc_say(layout->width, out,
        "mean: geometric mean over the n measured rounds of the round's mean time per frame; fps: "
        "1000 over it; p95, p99: median over the rounds; spread: slowest minus best round, of "
        "their median; against: paired by round, less is faster");
    mgc_table_few_kept(layout->results, layout->width, out);
    mgc_table_mean_apart(layout->results, layout->width, out);
    if (mgc_arms_are_told_apart(layout->merged->comparisons, layout->merged->compared))
        mgc_table_fixed_order(layout->results, layout->width, out);
}

/* ---- across hosts --------------------------------------------------------------------------- */

static void penalties(const struct layout *layout, struct mgc_buf *out)
{
    const char *text;
    for (size_t nth = 0; (text = mgc_merged_footnote(layout->merged, nth)); nth++)
        mgc_say(layout->width, out, "%s", text);
    mgc_buf_putc(out, '\n');
    if (layout->merged->penalty_count == 0)
        return;
    mgc_say(layout->width, out, "cross-host penalty, time per frame:");
    for (size_t i = 0; i < layout->merged->penalty_count; i++)
        comparison_line(layout, &layout->merged->penalties[i], out);
    mgc_buf_putc(out, '\n');
}

/* ---- the link ------------------------------------------------------------------------------- */

static void look_line(
    const struct layout *layout, const struct mgc_block_look *look, struct mgc_buf *out)
{
    const struct mgc_cell *cell = look->before->cell;
    char before[128], after[128], again[64] = "";
    mgc_merged_link(look->before, before, sizeof(before));
    mgc_merged_link(look->after, after, sizeof(after));
    if (look->again)
        snprintf(again, sizeof(again), ", %zu of them measured again", look->again);
    mgc_say(layout->width, out,
        "link block %zu (%s round %lld): before %s%s%s, after %s%s%s, %zu of %zu cells measured%s",
        cell->block, cell->workload ? cell->workload : "all", (long long)cell->round,
        mgc_merged_look(look->before), before[0] ? ", " : "", before, mgc_merged_look(look->after),
        after[0] ? ", " : "", after, look->measured, look->cells, again);
}

/* "94.1 (92.1 to 94.1)"; one value where it did not move. */
void mgc_merged_range(
    const struct mgc_link_effect *link, enum mgc_link_figure figure, char *text, size_t size)
{
    double low = link->low.figures[figure], high = link->high.figures[figure];
    if (isfinite(low) && isfinite(high))
        snprintf(text, size, "%.2f to %.2f", low, high);
    else
        snprintf(text, size, "-");
}

/* "server read 2.1 MB/s"; of the measured cells where the server told it. */
static void put_read(
    const struct layout *layout, const struct mgc_merged_arm *arm, struct mgc_buf *out)
{
    struct mgc_spread read;
    if (mgc_merged_read(layout->results, arm, &read))
        mgc_buf_printf(out, "; server read %.1f MB/s (median of %zu)", read.median, read.n);
    else
        mgc_buf_puts(out, "; the server did not tell how fast it read");
}

static void link_line(
    const struct layout *layout, const struct mgc_merged_arm *arm, struct mgc_buf *out)
{
    char name[NAME_MAX_LEN], up[64], down[64], rtt[64], text[TEXT_MAX];
    struct mgc_buf read = {0};
    arm_text(layout, arm->cell, name);
    mgc_merged_range(&arm->link, MGC_LINK_UP, up, sizeof(up));
    mgc_merged_range(&arm->link, MGC_LINK_DOWN, down, sizeof(down));
    mgc_merged_range(&arm->link, MGC_LINK_RTT, rtt, sizeof(rtt));
    mgc_link_effect_text(&arm->link, text, sizeof(text));
    put_read(layout, arm, &read);
    mgc_say(layout->width, out, "link beside %s %s: up %s, down %s Mbit/s, rtt %s ms; %s%s",
        arm->cell->workload, name, up, down, rtt, text, mgc_buf_text(&read));
    mgc_buf_destroy(&read);
}

static bool link_lines(const struct layout *layout, struct mgc_buf *out)
{
    bool any = false;
    for (size_t i = 0; i < layout->merged->count; i++) {
        const struct mgc_merged_arm *arm = &layout->merged->arms[i];
        if (arm->link.cells == 0)
            continue;
        link_line(layout, arm, out);
        any = true;
    }
    return any;
}

static void looks(const struct layout *layout, struct mgc_buf *out)
{
    struct mgc_block_look look;
    char text[TEXT_MAX];
    bool any = link_lines(layout, out);
    for (size_t nth = 0; mgc_results_block(layout->results, nth, &look); nth++) {
        look_line(layout, &look, out);
        any = true;
    }
    for (size_t i = 0; i < layout->results->count; i++) {
        if (!mgc_replaced_text(&layout->results->cells[i], text, sizeof(text)))
            continue;
        mgc_say(layout->width, out, "%s", text);
        any = true;
    }
    mgc_buf_puts(out, any ? "\n" : "");
}

/* ---- pictures ------------------------------------------------------------------------------- */

static bool is_picture_of(const struct mgc_cell_result *cell, const char *workload)
{
    return cell->cell->mode == MGC_MODE_SSIM && !mgc_cell_of_link(cell->cell) &&
           strcmp(cell->cell->workload, workload) == 0;
}

static void picture(
    const struct layout *layout, const struct mgc_cell_result *cell, struct mgc_buf *list)
{
    char arm[NAME_MAX_LEN];
    double ssim;
    arm_text(layout, cell->cell, arm);
    mgc_buf_printf(list, "%s %s", list->len ? "," : "", arm);
    if (mgc_fields_get_double(&cell->verdict.metrics, "ssim", &ssim))
        mgc_buf_printf(list, " %.6f", ssim);
    else
        mgc_buf_puts(list, " -");
    if (cell->verdict.state != MGC_VERDICT_MEASURED)
        mgc_buf_puts(list, " (not counted)");
}

static void pictures(const struct layout *layout, struct mgc_buf *out)
{
    const char *workload = NULL;
    bool any = false;
    for (size_t i = 0; i < layout->merged->count; i++) {
        struct mgc_buf list = {0};
        const char *own = layout->merged->arms[i].cell->workload;
        if (workload && strcmp(workload, own) == 0)
            continue;
        workload = own;
        for (size_t k = 0; k < layout->results->count; k++) {
            if (is_picture_of(&layout->results->cells[k], workload))
                picture(layout, &layout->results->cells[k], &list);
        }
        if (list.len)
            mgc_say(layout->width, out, "ssim %s:%s", workload, mgc_buf_text(&list));
        any |= list.len > 0;
        mgc_buf_destroy(&list);
    }
    mgc_buf_puts(out, any ? "\n" : "");
}

bool mgc_table_merged(
    const struct mgc_results *results, int width, struct mgc_buf *out, struct mgc_error *err)
{
    struct mgc_merged merged;
    if (!mgc_merged_make(&merged, results, err))
        return false;
    struct layout layout = {.results = results, .merged = &merged, .width = width};
    lay_out(&layout);
    arm_tables(&layout, out);
    penalties(&layout, out);
    looks(&layout, out);
    pictures(&layout, out);
    mgc_merged_destroy(&merged);
    return true;
}
