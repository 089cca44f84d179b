/* What the parts of session/ share: the state of a run on one phone, of all that run side by side,
 * and how people hear of it. Internal. */
#ifndef MGC_SESSION_PRIVATE_H
#define MGC_SESSION_PRIVATE_H

#include "common/bus/keys.h"
#include "common/bus/loop.h"
#include "coordinator/control/server.h"
#include "coordinator/history/run_gate.h"
#include "coordinator/link/link.h"
#include "coordinator/plan/budget.h"
#include "coordinator/progress/view.h"
#include "coordinator/sched/slots.h"
#include "coordinator/session/resume.h"
#include "coordinator/session/session.h"
#include "coordinator/store/manifest.h"
#include "coordinator/store/run_dir.h"

/* Where the files of one attempt go, and which there are. */
struct place {
    char dir[MGC_PATH_MAX];
    struct mgc_manifest *manifest;                  /* owned */
    struct mgc_clock_offset clocks[MGC_ROLE_COUNT]; /* at the beginning, or the common start */
};

/* The attempt that ended last because the phone had left adb, until its boot id is known. */
struct lost_phone {
    const struct mgc_cell *cell; /* NULL: none */
    int number;
    char dir[MGC_PATH_MAX];
    char boot_id[64]; /* the setup's */
};

struct fleet;

/* What budgets have decided so far (budget.c). */
struct session_budget {
    struct mgc_time_limit limit;
    bool spent;      /* too many cells came to nothing */
    size_t part;     /* whose turn was last; 0: none yet */
    bool left;       /* that part is left out */
    char why[448];   /* in one sentence */
    size_t given_up; /* block whose further turns had no time; 0: none */
};

struct session { /* the run on one phone */
    const struct mgc_session_phone *config;
    struct fleet *fleet;                /* what it shares; borrowed */
    struct mgc_session_result *outcome; /* where its results go; borrowed */
    struct mgc_results *results;        /* outcome's */
    struct mgc_run_dir dir;             /* without a lock: that is the fleet's */
    struct mgc_seat *seat;              /* borrowed from the link */
    struct mgc_run *run;
    struct place setup, current; /* the setup attempt lives on beside the cells' */
    struct lost_phone lost_phone;
    struct mgc_estimates *estimates; /* owned; told by the view what cells take */
    struct session_budget budget;
    struct mgc_progress_view view;
    json_t *record;                 /* run.json; owned */
    struct mgc_standing *standings; /* of a resumed run, one per cell of the plan; owned */
    json_t *inputs_before;          /* of a resumed run: "inputs" of run.json; owned */
    struct mgc_run_gate gate;       /* what is to be run again; empty: nothing, or not asked */
    bool gate_asked;
    bool over;                /* its results are made */
    bool safe;                /* its files are written and it is in the history */
    uint64_t ending;          /* timer: over, and its results are made next */
    struct mgc_error refused; /* it turned out that it cannot be resumed */
    struct mgc_error disk;    /* first failure to write here: nothing more can be stored */
};

/* What the runs of one process share; with one phone, there is one. */
struct fleet {
    const struct mgc_session_config *config;
    struct session *sessions; /* owned; one per phone */
    size_t count;
    struct mgc_run_dir dir; /* of the whole run, with the lock */
    struct mgc_keyring keys;
    struct mgc_loop *loop;
    struct mgc_link *link;
    struct mgc_slots slots;             /* of cells that load the link */
    struct mgc_control_server *control; /* NULL: none */
    uint64_t tick;                      /* timer */
    uint64_t look;                      /* timer: workers are asked who holds what; 0: no */
    int64_t beat_ns;                    /* when the heartbeat was written last; 0: not yet */
    int64_t begin_wall_ns;              /* of the first; a resumed run began earlier */
    bool beat_failed;                   /* and that was told */
    struct mgc_status status;           /* as it was told last */
    int64_t status_ns;                  /* when that was; 0: not yet */
    bool interrupted;
};

/* The phones have names. */
bool mgc_fleet_is_named(const struct fleet *fleet);
const struct mgc_site *mgc_fleet_site(const struct fleet *fleet);
/* About the whole run. */
void mgc_fleet_note(struct fleet *fleet, const char *text);
/* Ctrl-C and `mgcoord cancel`: an orderly end of all. */
void mgc_fleet_interrupt(struct fleet *fleet, const char *text);

/* ---- session.c: one phone, from its first file to its last ---- */

/* Make its directory and first files, or take over what is there. */
bool mgc_session_open(struct session *session, struct mgc_error *err);
/* Let it run: the loop does the rest. */
bool mgc_session_begin(struct session *session, struct mgc_error *err);
/* It is over: results, history, the files of the end. */
void mgc_session_finish(struct session *session);
void mgc_session_close(struct session *session); /* takes zeroed */

/* ---- follow.c: progress ---- */

/* Begin to follow the run: from here on people hear of it. False: no memory. */
bool mgc_session_follow(struct session *session, struct mgc_error *err);

void mgc_session_tell(struct session *session, const struct mgc_progress *event);
void mgc_session_note(struct session *session, const char *text); /* about the run */
void mgc_session_tell_end(struct session *session, const struct mgc_attempt *attempt);
void mgc_session_tell_verdict(
    struct session *session, const struct mgc_attempt *attempt, const struct mgc_verdict *verdict);

/* Tell what happened to whom (NULL: to all; event NULL: time has passed), and how far all are. */
void mgc_fleet_show(
    struct fleet *fleet, const struct session *session, const struct mgc_progress *event);
struct mgc_status mgc_fleet_status(const struct fleet *fleet);
struct mgc_status mgc_session_status(const struct session *session, int64_t now_ns);

/* ---- remote.c: control from outside ---- */

/* Open the control socket; without one the run goes on and says so. */
void mgc_fleet_open_control(struct fleet *fleet);
/* Watchers hear that it is over. Takes a fleet that never had one. */
void mgc_fleet_close_control(struct fleet *fleet);
/* An event for those who watch. */
void mgc_fleet_tell_watchers(struct fleet *fleet, const struct session *session,
    const struct mgc_progress *event, const struct mgc_status *status);

/* ---- slots.c: the scheduler's ops; user: the session ---- */

bool mgc_session_slot_take(void *user, const struct mgc_cell *cell, char *ret_who, size_t size);
void mgc_session_slot_drop(void *user);
/* For struct mgc_slots: the turn of that session has come. */
void mgc_session_slot_wake(void *user, void *whose);

/* ---- attempts.c: what the scheduler asks for; user: the session ---- */

extern const struct mgc_run_ops mgc_session_run_ops;
struct place *mgc_session_place(struct session *session, const struct mgc_cell *cell);
/* verdict.json and what else belongs to the attempt, in the place of its cell. */
void mgc_session_write_verdict(
    struct session *session, const struct mgc_attempt *attempt, const struct mgc_verdict *verdict);
/* The first reason why the run ends early stands. */
void mgc_session_stop_because(struct session *session, const char *text);

/* ---- measured.c ---- */

enum mgc_after mgc_session_after_measure(
    struct session *session, const struct mgc_attempt *attempt, bool retry_possible);
/* Cells that were void through no fault of theirs go again. */
void mgc_session_replace_void(struct session *session, const struct mgc_cell *judged);

/* ---- left_out.c ---- */

/* The scheduler's op; user: the session. */
bool mgc_session_left_out(void *user, const struct mgc_turn *turn);

/* ---- budget.c ---- */

/* Time begins to count. */
void mgc_session_budget_begin(struct session *session);
/* A budget leaves this turn out; that is recorded. Not to be asked of what is left out anyway. */
bool mgc_session_over_budget(struct session *session, const struct mgc_turn *turn);
/* No cell has another attempt. */
bool mgc_session_time_is_over(const struct session *session);

/* ---- restart.c: restarts of the phone that show only afterwards ---- */

/* Did the attempt find the phone with another boot id than its setup had? */
bool mgc_session_found_restarted(const struct mgc_attempt *attempt);
/* An attempt has ended: what it tells of the boot id names the one that had lost the phone before
 * it. To be called before the cell's earlier verdict is dropped. */
void mgc_session_boot_seen(struct session *session, const struct mgc_attempt *attempt);
/* The same attempt is judged and its directory settled: is its own loss to be kept in mind? */
void mgc_session_phone_lost(
    struct session *session, const struct mgc_attempt *attempt, const struct mgc_verdict *verdict);

/* ---- files.c: what the link tells; user: the session ---- */

extern const struct mgc_seat_ops mgc_session_seat_ops;
/* The first failure to write here stands: nothing more can be stored. */
void mgc_session_disk_failed(struct session *session, const struct mgc_error *err);

/* ---- night.c: the heartbeat, and old runs ---- */

/* Tell the heartbeat how far the run is: at its begin, at each cell's end, and when it is time. */
void mgc_fleet_beat(
    struct fleet *fleet, const struct mgc_progress *event, const struct mgc_status *status);
/* The run is over. Does nothing for one that never began. */
void mgc_fleet_beat_end(struct fleet *fleet, int exit_code, const char *summary);
/* The same, from the results; then old runs go, if all phones ran to their end and are safe. */
void mgc_fleet_close_night(struct fleet *fleet);

/* ---- resumed.c ---- */

/* In place of a new run's first files: take over what is on disk (config->resume). */
bool mgc_session_resume(struct session *session, struct mgc_error *err);
/* Of a resumed run: how much of it is done already. */
void mgc_session_tell_kept(struct session *session);
/* NULL: the run is new. */
const struct mgc_standing *mgc_session_standing(
    const struct session *session, const struct mgc_cell *cell);
/* What the attempt's facts tell of device, app and files, into run.json. False: the cells before
 * were measured with other ones; session->refused says which. */
bool mgc_session_take_inputs(struct session *session, const struct mgc_attempt *attempt);
/* The end of a run that turned out to be another one. */
void mgc_session_refuse(struct session *session);

/* ---- confirm.c: confirming cells (`confirm` of the plan) ---- */

/* Does the gate want this confirming cell, or something in the block of this bracket that is not
 * measured yet? The first call asks the gate. */
bool mgc_session_confirms(struct session *session, const struct mgc_cell *cell);
/* It does not: the cell says so. */
void mgc_session_leave_unconfirmed(struct session *session, const struct mgc_cell *cell);
/* The run came to its end: what the gate says of it, into the results. Nothing of one that was cut
 * short: that is no night. */
void mgc_session_decide(struct session *session);

/* path_proof.c: the verdict.json in that directory gets this verdict; the rest of it stays. */
bool mgc_session_amend_verdict(
    const char *dir, const struct mgc_verdict *verdict, struct mgc_error *err);
/* path_proof.c: a path check's verdict on the cells measured since the last good one. */
void mgc_session_path_checked(struct session *session, const struct mgc_verdict *check);
/* The bracket after a block is judged: what it says of the link holds for the block. */
void mgc_session_link_looked_at(struct session *session, const struct mgc_cell *after);

#endif
