/* The extras of TraceReplayActivity as a run of the replay. Pure.
 *
 * Source: TraceReplayActivity.java (contract, section 7). An extra of another type than the
 * activity asks for is as good as absent; ssim_threshold may be a string or a double. */
#ifndef MGC_LAB_PHONE_APP_REPLAY_RUN_H
#define MGC_LAB_PHONE_APP_REPLAY_RUN_H

#include <stdbool.h>

#include "lab/phone/app/request.h"
#include "lab/replay/runner.h"

enum { MGL_REPLAY_PATH_MAX = 512 };

/* A run and the texts that it borrows; it must not move. The request must outlive it. */
struct mgl_replay_run {
    struct mgr_run run;
    char output[MGL_REPLAY_PATH_MAX], library[MGL_REPLAY_PATH_MAX], server[MGL_REPLAY_PATH_MAX];
};

/* False when the activity refuses: ret_message (borrowed, static) says why; output is set all the
 * same, because the refusal is written there. */
bool mgl_replay_run_make(const struct mgl_app_request *request, struct mgl_replay_run *ret_run,
    const char **ret_message);

#endif
