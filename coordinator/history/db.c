#include "coordinator/history/db.h"

#include <math.h>
#include <string.h>

static enum mgc_code code_of(int sqlite_code)
{
    switch (sqlite_code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return MGC_E_INTEGRITY;
    case SQLITE_FULL:
        return MGC_E_NO_SPACE;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return MGC_E_BUSY;
    case SQLITE_NOMEM:
        return MGC_E_NO_MEMORY;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
        return MGC_E_DENIED;
    default:
        return MGC_E_IO;
    }
}

bool mgc_db_fail(struct mgc_history *history, struct mgc_error *err)
{
    enum mgc_code code = code_of(sqlite3_extended_errcode(history->db));
    const char *text = sqlite3_errmsg(history->db);
    switch (code) {
    case MGC_E_INTEGRITY:
        return mgc_error_set(err, code, "history '%s' is damaged: %s", history->path, text);
    case MGC_E_BUSY:
        return mgc_error_set(err, code,
            "history '%s': somebody else has been writing to it for "
            "too long (%s)",
            history->path, text);
    case MGC_E_DENIED:
        return mgc_error_set(
            err, code, "history '%s' cannot be opened or written to: %s", history->path, text);
    default:
        return mgc_error_set(err, code, "history '%s': %s", history->path, text);
    }
}

bool mgc_db_exec(struct mgc_history *history, const char *sql, struct mgc_error *err)
{
    return sqlite3_exec(history->db, sql, NULL, NULL, NULL) == SQLITE_OK ||
           mgc_db_fail(history, err);
}

sqlite3_stmt *mgc_db_prepare(struct mgc_history *history, const char *sql, struct mgc_error *err)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(history->db, sql, -1, &statement, NULL) != SQLITE_OK)
        mgc_db_fail(history, err);
    return statement;
}

bool mgc_db_step(
    struct mgc_history *history, sqlite3_stmt *statement, bool *ret_row, struct mgc_error *err)
{
    int code = sqlite3_step(statement);
    *ret_row = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE || mgc_db_fail(history, err);
}

bool mgc_db_run(struct mgc_history *history, sqlite3_stmt *statement, struct mgc_error *err)
{
    bool row, ok = mgc_db_step(history, statement, &row, err);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return ok;
}

bool mgc_db_get_int(
    struct mgc_history *history, const char *sql, int64_t *ret_value, struct mgc_error *err)
{
    bool row = false;
    sqlite3_stmt *statement = mgc_db_prepare(history, sql, err);
    bool ok = statement && mgc_db_step(history, statement, &row, err);
    if (ok && row)
        *ret_value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return ok;
}

void mgc_db_bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    if (text)
        sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
    else
        sqlite3_bind_null(statement, at);
}

void mgc_db_bind_time(sqlite3_stmt *statement, int at, int64_t wall_ns)
{
    if (wall_ns)
        sqlite3_bind_int64(statement, at, wall_ns);
    else
        sqlite3_bind_null(statement, at);
}

void mgc_db_bind_value(sqlite3_stmt *statement, int at, const struct mgc_value *value)
{
    switch (value->type) {
    case MGC_VALUE_BOOL:
        sqlite3_bind_int(statement, at, value->boolean);
        break;
    case MGC_VALUE_INT:
        sqlite3_bind_int64(statement, at, value->integer);
        break;
    case MGC_VALUE_DOUBLE: /* SQLite makes NULL of NaN */
        sqlite3_bind_double(statement, at, value->real);
        break;
    case MGC_VALUE_STRING:
        mgc_db_bind_text(statement, at, value->string);
        break;
    }
}

char *mgc_db_text(sqlite3_stmt *statement, int at, bool *ok)
{
    const char *text = (const char *)sqlite3_column_text(statement, at);
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        *ok = false;
    return copy;
}
