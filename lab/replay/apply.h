/* The server's side of a session, whatever brings the records: draw them, count, write the lines of
 * each frame, and at the end the summary and the dump. One thread, the apply thread. */
#ifndef MGC_LAB_REPLAY_APPLY_H
#define MGC_LAB_REPLAY_APPLY_H

#include "lab/replay/env.h"
#include "lab/replay/log.h"
#include "lab/replay/pipestats.h"
#include "lab/replay/renderer.h"

struct mgr_apply {
    const struct mgr_env *env; /* borrowed */
    struct mgr_log *log;       /* borrowed; its thread is the apply thread */
    /* The process is a server only: its counters have lines and a dump of their own, and faults may
     * end it. In the arm inproc the client does the counting. */
    bool own_process;
    struct mgr_renderer renderer;
    struct mgr_pipestats waits; /* server_waits and server_parks, set by who waits */
    struct mgr_pipestats last_stats;
    int64_t frame_wall_ns, frame_cpu_ns;
    uint64_t frame_records;
    uint64_t frame_bytes, frame_reads; /* received since the last frame; stay 0 without a socket */
};

/* False: no renderer of that size. The struct starts zeroed but for env, log and own_process. */
bool mgr_apply_init(
    struct mgr_apply *apply, uint32_t width, uint32_t height, struct mgc_error *err);
void mgr_apply_destroy(struct mgr_apply *apply); /* takes NULL and zeroed */

/* The lines of a server process that has a session, and the banner of its counters. */
void mgr_apply_log_ready(
    struct mgr_apply *apply, const char *backend, const char *control, const char *data);
/* In the apply thread, before the first record: starts the frame's clocks. */
void mgr_apply_begin(struct mgr_apply *apply);
/* One record of `size` bytes on its way here. */
bool mgr_apply_record(
    struct mgr_apply *apply, const struct mgr_record *record, size_t size, struct mgc_error *err);
/* After a PRESENT, once the client knows of it: lines and faults of the frame. */
void mgr_apply_frame(struct mgr_apply *apply);
/* After an orderly end: last line and dump. */
void mgr_apply_end(struct mgr_apply *apply);

#endif
