#include "coordinator/report/fleet.h"

#include <math.h>
#include <string.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "coordinator/merge/merged.h"
#include "coordinator/report/columns.h"
#include "coordinator/report/report.h"

enum { CODE_OF_A_REFUSED = 2 }; /* as the program says of a run alone that is refused */

/* ---- one phone ---- */

struct mgc_fleet_counts mgc_fleet_count(const struct mgc_fleet_row *row)
{
    struct mgc_fleet_counts counts = {0};
    for (size_t i = 0; row->results && i < row->results->count; i++) {
        enum mgc_verdict_state state = row->results->cells[i].verdict.state;
        counts.cells++;
        counts.measured += state == MGC_VERDICT_MEASURED;
        counts.failed += state == MGC_VERDICT_FAILED;
        counts.invalid += state == MGC_VERDICT_INVALID;
        counts.skipped += state == MGC_VERDICT_SKIPPED;
        counts.open += state == MGC_VERDICT_INCOMPLETE;
    }
    return counts;
}

int mgc_fleet_row_code(const struct mgc_fleet_row *row)
{
    return row->results ? mgc_results_exit_code(row->results) : CODE_OF_A_REFUSED;
}

void mgc_fleet_row_reason(const struct mgc_fleet_row *row, struct mgc_buf *out)
{
    mgc_buf_puts(out, "");
    if (!row->results)
        mgc_put_plain(out, row->refused ? row->refused : "it has no results");
    else if (mgc_fleet_row_code(row) != 0)
        mgc_report_sentence(row->results, out, NULL);
}

/* ---- all of them ---- */

static int badness(int code)
{
    static const int order[] = {0, 1, 3, 2, 4}; /* from good to bad */
    int i = 0;
    while (i < 4 && order[i] != code)
        i++;
    return i;
}

int mgc_fleet_exit_code(const struct mgc_fleet_report *report)
{
    int worst = 0;
    for (size_t i = 0; i < report->count; i++) {
        int code = mgc_fleet_row_code(&report->rows[i]);
        worst = badness(code) > badness(worst) ? code : worst;
    }
    return worst;
}

bool mgc_fleet_sentence(
    const struct mgc_fleet_report *report, struct mgc_buf *out, struct mgc_error *err)
{
    struct mgc_fleet_counts all = {0};
    size_t bad = 0;
    for (size_t i = 0; i < report->count; i++) {
        struct mgc_fleet_counts one = mgc_fleet_count(&report->rows[i]);
        all.cells += one.cells;
        all.measured += one.measured;
    }
    mgc_put_plain(out, report->plan);
    mgc_buf_printf(out, " on %zu phone%s: %zu of %zu cells measured", report->count,
        report->count == 1 ? "" : "s", all.measured, all.cells);
    for (size_t i = 0; i < report->count; i++) {
        if (mgc_fleet_row_code(&report->rows[i]) != 0)
            mgc_buf_printf(out, "%s%s", bad++ ? ", " : "; not as planned: ", report->rows[i].phone);
    }
    return mgc_buf_ok(out) || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a sentence");
}

size_t mgc_fleet_workloads(
    const struct mgc_fleet_report *report, const char *ret_names[MGC_FLEET_WORKLOADS_MAX])
{
    size_t count = 0;
    for (size_t r = 0; r < report->count; r++) {
        const struct mgc_results *results = report->rows[r].results;
        for (size_t i = 0; results && i < results->count; i++) {
            const struct mgc_cell *cell = results->cells[i].cell;
            size_t known = 0;
            while (known < count && strcmp(ret_names[known], cell->workload) != 0)
                known++;
            if (mgc_cell_is_regular(cell) && known == count && count < MGC_FLEET_WORKLOADS_MAX)
                ret_names[count++] = cell->workload;
        }
    }
    return count;
}

bool mgc_fleet_speed(const struct mgc_fleet_row *row, const char *workload,
    struct mgc_fleet_speed *ret_speed, struct mgc_error *err)
{
    struct mgc_merged merged;
    const struct mgc_merged_arm *reference = NULL;
    *ret_speed = (struct mgc_fleet_speed){.fps = NAN};
    if (!row->results)
        return true;
    if (!mgc_merged_make(&merged, row->results, err))
        return false;
    for (size_t i = 0; i < merged.count; i++) {
        const struct mgc_merged_arm *arm = &merged.arms[i];
        if (strcmp(arm->cell->workload, workload) == 0 && (!reference || arm->is_reference))
            reference = arm;
    }
    if (reference)
        *ret_speed = (struct mgc_fleet_speed){
            .arm = reference->cell->arm, .n = reference->n, .fps = reference->fps};
    mgc_merged_destroy(&merged);
    return true;
}

/* ---- files ---- */

static const struct {
    const char *name;
    mgc_fleet_form *form;
} files[] = {
    {"junit.xml", mgc_fleet_junit},
    {"REPORT.md", mgc_fleet_markdown},
    /* Last: a directory without it is one whose run did not come to its end. */
    {"summary.json", mgc_fleet_json},
};

bool mgc_fleet_write(const struct mgc_fleet_report *report, const char *dir, struct mgc_error *err)
{
    bool all = true;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char path[MGC_PATH_MAX];
        struct mgc_buf text = {0};
        struct mgc_error why = {0};
        bool ok = (mgc_path_join(path, sizeof(path), dir, files[i].name) ||
                      mgc_error_set(&why, MGC_E_CONFIG, "'%s': path is too long", dir)) &&
                  files[i].form(report, &text, &why) &&
                  mgc_file_write(path, text.data, text.len, 0644, &why);
        mgc_buf_destroy(&text);
        if (!ok && all && err)
            *err = why;
        all = all && ok;
    }
    return all;
}

const char *mgc_fleet_file(size_t nth)
{
    return nth < sizeof(files) / sizeof(files[0]) ? files[nth].name : NULL;
}
