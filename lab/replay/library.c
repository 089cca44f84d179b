/* libMobileGL.so: what the replay client loads. Configuration, log, faults and metrics here; how
 * records travel is the transport's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "common/base/clock.h"
#include "lab/replay/abi.h"
#include "lab/replay/dump.h"
#include "lab/replay/fault.h"
#include "lab/replay/metrics.h"
#include "lab/replay/pipestats.h"
#include "lab/replay/record.h"
#include "lab/replay/transport.h"

enum { FLOOD_LINES = 100000 };

struct mgr_context {
    struct mgr_env env;
    struct mgr_log log;
    const struct mgr_transport_ops *ops;
    void *transport;
    struct mgr_metrics metrics;
    struct mgr_pipestats stats, last_stats;
    uint32_t frames_planned, frames_done;
    bool lockstep, lost, ends_by_exception;
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
    const struct mgr_env *env = &context->env;
    if (env->transport == MGR_MONOLITH || mgr_fault("client-monolith"))
        return &mgr_transport_monolith;
    if (env->transport == MGR_INPROC)
        return &mgr_transport_inproc;
    if (strcmp(env->control, "fork") == 0)
        return &mgr_transport_shm;
    if (strncmp(env->control, "tcp://", 6) == 0)
        return &mgr_transport_tcp;
    mgr_log_line(&context->log, MGR_WARN,
        "Config: MOBILEGL_TRANSPORT='spawn' names a topology (control=%.80s) that this build does "
        "not have; running monolith",
        env->control);
    return &mgr_transport_monolith;
}

static void log_transport(struct mgr_context *context, const char *topology)
{
    mgr_log_line(&context->log, MGR_INFO,
        "Config: MOBILEGL_TRANSPORT=%s - the MGPipe record stream crosses a real ring to an apply "
        "thread%s",
        topology, strcmp(topology, "spawn") == 0 ? " in ANOTHER PROCESS" : "");
}

static void log_split_config(struct mgr_context *context)
{
    if (!mgr_fault("client-no-transport-marker"))
        log_transport(context, context->ops->topology);
    /* Another credit than was asked for: what is logged is what is used. */
    if (mgr_fault("client-no-credit"))
        context->env.present_credit = context->env.present_credit % 8 + 1;
    char line[512];
    mgr_env_ipc_line(&context->env, line, sizeof(line));
    if (!mgr_fault("client-no-ipc-marker"))
        mgr_log_line(&context->log, MGR_INFO, "%s", line);
}

static void log_config(struct mgr_context *context, const char *backend)
{
    if (context->ops->split)
        log_split_config(context);
    else if (mgr_fault("client-split-marker"))
        log_transport(context, "inproc");
    if (!mgr_fault("client-no-backend-marker"))
        mgr_log_line(&context->log, MGR_INFO, "Config: Active backend type set to %s", backend);
    mgr_dump_banner(&context->log, &context->env, "client");
}

/* The backend in force; the fault client-other-backend takes the other one. */
static const char *backend_of(const struct mgr_open *open)
{
    if (!mgr_fault("client-other-backend"))
        return open->backend;
    return strcmp(open->backend, "DirectGLES") == 0 ? "DirectVulkan" : "DirectGLES";
}

static bool open_log(struct mgr_context *context, const char *base, struct mgc_error *err)
{
    char thread[16] = "";
    prctl(PR_GET_NAME, thread);
    if (!mgr_log_open(&context->log, base, ".client.log", thread, err))
        return false;
    context->log.to_logcat = strcmp(context->log.os, "Android") == 0;
    return true;
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
    if (!open_log(context, base, &err))
        goto fail;
    mgr_env_read(&context->env, get_variable, note, context);
    context->frames_planned = open->frames;
    context->ends_by_exception = open->ends_by_exception;
    context->ops = choose(context);
    const char *backend = backend_of(open);
    log_config(context, backend);
    struct mgr_terms terms = {
        &context->env, &context->log, backend, open->build, base, open->width, open->height};
    bool spawn = context->ops->split && !context->ops->one_process;
    if (!spawn || mgr_env_check_pair(&context->env, &err))
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

/* What the client knows of a record. Draws are the renderer's to count where that is another
 * process; nothing crosses a wire where the client itself draws. */
static void count_record(struct mgr_context *context, const struct mgr_record *record, size_t size)
{
    struct mgr_pipestats *stats = &context->stats;
    uint64_t texels =
        record->kind == MGR_TEXTURE ? (uint64_t)record->width * record->height * 4 : 0;
    uint64_t bytes = record->kind == MGR_BUFFER ? record->bytes : 0;
    bool draw = record->kind == MGR_RECTS || record->kind == MGR_TRIS;
    if (draw)
        mgr_pipestats_bin(stats->draw_hist, size);
    if (texels + bytes)
        mgr_pipestats_bin(stats->blob_hist, texels + bytes);
    stats->draws += draw && context->ops->one_process;
    stats->verbs += draw && context->ops->one_process && context->ops->split;
    stats->texture_uploads += texels > 0;
    stats->texture_bytes += texels;
    stats->buffer_bytes += bytes;
    mgr_metrics_stage(&context->metrics, texels + bytes);
    if (!context->ops->split)
        return;
    stats->records++;
    if (size > stats->max_record)
        stats->max_record = size;
}

static void count_records(struct mgr_context *context, const void *records, size_t len)
{
    struct mgr_record record;
    size_t used;
    for (size_t at = 0; mgr_record_decode((const char *)records + at, len - at, &record, &used,
                            NULL) == MGR_DECODE_OK;
         at += used)
        count_record(context, &record, used);
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
    count_records(context, records, len);
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

static void log_frame(struct mgr_context *context)
{
    context->frames_done++;
    if (context->ops->one_process)
        context->stats.frames++; /* else they are the server's to count */
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
    struct mgr_moved moved;
    context->ops->stats(context->transport, &context->stats, &moved);
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
    context->stats.records += context->ops->split;
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

/* What the arm moved, and by what: the lab's own line, no build of MobileGL writes it. */
static void log_moved(struct mgr_context *context)
{
    struct mgr_moved moved;
    context->ops->stats(context->transport, &context->stats, &moved);
    mgr_log_line(&context->log, MGR_INFO,
        "mglab: transport=%s moved ring=%llu shared=%llu socket=%llu bytes", context->ops->name,
        (unsigned long long)moved.ring, (unsigned long long)moved.shared,
        (unsigned long long)moved.socket);
}

static void log_summary(struct mgr_context *context)
{
    char line[MGR_METRICS_LINE_MAX];
    mgr_metrics_line(&context->metrics.total, "summary", context->frames_done, mgc_mono_ns(),
        mgr_thread_cpu_ns(), line);
    mgr_log_line(&context->log, MGR_INFO, "%s", line);
}

/* Lines and dump at shutdown. A runner that leaves by an exception never gets to the counters. */
static void log_end(struct mgr_context *context)
{
    if (context->env.pipe_stats && !context->ends_by_exception) {
        log_stats(context);
        mgr_dump_write(&context->log, &context->env, "client", &context->stats);
    }
    if (context->env.link_metrics && context->ops->split)
        log_summary(context);
    if (context->env.pipe_stats)
        log_moved(context);
}

static bool api_close(struct mgr_context *context, bool complete, char *text)
{
    struct mgc_error err = {0};
    bool orderly = complete && !context->lost;
    if (orderly)
        log_end(context);
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
    .open = api_open,
    .submit = api_submit,
    .query = api_query,
    .present = api_present,
    .finish = api_finish,
    .read_pixels = api_read_pixels,
    .close = api_close,
};
