/* Opening the file, and what to do with one that is damaged. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/plat/file.h"
#include "coordinator/history/db.h"

enum {
    /* Writing a run of 10,000 cells takes a second or two, more on a busy disk, and SQLite's
     * waiting is not fair; who gives up leaves a run out. */
    BUSY_MS = 60000,
    VALUE_MAX = 16 << 20,
};

/* A rollback journal, not WAL: a results root may lie on a Windows drive that WSL shows by 9p, or
 * on a network's, where WAL's shared memory does not work; one file is all there is to copy; and
 * one short transaction per run gains nothing from WAL. FULL: what was told to be kept survives a
 * power cut. */
static const char setup_sql[] = "PRAGMA foreign_keys = ON; PRAGMA journal_mode = DELETE;"
                                "PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF";

/* SQLite finds damage where it looks; before adding to the file we look everywhere. */
static bool check_whole(struct mgc_history *history, struct mgc_error *err)
{
    bool row = false, whole = false;
    sqlite3_stmt *statement = mgc_db_prepare(history, "PRAGMA quick_check(1)", err);
    bool ok = statement && mgc_db_step(history, statement, &row, err);
    if (ok && row) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        whole = text && strcmp(text, "ok") == 0;
        if (!whole)
            mgc_error_set(err, MGC_E_INTEGRITY, "history '%s' is damaged: %s", history->path,
                text ? text : "its check said nothing");
    }
    sqlite3_finalize(statement);
    return ok && whole;
}

static bool set_up(
    struct mgc_history *history, enum mgc_history_access access, struct mgc_error *err)
{
    sqlite3_extended_result_codes(history->db, 1);
    sqlite3_busy_timeout(history->db, BUSY_MS);
    sqlite3_limit(history->db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
    sqlite3_db_config(history->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return mgc_db_exec(history, setup_sql, err) && mgc_db_migrate(history, err) &&
           (access == MGC_HISTORY_READ || check_whole(history, err));
}

/* Also who only reads opens for writing: what a killed writer left is rolled back then. SQLite
 * turns to reading by itself where writing is not allowed. */
static bool open_file(
    struct mgc_history *history, enum mgc_history_access access, struct mgc_error *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_PRIVATECACHE;
    bool in_memory = strcmp(history->path, MGC_HISTORY_IN_MEMORY) == 0;
    if (access == MGC_HISTORY_READ && !in_memory && !mgc_file_exists(history->path))
        return mgc_error_set(err, MGC_E_NOT_FOUND,
            "there is no history '%s': no run has ended there yet, or it is to be made by "
            "'mgcoord history import'",
            history->path);
    if (access == MGC_HISTORY_WRITE || in_memory)
        flags |= SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(history->path, &history->db, flags, NULL) == SQLITE_OK)
        return true;
    return history->db ? mgc_db_fail(history, err)
                       : mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to open the history");
}

struct mgc_history *mgc_history_open(
    const char *path, enum mgc_history_access access, struct mgc_error *err)
{
    struct mgc_history *history = calloc(1, sizeof(*history));
    bool ok = history || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to open the history");
    if (ok && snprintf(history->path, sizeof(history->path), "%s", path) >= MGC_PATH_MAX)
        ok = mgc_error_set(err, MGC_E_CONFIG, "'%.100s...': path is too long", path);
    if (ok && open_file(history, access, err) && set_up(history, access, err))
        return history;
    mgc_history_close(history);
    return NULL;
}

void mgc_history_close(struct mgc_history *history)
{
    if (!history)
        return;
    sqlite3_close(history->db);
    free(history);
}

/* ---- a damaged file ---- */

static bool aside_name(const char *path, char ret_path[MGC_PATH_MAX], struct mgc_error *err)
{
    time_t now = (time_t)(mgc_wall_ns() / 1000000000);
    struct tm utc;
    char stamp[32], base[MGC_PATH_MAX];
    gmtime_r(&now, &utc);
    strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &utc);
    int len = snprintf(base, sizeof(base), "%s.damaged-%s", path, stamp);
    snprintf(ret_path, MGC_PATH_MAX, "%s", base);
    for (int n = 2; len < MGC_PATH_MAX - 40 && mgc_file_exists(ret_path) && n < 100; n++)
        snprintf(ret_path, MGC_PATH_MAX, "%.*s-%d", MGC_PATH_MAX - 8, base, n);
    return (len < MGC_PATH_MAX - 40 && !mgc_file_exists(ret_path)) ||
           mgc_error_set(err, MGC_E_EXISTS, "no name is left to put '%s' aside", path);
}

static bool is_damaged(const char *path, struct mgc_error *err)
{
    struct mgc_error why = {0};
    struct mgc_history *history = mgc_history_open(path, MGC_HISTORY_WRITE, &why);
    bool damaged = !history && why.code == MGC_E_INTEGRITY;
    mgc_history_close(history);
    return damaged || mgc_error_set(err, MGC_E_EXISTS, "history '%s' is not damaged", path);
}

/* The journal belongs to the damaged file: a new one must not be rolled back by it, so it goes
 * first. */
static bool move(const char *path, const char *aside, struct mgc_error *err)
{
    char journal[MGC_PATH_MAX + 16], journal_aside[MGC_PATH_MAX + 16];
    snprintf(journal, sizeof(journal), "%s-journal", path);
    snprintf(journal_aside, sizeof(journal_aside), "%s-journal", aside);
    return (!mgc_file_exists(journal) || mgc_file_rename(journal, journal_aside, err)) &&
           mgc_file_rename(path, aside, err);
}

/* Two coordinators may find the damage at the same time: who has the lock looks again, so that
 * nobody puts the other's new file aside. */
bool mgc_history_put_aside(const char *path, char ret_path[MGC_PATH_MAX], struct mgc_error *err)
{
    struct mgc_lock lock = MGC_LOCK_INIT;
    char lock_path[MGC_PATH_MAX + 16];
    snprintf(lock_path, sizeof(lock_path), "%s.lock", path);
    if (!mgc_lock_take(&lock, lock_path, err))
        return false;
    bool ok = is_damaged(path, err) && aside_name(path, ret_path, err) && move(path, ret_path, err);
    mgc_lock_release(&lock);
    return ok;
}

struct mgc_history *mgc_history_open_or_renew(
    const char *path, char ret_note[MGC_ERROR_TEXT_MAX], struct mgc_error *err)
{
    struct mgc_error why = {0}, failed = {0};
    char aside[MGC_PATH_MAX];
    ret_note[0] = '\0';
    struct mgc_history *history = mgc_history_open(path, MGC_HISTORY_WRITE, &why);
    if (history || why.code != MGC_E_INTEGRITY) {
        if (!history)
            mgc_error_set(err, why.code, "%s", why.text);
        return history;
    }
    if (!mgc_history_put_aside(path, aside, &failed) && failed.code != MGC_E_EXISTS) {
        mgc_error_set(err, failed.code, "%s; it cannot be put aside: %s", why.text, failed.text);
        return NULL;
    }
    if (failed.code == MGC_OK)
        snprintf(ret_note, MGC_ERROR_TEXT_MAX,
            "%.200s; it is kept as '%.200s', and a new one was begun", why.text,
            mgc_path_base(aside));
    return mgc_history_open(path, MGC_HISTORY_WRITE, err);
}
