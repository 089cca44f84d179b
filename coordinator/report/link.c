#include "coordinator/report/link.h"

#include <string.h>

#include "coordinator/merge/comparisons.h"
#include "coordinator/report/columns.h"
#include "coordinator/report/fold.h"
#include "coordinator/report/phone.h"

static const struct mgc_column columns[] = {
    {"up Mbit/s", "up_mbit_s", 2, "up Mbit/s", 9, 0,
        "10^6 bits/s that the phone received, by its clock, without the warm-up"},
    {"down Mbit/s", "down_mbit_s", 2, "down Mbit/s", 11, 0,
        "the same of what WSL received from the phone"},
    {"up cv", "up_cv", 3, "up cv", 6, 0,
        "standard deviation of the intervals by their mean: 0 is a steady link"},
    {"down cv", "down_cv", 3, "down cv", 7, 0, "the same of the way down"},
    {"rtt ms", "link_rtt_ms", 2, "rtt ms", 7, 0,
        "ms from a small message to its answer, nothing else being sent: median"},
    {"rtt min ms", "link_rtt_min_ms", 2, NULL, 0, 0, "the shortest of them"},
    {"rtt p95 ms", "link_rtt_p95_ms", 2, "p95 ms", 7, 0, "95 of 100 are as short"},
    {"rtt n", "link_rtt_n", 0, NULL, 0, 0, "how many they were"},
    {"rtt up ms", "up_rtt_ms", 2, "rtt up ms", 9, 0,
        "the same while all is sent that goes through: what queues add; median"},
    {"rtt down ms", "down_rtt_ms", 2, "rtt down ms", 11, 0, "the same of the way down"},
    {"sent again up", "up_retransmits", 0, NULL, 0, 0, "segments that the sender's TCP sent again"},
    {"sent again down", "down_retransmits", 0, NULL, 0, 0, "the same of the phone"},
    {"streams", "streams", 0, NULL, 0, 0, "connections at the same time"},
    {"turned away", "refused", 0, NULL, 0, 0, "who came to the phone's port without the token"},
    {NULL},
};

static const struct mgc_cell_result *next(const struct mgc_results *results, size_t *at)
{
    while (*at < results->count) {
        const struct mgc_cell_result *cell = &results->cells[(*at)++];
        if (mgc_cell_of_link(cell->cell))
            return cell;
    }
    return NULL;
}

/* ---- REPORT.md ----------------------------------------------------------------------------- */

static void legend(struct mgc_buf *out)
{
    mgc_buf_puts(out, "| column | meaning |\n|---|---|\n");
    for (const struct mgc_column *c = columns; c->title; c++)
        mgc_buf_printf(out, "| %s | %s |\n", c->title, c->meaning);
    mgc_buf_putc(out, '\n');
}

static void row(const struct mgc_cell_result *cell, struct mgc_buf *out)
{
    char text[MGC_COLUMN_TEXT_MAX];
    mgc_md_begin(out);
    mgc_md_text(cell->cell->id, out);
    mgc_md_verdict(cell, out);
    for (const struct mgc_column *c = columns; c->title; c++) {
        mgc_column_text(c, cell, text);
        mgc_md_text(text, out);
    }
    mgc_md_end(out);
}

static void head(struct mgc_buf *out)
{
    mgc_buf_puts(out, "| cell | verdict |");
    for (const struct mgc_column *c = columns; c->title; c++)
        mgc_buf_printf(out, " %s |", c->title);
    mgc_buf_puts(out, "\n|---|---|");
    for (const struct mgc_column *c = columns; c->title; c++)
        mgc_buf_puts(out, "---:|");
    mgc_buf_putc(out, '\n');
}

void mgc_section_link(const struct mgc_results *results, struct mgc_buf *out)
{
    const struct mgc_cell_result *cell;
    char device[192];
    size_t at = 0;
    if (!next(results, &at))
        return;
    mgc_device_text(results, device, sizeof(device));
    mgc_buf_puts(out, "## The link (device: ");
    mgc_put_markdown(out, device);
    mgc_buf_puts(out, ")\n\n");
    head(out);
    for (at = 0; (cell = next(results, &at));)
        row(cell, out);
    mgc_buf_puts(
        out, "\nEach row is one test (n = 1); its intervals stand in its netbench.csv.\n\n");
    legend(out);
}

/* ---- the terminal -------------------------------------------------------------------------- */

static int id_width(const struct mgc_results *results)
{
    const struct mgc_cell_result *cell;
    size_t at = 0, width = strlen("link test");
    while ((cell = next(results, &at)))
        width = width < strlen(cell->cell->id) ? strlen(cell->cell->id) : width;
    return (int)width;
}

static void line(const struct mgc_cell_result *cell, int width, struct mgc_buf *out)
{
    char text[MGC_COLUMN_TEXT_MAX];
    mgc_buf_printf(
        out, "%-*s  %-10s", width, cell->cell->id, mgc_verdict_state_name(cell->verdict.state));
    for (const struct mgc_column *c = columns; c->title; c++) {
        mgc_column_text(c, cell, text);
        if (c->brief)
            mgc_buf_printf(out, "  %*s", c->width, text);
    }
    mgc_buf_putc(out, '\n');
}

void mgc_table_link(const struct mgc_results *results, int width, struct mgc_buf *out)
{
    const struct mgc_cell_result *cell;
    size_t at = 0;
    int id = id_width(results);
    if (!next(results, &at))
        return;
    mgc_buf_printf(out, "%-*s  %-10s", id, "link test", "verdict");
    for (const struct mgc_column *c = columns; c->title; c++)
        if (c->brief)
            mgc_buf_printf(out, "  %*s", c->width, c->brief);
    mgc_buf_putc(out, '\n');
    for (at = 0; (cell = next(results, &at));)
        line(cell, id, out);
    mgc_say(width, out,
        "Mbit/s: what the receiver got, without the warm-up; cv: standard deviation of the "
        "intervals by their mean, 0 is a steady link; rtt: median round trip while nothing else is "
        "sent, p95: 95 of 100 of these are as short; rtt up, rtt down: while all is sent that goes "
        "through");
    mgc_buf_putc(out, '\n');
}
