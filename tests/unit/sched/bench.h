/* A scheduler under test with a world that only writes down what it is asked to do. */
#ifndef MGC_TESTS_SCHED_BENCH_H
#define MGC_TESTS_SCHED_BENCH_H

#include "common/base/buf.h"
#include "coordinator/sched/run.h"
#include "coordinator/sched/slots.h"

#define MS  INT64_C(1000000)
#define SEC INT64_C(1000000000)

struct bench {
    struct mgc_plan plan;
    struct mgc_run *run;
    int64_t now_ns;
    struct mgc_buf log;   /* one line per action: "host TASK server", "end bench-1 a1 ok" */
    struct mgc_buf order; /* of them only where attempts begin and end */
    struct {
        const struct mgc_step *step;
        uint64_t task_id;
    } tasks[64];
    size_t task_count;
    int64_t offset_ns[2];
    bool offset_known;
    bool online[2];
    enum mgc_msg_kind unsent;  /* messages of this kind are not taken ... */
    enum mgc_role unsent_role; /* ... for this role; kind zero: all are */
    bool disk_full;            /* no attempt can begin */
    const char *turned_away;   /* NULL: nobody */
    int64_t turned_away_ns;
    struct mgc_earlier earlier; /* of every cell, the setup too */
    bool last_retry_possible;   /* what the last attempt_end was told */
    bool last_renewable;        /* likewise */
    enum mgc_after after[8];    /* answer to the nth attempt_end; zero is NEXT */
    size_t ends;
    struct mgc_turn turns[8]; /* put when the attempt with the number turns_at ends; from 0 */
    size_t turn_count, turns_at;
    const struct mgc_cell *left_out; /* a rule leaves it out: its own turn, or further ones */
    bool left_out_again;
    struct mgc_slots *slots; /* shared with other benches; NULL: there are none */
    struct mgc_release last_release;
    enum mgc_lost last_lost;    /* of the last attempt that ended */
    int64_t last_instant_ns[2]; /* per role, from RELEASE */
};

/* A plan as the crosshost lane makes it: setup, `cells` cells, close. */
void bench_start(struct bench *bench, size_t cells);
/* Anew, after a change of the plan. */
void bench_restart(struct bench *bench);
void bench_stop(struct bench *bench);
void bench_join_all(struct bench *bench);

/* What a worker would say about the newest task of that step. */
void bench_ready(struct bench *bench, const char *step);
void bench_done(struct bench *bench, const char *step);
void bench_fail(struct bench *bench, const char *step, enum mgc_code code, const char *text);
void bench_arrive(struct bench *bench, const char *step);
void bench_released(struct bench *bench, const char *step, int64_t late_ns);
/* Let time pass, ticking whenever the run wants it. */
void bench_pass(struct bench *bench, int64_t ns);

/* Everything logged since the last call. */
void assert_log(struct bench *bench, const char *expected);
/* Bring the setup cell to rest. */
void bench_settle(struct bench *bench);
/* Bring the current cell up to its release. */
void bench_go(struct bench *bench);

#endif
