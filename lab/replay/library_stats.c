/* What the client counts, and the lines that say so. */
#include "common/base/clock.h"
#include "lab/replay/dump.h"
#include "lab/replay/library.h"
#include "lab/replay/record.h"

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

void mgr_library_count(struct mgr_context *context, const void *records, size_t len)
{
    struct mgr_record record;
    size_t used;
    for (size_t at = 0; mgr_record_decode((const char *)records + at, len - at, &record, &used,
                            NULL) == MGR_DECODE_OK;
         at += used)
        count_record(context, &record, used);
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

void mgr_library_frame(struct mgr_context *context)
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
    if (context->env.pipe_stats && context->stats.frames &&
        context->stats.frames % (uint64_t)context->env.stats_period == 0)
        log_stats(context);
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
void mgr_library_end(struct mgr_context *context)
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
