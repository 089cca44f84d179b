/* One attempt as the workers leave it: a directory of files, steps with facts. Good when made;
 * a test then spoils one thing.
 */
#ifndef MGC_TESTS_VERIFY_FIXTURE_H
#define MGC_TESTS_VERIFY_FIXTURE_H

#include "coordinator/verify/reasons.h"
#include "coordinator/verify/verdict.h"

enum {
    FIXTURE_LOGCAT,
    FIXTURE_SERVER,
    FIXTURE_REPLAY,
    FIXTURE_QUIESCE,
    FIXTURE_STATE,
    FIXTURE_MATRIX_STEPS,
    FIXTURE_HOST_GATE = FIXTURE_MATRIX_STEPS,
    FIXTURE_WSL_GATE,
    FIXTURE_STEPS,
};

enum { FIXTURE_APP, FIXTURE_FIXTURES, FIXTURE_DEVICE, FIXTURE_KNOBS, FIXTURE_SETUP_STEPS };

struct fixture {
    char dir[64];
    struct mgc_step steps[FIXTURE_STEPS];
    struct mgc_step_outcome outcomes[FIXTURE_STEPS];
    struct mgc_cell setup_cell; /* with app and fixtures, for the matrix */
    struct mgc_step setup_steps[FIXTURE_SETUP_STEPS];
    struct mgc_step_outcome setup_outcomes[FIXTURE_SETUP_STEPS];
    struct mgc_attempt setup;
    struct mgc_cell cell;
    struct mgc_attempt attempt;
    struct mgc_verdict verdict; /* of the latest fixture_judge */
};

/* 4 frames of 1000, 20, 10 and 12 ms at 640x480, credit 2, DirectGLES, 10.99.0.2:40613; the phone
 * as for the matrix, with no clock held. */
void fixture_make(struct fixture *fixture, enum mgc_mode mode);
/* The same frames on the phone, in one of the matrix's arms: battery at 31.2 C in a band of 5 to
 * 38, cpu7 held at 2035200 kHz, the app's run from 5 s to 9 s of the phone's clock. */
void fixture_make_matrix(struct fixture *fixture, enum mgc_mode mode, const char *arm);
void fixture_destroy(struct fixture *fixture);
void fixture_judge(struct fixture *fixture);

/* Paths are good until the next call. */
const char *fixture_path(const struct fixture *fixture, const char *name);
/* Whole text of a file; free() it. */
char *fixture_text(const struct fixture *fixture, const char *name);
void fixture_put(const struct fixture *fixture, const char *name, const char *text);
void fixture_append(const struct fixture *fixture, const char *name, const char *line);
/* Replace every occurrence; there has to be one. */
void fixture_edit(
    const struct fixture *fixture, const char *name, const char *from, const char *to);
void fixture_remove(const struct fixture *fixture, const char *name);
void fixture_make_dir(const struct fixture *fixture, const char *name); /* in place of the file */
/* It opens, but reading it fails. */
void fixture_make_unreadable(const struct fixture *fixture, const char *name);

struct mgc_fields *fixture_facts(struct fixture *fixture, const char *step);
/* A step failed and with it the attempt; `stopped` instead of a step: the attempt was stopped. */
void fixture_fail(struct fixture *fixture, const char *step, enum mgc_code code, const char *text);
/* Likewise by MGC_E_LOST, and what was lost. */
void fixture_lose(struct fixture *fixture, const char *step, enum mgc_lost lost, const char *text);

/* NULL when there is none. */
const struct mgc_evidence *fixture_evidence(const struct fixture *fixture, const char *check);

/* Judge it; fails the test called `name` unless that is what comes of it. reason NULL: any. */
void fixture_must_be(
    struct fixture *f, const char *name, enum mgc_verdict_state state, const char *reason);

#endif
