/* The few things that we want of SQLite. Internal to history/. */
#ifndef MGC_HISTORY_DB_H
#define MGC_HISTORY_DB_H

#include <sqlite3.h>

#include "common/base/fields.h"
#include "coordinator/history/history.h"

struct mgc_history {
    sqlite3 *db; /* owned */
    char path[MGC_PATH_MAX];
};

/* Say what SQLite has against it, with the file's name; false. */
bool mgc_db_fail(struct mgc_history *history, struct mgc_error *err);
bool mgc_db_exec(struct mgc_history *history, const char *sql, struct mgc_error *err);
/* The first column of the first row. */
bool mgc_db_get_int(
    struct mgc_history *history, const char *sql, int64_t *ret_value, struct mgc_error *err);

/* In cells.mode, of a benchmark that was run again to confirm what the gate flagged. */
#define MGC_MODE_CONFIRM "confirm"
/* The same of a link test. */
#define MGC_MODE_LINK "link"

/* A prepared statement; sqlite3_finalize() takes NULL. */
sqlite3_stmt *mgc_db_prepare(struct mgc_history *history, const char *sql, struct mgc_error *err);
/* *ret_row: there is one. */
bool mgc_db_step(
    struct mgc_history *history, sqlite3_stmt *statement, bool *ret_row, struct mgc_error *err);
/* Run a statement without rows once, and make it ready for the next values. */
bool mgc_db_run(struct mgc_history *history, sqlite3_stmt *statement, struct mgc_error *err);

/* Parameter `at`, from 1. NULL and absent values are NULL in the file. */
void mgc_db_bind_text(sqlite3_stmt *statement, int at, const char *text);
void mgc_db_bind_value(sqlite3_stmt *statement, int at, const struct mgc_value *value);
/* 0 is not known. */
void mgc_db_bind_time(sqlite3_stmt *statement, int at, int64_t wall_ns);
/* A copy of column `at`, from 0; NULL for NULL. *ok becomes false without memory. */
char *mgc_db_text(sqlite3_stmt *statement, int at, bool *ok);

/* schema.c: make the tables, or bring older ones to this build's schema. */
bool mgc_db_migrate(struct mgc_history *history, struct mgc_error *err);
enum { MGC_HISTORY_SCHEMA = 3 };

/* record_facts.c: what was true for all of a run, inside record.c's transaction. */
bool mgc_db_add_run_facts(struct mgc_history *history, int64_t run,
    const struct mgc_results *results, struct mgc_error *err);

#endif
