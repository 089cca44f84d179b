#include "lab/replay/apply.h"

#include <signal.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "lab/replay/dump.h"
#include "lab/replay/fault.h"
#include "lab/replay/metrics.h"

enum { SIGNAL_FRAME = 3, FATAL_FRAME = 2, HANG_FRAME = 2 };

typedef unsigned long long ull;

bool mgr_apply_init(struct mgr_apply *apply, uint32_t width, uint32_t height, struct mgc_error *err)
{
    if (!mgr_renderer_init(&apply->renderer, (int)width, (int)height, err))
        return false;
    if (mgr_fault("server-wrong-pixels"))
        apply->renderer.spoil = 0x00ffffff;
    return true;
}

void mgr_apply_destroy(struct mgr_apply *apply)
{
    if (apply)
        mgr_renderer_destroy(&apply->renderer);
}

void mgr_apply_log_ready(
    struct mgr_apply *apply, const char *backend, const char *control, const char *data)
{
    char line[512];
    mgr_env_ipc_line(apply->env, line, sizeof(line));
    mgr_log_line(apply->log, MGR_INFO, "%s", line);
    mgr_log_line(apply->log, MGR_INFO, "Config: Active backend type set to %s", backend);
    mgr_dump_banner(apply->log, apply->env, "server");
    mgr_log_line(apply->log, MGR_INFO,
        "MG_Remote server: pid=%d transport=spawn role=server ready control=%s data=%s",
        (int)getpid(), control, data);
}

void mgr_apply_begin(struct mgr_apply *apply)
{
    apply->frame_wall_ns = mgc_mono_ns();
    apply->frame_cpu_ns = mgr_thread_cpu_ns();
}

bool mgr_apply_record(
    struct mgr_apply *apply, const struct mgr_record *record, size_t size, struct mgc_error *err)
{
    if (size > apply->renderer.max_record_bytes)
        apply->renderer.max_record_bytes = (uint32_t)size;
    return mgr_renderer_apply(&apply->renderer, record, err);
}

static struct mgr_pipestats stats_of(const struct mgr_apply *apply)
{
    struct mgr_pipestats stats = apply->waits;
    stats.frames = apply->renderer.frames;
    stats.draws = stats.verbs = apply->renderer.draws;
    stats.max_record = apply->renderer.max_record_bytes;
    return stats;
}

static void log_stats(struct mgr_apply *apply)
{
    struct mgr_pipestats now = stats_of(apply);
    char line[MGR_PIPESTATS_LINE_MAX];
    mgr_pipestats_line(&now, &apply->last_stats, line);
    mgr_log_line(apply->log, MGR_INFO, "%s", line);
    apply->last_stats = now;
}

/* Where the apply thread spent the frame's time; the MB/s divide by all time that is not drawing.
 */
static void log_server_frame(struct mgr_apply *apply, double wall_ms, double apply_ms)
{
    double outside_ms = wall_ms - apply_ms;
    mgr_log_line(apply->log, MGR_INFO,
        "P65ServerFrame frame=%llu records=%llu apply_ms=%.1f wall_ms=%.1f outside_ms=%.1f | "
        "read: %llu B in %llu recv(%llu reads) recv_ms=%.1f total_ms=%.1f (%.0f%% blocked, "
        "%.1f MB/s)",
        (ull)apply->renderer.frames, (ull)(apply->renderer.records - apply->frame_records),
        apply_ms, wall_ms, outside_ms, (ull)apply->frame_bytes, (ull)apply->frame_reads,
        (ull)apply->frame_reads, outside_ms, wall_ms, wall_ms > 0 ? outside_ms / wall_ms * 100 : 0,
        wall_ms > 0 ? (double)apply->frame_bytes / wall_ms / 1000 : 0);
}

static void log_frame(struct mgr_apply *apply)
{
    const struct mgr_env *env = apply->env;
    ull frame = apply->renderer.frames;
    int64_t wall_ns = mgc_mono_ns(), cpu_ns = mgr_thread_cpu_ns();
    if (env->link_metrics)
        mgr_log_line(apply->log, MGR_INFO,
            "P65ServerMetrics frame=%llu valid=%d wall_ns=%lld apply_thread_cpu_ns=%lld", frame,
            frame > 1, (long long)(wall_ns - apply->frame_wall_ns),
            (long long)(cpu_ns - apply->frame_cpu_ns));
    if (env->server_frame_stats)
        log_server_frame(apply, (double)(wall_ns - apply->frame_wall_ns) / 1e6,
            (double)(cpu_ns - apply->frame_cpu_ns) / 1e6);
    if (apply->own_process && env->pipe_stats && frame % (uint64_t)env->stats_period == 0)
        log_stats(apply);
    apply->frame_wall_ns = wall_ns;
    apply->frame_cpu_ns = cpu_ns;
    apply->frame_records = apply->renderer.records;
    apply->frame_bytes = apply->frame_reads = 0;
}

/* Faults that strike after a frame. */
static void strike(struct mgr_apply *apply)
{
    int64_t sig, frame = (int64_t)apply->renderer.frames;
    if (mgr_fault_at("server-fatal", FATAL_FRAME, frame))
        mgr_log_line(apply->log, MGR_ERROR,
            "MGPipe: Fatal{RetirementWaitFailed, \"Present\"} - planted by the lab, the run goes "
            "on");
    if (mgr_fault_at("server-hang", HANG_FRAME, frame)) {
        for (;;)
            pause();
    }
    if (apply->own_process && frame == SIGNAL_FRAME &&
        mgr_fault_number("server-session-signal", SIGKILL, &sig))
        kill(getpid(), (int)sig);
}

void mgr_apply_frame(struct mgr_apply *apply)
{
    log_frame(apply);
    strike(apply);
}

void mgr_apply_end(struct mgr_apply *apply)
{
    struct mgr_pipestats stats = stats_of(apply);
    if (apply->own_process && apply->env->pipe_stats) {
        log_stats(apply);
        mgr_dump_write(apply->log, apply->env, "server", &stats);
    }
    mgr_log_line(apply->log, MGR_INFO, "MG_Remote server: session over, %llu frames",
        (ull)apply->renderer.frames);
}
