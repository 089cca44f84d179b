/* One run into the file, in one transaction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/plat/file.h"
#include "coordinator/history/db.h"
#include "coordinator/merge/comparisons.h"
#include "coordinator/report/columns.h"

const char *mgc_history_origin_name(enum mgc_history_origin origin)
{
    static const char *const names[] = {
        [MGC_ORIGIN_RUN] = "run", [MGC_ORIGIN_IMPORT] = "import", [MGC_ORIGIN_OLD] = "old"};
    return names[origin];
}

/* ---- which run it is ---- */

static void hash_text(struct mgc_sha256 *hash, const char *text)
{
    if (text)
        mgc_sha256_update(hash, text, strlen(text));
    mgc_sha256_update(hash, "", 1);
}

static void hash_cell(struct mgc_sha256 *hash, const struct mgc_cell_result *cell)
{
    hash_text(hash, cell->cell->id);
    for (size_t i = 0; i < cell->verdict.metrics.count; i++) {
        const struct mgc_field *metric = &cell->verdict.metrics.items[i];
        char number[64] = "";
        if (metric->value.type == MGC_VALUE_INT)
            snprintf(number, sizeof(number), "%lld", (long long)metric->value.integer);
        else if (metric->value.type == MGC_VALUE_DOUBLE)
            snprintf(number, sizeof(number), "%.17g", metric->value.real);
        hash_text(hash, metric->name);
        hash_text(hash, metric->value.type == MGC_VALUE_STRING ? metric->value.string : number);
    }
}

/* Directories of the old scripts are all called alike, and get moved about. */
static void make_id(
    const struct mgc_results *results, enum mgc_history_origin origin, char *ret_id, size_t size)
{
    struct mgc_sha256 hash;
    unsigned char digest[MGC_SHA256_SIZE];
    char hex[MGC_SHA256_HEX_SIZE];
    if (origin != MGC_ORIGIN_OLD) {
        snprintf(ret_id, size, "%s", results->plan->run_id);
        return;
    }
    mgc_sha256_init(&hash);
    for (size_t i = 0; i < results->count; i++)
        hash_cell(&hash, &results->cells[i]);
    mgc_sha256_final(&hash, digest);
    mgc_sha256_hex(digest, hex);
    snprintf(ret_id, size, "old-%.16s", hex);
}

/* What the run itself has written stands: its directory may have lost files since. */
static bool stands(struct mgc_history *history, const char *run_id, enum mgc_history_origin origin,
    bool *ret_stands, struct mgc_error *err)
{
    bool row = false;
    sqlite3_stmt *find =
        mgc_db_prepare(history, "SELECT 1 FROM runs WHERE run_id = ? AND origin = 'run'", err);
    if (find)
        mgc_db_bind_text(find, 1, run_id);
    bool ok = find && mgc_db_step(history, find, &row, err);
    *ret_stands = row && origin != MGC_ORIGIN_RUN;
    sqlite3_finalize(find);
    return ok;
}

/* ---- rows ---- */

/* A device is known by all three, or not at all; *ret_id stays 0 then. */
static bool add_device(struct mgc_history *history, const struct mgc_results *results,
    int64_t *ret_id, struct mgc_error *err)
{
    static const char *const keys[] = {"serialno", "model", "fingerprint"};
    bool ok = true, row = false, known = true;
    for (int i = 0; i < 3; i++)
        known &= mgc_fields_get_str(&results->device, keys[i]) != NULL;
    /* The update changes nothing, but makes RETURNING say the id of the row that is there. */
    sqlite3_stmt *add = known ? mgc_db_prepare(history,
                                    "INSERT INTO devices (serial, model, fingerprint, lab) VALUES "
                                    "(?, ?, ?, ?) ON CONFLICT DO UPDATE SET lab = excluded.lab "
                                    "RETURNING id",
                                    err)
                              : NULL;
    for (int i = 0; add && i < 3; i++)
        mgc_db_bind_text(add, i + 1, mgc_fields_get_str(&results->device, keys[i]));
    if (add) {
        sqlite3_bind_int(add, 4, mgc_device_is_lab(results));
        ok = mgc_db_step(history, add, &row, err);
        *ret_id = row ? sqlite3_column_int64(add, 0) : 0;
    }
    sqlite3_finalize(add);
    return ok && (add || !known);
}

/* Where it is from everywhere; as it was given when that cannot be said. */
static void bind_dir(sqlite3_stmt *add, int at, const char *dir)
{
    char *whole = dir ? realpath(dir, NULL) : NULL;
    mgc_db_bind_text(add, at, whole ? whole : dir);
    free(whole);
}

static bool add_run(struct mgc_history *history, const struct mgc_results *results,
    const char *run_id, const char *dir, enum mgc_history_origin origin, struct mgc_error *err)
{
    int64_t device = 0;
    if (!add_device(history, results, &device, err))
        return false;
    sqlite3_stmt *add = mgc_db_prepare(history,
        "INSERT INTO runs (run_id, plan, dir, origin, device, start_wall_ns, end_wall_ns, "
        "tool_build, exit_code, ended, frames_reduced, stopped, recorded_wall_ns) VALUES "
        "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        err);
    if (!add)
        return false;
    mgc_db_bind_text(add, 1, run_id);
    mgc_db_bind_text(add, 2, results->plan->name);
    bind_dir(add, 3, dir);
    mgc_db_bind_text(add, 4, mgc_history_origin_name(origin));
    if (device)
        sqlite3_bind_int64(add, 5, device);
    mgc_db_bind_time(add, 6, results->start_wall_ns);
    mgc_db_bind_time(add, 7, results->end_wall_ns);
    mgc_db_bind_text(add, 8, results->tool_build);
    if (origin != MGC_ORIGIN_OLD) /* the old scripts had none */
        sqlite3_bind_int(add, 9, mgc_results_exit_code(results));
    sqlite3_bind_int(add, 10, !results->unfinished);
    sqlite3_bind_int(add, 11, results->frames_reduced);
    mgc_db_bind_text(add, 12, results->stopped_reason);
    mgc_db_bind_time(add, 13, mgc_wall_ns());
    bool ok = mgc_db_run(history, add, err);
    sqlite3_finalize(add);
    return ok;
}

/* The statements that are used once per cell, and more. */
struct writer {
    struct mgc_history *history;
    sqlite3_stmt *cell, *metric, *fact, *link;
    int64_t run;
};

static bool writer_init(struct writer *writer, struct mgc_history *history, struct mgc_error *err)
{
    *writer = (struct writer){.history = history, .run = sqlite3_last_insert_rowid(history->db)};
    writer->cell = mgc_db_prepare(history,
        "INSERT INTO cells (run, cell, lane, workload, arm, backend, mode, rep, verdict, reason, "
        "text, attempts, dir, start_wall_ns, duration_ns) VALUES "
        "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        err);
    writer->metric = writer->cell
                         ? mgc_db_prepare(history,
                               "INSERT INTO metrics (cell, name, value) VALUES (?, ?, ?)", err)
                         : NULL;
    writer->fact =
        writer->metric
            ? mgc_db_prepare(history,
                  "INSERT INTO facts (cell, fact, applies, value) VALUES (?, ?, ?, ?)", err)
            : NULL;
    writer->link =
        writer->fact
            ? mgc_db_prepare(history,
                  "INSERT INTO links (cell, up_mbit_s, down_mbit_s, rtt_ms) VALUES (?, ?, ?, ?)",
                  err)
            : NULL;
    return writer->link != NULL;
}

static void writer_destroy(struct writer *writer)
{
    sqlite3_finalize(writer->cell);
    sqlite3_finalize(writer->metric);
    sqlite3_finalize(writer->fact);
    sqlite3_finalize(writer->link);
}

static const char *or_null(const char *text)
{
    return text && *text ? text : NULL;
}

/* Link tests have no frames: they are kept, and are no arm of a night. */
static const char *mode_of(const struct mgc_cell *cell)
{
    if (mgc_cell_of_link(cell))
        return MGC_MODE_LINK;
    return cell->confirm ? MGC_MODE_CONFIRM : mgc_mode_name(cell->mode);
}

static bool add_cell(
    struct writer *writer, const struct mgc_cell_result *result, struct mgc_error *err)
{
    const struct mgc_cell *cell = result->cell;
    sqlite3_stmt *add = writer->cell;
    sqlite3_bind_int64(add, 1, writer->run);
    mgc_db_bind_text(add, 2, cell->id);
    mgc_db_bind_text(add, 3, cell->lane);
    mgc_db_bind_text(add, 4, cell->workload);
    mgc_db_bind_text(add, 5, cell->arm);
    mgc_db_bind_text(add, 6, cell->expect.backend);
    mgc_db_bind_text(add, 7, mode_of(cell));
    sqlite3_bind_int64(add, 8, cell->rep);
    mgc_db_bind_text(add, 9, mgc_verdict_state_name(result->verdict.state));
    mgc_db_bind_text(add, 10, or_null(result->verdict.reason));
    mgc_db_bind_text(add, 11, or_null(result->verdict.text));
    sqlite3_bind_int(add, 12, result->attempts);
    mgc_db_bind_text(add, 13, result->dir);
    mgc_db_bind_time(add, 14, result->start_wall_ns);
    mgc_db_bind_time(add, 15, result->attempts ? result->duration_ns : 0);
    return mgc_db_run(writer->history, add, err);
}

static bool add_metrics(
    struct writer *writer, int64_t cell, const struct mgc_fields *metrics, struct mgc_error *err)
{
    for (size_t i = 0; i < metrics->count; i++) {
        const struct mgc_field *metric = &metrics->items[i];
        double value;
        if (mgc_fields_get_double(metrics, metric->name, &value) && value != value)
            continue; /* no number is no row */
        sqlite3_bind_int64(writer->metric, 1, cell);
        mgc_db_bind_text(writer->metric, 2, metric->name);
        mgc_db_bind_value(writer->metric, 3, &metric->value);
        if (!mgc_db_run(writer->history, writer->metric, err))
            return false;
    }
    return true;
}

static bool add_facts(
    struct writer *writer, int64_t cell, const struct mgc_cell_facts *facts, struct mgc_error *err)
{
    for (int i = 0; i < MGC_FACT_COUNT; i++) {
        const struct mgc_fact_value *fact = &facts->facts[i];
        if (fact->state == MGC_FACT_ABSENT || i == MGC_FACT_DEVICE) /* that is the run's */
            continue;
        sqlite3_bind_int64(writer->fact, 1, cell);
        mgc_db_bind_text(writer->fact, 2, mgc_fact_name((enum mgc_fact)i));
        sqlite3_bind_int(writer->fact, 3, fact->state == MGC_FACT_KNOWN);
        mgc_db_bind_text(writer->fact, 4, fact->state == MGC_FACT_KNOWN ? fact->value : NULL);
        if (!mgc_db_run(writer->history, writer->fact, err))
            return false;
    }
    return true;
}

/* From parameter `at` on; NAN is NULL in the file. */
static void bind_link(sqlite3_stmt *add, int at, const struct mgc_link_around *around)
{
    struct mgc_link_look middle = mgc_link_around_middle(around);
    for (int i = 0; i < MGC_LINK_FIGURES; i++) {
        struct mgc_value value = {.type = MGC_VALUE_DOUBLE, .real = middle.figures[i]};
        mgc_db_bind_value(add, at + i, &value);
    }
}

static bool add_link(struct writer *writer, int64_t cell, const struct mgc_results *results,
    const struct mgc_cell_result *result, struct mgc_error *err)
{
    struct mgc_link_around around;
    if (result->verdict.state != MGC_VERDICT_MEASURED ||
        !mgc_results_link_around(results, result->cell, &around))
        return true;
    sqlite3_bind_int64(writer->link, 1, cell);
    bind_link(writer->link, 2, &around);
    return mgc_db_run(writer->history, writer->link, err);
}

/* Facts are proved of measured cells only. */
static bool add_cells(
    struct writer *writer, const struct mgc_results *results, struct mgc_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < results->count; i++) {
        const struct mgc_cell_result *result = &results->cells[i];
        struct mgc_result_facts facts = {0};
        ok = add_cell(writer, result, err);
        int64_t cell = sqlite3_last_insert_rowid(writer->history->db);
        if (result->verdict.state == MGC_VERDICT_MEASURED)
            mgc_result_facts(results, result, &facts);
        ok = ok && add_metrics(writer, cell, &result->verdict.metrics, err) &&
             add_facts(writer, cell, &facts.facts, err) &&
             add_link(writer, cell, results, result, err);
    }
    return ok;
}

static bool remove_run(struct mgc_history *history, const char *run_id, struct mgc_error *err)
{
    sqlite3_stmt *remove = mgc_db_prepare(history, "DELETE FROM runs WHERE run_id = ?", err);
    if (remove)
        mgc_db_bind_text(remove, 1, run_id);
    bool ok = remove && mgc_db_run(history, remove, err);
    sqlite3_finalize(remove);
    return ok;
}

static bool write_run(struct mgc_history *history, const struct mgc_results *results,
    const char *run_id, const char *dir, enum mgc_history_origin origin, struct mgc_error *err)
{
    struct writer writer = {0};
    bool ok =
        remove_run(history, run_id, err) && add_run(history, results, run_id, dir, origin, err) &&
        writer_init(&writer, history, err) &&
        mgc_db_add_run_facts(history, writer.run, results, err) && add_cells(&writer, results, err);
    writer_destroy(&writer);
    return ok;
}

/* What a build before links were kept left out of a run that stands: its directory knows it. */
static bool complete_links(struct mgc_history *history, const char *run_id,
    const struct mgc_results *results, struct mgc_error *err)
{
    sqlite3_stmt *add = mgc_db_prepare(history,
        "INSERT OR IGNORE INTO links (cell, up_mbit_s, down_mbit_s, rtt_ms) SELECT c.id, ?3, ?4, "
        "?5 FROM cells c JOIN runs r ON r.id = c.run WHERE r.run_id = ?1 AND c.cell = ?2 AND "
        "c.verdict = 'measured'",
        err);
    bool ok = add != NULL;
    for (size_t i = 0; ok && i < results->count; i++) {
        struct mgc_link_around around;
        if (!mgc_results_link_around(results, results->cells[i].cell, &around))
            continue;
        mgc_db_bind_text(add, 1, run_id);
        mgc_db_bind_text(add, 2, results->cells[i].cell->id);
        bind_link(add, 3, &around);
        ok = mgc_db_run(history, add, err);
    }
    sqlite3_finalize(add);
    return ok;
}

bool mgc_history_record(struct mgc_history *history, const struct mgc_results *results,
    const char *dir, enum mgc_history_origin origin, bool *ret_new, struct mgc_error *err)
{
    char run_id[128];
    bool there = false;
    make_id(results, origin, run_id, sizeof(run_id));
    if (!mgc_db_exec(history, "BEGIN IMMEDIATE", err))
        return false;
    bool ok = stands(history, run_id, origin, &there, err) &&
              (there ? complete_links(history, run_id, results, err)
                     : write_run(history, results, run_id, dir, origin, err)) &&
              mgc_db_exec(history, "COMMIT", err);
    if (!ok)
        mgc_db_exec(history, "ROLLBACK", NULL); /* SQLite may have done it already */
    if (ok && ret_new)
        *ret_new = !there;
    return ok;
}

bool mgc_history_keep(const char *results_root, const struct mgc_results *results, const char *dir,
    char ret_note[MGC_ERROR_TEXT_MAX], struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    ret_note[0] = '\0';
    if (!mgc_path_join(path, sizeof(path), results_root, MGC_HISTORY_FILE))
        return mgc_error_set(err, MGC_E_CONFIG, "'%.200s': path is too long", results_root);
    struct mgc_history *history = mgc_history_open_or_renew(path, ret_note, err);
    bool ok = history && mgc_history_record(history, results, dir, MGC_ORIGIN_RUN, NULL, err);
    mgc_history_close(history);
    return ok;
}
