/* libMobileGL.so: what the replay client loads. Configuration, log, faults and metrics here; how
 * records travel is the transport's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "lab/replay/abi.h"
#include "lab/replay/fault.h"
#include "lab/replay/metrics.h"
#include "lab/replay/pipestats.h"
#include "lab/replay/record.h"
#include "lab/replay/transport.h"

struct mgr_context {
    struct mgr_env env;
    struct mgr_log log;
    const struct mgr_transport_ops *ops;
    void *transport;
    struct mgr_metrics metrics;
    struct mgr_pipestats stats, last_stats;
    uint32_t frames_planned, frames_done;
    bool lockstep, lost;
};

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

static void note(void *user, enum mgr_level level, const char *text)
{
    mgr_log_line(&((struct mgr_context *)user)->log, level, "%s", text);
}

static const char *get_variable(const char *name)
{
    return getenv(name);
}

/* Which arm the environment asks for, as far as this library has it. */
static const struct mgr_transport_ops *choose(struct mgr_context *context)
{
    bool tcp = strncmp(context->env.control, "tcp://", 6) == 0;
    if (context->env.transport == MGR_MONOLITH)
        return &mgr_transport_monolith;
    if (context->env.transport == MGR_SPAWN && tcp)
        return &mgr_transport_tcp;
    mgr_log_line(&context->log, MGR_WARN,
        "Config: MOBILEGL_TRANSPORT='%s' names a topology (control=%.80s) that this build does not "
        "have; running monolith",
        context->env.transport == MGR_SPAWN ? "spawn" : "inproc", context->env.control);
    return &mgr_transport_monolith;
}

static void log_config(struct mgr_context *context, const struct mgr_open *open)
{
    struct mgr_log *log = &context->log;
    if (context->ops->split) {
        if (!mgr_fault("client-no-transport-marker"))
            mgr_log_line(log, MGR_INFO,
                "Config: MOBILEGL_TRANSPORT=spawn - the MGPipe record stream crosses a real ring "
                "to an apply thread in ANOTHER PROCESS");
        /* Another credit than was asked for: what is logged is what is used. */
        if (mgr_fault("client-no-credit"))
            context->env.present_credit = context->env.present_credit % 8 + 1;
        char line[512];
        mgr_env_ipc_line(&context->env, line, sizeof(line));
        mgr_log_line(log, MGR_INFO, "%s", line);
    }
    mgr_log_line(log, MGR_INFO, "Config: Active backend type set to %s", open->backend);
    if (context->env.pipe_stats)
        mgr_log_line(log, MGR_INFO,
            "MGPipe stats: counters ON (MOBILEGL_PIPE_STATS), summary every %lld frames",
            (long long)context->env.stats_period);
}

/* Run ahead or in lockstep, and say which. */
static void arm(struct mgr_context *context)
{
    if (!context->ops->split)
        return;
    bool served = context->ops->run_ahead(context->transport) && !mgr_fault("client-lockstep");
    context->lockstep = !context->env.run_ahead || !served;
    if (context->env.run_ahead && !served)
        mgr_log_line(&context->log, MGR_WARN,
            "MG_Remote client: run-ahead requested, server does not publish kCapRunAheadApply - "
            "running lockstep. Every batch waits for the server.");
    else if (!context->lockstep && !mgr_fault("client-not-armed"))
        mgr_log_line(&context->log, MGR_INFO,
            "MG_Remote client: run-ahead ARMED - records are published without waiting, paced by "
            "a present credit of %lld",
            (long long)context->env.present_credit);
}

static struct mgr_context *api_open(const struct mgr_open *open, char *text)
{
    struct mgc_error err = {0};
    struct mgr_context *context = calloc(1, sizeof(*context));
    if (!context) {
        snprintf(text, MGR_ABI_ERROR_SIZE, "no memory for a context");
        return NULL;
    }
    /* Read once in silence: the log's own place is among the variables. */
    mgr_env_read(&context->env, get_variable, NULL, NULL);
    const char *base = context->env.log_base[0] ? context->env.log_base : open->log_base;
    if (!mgr_log_open(&context->log, base, ".client.log", "mobilegl_trace_replay", &err))
        goto fail;
    mgr_env_read(&context->env, get_variable, note, context);
    context->frames_planned = open->frames;
    context->ops = choose(context);
    log_config(context, open);
    struct mgr_terms terms = {
        &context->env, &context->log, open->backend, open->build, base, open->width, open->height};
    context->transport = context->ops->open(&terms, &err);
    if (!context->transport) {
        mgr_log_line(&context->log, MGR_ERROR, "MG_Remote client: no session: %s", err.text);
        goto fail;
    }
    arm(context);
    mgr_log_line(&context->log, MGR_INFO, "MobileGL initialized");
    mgr_metrics_start(&context->metrics);
    return context;

fail:
    report(&err, text);
    mgr_log_close(&context->log);
    free(context);
    return NULL;
}

/* Count what a batch holds. */
static void count_records(struct mgr_context *context, const void *records, size_t len)
{
    struct mgr_record record;
    size_t used;
    struct mgr_pipestats *stats = &context->stats;
    for (size_t at = 0; mgr_record_decode((const char *)records + at, len - at, &record, &used,
                            NULL) == MGR_DECODE_OK;
         at += used) {
        uint64_t texels =
            record.kind == MGR_TEXTURE ? (uint64_t)record.width * record.height * 4 : 0;
        uint64_t bytes = record.kind == MGR_BUFFER ? record.bytes : 0;
        stats->records++;
        stats->draws += record.kind == MGR_RECTS || record.kind == MGR_TRIS;
        stats->texture_uploads += texels > 0;
        stats->texture_bytes += texels;
        stats->buffer_bytes += bytes;
        if (used > stats->max_record)
            stats->max_record = used;
        mgr_metrics_stage(&context->metrics, texels + bytes);
    }
}

static bool wait_reply(struct mgr_context *context, const char *what, char *text)
{
    struct mgc_error err = {0};
    int64_t start_ns = mgc_mono_ns();
    if (!context->ops->sync(context->transport, &err))
        return lose(context, what, &err, text);
    if (context->ops->split) {
        context->stats.client_waits++;
        mgr_metrics_reply(&context->metrics, mgc_mono_ns() - start_ns);
    }
    return true;
}

static bool api_submit(struct mgr_context *context, const void *records, size_t len, char *text)
{
    struct mgc_error err = {0};
    count_records(context, records, len);
    if (!context->ops->send(context->transport, records, len, &err))
        return lose(context, "submit", &err, text);
    return !context->lockstep || wait_reply(context, "Batch", text);
}

static bool api_query(struct mgr_context *context, char *text)
{
    return wait_reply(context, "Query", text);
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
}

static void log_frame(struct mgr_context *context)
{
    context->frames_done++;
    if (!context->ops->split)
        context->stats.frames++; /* a split client counts no frames: they are the server's */
    if (context->env.link_metrics && context->ops->split) {
        char line[MGR_METRICS_LINE_MAX];
        mgr_metrics_line(&context->metrics.frame, "frame", context->frames_done, mgc_mono_ns(),
            mgr_thread_cpu_ns(), line);
        mgr_log_line(&context->log, MGR_INFO, "%s", line);
    }
    mgr_metrics_next(&context->metrics);
}

static void log_stats(struct mgr_context *context)
{
    char line[MGR_PIPESTATS_LINE_MAX];
    mgr_pipestats_line(&context->stats, &context->last_stats, line);
    mgr_log_line(&context->log, MGR_INFO, "%s", line);
    context->last_stats = context->stats;
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
    context->stats.records++;
    if (context->lockstep && !wait_reply(context, "Present", text))
        return false;
    log_frame(context);
    if (context->env.pipe_stats && context->stats.frames &&
        context->stats.frames % (uint64_t)context->env.stats_period == 0)
        log_stats(context);
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
    if (orderly && context->env.pipe_stats)
        log_stats(context);
    if (orderly && context->env.link_metrics && context->ops->split) {
        char line[MGR_METRICS_LINE_MAX];
        mgr_metrics_line(&context->metrics.total, "summary", context->frames_done, mgc_mono_ns(),
            mgr_thread_cpu_ns(), line);
        mgr_log_line(&context->log, MGR_INFO, "%s", line);
    }
    bool ok = context->ops->close(context->transport, orderly, &err);
    if (!ok)
        lose(context, "close", &err, text);
    mgr_log_close(&context->log);
    free(context);
    return ok;
}

__attribute__((visibility("default"))) extern const struct mgr_api mobilegl_lab_api;

const struct mgr_api mobilegl_lab_api = {
    .version = MGR_ABI_VERSION,
    .size = sizeof(struct mgr_api),
    .open = api_open,
    .submit = api_submit,
    .query = api_query,
    .present = api_present,
    .finish = api_finish,
    .read_pixels = api_read_pixels,
    .close = api_close,
};
