/* When a replay is over, decided from what its streams have said. Pure; one thread.
 *
 *   while not over:  look at result.json when there is reason to -> decide -> wait for more
 *
 * In the order of what is better evidence: a whole result.json, the end of the process, a fatal
 * line, the app's own word that it is done, the time limit. adb may be lost at any point of it,
 * with what was said meanwhile. */
#ifndef MGC_HOST_REPLAY_END_H
#define MGC_HOST_REPLAY_END_H

#include "worker-host/tasks/replay_seen.h"

enum { MGC_REPLAY_STARTED_MS = 15000 }; /* from am's answer to a sign of the app */

struct mgc_replay_end {
    const char *end;        /* "result", "died", "fatal", "no-result", "timeout"; NULL: not yet */
    int64_t grace_ns;       /* for a whole result once the app has said that it is done */
    unsigned looked;        /* at how many closes of result.json */
    bool ended_looked;      /* at result.json after the process ended */
    int64_t start_limit_ns; /* mono here; 0: am has not answered yet */
    int64_t done_limit_ns;  /* mono here; 0: not said yet, or the file was written since */
};

/* Has the app been there? A process that nobody saw leaves a result all the same. */
bool mgc_replay_end_started(const struct mgc_replay_seen *seen);
/* Is there something new about result.json that has to be looked at? */
bool mgc_replay_end_wants_look(
    const struct mgc_replay_end *end, const struct mgc_replay_seen *seen);
/* It was: `closes` and `ended` as they were before the look, `whole`: it is a whole document. */
void mgc_replay_end_looked(struct mgc_replay_end *end, unsigned closes, bool ended, bool whole);
/* Once nothing wants a look: what has ended it, if anything has. */
void mgc_replay_end_decide(struct mgc_replay_end *end, const struct mgc_replay_seen *seen);
/* Until when to wait for more: the run's `deadline_ns`, or sooner as long as the app has not
 * started though am has answered, or its answer was lost; or once it has said that it is done. */
int64_t mgc_replay_end_limit(struct mgc_replay_end *end, const struct mgc_replay_seen *seen,
    int64_t now_ns, int64_t deadline_ns);
/* That limit has come: "no-result" where it was the grace, else "timeout". */
void mgc_replay_end_expire(struct mgc_replay_end *end, int64_t now_ns);
/* Moment of the end by the phone's clock: when the whole result was closed, or the death seen.
 * 0: nobody saw it. */
int64_t mgc_replay_end_moment(const struct mgc_replay_end *end, const struct mgc_replay_seen *seen);

#endif
