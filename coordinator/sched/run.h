/* The scheduler: which step runs where, now. A state machine over a plan, without sockets and with
 * time as an argument, so that tests drive it with a fake clock.
 *
 * One cell at a time. Events go in (worker joined, result, event, arrival, time), actions come out
 * through the ops. A cell waits for its workers, then runs as an attempt; the attempt's states and
 * the step's stand in attempt.h. The holding steps of the setup cell live on beside the cells; when
 * one ends before its time, the current cell is stopped and setup is made again, within the
 * budget of retries, before that cell's next attempt. Whoever judges a cell may ask for the same,
 * and may give cells further turns (turns.h) that come before the plan goes on.
 */
#ifndef MGC_SCHED_RUN_H
#define MGC_SCHED_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/wire/msg.h"
#include "coordinator/plan/plan.h"
#include "coordinator/sched/turns.h"

struct mgc_run; /* opaque */

enum mgc_step_state {
    MGC_STEP_PENDING,
    MGC_STEP_SENT,
    MGC_STEP_READY,
    MGC_STEP_FINISHING,
    MGC_STEP_DONE,
    MGC_STEP_FAILED,
    MGC_STEP_SKIPPED, /* not started since the cell ended before */
};
const char *mgc_step_state_name(enum mgc_step_state state);
bool mgc_step_has_ended(enum mgc_step_state state);

/* What an error MGC_E_LOST is about. */
enum mgc_lost {
    MGC_LOST_BY_STEP,     /* what the step worked with; its worker says so */
    MGC_LOST_WORKER,      /* the worker itself: gone, started anew, without a session */
    MGC_LOST_NOBODY_CAME, /* no worker of the role joined in time */
    MGC_LOST_SETUP,       /* what holds for the whole run */
};

/* What is known of one barrier release of a cell. */
struct mgc_release {
    bool released;            /* an instant was given */
    int64_t instant_ns;       /* coordinator's mono clock */
    int64_t lead_ns;          /* from the decision to the instant */
    int64_t skew_ns;          /* latest minus earliest actual start, in the coordinator's clock */
    int64_t uncertainty_ns;   /* largest clock uncertainty of a member */
    size_t members, reported; /* skew is meaningful only when both are equal */
};

struct mgc_step_outcome {
    enum mgc_step_state state;
    struct mgc_error error;   /* when FAILED */
    enum mgc_lost lost;       /* when that is MGC_E_LOST */
    struct mgc_fields facts;  /* owned by the outcome */
    struct mgc_fields ready;  /* fields of its ready event; owned */
    int64_t start_ns, end_ns; /* coordinator's mono clock: sent, ended */
    int64_t undo_done, undo_failed;
    char *undo_text; /* owned; NULL when nothing failed */
};

/* One execution of a cell, as handed to verify/ and store/. */
struct mgc_attempt {
    const struct mgc_cell *cell;
    int number;              /* from 1 */
    bool completed;          /* every step that is not best effort ended well */
    bool infrastructure;     /* a lost worker or device, a held resource: may be tried again */
    bool interrupted;        /* the run was cancelled */
    bool renewable;          /* of a cell that has ended: the setup may be made again */
    struct mgc_error error;  /* first failure; step named in the sentence */
    enum mgc_lost lost;      /* when that is MGC_E_LOST and no step failed */
    const char *failed_step; /* its id, or NULL */
    const struct mgc_step_outcome *steps; /* cell->step_count */
    const struct mgc_attempt *setup;      /* what it rested on; NULL: the plan has no setup */
    const struct mgc_cell *sake; /* made so that this cell, measured again, has something beside
                                    it; NULL: for its own */
    struct mgc_release release;
    int64_t start_ns, end_ns;
    int64_t start_wall_ns, end_wall_ns; /* labels; 0: not known */
};

/* Outcome of the step with that id; NULL when the cell has none. */
const struct mgc_step_outcome *mgc_attempt_step(const struct mgc_attempt *attempt, const char *id);

/* What happens after an attempt. */
enum mgc_after {
    MGC_AFTER_NEXT,  /* go on with the next cell */
    MGC_AFTER_AGAIN, /* the same cell once more */
    MGC_AFTER_STOP,  /* nothing more: finish the setup's holding steps, end the run */
    /* What the setup did is gone although its steps hold: make it again, within its retries, then
     * go on with the next cell, or the same one. */
    MGC_AFTER_RENEW_NEXT,
    MGC_AFTER_RENEW_AGAIN,
    /* What the setup did was gone before the attempt began, so it does not count against the cell's
     * retries: the setup anew, then the same cell. Only of an attempt that says `renewable`. */
    MGC_AFTER_RENEW_UNCOUNTED,
};

enum mgc_progress_kind {
    MGC_PROGRESS_NOTE,     /* something a person may want to know */
    MGC_PROGRESS_WAITING,  /* for a worker that is not there, or another phone's cell */
    MGC_PROGRESS_BEGIN,    /* an attempt of the cell begins */
    MGC_PROGRESS_STEP,     /* the step is in another state, or said something */
    MGC_PROGRESS_ARRIVED,  /* the step is at its barrier */
    MGC_PROGRESS_RELEASED, /* all were there: the cell's barrier has an instant */
    MGC_PROGRESS_END,      /* the attempt ended, or the setup is settled; by who judges it */
    MGC_PROGRESS_VERDICT,  /* it is judged; likewise */
};

/* What happens, for whoever shows it to people. Borrowed for the call. */
struct mgc_progress {
    enum mgc_progress_kind kind;
    const struct mgc_cell *cell; /* NULL: about the whole run */
    int attempt;                 /* of the cell; 0 where there is no cell */
    const struct mgc_step *step; /* NULL: about the whole cell */
    enum mgc_step_state state;   /* of the step */
    const char *text;            /* a sentence; NULL: only a change of state */
    const char *said;            /* what the step is at by its own words, short; NULL: nothing */
};

/* What became of a cell, or of the setup, before this session of its run began. */
struct mgc_earlier {
    int attempts; /* the highest number that an attempt had; the next one has the next */
    int spent;    /* of the cell's budget: attempts that failed through the infrastructure */
};

struct mgc_run_ops {
    /* Send to the worker with that role; mid and epoch are the link's. False = it has no session.
     */
    bool (*send)(void *user, enum mgc_role role, struct mgc_msg *msg);
    /* Clock of that worker relative to ours; false when not known yet. */
    bool (*offset)(void *user, enum mgc_role role, int64_t *ret_offset_ns,
        int64_t *ret_uncertainty_ns, int64_t *ret_round_trip_ns);
    /* A rule of the plan leaves this turn out, now that it has come, or the cell was finished
     * before this session of its run; who is asked records it. May be NULL. */
    bool (*left_out)(void *user, const struct mgc_turn *turn);
    /* Of a run that is resumed; the same answer throughout. May be NULL: nothing was before. */
    struct mgc_earlier (*earlier)(void *user, const struct mgc_cell *cell);
    /* May an attempt of this cell, which loads the link (plan.h), begin? False: others have what it
     * needs, as `ret_who` says; then it waits in their queue, without a limit of its own, and the
     * run is to be ticked when its turn has come. May be NULL: nobody else is there. */
    bool (*slot_take)(void *user, const struct mgc_cell *cell, char *ret_who, size_t size);
    /* It is over, or not wanted any more. */
    void (*slot_drop)(void *user);
    /* An attempt begins: the store makes its directory. `sake`: the cell that it is made for, so
     * that it has something beside it; NULL: for its own. False ends the run (disk). */
    bool (*attempt_begin)(void *user, const struct mgc_cell *cell, const struct mgc_cell *sake,
        int number, struct mgc_error *err);
    /* A step got its task id: chunks for it belong to the current attempt. */
    void (*step_sent)(void *user, const struct mgc_step *step, uint64_t task_id);
    /* An attempt ended (for the setup cell: is settled, its holding steps READY); judge and store
     * it. AGAIN is honoured only when retry_possible. */
    enum mgc_after (*attempt_end)(
        void *user, const struct mgc_attempt *attempt, bool retry_possible);
    /* A holding step of the setup cell has ended, at the end of the run or before its time. */
    void (*holder_end)(
        void *user, const struct mgc_step *step, const struct mgc_step_outcome *outcome);
    void (*progress)(void *user, const struct mgc_progress *event);
    /* The scheduler itself ends the run before all cells had their turn, and why. */
    void (*stopped)(void *user, const char *why);
    /* Who was turned away last since then, and why; false: nobody. May be NULL. */
    bool (*turned_away)(void *user, int64_t since_ns, char *ret_text, size_t size);
};

struct mgc_run *mgc_run_new(
    const struct mgc_plan *plan, const struct mgc_run_ops *ops, void *user, struct mgc_error *err);
/* Once, before any event: from here on the ops are called, and they know the run. */
void mgc_run_begin(struct mgc_run *run, int64_t now_ns);
void mgc_run_free(struct mgc_run *run); /* takes NULL */

/* Give cells of the plan another turn, in this order, before the plan goes on. Within an op only.
 * False: no memory, nothing was put. */
bool mgc_run_repeat(struct mgc_run *run, const struct mgc_turn *turns, size_t count);

/* Events. All return at once; actions happen inside. */
void mgc_run_worker_joined(struct mgc_run *run, enum mgc_role role, int64_t now_ns);
void mgc_run_worker_lost(
    struct mgc_run *run, enum mgc_role role, const struct mgc_error *why, int64_t now_ns);
/* EVENT, ARRIVE, RELEASED. False: the task is not known (of an earlier attempt, or another run's),
 * and nothing happens. */
bool mgc_run_message(
    struct mgc_run *run, enum mgc_role role, const struct mgc_msg *msg, int64_t now_ns);
/* A result whose artifacts are all stored; err: a stored artifact that could not be verified. */
void mgc_run_result(struct mgc_run *run, enum mgc_role role, const struct mgc_msg_result *result,
    const struct mgc_error *storage, int64_t now_ns);
/* Ctrl-C: stop the current cell, undo, skip the rest. */
void mgc_run_interrupt(struct mgc_run *run, int64_t now_ns);
void mgc_run_tick(struct mgc_run *run, int64_t now_ns);
/* When mgc_run_tick has to be called at the latest. */
int64_t mgc_run_due(const struct mgc_run *run);

bool mgc_run_over(const struct mgc_run *run); /* everything ended, the setup's holders included */

#endif
