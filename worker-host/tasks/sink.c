/* host.sink: the phone's end of link tests (docs/netbench.md), held by the device helper.
 *
 *   helper -> sink listens -> "ready" -> hold -> cancel, what it counted
 *
 * It ends with this task, with the helper's stream, and by itself when its lifetime is over. A
 * phone that leaves adb takes it along: whoever measured then has lost the session, too.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/device/sink.h"
#include "worker-host/tasks/helper_open.h"

enum { CALL_MS = 15000, END_MS = 5000, LIFETIME_MAX_MS = 3600000 };

const struct mgc_param mgc_host_sink_params[] = {
    {"serial", MGC_PARAM_STRING, true, 1, 127, mgc_host_check_serial, "adb serial of the phone"},
    {"port", MGC_PARAM_INT, true, 1, 65535, NULL, "to listen on, on the phone"},
    {"token", MGC_PARAM_SECRET, true, 16, 128, NULL, "that clients must know"},
    {"lifetime_ms", MGC_PARAM_INT, true, 1000, LIFETIME_MAX_MS, NULL, "after which it ends"},
    {"device_timeout_ms", MGC_PARAM_INT, false, 1, 600000, NULL, "time for a phone to come back"},
    {0},
};

struct sink {
    struct mgc_task *task;     /* borrowed */
    struct mgc_helper *helper; /* owned */
    uint32_t id;
    int64_t sessions, refused;
    char refused_why[64]; /* of the first; empty: none */
    bool ended, counted;
    struct mgc_device_sink_end end;
};

static void on_told(struct sink *sink, const struct mgc_device_sink_told *told)
{
    sink->sessions += told->what == MGC_DEVICE_SINK_BEGAN;
    if (told->what == MGC_DEVICE_SINK_BEGAN || told->what == MGC_DEVICE_SINK_ENDED)
        return;
    sink->refused++;
    if (!sink->refused_why[0])
        snprintf(sink->refused_why, sizeof(sink->refused_why), "%s %u.%u.%u.%u:%u",
            mgc_device_sink_what_name(told->what), told->address >> 24, told->address >> 16 & 255,
            told->address >> 8 & 255, told->address & 255, told->port);
}

static void on_message(void *ctx, const struct mgc_device_msg *msg)
{
    struct sink *sink = ctx;
    if (msg->type == MGC_DEVICE_SINK_TOLD) {
        on_told(sink, &msg->sink_told);
    } else if (msg->type == MGC_DEVICE_SINK_END) {
        sink->counted = true;
        sink->end = msg->sink_end;
    } else if (msg->type == MGC_DEVICE_DONE || msg->type == MGC_DEVICE_FAILED) {
        sink->ended = true;
    }
}

static bool open_all(struct sink *sink, struct mgc_error *err)
{
    struct mgc_helper_sink asked = {.port = (unsigned)mgc_task_int_or(sink->task, "port", 0),
        .lifetime_ms = mgc_task_int_or(sink->task, "lifetime_ms", 0)};
    mgc_sink_token(mgc_task_str(sink->task, "token"), asked.token);
    sink->helper = mgc_host_helper_open(sink->task, NULL, err);
    struct mgc_adb_wait wait = mgc_host_wait(sink->task, CALL_MS);
    return sink->helper &&
           mgc_helper_sink(sink->helper, &asked, on_message, sink, &sink->id, &wait, err);
}

/* One wait and what it brought; true with *ret_done on finish. */
static bool step(struct sink *sink, bool *ret_done, struct mgc_error *err)
{
    mgc_socket sockets[3] = {mgc_task_stop_fd(sink->task), mgc_task_finish_fd(sink->task),
        mgc_helper_socket(sink->helper)};
    bool ready[3] = {false, false, mgc_helper_buffered(sink->helper)};
    if (!ready[2] &&
        !mgc_net_wait_readable(sockets, ready, 3, mgc_task_deadline(sink->task, -1), err))
        return err->code == MGC_E_TIMEOUT ? mgc_task_stop_error(sink->task, err) : false;
    if (ready[0])
        return mgc_task_stop_error(sink->task, err);
    *ret_done = ready[1];
    if (*ret_done || !ready[2])
        return true;
    struct mgc_adb_wait wait = mgc_host_wait(sink->task, CALL_MS);
    if (!mgc_helper_pump(sink->helper, &wait, err))
        return false;
    return !sink->ended || mgc_error_set(err, MGC_E_TIMEOUT,
                               "the sink was still needed after its lifetime of %lld ms",
                               (long long)mgc_task_int_or(sink->task, "lifetime_ms", 0));
}

/* What the sink says at its end counts; what was heard until then where it cannot say it. */
static bool add_facts(const struct sink *sink, struct mgc_error *err)
{
    struct mgc_fields *facts = mgc_task_facts(sink->task);
    const struct mgc_device_sink_end *end = &sink->end;
    bool ok =
        mgc_fields_set_int(
            facts, "sessions", sink->counted ? (int64_t)end->sessions : sink->sessions) &&
        mgc_fields_set_int(facts, "refused", sink->counted ? (int64_t)end->refused : sink->refused);
    ok = ok &&
         (!sink->refused_why[0] || mgc_fields_set_str(facts, "refused_why", sink->refused_why));
    ok = ok &&
         (!sink->counted || (mgc_fields_set_int(facts, "received_bytes", end->received_bytes) &&
                                mgc_fields_set_int(facts, "sent_bytes", end->sent_bytes)));
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "host.sink: no memory for facts");
}

static bool end(struct sink *sink, bool ok, struct mgc_error *err)
{
    struct mgc_error why = {0};
    struct mgc_adb_wait wait = {mgc_deadline_in_ms(END_MS), -1};
    bool done = sink->ended || (sink->helper && sink->id &&
                                   mgc_helper_cancel(sink->helper, sink->id, &wait, &why));
    done = add_facts(sink, &why) && done;
    if (ok && !done)
        *err = why;
    return ok && done;
}

bool mgc_host_sink_run(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_error local = {0};
    struct mgc_error *why = err ? err : &local;
    struct sink sink = {.task = task};
    bool done = false;
    bool ok = mgc_host_device_ready(task, why) && open_all(&sink, why) &&
              mgc_task_event(task, "ready", NULL, why);
    while (ok && !done)
        ok = step(&sink, &done, why);
    ok = end(&sink, ok, why);
    mgc_helper_free(sink.helper);
    return mgc_host_done(task, ok, why);
}
