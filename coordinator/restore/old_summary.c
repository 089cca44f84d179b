/* Where our reading of an old directory differs from its own summary.json: runs that it counted and
 * that something speaks against, and numbers that are not those of benchmark.json. */
#include <math.h>
#include <string.h>

#include "coordinator/legacy/legacy.h"
#include "coordinator/restore/parts.h"

enum { NOTES_MAX = 50 };

static bool is_row_of(const json_t *row, const struct mgc_cell *cell)
{
    const char *workload = mgc_restore_text(row, "workload"), *arm = mgc_restore_text(row, "arm");
    const char *own = mgc_restore_text(row, "rep"), *backend = mgc_restore_text(row, "backend");
    char rep[32];
    mgc_legacy_rep(cell, rep, sizeof(rep));
    return workload && arm && own && strcmp(workload, cell->workload) == 0 &&
           strcmp(arm, cell->arm) == 0 && strcmp(own, rep) == 0 &&
           (!backend || !cell->expect.backend || strcmp(backend, cell->expect.backend) == 0);
}

static void compare_status(
    struct mgc_restored *restored, const json_t *row, const struct mgc_cell_result *cell)
{
    const char *status = mgc_restore_text(row, "status");
    bool against =
        cell->verdict.state == MGC_VERDICT_INVALID || cell->verdict.state == MGC_VERDICT_FAILED;
    if (status && strcmp(status, "finished") == 0 && against)
        mgc_restore_note(restored, "%s: the old summary counts it as finished, here it is %s: %s",
            cell->cell->id, mgc_verdict_state_name(cell->verdict.state), cell->verdict.reason);
}

/* The old summary has the numbers of result.json, in three decimals. */
static void compare_numbers(
    struct mgc_restored *restored, const json_t *row, const struct mgc_cell_result *cell)
{
    static const char *const names[] = {"fps", "mean_ms", "median_ms", "p95_ms", "total_frames"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        double old = mgc_restore_real(row, names[i], NAN), own;
        bool known = mgc_fields_get_double(&cell->verdict.metrics, names[i], &own);
        if (!isfinite(old) || old < 0 || (known && fabs(old - own) <= 0.002))
            continue;
        if (known)
            mgc_restore_note(restored, "%s: the old summary says %s %.3f, benchmark.json %.3f",
                cell->cell->id, names[i], old, own);
        else
            mgc_restore_note(restored,
                "%s: the old summary says %s %.3f, and no benchmark.json says so", cell->cell->id,
                names[i], old);
    }
}

static void compare_cell(
    struct mgc_restored *restored, const json_t *runs, const struct mgc_cell_result *cell)
{
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *row = json_array_get(runs, i);
        if (!is_row_of(row, cell->cell))
            continue;
        compare_status(restored, row, cell);
        compare_numbers(restored, row, cell);
        return;
    }
}

void mgc_old_summary_compare(struct mgc_restored *restored, const char *dir)
{
    struct mgc_results *results = &restored->results;
    struct mgc_error err = {0};
    json_t *summary = mgc_restore_json(dir, "summary.json", &err);
    if (!summary) {
        if (err.code != MGC_E_NOT_FOUND)
            mgc_restore_note(restored, "the old summary is not read: %s", err.text);
        return;
    }
    size_t before = results->note_count, at = 0;
    for (; at < results->count && results->note_count < before + NOTES_MAX; at++)
        compare_cell(restored, json_object_get(summary, "runs"), &results->cells[at]);
    if (at < results->count)
        mgc_restore_note(restored, "more differences from the old summary are not listed");
    json_decref(summary);
}
