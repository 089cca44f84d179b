/* Every reason a verdict can have: its stable name, the state it puts a cell in, what it means and
 * what to do. docs/results.md prints this table, and a test holds the two together.
 */
#ifndef MGC_VERIFY_REASONS_H
#define MGC_VERIFY_REASONS_H

#include <stdbool.h>

#include "coordinator/verify/verdict.h"

enum mgc_reason {
    /* the run */
    MGC_REASON_INTERRUPTED,
    MGC_REASON_NO_MEMORY,
    MGC_REASON_RUN_STOPPED,
    MGC_REASON_RUN_ENDED,
    MGC_REASON_RECORD_DAMAGED,
    MGC_REASON_STILL_RUNNING,
    MGC_REASON_NOT_YET,
    MGC_REASON_LEFT_OUT,
    MGC_REASON_NOT_FLAGGED,
    MGC_REASON_NO_TIME_LEFT,
    MGC_REASON_TIME_OVER,
    MGC_REASON_OTHER_INPUTS,
    /* a step did not end well */
    MGC_REASON_WORKER_LOST,
    MGC_REASON_WORKER_ABSENT,
    MGC_REASON_SETUP_LOST,
    MGC_REASON_RELEASE_LATE,
    MGC_REASON_DEVICE_LOST,
    MGC_REASON_TRANSPORT_LOST,
    MGC_REASON_TRANSPORT_RENEWED,
    MGC_REASON_PHONE_REBOOTED,
    MGC_REASON_PEER_LOST,
    MGC_REASON_LEASE_STALE,
    MGC_REASON_UNREACHABLE,
    MGC_REASON_BUSY,
    MGC_REASON_TIMEOUT,
    MGC_REASON_CANCELLED,
    MGC_REASON_DISK_FULL,
    MGC_REASON_ARTIFACT_DAMAGED,
    MGC_REASON_FILE_MISSING,
    MGC_REASON_DENIED,
    MGC_REASON_NO_ROOT,
    MGC_REASON_BAD_PARAMETER,
    MGC_REASON_STEP_FAILED,
    /* the server step did not end well, and says how */
    MGC_REASON_SERVER_NOT_STARTED,
    MGC_REASON_SERVER_NOT_LISTENING,
    MGC_REASON_SERVER_LEFT,
    MGC_REASON_SERVER_OLDER,
    MGC_REASON_SERVER_ENDED,
    /* phone or machines were not ready for a cell */
    MGC_REASON_TOO_HOT,
    MGC_REASON_TOO_COLD,
    MGC_REASON_UNPLUGGED,
    MGC_REASON_NOT_AWAKE,
    MGC_REASON_ASLEEP,
    MGC_REASON_GATE_UNREADABLE,
    MGC_REASON_HOST_LOADED,
    /* the app on the phone */
    MGC_REASON_APP_NOT_INSTALLED,
    MGC_REASON_HELPER_MISSING,
    MGC_REASON_APP_NOT_STARTED,
    MGC_REASON_APP_DIED,
    MGC_REASON_APP_STOPPED,
    MGC_REASON_APP_STARTED_BESIDE,
    MGC_REASON_APP_END_UNKNOWN,
    MGC_REASON_APP_FILES_MISSING,
    MGC_REASON_APP_FILES_CHANGED,
    /* what the phone did meanwhile */
    MGC_REASON_DEVICE_STATE_MISSING,
    MGC_REASON_RUN_NOT_SAMPLED,
    MGC_REASON_THROTTLED,
    MGC_REASON_PIN_OVERRIDDEN,
    MGC_REASON_PIN_UNREADABLE,
    MGC_REASON_PIN_NOT_AT_WORK,
    MGC_REASON_LEFT_BAND,
    MGC_REASON_POWER_LOST,
    MGC_REASON_BUILD_UNKNOWN,
    MGC_REASON_APP_CHANGED,
    MGC_REASON_KNOB_LOST,
    /* the server refused the session */
    MGC_REASON_REFUSED_BUSY,
    MGC_REASON_REFUSED_AUTHENTICATION,
    MGC_REASON_REFUSED_BACKEND,
    MGC_REASON_REFUSED_BUILD,
    MGC_REASON_REFUSED,
    /* the client and its documents */
    MGC_REASON_CLIENT_TIMEOUT,
    MGC_REASON_CLIENT_CRASHED,
    MGC_REASON_CLIENT_EXIT_UNKNOWN,
    MGC_REASON_CLIENT_EXIT,
    MGC_REASON_NO_SESSION,
    MGC_REASON_RESULT_MISSING,
    MGC_REASON_RESULT_DAMAGED,
    MGC_REASON_RESULT_NOT_PASSED,
    MGC_REASON_BENCHMARK_MISSING,
    MGC_REASON_BENCHMARK_DAMAGED,
    MGC_REASON_SSIM_BELOW_THRESHOLD,
    MGC_REASON_SSIM_MISSING,
    MGC_REASON_NO_GOLDEN,
    /* was it this arm? */
    MGC_REASON_LOG_MISSING,
    MGC_REASON_LOG_EMPTY,
    MGC_REASON_LOG_UNREADABLE,
    MGC_REASON_LOG_INCOMPLETE,
    MGC_REASON_TRANSPORT_MARKER_MISSING,
    MGC_REASON_OTHER_ARM,
    MGC_REASON_SECOND_PROCESS_MISSING,
    MGC_REASON_SESSION_MARKER_MISSING,
    MGC_REASON_RUN_AHEAD_NOT_ARMED,
    MGC_REASON_TRANSPORT_REFUSED,
    MGC_REASON_LOCKSTEP,
    MGC_REASON_RUN_AHEAD_DISARMED,
    MGC_REASON_FATAL_IN_LOG,
    MGC_REASON_GL_DEVICE_LOST,
    MGC_REASON_SERVER_UNKNOWN,
    MGC_REASON_WRONG_SERVER,
    MGC_REASON_CREDIT_UNKNOWN,
    MGC_REASON_CREDIT_DIFFERS,
    MGC_REASON_BACKEND_UNKNOWN,
    MGC_REASON_BACKEND_DIFFERS,
    MGC_REASON_UNKNOWN_ARM,
    MGC_REASON_UNKNOWN_MARKER,
    /* was it the measurement that was asked for? */
    MGC_REASON_FRAME_COUNT,
    MGC_REASON_GEOMETRY,
    MGC_REASON_BENCHMARK_FINISH,
    MGC_REASON_NO_FRAME_TIMES,
    /* the server's session */
    MGC_REASON_SESSION_NOT_REAPED,
    MGC_REASON_SERVER_SESSION_EXIT,
    MGC_REASON_SERVER_SESSION_SIGNAL,
    MGC_REASON_OTHER_SESSION,
    MGC_REASON_OTHER_SERVER_LOG,
    /* the clocks during the cell */
    MGC_REASON_CLOCK_STEPPED,
    MGC_REASON_HOST_SLEPT,
    MGC_REASON_CLOCK_UNKNOWN,
    MGC_REASON_START_SKEWED,
    MGC_REASON_EVIDENCE_INCOMPLETE,
    MGC_REASON_NOT_PROVABLE,
    /* the path to the phone */
    MGC_REASON_PATH_UNCHECKED,
    MGC_REASON_MIDDLEBOX,
    MGC_REASON_PATH_UNCLEAR,
    MGC_REASON_PATH_CHANGED,
    MGC_REASON_PATH_UNPROVED,
    MGC_REASON_PATH_NOT_GOOD,
    MGC_REASON_NOT_INSTALLED,
    /* the link test */
    MGC_REASON_LINK_MOVED,
    MGC_REASON_LINK_UNPROVED,
    MGC_REASON_LINK_RECONNECTED,
    MGC_REASON_LINK_CUT_SHORT,
    MGC_REASON_LINK_COUNTS_DIFFER,
    MGC_REASON_LINK_SILENT,
    MGC_REASON_COUNT
};

struct mgc_reason_words {
    const char *name; /* stable: scripts compare it */
    enum mgc_verdict_state state;
    bool infrastructure; /* worth another attempt */
    const char *meaning;
    const char *next_step;
    bool gate; /* the bench did its part; what was measured does not pass the plan's gate */
};

const struct mgc_reason_words *mgc_reason_words(enum mgc_reason reason);
/* NULL: no reason has that name. */
const struct mgc_reason_words *mgc_reason_find(const char *name);

/* Name the verdict by this reason, unless it has one; the sentence says what was seen this time. */
void mgc_reason_set(struct mgc_verdict *verdict, enum mgc_reason reason, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Another name for a verdict that is not `measured`, since more is known now: its evidence stays,
 * and `why` comes before its sentence. */
void mgc_reason_rename(struct mgc_verdict *verdict, enum mgc_reason reason, const char *why);

#endif
