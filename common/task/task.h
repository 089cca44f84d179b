/* What a task is: one file per kind, one row in a worker's table.
 *
 * A task is typed: its parameters are checked against a schema before it starts; there is no
 * shell string from the wire. It runs on a thread of its own. Whatever it changes on the machine
 * is journaled before the change; when run() returns, for whatever reason, what is still in its
 * journal is undone in reverse order, and after a crash the next start of the worker does it.
 *
 * A *holding* task keeps something in place (a route, a server, a log stream): it reports the
 * event "ready", waits in mgc_task_hold until the coordinator says finish, and returns.
 *
 * All mgc_task_* functions are called on the task's own thread, except where stated.
 */
#ifndef MGC_TASK_TASK_H
#define MGC_TASK_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/fields.h"

struct mgc_task; /* one running task; opaque */

enum mgc_param_type {
    MGC_PARAM_STRING,
    MGC_PARAM_INT,
    MGC_PARAM_BOOL,
    MGC_PARAM_DOUBLE,
    MGC_PARAM_SECRET, /* a string from the message's secrets: never logged, masked in artifacts */
};

struct mgc_param {
    const char *name; /* ends the table when NULL */
    enum mgc_param_type type;
    bool required;
    int64_t min, max; /* ints: range; strings: length range, 0/0: 0..4096 */
    /* Extra check, may be NULL; the error says what was expected. */
    bool (*check)(const struct mgc_value *value, struct mgc_error *err);
    const char *help;
};

/* What a kind must hold to run: the resource PREFIX:VALUE, e.g. "phone:1a2b3c", leased by the run
 * before the task starts (leases.h). Within the run a sole user runs beside others, but not beside
 * another sole one. */
struct mgc_need {
    const char *prefix; /* ends the table when NULL */
    const char *param;  /* a string parameter; when it is absent nothing is needed */
    bool sole;
};

struct mgc_task_kind {
    const char *name; /* "wsl.route"; ends the table when NULL */
    const struct mgc_param
        *params; /* unknown parameters are refused, unknown secrets only masked */
    const char *help;
    bool (*run)(struct mgc_task *task, struct mgc_error *err);
    const struct mgc_need *needs; /* NULL: nothing */
};

/* How a journaled change is taken back. Runs on a task thread, or on the main thread at start.
 * Must be idempotent: it may run twice, and when the change was never made. */
struct mgc_undo_kind {
    const char *name; /* ends the table when NULL */
    bool (*undo)(const struct mgc_fields *before, void *worker, struct mgc_error *err);
};

/* Parameters: checked, so a required one is always there. NULL / false when absent. */
const char *mgc_task_str(const struct mgc_task *task, const char *name);
bool mgc_task_int(const struct mgc_task *task, const char *name, int64_t *ret);
int64_t mgc_task_int_or(const struct mgc_task *task, const char *name, int64_t fallback);
bool mgc_task_bool_or(const struct mgc_task *task, const char *name, bool fallback);
double mgc_task_double_or(const struct mgc_task *task, const char *name, double fallback);
const char *mgc_task_label(const struct mgc_task *task);
uint64_t mgc_task_id(const struct mgc_task *task);
void *mgc_task_worker(const struct mgc_task *task); /* the program's own data */

/* Readable once the task must stop: cancelled, deadline, session lost. Give it to every wait. */
int mgc_task_stop_fd(const struct mgc_task *task);
bool mgc_task_stopped(const struct mgc_task *task);
/* Fill err with why it must stop (MGC_E_CANCELLED, MGC_E_TIMEOUT or MGC_E_LOST). Returns false. */
bool mgc_task_stop_error(const struct mgc_task *task, struct mgc_error *err);
/* mono ns; the smaller of the task's deadline and `ms` from now (-1: just the deadline). */
int64_t mgc_task_deadline(const struct mgc_task *task, int64_t ms);

/* Readable once the coordinator said finish; for holding tasks with something else to watch. */
int mgc_task_finish_fd(const struct mgc_task *task);
/* Report "ready" with these fields (may be NULL), then wait: true on finish, false when stopped. */
bool mgc_task_hold(struct mgc_task *task, const struct mgc_fields *ready, struct mgc_error *err);

/* Tell the coordinator something; it arrives in order. Names in use: "ready", "phase" (name),
 * "progress" (done, total, unit), "waiting" (text: for what, and how long at most), "note" (text).
 */
bool mgc_task_event(struct mgc_task *task, const char *name, const struct mgc_fields *fields,
    struct mgc_error *err);

/* Facts of the result; filled as the task goes, sent also when it fails. Borrowed. */
struct mgc_fields *mgc_task_facts(struct mgc_task *task);

/* Arrive at a barrier, wait for the release, sleep to the instant, report when it really was.
 * False: a member failed (its name is in err), stopped, or the instant was past on arrival of
 * the release (MGC_E_FAILED "release failed: late by ..."). */
bool mgc_task_barrier(
    struct mgc_task *task, const char *name, int64_t *ret_instant_ns, struct mgc_error *err);

/* This task's own directory for files; exists; kept until the result is acknowledged. */
const char *mgc_task_dir(const struct mgc_task *task);
/* Declare a file in that directory as an artifact (safe relative name). Text is masked, the hash
 * taken and the bytes sent after run() has returned. Declaring an absent file is fine: the
 * manifest then simply lacks it. */
bool mgc_task_artifact(struct mgc_task *task, const char *name, struct mgc_error *err);

/* Write a change to the undo journal, on disk before this returns; then make the change.
 * `before` is what undo needs to put the old state back. */
bool mgc_task_journal(struct mgc_task *task, const char *undo_kind, const struct mgc_fields *before,
    uint64_t *ret_entry, struct mgc_error *err);
/* Undo one entry now, early; removes it from the journal on success. */
bool mgc_task_undo(struct mgc_task *task, uint64_t entry, struct mgc_error *err);
/* The task has taken the change back in its own way (`failed` NULL), or has tried in vain: the
 * entry then stays and is not tried again at the task's end. */
bool mgc_task_undone(
    struct mgc_task *task, uint64_t entry, const struct mgc_error *failed, struct mgc_error *err);
/* The change is no longer there, by other means: forget the entry. */
bool mgc_task_journal_drop(struct mgc_task *task, uint64_t entry, struct mgc_error *err);

#endif
