/* host.knobs: settings of the phone for the length of a run.
 *
 *   read and journal all -> apply and read back each        (any failure: none of them stays)
 *   -> "ready" -> hold -> read again -> put back, newest first
 *
 * Each knob has an entry of its own in the undo journal, with what was there before; so a kill at
 * any point leaves exactly what has to be put back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/plat/file.h"
#include "worker-host/adb/devices.h"
#include "worker-host/adb/quote.h"
#include "worker-host/adb/shell.h"
#include "worker-host/tasks/common.h"
#include "worker-host/tasks/installed.h"
#include "worker-host/tasks/knob.h"

#define UNDO_KIND  "knob.restore"
#define KNOBS_FILE "knobs.txt"

enum { KNOB_MS = 20000, UNDO_MS = 20000, UNDO_READY_MS = 5000, OUTPUT_MAX = 16384 };

const struct mgc_param mgc_host_knobs_params[] = {
    {"serial", MGC_PARAM_STRING, true, 1, 127, mgc_host_check_serial, "adb serial of the phone"},
    {"knobs", MGC_PARAM_STRING, true, 0, 8192, mgc_knobs_check, "one per line"},
    {"optional", MGC_PARAM_BOOL, false, 0, 0, NULL,
        "default false; true: doze-exempt of an app that is not installed is passed over"},
    {"device_timeout_ms", MGC_PARAM_INT, false, 1, 600000, NULL, "time for a phone to come back"},
    {0},
};

struct knob_state {
    char before[MGC_KNOB_VALUE_MAX], applied[MGC_KNOB_VALUE_MAX], end[MGC_KNOB_VALUE_MAX];
    uint64_t entry;
    bool journaled, restored;
};

struct holder {
    struct mgc_task *task; /* borrowed */
    const char *serial;
    struct mgc_knobs knobs;
    struct mgc_buf lines; /* owned: of these knobs, for host.quiesce */
    struct knob_state states[MGC_KNOBS_MAX];
};

/* Run one of a knob's scripts; ret_value is what the phone reads then. */
static bool run_verb(struct mgc_adb *adb, const char *serial, const struct mgc_knob *knob,
    enum mgc_knob_verb verb, const char *before, const struct mgc_adb_wait *wait,
    char ret_value[MGC_KNOB_VALUE_MAX], struct mgc_error *err)
{
    struct mgc_buf script = {0};
    struct mgc_adb_result result = {.out = {.max = OUTPUT_MAX}, .err = {.max = OUTPUT_MAX}};
    bool ok = mgc_knob_script(&script, knob, verb, before) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a knob");
    ok = ok && mgc_adb_run(adb, serial, mgc_buf_text(&script), NULL, wait, &result, err);
    if (ok && result.exit_code != 0)
        ok = mgc_knob_exit_error(knob, result.exit_code, mgc_buf_text(&result.err), err) ||
             mgc_error_prefix(err, "device %s", serial);
    ok = ok && mgc_knob_value(knob, mgc_buf_text(&result.out), ret_value, err);
    mgc_adb_result_destroy(&result);
    mgc_buf_destroy(&script);
    return ok;
}

static bool of_task(struct holder *holder, size_t i, enum mgc_knob_verb verb,
    char ret_value[MGC_KNOB_VALUE_MAX], struct mgc_error *err)
{
    struct mgc_adb_wait wait = mgc_host_wait(holder->task, KNOB_MS);
    const struct mgc_knob *knob = &holder->knobs.items[i];
    if (run_verb(
            mgc_host_adb(holder->task), holder->serial, knob, verb, NULL, &wait, ret_value, err))
        return true;
    return knob->kind == MGC_KNOB_DOZE_EXEMPT &&
           mgc_host_installed_or(holder->task, knob->args[0], err);
}

static bool journal(struct holder *holder, size_t i, struct mgc_error *err)
{
    struct mgc_fields before = {0};
    struct knob_state *state = &holder->states[i];
    bool ok = (mgc_fields_set_str(&before, "serial", holder->serial) &&
                  mgc_fields_set_str(&before, "knob", holder->knobs.items[i].line) &&
                  mgc_fields_set_str(&before, "before", state->before)) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the undo journal");
    ok = ok && mgc_task_journal(holder->task, UNDO_KIND, &before, &state->entry, err);
    state->journaled = ok;
    mgc_fields_destroy(&before);
    return ok;
}

static bool add_fact(struct holder *holder, size_t i, const char *more, struct mgc_error *err)
{
    char name[32], what[40];
    const struct knob_state *state = &holder->states[i];
    struct mgc_fields *facts = mgc_task_facts(holder->task);
    snprintf(name, sizeof(name), "knob.%zu", i + 1);
    snprintf(what, sizeof(what), "%s.what", name);
    return (mgc_fields_set_str(facts, what, holder->knobs.items[i].line) &&
               mgc_fields_setf(
                   facts, name, "applied %s (was %s)%s", state->applied, state->before, more)) ||
           mgc_error_set(err, MGC_E_NO_MEMORY, "host.knobs: no memory for facts");
}

/* What was there before any of the knobs is set: one may change what another one reads, as a limit
 * cuts the limit on its other side. */
static bool prepare(struct holder *holder, size_t i, struct mgc_error *err)
{
    const struct mgc_knob *knob = &holder->knobs.items[i];
    struct knob_state *state = &holder->states[i];
    if (!of_task(holder, i, MGC_KNOB_READ, state->before, err))
        return false;
    if (knob->kind == MGC_KNOB_SERVICE_STOP && strcmp(state->before, "running") != 0 &&
        strcmp(state->before, "stopped") != 0)
        return mgc_error_set(err, MGC_E_BUSY, "knob \"%.100s\": the service is \"%.60s\"",
            knob->line, state->before);
    return journal(holder, i, err);
}

static bool apply(struct holder *holder, size_t i, struct mgc_error *err)
{
    const struct mgc_knob *knob = &holder->knobs.items[i];
    struct knob_state *state = &holder->states[i];
    if (!of_task(holder, i, MGC_KNOB_APPLY, state->applied, err))
        return false;
    if (!mgc_knob_holds(knob, state->applied))
        return mgc_error_set(err, MGC_E_FAILED,
            "device %s: knob \"%.100s\" was set, and the phone reads \"%.100s\"", holder->serial,
            knob->line, state->applied);
    return add_fact(holder, i, "", err);
}

/* What has to hold: all but what is of an app that may be missing, and is. */
static bool take_lines(struct holder *holder, struct mgc_error *err)
{
    bool optional = mgc_task_bool_or(holder->task, "optional", false);
    size_t kept = 0;
    for (size_t i = 0; i < holder->knobs.count; i++) {
        const struct mgc_knob *knob = &holder->knobs.items[i];
        if (optional && knob->kind == MGC_KNOB_DOZE_EXEMPT &&
            mgc_host_is_missing(holder->task, knob->args[0]))
            continue;
        mgc_buf_printf(&holder->lines, "%s\n", knob->line);
        if (kept++ != i)
            holder->knobs.items[kept - 1] = *knob;
    }
    holder->knobs.count = kept;
    return mgc_buf_ok(&holder->lines) ||
           mgc_error_set(err, MGC_E_NO_MEMORY, "host.knobs: no memory");
}

/* --- the table for people --------------------------------------------------------------------- */

static const char *shown(const char *value)
{
    return *value ? value : "-";
}

static bool write_table(struct holder *holder, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    mgc_buf_puts(&text, "knob\tbefore\tapplied\tat the end\tput back\n");
    for (size_t i = 0; i < holder->knobs.count; i++) {
        const struct knob_state *state = &holder->states[i];
        mgc_buf_printf(&text, "%s\t%s\t%s\t%s\t%s\n", holder->knobs.items[i].line,
            shown(state->before), shown(state->applied), shown(state->end),
            state->restored ? "yes" : "not yet");
    }
    bool ok = mgc_host_file(holder->task, KNOBS_FILE, path, err) &&
              (mgc_buf_ok(&text) ? mgc_file_write(path, text.data, text.len, 0644, err)
                                 : mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a file"));
    mgc_buf_destroy(&text);
    return ok;
}

/* --- hold and end ----------------------------------------------------------------------------- */

/* What was overridden while it had to hold is told here for people; between the cells of a plan
 * host.quiesce looks, and its knobs_lost is what the coordinator judges. */
static bool look_again(struct holder *holder, struct mgc_error *err)
{
    for (size_t i = 0; i < holder->knobs.count; i++) {
        struct knob_state *state = &holder->states[i];
        char more[MGC_KNOB_VALUE_MAX + 32] = "";
        if (!of_task(holder, i, MGC_KNOB_READ, state->end, err))
            return false;
        if (!mgc_knob_holds(&holder->knobs.items[i], state->end))
            snprintf(more, sizeof(more), ", at the end %s", state->end);
        if (!add_fact(holder, i, more, err))
            return false;
    }
    return true;
}

/* Newest first. What fails stays in the journal, for the runner. */
static bool put_back_left(struct holder *holder, struct mgc_error *err)
{
    bool ok = true;
    for (size_t i = holder->knobs.count; i-- > 0;) {
        struct knob_state *state = &holder->states[i];
        if (!state->journaled || state->restored)
            continue;
        state->restored = mgc_task_undo(holder->task, state->entry, ok ? err : NULL);
        ok = state->restored && ok;
    }
    return ok;
}

/* Where host.quiesce finds what has to hold. */
static struct mgc_host_held *held(const struct holder *holder)
{
    const struct mgc_host_worker *host = mgc_task_worker(holder->task);
    return host->held;
}

/* What does not read as before once it is written may be in the way of another knob that is put
 * back after it (a lower limit above the upper one): those get a second turn. */
static bool put_back(struct holder *holder, struct mgc_error *err)
{
    struct mgc_error first = {0};
    return put_back_left(holder, &first) ||
           (first.code == MGC_E_FAILED ? put_back_left(holder, err) : (*err = first, false));
}

static bool hold(struct holder *holder, struct mgc_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < holder->knobs.count; i++)
        ok = prepare(holder, i, err);
    for (size_t i = 0; ok && i < holder->knobs.count; i++)
        ok = apply(holder, i, err);
    ok = ok &&
         mgc_host_held_put(
             held(holder), holder, holder->serial, mgc_buf_text(&holder->lines), err) &&
         mgc_task_hold(holder->task, mgc_task_facts(holder->task), err) && look_again(holder, err);
    mgc_host_held_drop(held(holder), holder);
    struct mgc_error why = {0};
    bool back = put_back(holder, &why) && write_table(holder, &why);
    if (ok && !back)
        *err = why;
    return ok && back;
}

bool mgc_host_knobs_run(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_error local = {0};
    struct mgc_error *why = err ? err : &local;
    struct holder *holder = calloc(1, sizeof(*holder));
    if (!holder)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "host.knobs: no memory");
    holder->task = task;
    holder->serial = mgc_task_str(task, "serial");
    bool ok = mgc_knobs_parse(mgc_task_str(task, "knobs"), &holder->knobs, why) &&
              mgc_task_artifact(task, KNOBS_FILE, why) && mgc_host_device_ready(task, why) &&
              take_lines(holder, why) && hold(holder, why);
    mgc_buf_destroy(&holder->lines);
    free(holder);
    if (!ok && mgc_knob_lacks_root(why))
        mgc_fields_set_str(mgc_task_facts(task), "failure", "no-root");
    return mgc_host_done(task, ok, why);
}

bool mgc_host_knobs_undo(const struct mgc_fields *before, void *worker, struct mgc_error *err)
{
    const struct mgc_host_worker *host = worker;
    const char *serial = mgc_fields_get_str(before, "serial");
    const char *line = mgc_fields_get_str(before, "knob");
    const char *value = mgc_fields_get_str(before, "before");
    char now[MGC_KNOB_VALUE_MAX];
    struct mgc_knob knob;
    struct mgc_adb_wait wait = {mgc_deadline_in_ms(UNDO_MS), -1};
    struct mgc_adb_wait ready = mgc_adb_wait_ms(&wait, UNDO_READY_MS);
    if (!serial || !line || !value || !mgc_adb_check_serial(serial, err) ||
        !mgc_knob_parse(line, &knob, err))
        return mgc_error_set(
            err, MGC_E_FAILED, "undo of " UNDO_KIND ": the entry lacks serial, knob or value");
    if (!mgc_adb_device_ready(host->adb, serial, &ready, err))
        return mgc_error_prefix(err, "put back");
    /* The change may never have been made, because the phone refuses it: as it would this one. */
    if (run_verb(host->adb, serial, &knob, MGC_KNOB_READ, NULL, &wait, now, NULL) &&
        strcmp(now, value) == 0)
        return true;
    if (!run_verb(host->adb, serial, &knob, MGC_KNOB_RESTORE, value, &wait, now, err))
        return mgc_error_prefix(err, "put back");
    return strcmp(now, value) == 0 ||
           mgc_error_set(err, MGC_E_FAILED,
               "device %s: knob \"%.100s\" was put back to \"%.100s\", and the phone reads "
               "\"%.100s\"",
               serial, line, value, now);
}
