/* The running phone: the parts of PID 1, wired together. */
#ifndef MGC_LAB_PHONE_PHONE_H
#define MGC_LAB_PHONE_PHONE_H

#include "lab/phone/apps.h"
#include "lab/phone/control_server.h"
#include "lab/phone/journal.h"
#include "lab/phone/latency.h"
#include "lab/phone/log_ring.h"
#include "lab/phone/loop.h"
#include "lab/phone/options.h"
#include "lab/phone/store.h"
#include "lab/phone/sys/state.h"
#include "lab/phone/timer.h"
#include "lab/phone/transport.h"

enum { MGL_KNOB_COUNT = 17, MGL_KNOB_DONE_MAX = 128 };

struct mgl_phone {
    char id[17];                       /* random text, of this boot of mgphone; see procs.h */
    const struct mgl_options *options; /* borrowed */
    int listener;                      /* adb; the transport's once it runs */
    struct mgl_loop loop;
    struct mgl_transport transport;
    struct mgl_control_server control;
    struct mgl_watch log_watch; /* the log's socket */
    struct mgl_log_ring log;
    struct mgl_store store;
    struct mgl_sys_state sys;
    int journal_fd;               /* journal.h; -1: none */
    struct mgl_app_process *apps; /* owned; each frees itself when its process ends */
    const struct mgl_latency *latency, *latency_at_start; /* borrowed, static */
    bool off;                                             /* see power.h */
    unsigned adb_away;                                    /* reasons; 0: adb listens */
    int knob_dir;                /* what sys.writes calls the directory of the knobs; 0: none */
    struct mgl_timer knob_timer; /* something has changed there */
    struct mgl_timer adb_timer, boot_timer;
    struct mgl_timer late_reboot, late_drop; /* app_faults.h */
    int64_t late_away_ms;
    char knobs_done[MGL_KNOB_COUNT][MGL_KNOB_DONE_MAX]; /* value acted upon; "": none */
};

/* PID 1 of the phone: build the root, serve until the process is killed. Prints one line
 * "ready ..." on standard output when adb may connect. Returns an exit code. */
int mgl_phone_run(struct mgl_phone *phone);

void mgl_phone_set_latency(struct mgl_phone *phone, const struct mgl_latency *latency);

#endif
