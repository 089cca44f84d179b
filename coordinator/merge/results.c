#include "coordinator/merge/results.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "coordinator/plan/bench.h"

bool mgc_results_init(
    struct mgc_results *results, const struct mgc_plan *plan, struct mgc_error *err)
{
    *results = (struct mgc_results){.plan = plan};
    results->cells = calloc(plan->cell_count + 1, sizeof(*results->cells));
    if (!results->cells)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the results");
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (plan->cells[i].kind == MGC_CELL_MEASURE)
            results->cells[results->count++].cell = &plan->cells[i];
    }
    return true;
}

static void host_destroy(struct mgc_host_record *host)
{
    free(host->name);
    free(host->role);
    free(host->host);
    free(host->os);
    free(host->build);
    free(host->boot_id);
}

void mgc_results_destroy(struct mgc_results *results)
{
    if (!results)
        return;
    for (size_t i = 0; i < results->count; i++) {
        free(results->cells[i].dir);
        mgc_verdict_destroy(&results->cells[i].verdict);
    }
    free(results->cells);
    for (size_t i = 0; i < results->host_count; i++)
        host_destroy(&results->hosts[i]);
    free(results->hosts);
    for (size_t i = 0; i < results->note_count; i++)
        free(results->notes[i]);
    free(results->notes);
    mgc_fields_destroy(&results->device);
    mgc_fields_destroy(&results->route);
    mgc_verdict_destroy(&results->path_before);
    mgc_verdict_destroy(&results->path_after);
    free(results->stopped_reason);
    free(results->tool_build);
    *results = (struct mgc_results){0};
}

bool mgc_results_note(struct mgc_results *results, const char *fmt, ...)
{
    struct mgc_buf text = {0};
    va_list args;
    va_start(args, fmt);
    mgc_buf_vprintf(&text, fmt, args);
    va_end(args);
    char *note = mgc_buf_steal(&text);
    char **notes = realloc(results->notes, (results->note_count + 1) * sizeof(*notes));
    if (notes)
        results->notes = notes;
    if (!note || !notes) {
        free(note);
        return false;
    }
    results->notes[results->note_count++] = note;
    return true;
}

struct mgc_cell_result *mgc_results_find(struct mgc_results *results, const struct mgc_cell *cell)
{
    for (size_t i = 0; i < results->count; i++) {
        if (results->cells[i].cell == cell)
            return &results->cells[i];
    }
    return NULL;
}

/* A lab or a site may use traces with fewer frames than the workload has; the table says so. */
bool mgc_plan_frames_reduced(const struct mgc_plan *plan)
{
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct mgc_cell *cell = &plan->cells[i];
        if (cell->kind != MGC_CELL_MEASURE || cell->mode != MGC_MODE_BENCHMARK)
            continue;
        const struct mgc_bench_workload *workload =
            mgc_bench_workload(mgc_bench_built_in(), cell->workload);
        if (workload && cell->expect.frames < workload->frames)
            return true;
    }
    return false;
}

static bool all_measured(const struct mgc_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        if (results->cells[i].verdict.state != MGC_VERDICT_MEASURED)
            return false;
    }
    return true;
}

int mgc_results_exit_code(const struct mgc_results *results)
{
    if (results->interrupted)
        return 4;
    bool good = results->count > 0 && all_measured(results) &&
                results->path_before.state == MGC_VERDICT_MEASURED &&
                results->path_after.state == MGC_VERDICT_MEASURED && !results->stopped_reason;
    return good ? 0 : 3;
}
