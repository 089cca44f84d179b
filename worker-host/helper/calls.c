/* The small calls: each makes a message and waits for its answer. */
#include "common/base/clock.h"
#include "worker-host/helper/link.h"

enum { SCAN_MS = 50 };

bool mgc_helper_watch(struct mgc_helper *helper, const struct mgc_helper_watch *watch,
    mgc_helper_on *on, void *ctx, uint32_t *ret_id, const struct mgc_adb_wait *wait,
    struct mgc_error *err)
{
    struct mgc_buf names = {0};
    struct mgc_helper_call call = {
        .msg = {.type = MGC_DEVICE_WATCH,
            .watch = {.dir = watch->dir,
                .package = watch->package,
                .pid = watch->pid,
                .scan_ms = (uint32_t)(watch->scan_ms > 0 ? watch->scan_ms : SCAN_MS)}},
        .on = on,
        .ctx = ctx,
        .ret_id = ret_id};
    bool ok = mgc_helper_list(&call.msg.watch.names, &names, watch->names, err) &&
              mgc_helper_do(helper, &call, wait, err);
    mgc_buf_destroy(&names);
    return ok;
}

bool mgc_helper_sample(struct mgc_helper *helper, const char *const *nodes, unsigned period_ms,
    unsigned rows_max, mgc_helper_on *on, void *ctx, uint32_t *ret_id,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_buf names = {0};
    struct mgc_helper_call call = {.msg = {.type = MGC_DEVICE_SAMPLE,
                                       .sample = {.period_ms = period_ms, .rows_max = rows_max}},
        .on = on,
        .ctx = ctx,
        .ret_id = ret_id};
    bool ok = mgc_helper_list(&call.msg.sample.nodes, &names, nodes, err) &&
              mgc_helper_do(helper, &call, wait, err);
    mgc_buf_destroy(&names);
    return ok;
}

bool mgc_helper_sample_now(struct mgc_helper *helper, uint32_t id, unsigned rows, unsigned gap_ms,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_helper_call call = {
        .msg = {.type = MGC_DEVICE_SAMPLE_NOW, .sample_now = {id, rows, gap_ms}}};
    return mgc_helper_do(helper, &call, wait, err);
}

bool mgc_helper_sink(struct mgc_helper *helper, const struct mgc_helper_sink *sink,
    mgc_helper_on *on, void *ctx, uint32_t *ret_id, const struct mgc_adb_wait *wait,
    struct mgc_error *err)
{
    struct mgc_helper_call call = {.msg = {.type = MGC_DEVICE_SINK,
                                       .sink = {sink->port, (uint32_t)sink->lifetime_ms,
                                           {sink->token, MGC_DEVICE_TOKEN_SIZE}}},
        .on = on,
        .ctx = ctx,
        .ret_id = ret_id};
    return mgc_helper_do(helper, &call, wait, err);
}

bool mgc_helper_cancel(
    struct mgc_helper *helper, uint32_t id, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_helper_call call = {.msg = {.type = MGC_DEVICE_CANCEL, .cancel = {id}}};
    return mgc_helper_do(helper, &call, wait, err);
}

bool mgc_helper_remove(struct mgc_helper *helper, const char *dir, const char *const *names,
    mgc_helper_on *on, void *ctx, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_buf texts = {0};
    struct mgc_helper_call call = {
        .msg = {.type = MGC_DEVICE_REMOVE, .remove = {.dir = dir}}, .on = on, .ctx = ctx};
    bool ok = mgc_helper_list(&call.msg.remove.names, &texts, names, err) &&
              mgc_helper_do(helper, &call, wait, err);
    mgc_buf_destroy(&texts);
    return ok;
}

bool mgc_helper_procs(struct mgc_helper *helper, const char *package, mgc_helper_on *on, void *ctx,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_helper_call call = {
        .msg = {.type = MGC_DEVICE_PROCS, .procs = {package}}, .on = on, .ctx = ctx};
    return mgc_helper_do(helper, &call, wait, err);
}

static void on_clock(void *ctx, const struct mgc_device_msg *msg)
{
    struct mgc_helper_clock *clock = ctx;
    if (msg->type == MGC_DEVICE_CLOCK_REPLY)
        *clock = (struct mgc_helper_clock){.t1_ns = msg->clock_reply.t1_ns,
            .t2_ns = msg->clock_reply.t2_ns,
            .t3_ns = msg->clock_reply.t3_ns,
            .t4_ns = mgc_mono_ns()};
}

/* The probe's whole answer is one message: CLOCK_REPLY. */
bool mgc_helper_clock(struct mgc_helper *helper, struct mgc_helper_clock *ret_clock,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_helper_clock clock = {0};
    struct mgc_helper_call call = {
        .msg = {.type = MGC_DEVICE_CLOCK, .clock = {mgc_mono_ns()}}, .on = on_clock, .ctx = &clock};
    uint32_t id;
    if (!mgc_helper_begin(helper, &call, &id, wait, err))
        return false;
    mgc_helper_forget(helper, id);
    *ret_clock = clock;
    return true;
}
