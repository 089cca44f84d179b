/* libMobileGL.so: what the replay client loads. The calls of its ABI and the faults among them; how
 * records travel is the transport's. */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "lab/replay/fault.h"
#include "lab/replay/library.h"
#include "lab/replay/record.h"

enum { FLOOD_LINES = 100000 };

static bool report(const struct mgc_error *err, char *text)
{
    snprintf(text, MGR_ABI_ERROR_SIZE, "%s", err->text);
    return false;
}

/* A present credit that never comes is fatal in the real library too: it aborts. */
static void die_of_credit(struct mgr_context *context)
{
    mgr_log_line(&context->log, MGR_ERROR,
        "MGPipe: Fatal{PresentCreditTimeout} - no present credit within %lld ms",
        (long long)context->env.cold_start_ms);
    abort();
}

/* Log a failed operation as the library would: silent server, or device lost (once). */
static bool lose(
    struct mgr_context *context, const char *what, const struct mgc_error *err, char *text)
{
    if (err->code == MGC_E_TIMEOUT)
        mgr_log_line(&context->log, MGR_ERROR,
            "MG_Remote client: the server is ALIVE BUT SILENT - no SurfaceReply for %s seq %u "
            "within %lld ms",
            what, context->frames_done, (long long)context->env.cold_start_ms);
    else if (!context->lost)
        mgr_log_line(&context->log, MGR_ERROR, "MGPipe: DEVICE LOST - %s: %s. The session is over.",
            what, err->text);
    context->lost = true;
    return report(err, text);
}

static bool wait_reply(struct mgr_context *context, const char *what, char *text)
{
    struct mgc_error err = {0};
    int64_t start_ns = mgc_mono_ns();
    if (!context->ops->sync(context->transport, &err))
        return lose(context, what, &err, text);
    if (context->ops->split)
        mgr_metrics_reply(&context->metrics, mgc_mono_ns() - start_ns);
    return true;
}

static bool api_submit(struct mgr_context *context, const void *records, size_t len, char *text)
{
    struct mgc_error err = {0};
    mgr_library_count(context, records, len);
    if (!context->ops->send(context->transport, records, len, &err))
        return lose(context, "submit", &err, text);
    return !context->lockstep || wait_reply(context, "Batch", text);
}

static bool api_query(struct mgr_context *context, char *text)
{
    return wait_reply(context, "Query", text);
}

static void flood(struct mgr_context *context)
{
    int64_t count;
    if (!mgr_fault_number("client-log-flood", FLOOD_LINES, &count))
        return;
    for (int64_t i = 0; i < count; i++)
        mgr_log_line(&context->log, MGR_ERROR,
            "MG_Remote client: the barrier for Clear (seq %lld) woke on a dead doorbell; planted "
            "by the lab",
            (long long)i);
}

/* Faults that strike half-way. */
static void strike(struct mgr_context *context)
{
    if (context->frames_done != context->frames_planned / 2)
        return;
    if (context->ops->split && mgr_fault("client-disarmed")) {
        mgr_log_line(&context->log, MGR_WARN,
            "MG_Remote client: run-ahead DISARMED by a later caps snapshot - every batch waits "
            "from here on");
        context->lockstep = true;
    }
    if (mgr_fault("client-fatal"))
        mgr_log_line(&context->log, MGR_ERROR,
            "MGPipe: Fatal{BarrierTimeout, \"Clear\"} - planted by the lab, the run goes on");
    flood(context);
}

static bool await_credit(struct mgr_context *context, char *text)
{
    struct mgc_error err = {0};
    int64_t start_ns = mgc_mono_ns();
    uint32_t credit = (uint32_t)context->env.present_credit;
    if (!context->ops->await_presents(context->transport, credit - 1, &err)) {
        if (err.code == MGC_E_TIMEOUT)
            die_of_credit(context);
        return lose(context, "present credit", &err, text);
    }
    mgr_metrics_wait(&context->metrics, mgc_mono_ns() - start_ns);
    return true;
}

static bool api_present(struct mgr_context *context, uint32_t frame, uint64_t call, char *text)
{
    struct mgc_error err = {0};
    strike(context);
    if (!await_credit(context, text))
        return false;
    struct mgc_buf out = {0};
    struct mgr_record record = {.kind = MGR_PRESENT, .frame = frame, .call = call};
    mgr_record_encode(&out, &record);
    bool ok = mgc_buf_ok(&out) && context->ops->send(context->transport, out.data, out.len, &err);
    mgc_buf_destroy(&out);
    if (!ok)
        return lose(context, "present", &err, text);
    context->ops->presented(context->transport);
    context->stats.records += context->ops->split;
    if (context->lockstep && !wait_reply(context, "Present", text))
        return false;
    mgr_library_frame(context);
    return true;
}

static bool api_finish(struct mgr_context *context, char *text)
{
    struct mgc_error err = {0};
    int64_t start_ns = mgc_mono_ns();
    if (!context->ops->sync(context->transport, &err))
        return lose(context, "Finish", &err, text);
    mgr_metrics_wait(&context->metrics, mgc_mono_ns() - start_ns);
    return true;
}

static bool api_read_pixels(struct mgr_context *context, uint32_t *pixels, size_t count, char *text)
{
    struct mgc_error err = {0};
    int64_t start_ns = mgc_mono_ns();
    if (!context->ops->read_pixels(context->transport, pixels, count, &err))
        return lose(context, "ReadPixels", &err, text);
    if (context->ops->split)
        mgr_metrics_reply(&context->metrics, mgc_mono_ns() - start_ns);
    return true;
}

static bool api_close(struct mgr_context *context, bool complete, char *text)
{
    struct mgc_error err = {0};
    bool orderly = complete && !context->lost;
    if (orderly)
        mgr_library_end(context);
    bool ok = context->ops->close(context->transport, orderly, &err);
    if (!ok)
        lose(context, "close", &err, text);
    mgr_log_close(&context->log);
    if (ok) /* else a thread that hangs may still look at it */
        free(context);
    return ok;
}

__attribute__((visibility("default"))) extern const struct mgr_api mobilegl_lab_api;

const struct mgr_api mobilegl_lab_api = {
    .version = MGR_ABI_VERSION,
    .size = sizeof(struct mgr_api),
    .open = mgr_library_open,
    .submit = api_submit,
    .query = api_query,
    .present = api_present,
    .finish = api_finish,
    .read_pixels = api_read_pixels,
    .close = api_close,
};
