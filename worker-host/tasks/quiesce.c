/* host.quiesce: bring the phone to rest before a cell, and say whether it is fit to measure.
 *
 *   stop packages -> remove stale outputs -> report [-> wait -> report]... -> gate
 *
 * All of it is one shell stream. The gate's outcome is a fact; a battery that is too warm has no
 * event, so while the gate is shut a new report is asked for every GATE_PERIOD_MS, and who waits is
 * told what for: at once, then when it has changed, every other report at most.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "worker-host/adb/shell.h"
#include "worker-host/tasks/common.h"
#include "worker-host/tasks/installed.h"
#include "worker-host/tasks/quiesce_report.h"

enum {
    REPORT_MS = 30000,
    GATE_PERIOD_MS = 5000,
    TELL_PERIODS = 2, /* of the gate, between two words about it */
    OUTPUT_MAX = 65536,
    END_MS = 5000,
};

static bool check_power(const struct mgc_value *value, struct mgc_error *err)
{
    return strcmp(value->string, "any") == 0 || strcmp(value->string, "plugged") == 0 ||
           mgc_error_set(err, MGC_E_USAGE, "expected any or plugged, got \"%.40s\"", value->string);
}

static bool check_unreadable(const struct mgc_value *value, struct mgc_error *err)
{
    return strcmp(value->string, "accept") == 0 || strcmp(value->string, "refuse") == 0 ||
           mgc_error_set(
               err, MGC_E_USAGE, "expected accept or refuse, got \"%.40s\"", value->string);
}

const struct mgc_param mgc_host_quiesce_params[] = {
    {"serial", MGC_PARAM_STRING, true, 1, 127, mgc_host_check_serial, "adb serial of the phone"},
    {"packages", MGC_PARAM_STRING, true, 3, 4096, mgc_host_check_packages, "all to be stopped"},
    {"package", MGC_PARAM_STRING, true, 3, 255, mgc_host_check_package,
        "whose outputs are removed"},
    {"temp_min_dc", MGC_PARAM_INT, false, -1000, 2000, NULL, "battery, tenths of a degree C"},
    {"temp_max_dc", MGC_PARAM_INT, false, -1000, 2000, NULL, "battery, tenths of a degree C"},
    {"cool_to_dc", MGC_PARAM_INT, false, -1000, 2000, NULL,
        "a battery found too hot cools to this"},
    {"free_min_bytes", MGC_PARAM_INT, false, 0, INT64_MAX, NULL, "for the app's files"},
    {"power", MGC_PARAM_STRING, false, 1, 16, check_power, "any (default) or plugged"},
    {"unreadable", MGC_PARAM_STRING, false, 1, 16, check_unreadable, "accept (default) or refuse"},
    {"gate_timeout_ms", MGC_PARAM_INT, false, 0, 24 * 3600 * 1000, NULL, "0: no waiting"},
    {"gate_period_ms", MGC_PARAM_INT, false, 100, 60000, NULL, "between two looks; absent: 5 s"},
    {"stay_awake", MGC_PARAM_STRING, false, 0, 31, NULL, "expected setting; empty: any"},
    {"device_timeout_ms", MGC_PARAM_INT, false, 1, 600000, NULL, "time for a phone to come back"},
    {0},
};

struct quiesce {
    struct mgc_task *task; /* borrowed */
    const char *serial;
    struct mgc_adb_shell shell;
    struct mgc_buf out, err; /* owned; `out`: what is not yet taken of standard output */
    bool exited;
    bool knobs_held; /* by host.knobs, in this worker */
    struct mgc_knobs held;
    struct mgc_quiesce_want want;
    const char *gate; /* of the latest report */
    char told[96];    /* what was last said of the wait; empty: nothing yet */
    int64_t tell_ns;  /* mono; not before then again */
};

static void take_want(struct quiesce *quiesce)
{
    struct mgc_quiesce_want *want = &quiesce->want;
    const char *power = mgc_task_str(quiesce->task, "power");
    const char *unreadable = mgc_task_str(quiesce->task, "unreadable");
    want->has_temp_min = mgc_task_int(quiesce->task, "temp_min_dc", &want->temp_min_dc);
    want->has_temp_max = mgc_task_int(quiesce->task, "temp_max_dc", &want->temp_max_dc);
    want->has_cool_to = mgc_task_int(quiesce->task, "cool_to_dc", &want->cool_to_dc);
    want->free_min_bytes = mgc_task_int_or(quiesce->task, "free_min_bytes", 0);
    want->plugged = power && strcmp(power, "plugged") == 0;
    want->refuse_unreadable = unreadable && strcmp(unreadable, "refuse") == 0;
    want->stay_awake = mgc_task_str(quiesce->task, "stay_awake");
}

/* What host.knobs holds on this phone: read in the same stream as the rest. */
static bool take_held(struct quiesce *quiesce, struct mgc_error *err)
{
    const struct mgc_host_worker *host = mgc_task_worker(quiesce->task);
    return mgc_host_held_get(
        host->held, quiesce->serial, &quiesce->held, &quiesce->knobs_held, err);
}

static bool lost_fact(struct quiesce *quiesce, size_t report_len, struct mgc_error *err)
{
    struct mgc_buf report = {0}, lost = {0};
    bool ok =
        !quiesce->knobs_held ||
        (mgc_buf_append(&report, mgc_buf_text(&quiesce->out), report_len) &&
            mgc_knobs_lost(&quiesce->held, mgc_buf_text(&report), &lost) &&
            mgc_fields_set_str(mgc_task_facts(quiesce->task), "knobs_lost", mgc_buf_text(&lost)));
    mgc_buf_destroy(&lost);
    mgc_buf_destroy(&report);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "host.quiesce: no memory for facts");
}

static bool open_shell(struct quiesce *quiesce, struct mgc_error *err)
{
    struct mgc_buf script = {0};
    struct mgc_adb_wait wait = mgc_host_wait(quiesce->task, REPORT_MS);
    bool ok = mgc_quiesce_script(&script, mgc_task_str(quiesce->task, "packages"),
                  mgc_task_str(quiesce->task, "package"), &quiesce->held) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "host.quiesce: no memory");
    ok = ok && mgc_adb_shell_open(&quiesce->shell, mgc_host_adb(quiesce->task), quiesce->serial,
                   mgc_buf_text(&script), &wait, err);
    mgc_buf_destroy(&script);
    return ok;
}

/* One piece of the stream. */
static bool take_piece(
    struct quiesce *quiesce, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_adb_shell_piece piece;
    if (!mgc_adb_shell_next(&quiesce->shell, &piece, wait, err))
        return false;
    if (piece.id == MGC_ADB_EXIT) {
        quiesce->exited = true;
        return true;
    }
    struct mgc_buf *into = piece.id == MGC_ADB_STDOUT ? &quiesce->out : &quiesce->err;
    return mgc_buf_append(into, piece.data, piece.len) ||
           mgc_error_set(err, MGC_E_PROTOCOL, "device %s: a report of more than %d bytes",
               quiesce->serial, OUTPUT_MAX);
}

static bool exited(struct quiesce *quiesce, struct mgc_error *err)
{
    if (quiesce->shell.exit_code == MGC_QUIESCE_EXIT_LEFT)
        mgc_fields_set_str(mgc_task_facts(quiesce->task), "failure", "left");
    mgc_quiesce_exit_error(
        quiesce->serial, quiesce->shell.exit_code, mgc_buf_text(&quiesce->err), err);
    return quiesce->shell.exit_code == MGC_QUIESCE_EXIT_CLEAN &&
           mgc_host_installed_or(quiesce->task, mgc_task_str(quiesce->task, "package"), err);
}

/* The next report, and its gate. */
static bool read_report(struct quiesce *quiesce, struct mgc_error *err)
{
    struct mgc_adb_wait wait = mgc_host_wait(quiesce->task, REPORT_MS);
    size_t len;
    while ((len = mgc_quiesce_report_length(mgc_buf_text(&quiesce->out))) == 0) {
        if (quiesce->exited)
            return exited(quiesce, err);
        if (!take_piece(quiesce, &wait, err))
            return false;
    }
    struct mgc_fields *facts = mgc_task_facts(quiesce->task);
    if (!mgc_quiesce_report_take(mgc_buf_text(&quiesce->out), len, facts, err) ||
        !lost_fact(quiesce, len, err))
        return false;
    mgc_buf_consume(&quiesce->out, len);
    quiesce->gate = mgc_quiesce_gate(&quiesce->want, facts);
    quiesce->want.was_hot |= strcmp(quiesce->gate, "hot") == 0;
    return true;
}

/* Sleep until it is time to look again; stop and a lost phone end it. */
static bool pause(struct quiesce *quiesce, int64_t until_ns, struct mgc_error *err)
{
    mgc_socket sockets[2] = {mgc_task_stop_fd(quiesce->task), quiesce->shell.conn.socket};
    bool ready[2] = {false};
    if (mgc_net_wait_readable(sockets, ready, 2, until_ns, err)) {
        if (ready[0])
            return mgc_task_stop_error(quiesce->task, err);
        struct mgc_adb_wait wait = mgc_host_wait(quiesce->task, REPORT_MS);
        return take_piece(quiesce, &wait, err); /* says what has become of the phone */
    }
    if (err->code != MGC_E_TIMEOUT)
        return false;
    if (mgc_deadline_past(mgc_task_deadline(quiesce->task, -1)))
        return mgc_task_stop_error(quiesce->task, err);
    mgc_error_clear(err);
    return true;
}

/* What cannot be read now will not be readable later, and neither a setting nor room comes back by
 * itself: these are not waited for. */
static bool gate_may_open(const struct quiesce *quiesce)
{
    static const char *const for_good[] = {"ok", "unreadable", "stay-awake-off", "full"};
    for (size_t i = 0; i < sizeof(for_good) / sizeof(for_good[0]); i++) {
        if (strcmp(quiesce->gate, for_good[i]) == 0)
            return false;
    }
    return true;
}

static int64_t period_ms(const struct quiesce *quiesce)
{
    return mgc_task_int_or(quiesce->task, "gate_period_ms", GATE_PERIOD_MS);
}

/* For people: what cannot be told does not end the wait. */
static void tell(struct quiesce *quiesce, double limit_s)
{
    char text[sizeof(quiesce->told)];
    struct mgc_fields fields = {0};
    mgc_quiesce_wait_text(
        quiesce->gate, &quiesce->want, mgc_task_facts(quiesce->task), text, sizeof(text));
    if (strcmp(text, quiesce->told) == 0 || !mgc_deadline_past(quiesce->tell_ns))
        return;
    memcpy(quiesce->told, text, sizeof(text));
    quiesce->tell_ns = mgc_deadline_in_ms(TELL_PERIODS * period_ms(quiesce));
    if (mgc_fields_setf(&fields, "text", "%s, %g s at most", text, limit_s))
        mgc_task_event(quiesce->task, "waiting", &fields, NULL);
    mgc_fields_destroy(&fields);
}

static bool wait_for_gate(struct quiesce *quiesce, struct mgc_error *err)
{
    int64_t start_ns = mgc_mono_ns();
    int64_t limit_ms = mgc_task_int_or(quiesce->task, "gate_timeout_ms", 0);
    int64_t deadline_ns = mgc_deadline_in_ms(limit_ms);
    bool ok = true;
    while (ok && gate_may_open(quiesce) && !mgc_deadline_past(deadline_ns)) {
        tell(quiesce, (double)limit_ms / 1000);
        int64_t next_ns = mgc_deadline_min(deadline_ns, mgc_deadline_in_ms(period_ms(quiesce)));
        struct mgc_adb_wait wait = mgc_host_wait(quiesce->task, REPORT_MS);
        ok = pause(quiesce, mgc_deadline_min(next_ns, mgc_task_deadline(quiesce->task, -1)), err) &&
             mgc_adb_shell_send(&quiesce->shell, "again\n", 6, &wait, err) &&
             read_report(quiesce, err);
    }
    int64_t waited_ms = (mgc_mono_ns() - start_ns) / MGC_NS_PER_MS;
    struct mgc_fields *facts = mgc_task_facts(quiesce->task);
    bool facts_ok = mgc_fields_set_str(facts, "gate", quiesce->gate) &&
                    mgc_fields_set_int(facts, "gate_waited_ms", waited_ms);
    if (ok && !facts_ok)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "host.quiesce: no memory for facts");
    return ok;
}

/* The shell's own end proves that nothing of the script was cut off. */
static bool close_shell(struct quiesce *quiesce, struct mgc_error *err)
{
    struct mgc_adb_wait wait = mgc_host_wait(quiesce->task, END_MS);
    bool ok = mgc_adb_shell_send_close(&quiesce->shell, &wait, err);
    while (ok && !quiesce->exited)
        ok = take_piece(quiesce, &wait, err);
    if (ok && quiesce->shell.exit_code != 0)
        return mgc_quiesce_exit_error(
            quiesce->serial, quiesce->shell.exit_code, mgc_buf_text(&quiesce->err), err);
    return ok;
}

/* A cell behind a shut gate would measure something else: it does not begin. */
static bool gate_is_open(struct quiesce *quiesce, struct mgc_error *err)
{
    int64_t waited_ms = 0;
    struct mgc_fields *facts = mgc_task_facts(quiesce->task);
    if (strcmp(quiesce->gate, "ok") == 0)
        return true;
    char why[160];
    mgc_fields_get_int(facts, "gate_waited_ms", &waited_ms);
    mgc_fields_set_str(facts, "failure", quiesce->gate);
    mgc_quiesce_gate_text(quiesce->gate, &quiesce->want, facts, why, sizeof(why));
    bool full = strcmp(quiesce->gate, "full") == 0;
    return mgc_error_set(err, full ? MGC_E_NO_SPACE : MGC_E_TIMEOUT,
        "phone '%s' is not ready for a cell after %.0f s: %s", quiesce->serial,
        (double)waited_ms / 1000, why);
}

bool mgc_host_quiesce_run(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_error local = {0};
    struct mgc_error *why = err ? err : &local;
    struct quiesce *quiesce = calloc(1, sizeof(*quiesce)); /* knobs are large for a stack */
    if (!quiesce)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "host.quiesce: no memory");
    *quiesce = (struct quiesce){.task = task,
        .serial = mgc_task_str(task, "serial"),
        .shell = MGC_ADB_SHELL_INIT,
        .out = {.max = OUTPUT_MAX},
        .err = {.max = OUTPUT_MAX}};
    take_want(quiesce);
    bool ok = take_held(quiesce, why) && mgc_host_device_ready(task, why) &&
              open_shell(quiesce, why) && read_report(quiesce, why) &&
              wait_for_gate(quiesce, why) && close_shell(quiesce, why) &&
              gate_is_open(quiesce, why);
    mgc_adb_shell_close(&quiesce->shell);
    mgc_buf_destroy(&quiesce->out);
    mgc_buf_destroy(&quiesce->err);
    free(quiesce);
    return mgc_host_done(task, ok, why);
}
