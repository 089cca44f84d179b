#include "coordinator/history/durations.h"

#include <string.h>

#include "common/base/clock.h"
#include "common/plat/file.h"
#include "coordinator/history/db.h"
#include "coordinator/plan/bench.h"

/* Enough for every kind of cell of a plan to have its samples, in any plan that people write. */
#define ROWS_MAX "20000"
/* A gap that is longer held something else: a run that was resumed, a worker that was away. */
#define FRAME_MAX_NS "3600000000000"

/* ---- which device -------------------------------------------------------------------------- */

static bool find_only(struct mgc_history *history, bool *ret_known, struct mgc_error *err)
{
    int64_t count = 0;
    bool ok = mgc_db_get_int(history, "SELECT count(DISTINCT serial) FROM devices", &count, err);
    *ret_known = count == 1;
    return ok;
}

/* A phone with another system has the same hardware: for how long things take it is the same. */
static sqlite3_stmt *prepare(
    struct mgc_history *history, const char *sql, const char *serial, struct mgc_error *err)
{
    sqlite3_stmt *query = mgc_db_prepare(history, sql, err);
    if (query)
        mgc_db_bind_text(query, 1, serial);
    return query;
}

/* ---- cells --------------------------------------------------------------------------------- */

/* A picture has no count of frames; then it is told by the whole run. */
static bool has_reduced_frames(const struct mgc_plan *plan)
{
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct mgc_cell *cell = &plan->cells[i];
        const struct mgc_bench_workload *workload =
            cell->workload ? mgc_bench_workload(mgc_bench_built_in(), cell->workload) : NULL;
        if (workload && cell->expect.frames && cell->expect.frames < workload->frames)
            return true;
    }
    return false;
}

static void take_cell(sqlite3_stmt *row, struct mgc_estimates *estimates)
{
    const char *mode = (const char *)sqlite3_column_text(row, 4);
    bool ssim = mode && strcmp(mode, mgc_mode_name(MGC_MODE_SSIM)) == 0;
    struct mgc_cell_likeness likeness = {
        .kind = MGC_CELL_MEASURE,
        .lane = (const char *)sqlite3_column_text(row, 0),
        .workload = (const char *)sqlite3_column_text(row, 1),
        .arm = (const char *)sqlite3_column_text(row, 2),
        .backend = (const char *)sqlite3_column_text(row, 3),
        .mode = ssim ? MGC_MODE_SSIM : MGC_MODE_BENCHMARK,
        .frames = ssim ? 0 : sqlite3_column_int64(row, 6),
    };
    mgc_estimates_add_past(estimates, &likeness, sqlite3_column_int64(row, 5) / MGC_NS_PER_MS);
}

/* A link test takes what its settings say, not what others took. */
static bool take_cells(struct mgc_history *history, const char *serial, const struct mgc_plan *plan,
    struct mgc_estimates *estimates, struct mgc_error *err)
{
    bool ok, row;
    sqlite3_stmt *query = prepare(history,
        "SELECT c.lane, c.workload, c.arm, c.backend, c.mode, c.duration_ns, "
        "(SELECT m.value FROM metrics m WHERE m.cell = c.id AND m.name = 'total_frames') "
        "FROM cells c JOIN runs r ON r.id = c.run JOIN devices d ON d.id = r.device "
        "WHERE (?1 IS NULL OR d.serial = ?1) AND c.verdict = 'measured' AND c.duration_ns > 0 AND "
        "(c.mode IN ('benchmark', '" MGC_MODE_CONFIRM "') OR (c.mode = 'ssim' AND "
        "r.frames_reduced = ?2)) ORDER BY r.start_wall_ns DESC, c.id DESC LIMIT " ROWS_MAX,
        serial, err);
    if (!query)
        return false;
    sqlite3_bind_int(query, 2, has_reduced_frames(plan));
    while ((ok = mgc_db_step(history, query, &row, err)) && row)
        take_cell(query, estimates);
    sqlite3_finalize(query);
    return ok;
}

/* ---- setup and end ------------------------------------------------------------------------- */

static void take_frame(sqlite3_stmt *row, int column, const struct mgc_cell *cell,
    enum mgc_cell_kind kind, struct mgc_estimates *estimates)
{
    struct mgc_cell_likeness likeness = mgc_cell_likeness_of(cell);
    if (cell->kind == kind)
        mgc_estimates_add_past(
            estimates, &likeness, sqlite3_column_int64(row, column) / MGC_NS_PER_MS);
}

/* The first cell's begin after the run's, and the run's end after the last cell's. */
static bool take_frames(struct mgc_history *history, const char *serial,
    const struct mgc_plan *plan, struct mgc_estimates *estimates, struct mgc_error *err)
{
    bool ok, row;
    sqlite3_stmt *query = prepare(history,
        "SELECT begin_ns, end_ns FROM (SELECT r.start_wall_ns AS start, min(c.start_wall_ns) - "
        "r.start_wall_ns AS begin_ns, r.end_wall_ns - max(c.start_wall_ns + c.duration_ns) AS "
        "end_ns FROM cells c JOIN runs r ON r.id = c.run JOIN devices d ON d.id = r.device WHERE "
        "(?1 IS NULL OR d.serial = ?1) AND r.plan = ?2 AND r.ended GROUP BY r.id) WHERE begin_ns "
        "BETWEEN 1 AND " FRAME_MAX_NS " AND end_ns BETWEEN 1 AND " FRAME_MAX_NS
        " ORDER BY start DESC LIMIT 40",
        serial, err);
    if (!query)
        return false;
    mgc_db_bind_text(query, 2, plan->name);
    while ((ok = mgc_db_step(history, query, &row, err)) && row && plan->cell_count) {
        take_frame(query, 0, &plan->cells[0], MGC_CELL_SETUP, estimates);
        take_frame(query, 1, &plan->cells[plan->cell_count - 1], MGC_CELL_CLOSE, estimates);
    }
    sqlite3_finalize(query);
    return ok;
}

bool mgc_history_durations(struct mgc_history *history, const char *serial,
    const struct mgc_plan *plan, struct mgc_estimates *estimates, struct mgc_error *err)
{
    bool known = true;
    const char *of = strchr(serial, ':') ? NULL : serial;
    if (!of && !find_only(history, &known, err))
        return false;
    return !known || (take_cells(history, of, plan, estimates, err) &&
                         take_frames(history, of, plan, estimates, err));
}

bool mgc_history_durations_of(const char *results_root, const char *serial,
    const struct mgc_plan *plan, struct mgc_estimates *estimates, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!mgc_path_join(path, sizeof(path), results_root, MGC_HISTORY_FILE))
        return mgc_error_set(err, MGC_E_CONFIG, "'%.200s': path is too long", results_root);
    if (!mgc_file_exists(path))
        return true;
    struct mgc_history *history = mgc_history_open(path, MGC_HISTORY_READ, err);
    bool ok = history && mgc_history_durations(history, serial, plan, estimates, err);
    mgc_history_close(history);
    return ok;
}
