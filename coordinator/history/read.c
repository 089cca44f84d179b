/* Runs and cells out of the file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/parse.h"
#include "coordinator/history/db.h"

/* ---- runs ---- */

#define RUN_COLUMNS                                                                                \
    "r.id, r.run_id, r.plan, r.dir, r.origin, r.tool_build, d.serial, d.model, d.fingerprint, "    \
    "coalesce(d.lab, 0), r.ended, r.frames_reduced, coalesce(r.start_wall_ns, 0)"

void mgc_history_run_destroy(struct mgc_history_run *run)
{
    if (!run)
        return;
    free(run->run_id);
    free(run->plan);
    free(run->dir);
    free(run->origin);
    free(run->tool_build);
    free(run->serial);
    free(run->model);
    free(run->fingerprint);
    *run = (struct mgc_history_run){0};
}

void mgc_history_runs_free(struct mgc_history_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mgc_history_run_destroy(&runs[i]);
    free(runs);
}

static bool take_run(sqlite3_stmt *row, struct mgc_history_run *run, struct mgc_error *err)
{
    bool ok = true;
    *run = (struct mgc_history_run){
        .id = sqlite3_column_int64(row, 0),
        .run_id = mgc_db_text(row, 1, &ok),
        .plan = mgc_db_text(row, 2, &ok),
        .dir = mgc_db_text(row, 3, &ok),
        .origin = mgc_db_text(row, 4, &ok),
        .tool_build = mgc_db_text(row, 5, &ok),
        .serial = mgc_db_text(row, 6, &ok),
        .model = mgc_db_text(row, 7, &ok),
        .fingerprint = mgc_db_text(row, 8, &ok),
        .lab = sqlite3_column_int(row, 9) != 0,
        .ended = sqlite3_column_int(row, 10) != 0,
        .frames_reduced = sqlite3_column_int(row, 11) != 0,
        .start_wall_ns = sqlite3_column_int64(row, 12),
    };
    if (ok)
        return true;
    mgc_history_run_destroy(run);
    return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the history");
}

static bool collect_runs(struct mgc_history *history, sqlite3_stmt *query,
    struct mgc_history_run **ret_runs, size_t *ret_count, struct mgc_error *err)
{
    struct mgc_history_run *runs = NULL;
    size_t count = 0;
    bool row, ok;
    while ((ok = mgc_db_step(history, query, &row, err)) && row) {
        struct mgc_history_run *more = realloc(runs, (count + 1) * sizeof(*runs));
        ok = more || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the history");
        if (more)
            runs = more;
        if (!ok || !(ok = take_run(query, &runs[count], err)))
            break;
        count++;
    }
    if (!ok) {
        mgc_history_runs_free(runs, count);
        return false;
    }
    *ret_runs = runs;
    *ret_count = count;
    return true;
}

bool mgc_history_runs(struct mgc_history *history, const struct mgc_history_filter *filter,
    struct mgc_history_run **ret_runs, size_t *ret_count, struct mgc_error *err)
{
    sqlite3_stmt *query = mgc_db_prepare(history,
        "WITH seen AS (SELECT DISTINCT r.id AS run, r.device, r.start_wall_ns, c.lane, c.workload, "
        "c.backend, c.arm FROM runs r JOIN cells c ON c.run = r.id LEFT JOIN devices d ON d.id = "
        "r.device WHERE c.mode = 'benchmark' AND (?1 IS NULL OR d.serial = ?1 OR d.model = ?1) AND "
        "(?2 IS NULL OR c.workload = ?2) AND (?3 IS NULL OR c.arm = ?3) AND (?5 = 0 OR "
        "r.start_wall_ns < ?5)), ranked AS (SELECT run, "
        "row_number() OVER (PARTITION BY device, lane, workload, backend, arm ORDER BY "
        "start_wall_ns DESC, run DESC) AS place FROM seen) SELECT " RUN_COLUMNS " FROM runs r LEFT "
        "JOIN devices d ON d.id = r.device WHERE r.id IN (SELECT run FROM ranked WHERE ?4 = 0 OR "
        "place <= ?4) ORDER BY d.lab, d.serial, d.id, r.start_wall_ns, r.id",
        err);
    if (!query)
        return false;
    mgc_db_bind_text(query, 1, filter->device);
    mgc_db_bind_text(query, 2, filter->workload);
    mgc_db_bind_text(query, 3, filter->arm);
    sqlite3_bind_int64(query, 4, (sqlite3_int64)filter->last);
    sqlite3_bind_int64(query, 5, filter->before_wall_ns);
    bool ok = collect_runs(history, query, ret_runs, ret_count, err);
    sqlite3_finalize(query);
    return ok;
}

/* "last" is 0, "last-3" is 3; false: it is no such name. */
static bool parse_last(const char *name, int64_t *ret_back)
{
    if (strcmp(name, "last") == 0) {
        *ret_back = 0;
        return true;
    }
    return strncmp(name, "last-", 5) == 0 && mgc_parse_int(name + 5, 1, 1000000, ret_back);
}

/* Gives `query` back. *ret_found may be false without an error. */
static bool take_first(struct mgc_history *history, sqlite3_stmt *query, bool *ret_found,
    struct mgc_history_run *ret_run, struct mgc_error *err)
{
    bool ok = mgc_db_step(history, query, ret_found, err) &&
              (!*ret_found || take_run(query, ret_run, err));
    sqlite3_finalize(query);
    return ok;
}

bool mgc_history_find(struct mgc_history *history, const char *name,
    struct mgc_history_run *ret_run, struct mgc_error *err)
{
    static const char by_id[] = "SELECT " RUN_COLUMNS " FROM runs r LEFT JOIN devices d ON d.id = "
                                "r.device WHERE r.run_id = ?1";
    static const char by_time[] = "SELECT " RUN_COLUMNS " FROM runs r LEFT JOIN devices d ON d.id "
                                  "= r.device WHERE r.start_wall_ns IS NOT NULL ORDER BY "
                                  "r.start_wall_ns DESC, r.id DESC LIMIT 1 OFFSET ?1";
    int64_t back = 0;
    bool found = false, last = parse_last(name, &back);
    sqlite3_stmt *query = mgc_db_prepare(history, last ? by_time : by_id, err);
    if (!query)
        return false;
    if (last)
        sqlite3_bind_int64(query, 1, back);
    else
        mgc_db_bind_text(query, 1, name);
    if (!take_first(history, query, &found, ret_run, err))
        return false;
    return found || mgc_error_set(err, MGC_E_NOT_FOUND,
                        "'%.100s': there is no such run in history '%s'; expected a run's id or "
                        "directory, last, or last-N",
                        name, history->path);
}

bool mgc_history_only(
    struct mgc_history *history, struct mgc_history_run *ret_run, struct mgc_error *err)
{
    bool found = false;
    sqlite3_stmt *query = mgc_db_prepare(history,
        "SELECT " RUN_COLUMNS " FROM runs r LEFT JOIN devices d ON d.id = r.device LIMIT 1", err);
    return query && take_first(history, query, &found, ret_run, err) &&
           (found ||
               mgc_error_set(err, MGC_E_NOT_FOUND, "history '%s' holds no run", history->path));
}

/* ---- cells ---- */

static void cell_destroy(struct mgc_history_cell *cell)
{
    free(cell->id);
    free(cell->lane);
    free(cell->workload);
    free(cell->arm);
    free(cell->backend);
    free(cell->verdict);
    free(cell->reason);
    for (size_t i = 0; i < MGC_FACT_COUNT; i++)
        free(cell->texts[i]);
}

void mgc_history_cells_destroy(struct mgc_history_cells *cells)
{
    if (!cells)
        return;
    for (size_t i = 0; i < cells->count; i++)
        cell_destroy(&cells->items[i]);
    free(cells->items);
    *cells = (struct mgc_history_cells){0};
}

static bool known_fact(const char *name, enum mgc_fact *ret_fact)
{
    for (int i = 0; name && i < MGC_FACT_COUNT; i++) {
        *ret_fact = (enum mgc_fact)i;
        if (strcmp(mgc_fact_name(*ret_fact), name) == 0)
            return true;
    }
    return false;
}

static bool set_fact(struct mgc_history_cell *cell, enum mgc_fact fact, char *value)
{
    free(cell->texts[fact]);
    cell->texts[fact] = value;
    mgc_cell_facts_set(&cell->facts, fact, value);
    return value != NULL;
}

static bool take_facts(struct mgc_history *history, sqlite3_stmt *query, int64_t id,
    struct mgc_history_cell *cell, struct mgc_error *err)
{
    bool row, ok, memory = true;
    enum mgc_fact fact;
    sqlite3_bind_int64(query, 1, id);
    while ((ok = mgc_db_step(history, query, &row, err)) && row) {
        if (!known_fact((const char *)sqlite3_column_text(query, 0), &fact))
            continue; /* of a newer build */
        if (sqlite3_column_int(query, 1))
            set_fact(cell, fact, mgc_db_text(query, 2, &memory));
        else
            mgc_cell_facts_not_applicable(&cell->facts, fact);
    }
    sqlite3_reset(query);
    return ok && (memory || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the history"));
}

/* All that makes the device: a phone with another system is another device, and the lab's phone is
 * never a real one. */
static bool set_device(const struct mgc_history_run *run, struct mgc_history_cell *cell)
{
    char *text;
    return !run->serial || (asprintf(&text, "%s%s %s (%s)", run->lab ? "lab: " : "", run->model,
                                run->serial, run->fingerprint) >= 0 &&
                               set_fact(cell, MGC_FACT_DEVICE, text));
}

static double real_or_nan(sqlite3_stmt *row, int at)
{
    return sqlite3_column_type(row, at) == SQLITE_NULL ? NAN : sqlite3_column_double(row, at);
}

static bool take_cell(struct mgc_history *history, const struct mgc_history_run *run,
    sqlite3_stmt *row, sqlite3_stmt *facts, struct mgc_history_cell *cell, struct mgc_error *err)
{
    bool ok = true;
    *cell = (struct mgc_history_cell){
        .id = mgc_db_text(row, 1, &ok),
        .lane = mgc_db_text(row, 2, &ok),
        .workload = mgc_db_text(row, 3, &ok),
        .arm = mgc_db_text(row, 4, &ok),
        .backend = mgc_db_text(row, 5, &ok),
        .verdict = mgc_db_text(row, 6, &ok),
        .reason = mgc_db_text(row, 7, &ok),
        .rep = sqlite3_column_int64(row, 8),
        .measured = sqlite3_column_int(row, 9) != 0,
        .confirm = sqlite3_column_int(row, 11) != 0,
        .value = real_or_nan(row, 10),
        .link = {{real_or_nan(row, 12), real_or_nan(row, 13), real_or_nan(row, 14)}},
    };
    if (!ok || !cell->workload || !cell->arm || !set_device(run, cell))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the history");
    return take_facts(history, facts, sqlite3_column_int64(row, 0), cell, err);
}

static bool collect_cells(struct mgc_history *history, const struct mgc_history_run *run,
    sqlite3_stmt *query, sqlite3_stmt *facts, struct mgc_history_cells *cells,
    struct mgc_error *err)
{
    bool row, ok;
    while ((ok = mgc_db_step(history, query, &row, err)) && row) {
        struct mgc_history_cell *more =
            realloc(cells->items, (cells->count + 1) * sizeof(*cells->items));
        if (!more)
            return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the history");
        cells->items = more;
        if (!take_cell(history, run, query, facts, &cells->items[cells->count++], err))
            return false;
    }
    return ok;
}

bool mgc_history_cells(struct mgc_history *history, const struct mgc_history_run *run,
    const struct mgc_history_filter *filter, struct mgc_history_cells *ret_cells,
    struct mgc_error *err)
{
    *ret_cells = (struct mgc_history_cells){0};
    sqlite3_stmt *query = mgc_db_prepare(history,
        "SELECT c.id, c.cell, c.lane, c.workload, c.arm, c.backend, c.verdict, c.reason, c.rep, "
        "c.verdict = 'measured', (SELECT m.value FROM metrics m WHERE m.cell = c.id AND m.name = "
        "'" MGC_HISTORY_METRIC "'), c.mode = '" MGC_MODE_CONFIRM
        "', l.up_mbit_s, l.down_mbit_s, l.rtt_ms "
        "FROM cells c LEFT JOIN links l ON l.cell = c.id WHERE c.run = ?1 AND (c.mode = "
        "'benchmark' OR (?4 AND "
        "c.mode = '" MGC_MODE_CONFIRM "')) AND c.workload IS NOT NULL AND c.arm IS NOT NULL AND "
        "(?2 IS NULL OR c.workload = ?2) AND (?3 IS NULL OR c.arm = ?3) ORDER BY c.id",
        err);
    sqlite3_stmt *facts = query ? mgc_db_prepare(history,
                                      "SELECT fact, applies, value FROM facts WHERE cell = ?1", err)
                                : NULL;
    bool ok = facts != NULL;
    if (ok) {
        sqlite3_bind_int64(query, 1, run->id);
        mgc_db_bind_text(query, 2, filter->workload);
        mgc_db_bind_text(query, 3, filter->arm);
        sqlite3_bind_int(query, 4, filter->confirm);
        ok = collect_cells(history, run, query, facts, ret_cells, err);
    }
    sqlite3_finalize(query);
    sqlite3_finalize(facts);
    if (!ok)
        mgc_history_cells_destroy(ret_cells);
    return ok;
}
