/* What the rounds of a run say together: n, median, best and spread per workload and credit. It
 * describes; whether two arms differ is a question for statistics over paired rounds. */
#include <stdio.h>
#include <string.h>

#include "coordinator/report/columns.h"
#include "coordinator/report/sections.h"

static void put_spread(const struct mgc_results *results, const struct mgc_aggregate *aggregate,
    const char *metric, int decimals, struct mgc_buf *out)
{
    struct mgc_spread spread;
    if (!mgc_aggregate_spread(results, aggregate, metric, &spread))
        mgc_buf_puts(out, " - |");
    else if (spread.n == 1 || spread.min == spread.max)
        mgc_buf_printf(out, " %.*f |", decimals, spread.median);
    else
        mgc_buf_printf(out, " %.*f (%.*f to %.*f) |", decimals, spread.median, decimals, spread.min,
            decimals, spread.max);
}

/* "r1, r3; not counted: r2": each leads to its files. */
static void put_rounds(const struct mgc_results *results, const struct mgc_aggregate *aggregate,
    bool counted, struct mgc_buf *out)
{
    const char *between = counted ? "" : "; not counted: ";
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *cell = &results->cells[i];
        bool measured = cell->verdict.state == MGC_VERDICT_MEASURED;
        if (!mgc_aggregate_has(aggregate, cell) || measured != counted)
            continue;
        mgc_buf_puts(out, between);
        between = ", ";
        if (cell->dir)
            mgc_buf_printf(out, "[r%lld](%s/)", (long long)cell->cell->rep, cell->dir);
        else
            mgc_buf_printf(out, "r%lld", (long long)cell->cell->rep);
    }
}

/* A mean round trip of a reply or two says nothing of the link. */
static bool has_few_replies(
    const struct mgc_results *results, const struct mgc_aggregate *aggregate)
{
    struct mgc_spread replies;
    return mgc_aggregate_spread(results, aggregate, "rtt_samples", &replies) &&
           replies.max < MGC_RTT_REPLIES_MIN;
}

static void repetition_row(
    const struct mgc_results *results, const struct mgc_aggregate *a, struct mgc_buf *out)
{
    mgc_buf_printf(out, "| %s | %s | %zu | %.2f | %.2f | %.2f | ", a->workload, a->arm, a->count,
        a->median_mean_ms, a->min_mean_ms, a->max_mean_ms);
    if (a->count > 1)
        mgc_buf_printf(out, "%.1f |", 100 * (a->max_mean_ms - a->min_mean_ms) / a->median_mean_ms);
    else
        mgc_buf_puts(out, "- |");
    put_spread(results, a, "throughput_fps", 1, out);
    if (has_few_replies(results, a))
        mgc_buf_puts(out, " - |");
    else
        put_spread(results, a, "rtt_mean_ms", 2, out);
    put_spread(results, a, "stage_mb", 1, out);
    mgc_buf_putc(out, ' ');
    put_rounds(results, a, true, out);
    put_rounds(results, a, false, out);
    mgc_buf_puts(out, " |\n");
}

void mgc_section_repetitions(const struct mgc_results *results, const struct mgc_aggregate *list,
    size_t count, struct mgc_buf *out)
{
    bool repeated = false;
    for (size_t i = 0; i < count; i++)
        repeated = repeated || list[i].count > 1;
    if (!repeated)
        return;
    mgc_buf_puts(out, "### Repetitions\n\n| workload | arm | n | median of mean ms (tail) | "
                      "best ms (tail) | highest ms (tail) | spread % (tail) | "
                      "throughput fps | rtt mean ms | stage MB | rounds |\n"
                      "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < count; i++)
        repetition_row(results, &list[i], out);
    mgc_buf_puts(out,
        "\nOnly measured cells count. *tail*: of the client's own tail frames, the last "
        "200 of a run, as in `aggregates` of summary.json; tables of all lanes are "
        "of the frames after the skip window. Spread is highest minus best, of the "
        "median; "
        "throughput, rtt and stage MB are medians with their lowest and highest. "
        "This describes; it does not say whether arms differ.\n\n");
}

/* ---- the credit curve ---- */

static int64_t credit_of(const struct mgc_aggregate *aggregate)
{
    return aggregate->best->cell->expect.credit;
}

static const struct mgc_aggregate *find(
    const struct mgc_aggregate *list, size_t count, const char *workload, int64_t credit)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].workload, workload) == 0 && credit_of(&list[i]) == credit)
            return &list[i];
    }
    return NULL;
}

static bool is_first_of_workload(const struct mgc_aggregate *list, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (strcmp(list[k].workload, list[i].workload) == 0)
            return false;
    }
    return true;
}

enum { CREDIT_MAX = 8 }; /* of the plan's schema */

/* Which credits have a cell that counts; how many of them, for the workload that has most. */
static size_t gather_credits(
    const struct mgc_aggregate *list, size_t count, bool ret_used[CREDIT_MAX + 1])
{
    size_t most = 0;
    memset(ret_used, 0, (CREDIT_MAX + 1) * sizeof(*ret_used));
    for (size_t i = 0; i < count; i++) {
        size_t here = 0;
        for (int64_t credit = 1; credit <= CREDIT_MAX; credit++) {
            bool has = find(list, count, list[i].workload, credit) != NULL;
            ret_used[credit] = ret_used[credit] || has;
            here += has;
        }
        most = here > most ? here : most;
    }
    return most;
}

static void credit_row(const struct mgc_results *results, const struct mgc_aggregate *list,
    size_t count, const char *workload, const bool used[CREDIT_MAX + 1], struct mgc_buf *out)
{
    mgc_buf_printf(out, "| %s |", workload);
    for (int64_t credit = 1; credit <= CREDIT_MAX; credit++) {
        struct mgc_spread fps;
        if (!used[credit])
            continue;
        const struct mgc_aggregate *aggregate = find(list, count, workload, credit);
        if (aggregate && mgc_aggregate_spread(results, aggregate, "throughput_fps", &fps))
            mgc_buf_printf(out, " %.1f (n = %zu) |", fps.median, fps.n);
        else
            mgc_buf_puts(out, " - |");
    }
    mgc_buf_putc(out, '\n');
}

/* With benchmarkFinish the client waits for the server at the end of every frame. */
static bool waits_every_frame(const struct mgc_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell *cell = results->cells[i].cell;
        if (cell->mode == MGC_MODE_BENCHMARK && cell->expect.credit &&
            cell->expect.benchmark_finish)
            return true;
    }
    return false;
}

void mgc_section_credits(const struct mgc_results *results, const struct mgc_aggregate *list,
    size_t count, struct mgc_buf *out)
{
    bool used[CREDIT_MAX + 1];
    if (gather_credits(list, count, used) < 2)
        return;
    struct mgc_buf rule = {0};
    mgc_buf_puts(out,
        "### Credit curve\n\nMedian throughput in fps by present credit, which is how many "
        "frames may be on their way.\n\n| workload |");
    mgc_buf_puts(&rule, "\n|---|");
    for (int credit = 1; credit <= CREDIT_MAX; credit++) {
        if (!used[credit])
            continue;
        mgc_buf_printf(out, " credit %d |", credit);
        mgc_buf_puts(&rule, "---:|");
    }
    mgc_buf_printf(out, "%s\n", mgc_buf_text(&rule));
    mgc_buf_destroy(&rule);
    for (size_t i = 0; i < count; i++) {
        if (is_first_of_workload(list, i))
            credit_row(results, list, count, list[i].workload, used, out);
    }
    mgc_buf_putc(out, '\n');
    if (waits_every_frame(results))
        mgc_buf_puts(out,
            "Every frame was waited for at its end (`benchmark_finish` is true), which "
            "makes this curve flat by construction. To see what credit brings, run "
            "with `--set lanes.crosshost.benchmark_finish=false`.\n\n");
}
