/* host.state: how the phone is doing, sampled by the device helper while the task holds.
 *
 *   look once which policies and zones there are -> file's head -> sample -> "ready" -> hold -> end
 *
 * Rows are due at fixed moments of the phone's monotonic clock; those that it was too late for are
 * counted, not made up. Besides, host.replay or host.server say when a run begins and ends: rows at
 * these moments, and closer ones behind the begin, so that a run has rows inside however short it
 * is. A phone that leaves adb and comes back goes on in the same file, with a gap in t_ns.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/open.h"
#include "worker-host/tasks/helper_open.h"
#include "worker-host/tasks/state_table.h"

#define STATE_FILE "device-state.csv"

enum { CALL_MS = 15000, END_MS = 5000, BACK_MS = 60000 };

/* At the begin of a run: rows at 0, 40, 120, 280, 600 and 1240 ms. So a run of any length has one
 * in its later half until the schedule has had its turn, for little cost. */
enum { BEGIN_ROWS = 6, BEGIN_GAP_MS = 40 };

const struct mgc_param mgc_host_state_params[] = {
    {"serial", MGC_PARAM_STRING, true, 1, 127, mgc_host_check_serial, "adb serial of the phone"},
    {"period_ms", MGC_PARAM_INT, true, 100, 60000, NULL, "between two samples"},
    {"required", MGC_PARAM_BOOL, false, 0, 0, NULL,
        "fail without the device program; default true"},
    {"device_timeout_ms", MGC_PARAM_INT, false, 1, 600000, NULL, "time for a phone to come back"},
    {0},
};

struct state {
    struct mgc_task *task; /* borrowed */
    unsigned period_ms;
    struct mgc_stop bell;      /* owned: host.replay tells something */
    struct mgc_helper *helper; /* owned */
    char boot_id[MGC_HOST_BOOT_ID_SIZE];
    uint32_t sampling;
    FILE *file; /* owned */
    int write_errno;
    struct mgc_state_table table;
    bool made; /* the table, from the first row */
    int64_t samples, late, start_ns;
    int64_t last_ns;                /* of the latest row */
    int64_t run_from_ns, run_to_ns; /* rows at which a run began and ended; 0: none */
    int64_t cpu_us;                 /* of samplers that have ended */
    bool has_cpu, ended;            /* the sampling ended by itself */
};

static void write_text(struct state *state, struct mgc_buf *text)
{
    if (state->write_errno || !mgc_buf_ok(text))
        return;
    if (fwrite(mgc_buf_text(text), 1, text->len, state->file) != text->len)
        state->write_errno = errno ? errno : EIO;
}

static void on_probe(void *ctx, const struct mgc_device_msg *msg)
{
    struct state *state = ctx;
    if (msg->type == MGC_DEVICE_ROW && !state->made) {
        mgc_state_table_make(&state->table, &msg->row.values);
        state->made = true;
    }
}

static void on_row(void *ctx, const struct mgc_device_msg *msg)
{
    struct state *state = ctx;
    struct mgc_buf text = {0};
    if (msg->type == MGC_DEVICE_ROW) {
        if (state->samples++ == 0)
            state->start_ns = msg->row.begin_ns;
        state->last_ns = msg->row.begin_ns;
        state->late += msg->row.missed;
        mgc_state_put_row(&text, &state->table, msg->row.begin_ns, &msg->row.values);
        write_text(state, &text);
    } else if (msg->type == MGC_DEVICE_SAMPLE_END) {
        state->has_cpu = true;
        state->cpu_us += msg->sample_end.user_us + msg->sample_end.sys_us;
        state->late += msg->sample_end.dropped;
    } else if (msg->type == MGC_DEVICE_DONE || msg->type == MGC_DEVICE_FAILED) {
        state->ended = true;
    }
    mgc_buf_destroy(&text);
}

/* One row of what may be there. */
static bool probe(struct state *state, struct mgc_error *err)
{
    static const char what[] = "host.state: no memory";
    enum { COUNT = MGC_STATE_CPUS_MAX + MGC_STATE_ZONES_SEEN };
    char(*paths)[MGC_STATE_PATH_MAX] = calloc(COUNT, sizeof(*paths));
    const char *nodes[COUNT + 1] = {NULL};
    struct mgc_adb_wait wait = mgc_host_wait(state->task, CALL_MS);
    uint32_t id;
    if (!paths)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "%s", what);
    size_t count = mgc_state_probe_nodes(paths);
    for (size_t i = 0; i < count; i++)
        nodes[i] = paths[i];
    bool ok = mgc_helper_sample(
        state->helper, nodes, state->period_ms, 1, on_probe, state, &id, &wait, err);
    while (ok && !state->made)
        ok = mgc_helper_pump(state->helper, &wait, err);
    free(paths);
    return ok && mgc_helper_cancel(state->helper, id, &wait, err);
}

static bool begin(struct state *state, struct mgc_error *err)
{
    const char *nodes[MGC_STATE_NODES_MAX + 1] = {NULL};
    struct mgc_adb_wait wait = mgc_host_wait(state->task, CALL_MS);
    for (size_t i = 0; i < state->table.node_count; i++)
        nodes[i] = state->table.nodes[i];
    state->ended = false;
    return mgc_helper_sample(
        state->helper, nodes, state->period_ms, 0, on_row, state, &state->sampling, &wait, err);
}

static bool open_all(struct state *state, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf head = {0};
    if (!mgc_host_file(state->task, STATE_FILE, path, err))
        return false;
    state->helper = mgc_host_helper_open(state->task, NULL, err);
    if (!state->helper || !probe(state, err))
        return false;
    snprintf(
        state->boot_id, sizeof(state->boot_id), "%s", mgc_helper_facts(state->helper)->boot_id);
    state->file = mgc_open_write(path);
    if (!state->file)
        return mgc_error_errno(err, errno, "create \"%s\"", path);
    mgc_state_put_head(&head, &state->table, state->period_ms);
    write_text(state, &head);
    mgc_buf_destroy(&head);
    return begin(state, err);
}

/* The stream broke: the phone may come back within its time. */
static bool come_back(struct state *state, struct mgc_error *err)
{
    mgc_helper_free(state->helper);
    state->helper =
        mgc_host_helper_again(state->task, NULL, state->boot_id, mgc_deadline_in_ms(BACK_MS), err);
    return state->helper && begin(state, err);
}

static bool write_ok(const struct state *state, struct mgc_error *err)
{
    return !state->write_errno ||
           mgc_error_errno(err, state->write_errno, "write \"%s\"", STATE_FILE);
}

static struct mgc_host_samplers *samplers_of(const struct state *state)
{
    const struct mgc_host_worker *host = mgc_task_worker(state->task);
    return host->samplers;
}

static bool begin_run(struct state *state, unsigned rows, struct mgc_error *err)
{
    struct mgc_adb_wait wait = mgc_host_wait(state->task, CALL_MS);
    if (!mgc_helper_sample_now(state->helper, state->sampling, rows, BEGIN_GAP_MS, &wait, err))
        return false;
    state->run_from_ns = state->last_ns; /* the row that was asked for came last */
    return true;
}

static bool end_run(struct state *state, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    if (!mgc_helper_sample_now(state->helper, state->sampling, 1, 0, wait, err))
        return false;
    state->run_to_ns = state->last_ns;
    return true;
}

/* A run that has ended meanwhile has no use for the further rows of its begin. */
static bool hear(struct state *state, struct mgc_error *err)
{
    struct mgc_adb_wait wait = mgc_host_wait(state->task, CALL_MS);
    struct mgc_host_moments told = mgc_host_samplers_take(samplers_of(state), &state->bell);
    return (!told.run_begins || begin_run(state, told.run_ends ? 1 : BEGIN_ROWS, err)) &&
           (!told.run_ends || end_run(state, &wait, err));
}

/* One wait and what it brought; true with *ret_done on finish. */
static bool step(struct state *state, bool *ret_done, struct mgc_error *err)
{
    mgc_socket sockets[4] = {mgc_task_stop_fd(state->task), mgc_task_finish_fd(state->task),
        mgc_helper_socket(state->helper), state->bell.read_fd};
    bool ready[4] = {false, false, mgc_helper_buffered(state->helper), false};
    if (!ready[2] &&
        !mgc_net_wait_readable(sockets, ready, 4, mgc_task_deadline(state->task, -1), err))
        return err->code == MGC_E_TIMEOUT ? mgc_task_stop_error(state->task, err) : false;
    if (ready[0])
        return mgc_task_stop_error(state->task, err);
    *ret_done = ready[1] && !ready[3]; /* what the run's end asks for belongs to its file */
    if (*ret_done || (!ready[2] && !ready[3]))
        return true;
    struct mgc_adb_wait wait = mgc_host_wait(state->task, CALL_MS);
    bool ok = ready[3] ? hear(state, err) : mgc_helper_pump(state->helper, &wait, err);
    if (ok && state->ended)
        ok = mgc_error_set(err, MGC_E_FAILED, "the device helper ended its sampling");
    return ok ? write_ok(state, err) : err->code == MGC_E_LOST && come_back(state, err);
}

static bool add_facts(struct state *state, struct mgc_error *err)
{
    struct mgc_buf names = {0};
    struct mgc_fields *facts = mgc_task_facts(state->task);
    bool ok = mgc_fields_set_int(facts, "samples", state->samples) &&
              mgc_fields_set_int(facts, "late", state->late);
    ok = ok && (!state->has_cpu ||
                   mgc_fields_set_int(facts, "sampler_cpu_ms", (state->cpu_us + 500) / 1000));
    ok = ok && (state->samples == 0 || mgc_fields_set_int(facts, "start_mono_ns", state->start_ns));
    ok = ok && (!state->run_from_ns || !state->run_to_ns ||
                   (mgc_fields_set_int(facts, "run_from_mono_ns", state->run_from_ns) &&
                       mgc_fields_set_int(facts, "run_to_mono_ns", state->run_to_ns)));
    ok = ok && (state->samples == 0 ||
                   (mgc_state_put_unreadable(&names, &state->table) &&
                       mgc_fields_set_str(facts, "nodes_unreadable", mgc_buf_text(&names))));
    mgc_buf_destroy(&names);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "host.state: no memory for facts");
}

/* Also when it was stopped: rows until then are what people look for after a failure. */
static bool end(struct state *state, bool ok, struct mgc_error *err)
{
    struct mgc_error why = {0};
    struct mgc_adb_wait wait = {mgc_deadline_in_ms(END_MS), -1};
    /* Whose end nobody saw has ended when nobody looks any more. */
    if (ok && state->run_from_ns && !state->run_to_ns)
        end_run(state, &wait, &why);
    bool done = state->helper && state->sampling &&
                mgc_helper_cancel(state->helper, state->sampling, &wait, &why);
    done = write_ok(state, &why) && done;
    if (state->file && fclose(state->file) != 0)
        done = mgc_error_errno(&why, errno, "write \"%s\"", STATE_FILE);
    done = add_facts(state, &why) && done;
    if (ok && !done)
        *err = why;
    return ok && done;
}

/* Whoever waits for us then need not fail: what the phone did is not known, and says so. */
static bool hold_blind(struct state *state, struct mgc_error *err)
{
    struct mgc_fields *facts = mgc_task_facts(state->task);
    bool ok = mgc_fields_set_str(facts, "unavailable", err->text);
    mgc_error_clear(err);
    return (ok || mgc_error_set(err, MGC_E_NO_MEMORY, "host.state: no memory for facts")) &&
           mgc_task_hold(state->task, NULL, err);
}

static bool sample(struct state *state, struct mgc_error *err)
{
    bool done = false;
    bool ok = open_all(state, err) && mgc_task_event(state->task, "ready", NULL, err);
    if (!ok && !state->helper && !mgc_task_bool_or(state->task, "required", true) &&
        mgc_host_helper_is_no_need(state->task, err))
        return hold_blind(state, err);
    while (ok && !done)
        ok = step(state, &done, err);
    return end(state, ok, err);
}

bool mgc_host_state_run(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_error local = {0};
    struct mgc_error *why = err ? err : &local;
    struct state *state = calloc(1, sizeof(*state));
    if (!state)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "host.state: no memory");
    state->task = task;
    state->bell = (struct mgc_stop)MGC_STOP_INIT;
    state->period_ms = (unsigned)mgc_task_int_or(task, "period_ms", 1000);
    bool ok = mgc_stop_init(&state->bell, why) &&
              mgc_host_samplers_put(
                  samplers_of(state), &state->bell, mgc_task_str(task, "serial"), why) &&
              mgc_task_artifact(task, STATE_FILE, why) && mgc_host_device_ready(task, why) &&
              sample(state, why);
    mgc_helper_free(state->helper);
    mgc_host_samplers_drop(samplers_of(state), &state->bell);
    mgc_stop_destroy(&state->bell);
    free(state);
    return mgc_host_done(task, ok, why);
}
