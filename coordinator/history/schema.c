/* The tables, as steps from one version to the next. A step that was released is never changed: a
 * file in the field has been through it. PRAGMA user_version says how many a file has been through.
 */
#include <stdio.h>

#include "coordinator/history/db.h"

/* "MGCH": tells our file from another program's. */
enum { APPLICATION_ID = 0x4d474348 };

static const char *const steps[MGC_HISTORY_SCHEMA] = {
    /* 1. lab: the lab's phone. runs.origin: run, import, old. cells.verdict is the final attempt's.
     * metrics: the verdict's numbers and hashes, named as there; a truth is 0 or 1.
     * facts: what decides whether cells may be compared (coordinator/stats/comparable.h); no row:
     * not known; applies 0: does not apply to that arm. The device is the run's. */
    "CREATE TABLE devices (id INTEGER PRIMARY KEY, serial TEXT NOT NULL, model TEXT NOT NULL,"
    " fingerprint TEXT NOT NULL, lab INTEGER NOT NULL, UNIQUE (serial, model, fingerprint));"
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, plan TEXT, dir TEXT,"
    " origin TEXT NOT NULL, device INTEGER REFERENCES devices, start_wall_ns INTEGER,"
    " end_wall_ns INTEGER, tool_build TEXT, exit_code INTEGER, ended INTEGER NOT NULL,"
    " frames_reduced INTEGER NOT NULL, stopped TEXT, recorded_wall_ns INTEGER NOT NULL);"
    "CREATE TABLE cells (id INTEGER PRIMARY KEY,"
    " run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, cell TEXT NOT NULL, lane TEXT,"
    " workload TEXT, arm TEXT, backend TEXT, mode TEXT NOT NULL, rep INTEGER NOT NULL,"
    " verdict TEXT NOT NULL, reason TEXT, text TEXT, attempts INTEGER NOT NULL, dir TEXT,"
    " start_wall_ns INTEGER, duration_ns INTEGER, UNIQUE (run, cell));"
    "CREATE TABLE metrics (cell INTEGER NOT NULL REFERENCES cells ON DELETE CASCADE,"
    " name TEXT NOT NULL, value NOT NULL, PRIMARY KEY (cell, name)) WITHOUT ROWID;"
    "CREATE TABLE facts (cell INTEGER NOT NULL REFERENCES cells ON DELETE CASCADE,"
    " fact TEXT NOT NULL, applies INTEGER NOT NULL, value TEXT, PRIMARY KEY (cell, fact))"
    " WITHOUT ROWID;"
    "CREATE INDEX cells_by_arm ON cells (workload, arm, run);",
    /* 2. What was true for a whole run; source: device, setup, route, worker, setting. Runs from
     * before have none. */
    "CREATE TABLE run_facts (run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
    " source TEXT NOT NULL, name TEXT NOT NULL, value NOT NULL, PRIMARY KEY (run, source, name))"
    " WITHOUT ROWID;"
    "CREATE INDEX runs_by_time ON runs (start_wall_ns);",
    /* 3. The link around a measured cell that crosses hosts, the middle of the two tests; no row:
     * it was not tested, or not told, as in runs from before. Those had no name for it either. */
    "CREATE TABLE links (cell INTEGER PRIMARY KEY REFERENCES cells ON DELETE CASCADE,"
    " up_mbit_s REAL, down_mbit_s REAL, rtt_ms REAL);"
    "INSERT INTO facts (cell, fact, applies, value) SELECT id, 'link', lane IS NOT 'matrix',"
    " CASE WHEN lane IS NOT 'matrix' THEN 'not named' END FROM cells WHERE verdict = 'measured';",
};

/* The id comes last: who makes the file meanwhile makes all three in one transaction, so that the
 * id is there for whoever has seen a table. */
static bool read_version(struct mgc_history *history, int64_t *ret_version, struct mgc_error *err)
{
    int64_t version = 0, id = 0, tables = 0;
    if (!mgc_db_get_int(history, "PRAGMA user_version", &version, err) ||
        !mgc_db_get_int(history, "SELECT count(*) FROM sqlite_schema", &tables, err) ||
        !mgc_db_get_int(history, "PRAGMA application_id", &id, err))
        return false;
    if ((tables > 0 || version > 0) && id != APPLICATION_ID)
        return mgc_error_set(err, MGC_E_CONFIG,
            "'%s' is another program's database, expected mgcoord's history", history->path);
    if (version > MGC_HISTORY_SCHEMA)
        return mgc_error_set(err, MGC_E_VERSION,
            "history '%s' was written by a newer mgcoord: schema %lld, this one knows %d",
            history->path, (long long)version, MGC_HISTORY_SCHEMA);
    *ret_version = version;
    return true;
}

static bool set_pragma(
    struct mgc_history *history, const char *name, int value, struct mgc_error *err)
{
    char sql[64];
    snprintf(sql, sizeof(sql), "PRAGMA %s = %d", name, value);
    return mgc_db_exec(history, sql, err);
}

static bool apply(struct mgc_history *history, int64_t version, struct mgc_error *err)
{
    bool ok = set_pragma(history, "application_id", APPLICATION_ID, err);
    for (; ok && version < MGC_HISTORY_SCHEMA; version++)
        ok = mgc_db_exec(history, steps[version], err) &&
             set_pragma(history, "user_version", (int)version + 1, err);
    return ok;
}

/* Both PRAGMAs are part of the transaction. Who waited for the lock looks again: another process
 * may have done it. */
bool mgc_db_migrate(struct mgc_history *history, struct mgc_error *err)
{
    int64_t version = 0;
    if (!read_version(history, &version, err))
        return false;
    if (version == MGC_HISTORY_SCHEMA)
        return true;
    if (!mgc_db_exec(history, "BEGIN IMMEDIATE", err))
        return false;
    if (read_version(history, &version, err) && apply(history, version, err) &&
        mgc_db_exec(history, "COMMIT", err))
        return true;
    mgc_db_exec(history, "ROLLBACK", NULL);
    return false;
}
