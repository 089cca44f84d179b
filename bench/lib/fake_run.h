/* Runs of the product's sessions in this process: its scheduler, verdicts, files and results, on
 * workers that answer at once what those of a recorded run in a lab did. No worker is connected;
 * files of an attempt are links to the recorded ones. One thread.
 */
#ifndef MGC_BENCH_LIB_FAKE_RUN_H
#define MGC_BENCH_LIB_FAKE_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

struct mgc_fake_lab;  /* opaque: a lab's site, and what its workers answered in a run there */
struct mgc_fake_plan; /* opaque: that run's plan with more rounds */
struct mgc_fake_run;  /* opaque */

/* Of a lab's state directory in which one run of a plan with one round has ended. What the workers
 * sent is copied to files_dir, which is made: attempts link it, so it is on their file system. */
struct mgc_fake_lab *mgc_fake_lab_open(
    const char *state_dir, const char *files_dir, struct mgc_error *err);
void mgc_fake_lab_free(struct mgc_fake_lab *lab); /* takes NULL */
/* Cells of a round; rounds for at least so many cells. */
size_t mgc_fake_lab_cells(const struct mgc_fake_lab *lab);
size_t mgc_fake_lab_rounds(const struct mgc_fake_lab *lab, size_t cells);

/* As `mgcoord run` loads it, with another results root. `phone`: a name for it, where it is one of
 * several; NULL: the only one. The lab is borrowed. */
struct mgc_fake_plan *mgc_fake_plan_load(const struct mgc_fake_lab *lab, const char *results,
    const char *phone, size_t rounds, struct mgc_error *err);
void mgc_fake_plan_free(struct mgc_fake_plan *plan); /* takes NULL */

/* A new run on as many phones side by side as there are plans, each with workers of its own; plans
 * are borrowed. NULL: it could not be opened. */
struct mgc_fake_run *mgc_fake_run_new(
    struct mgc_fake_plan *const *plans, size_t count, struct mgc_error *err);
void mgc_fake_run_free(struct mgc_fake_run *run); /* takes NULL */
/* One answer of a worker, the phones in turns, and what follows from it. False: there is none left
 * to give. */
bool mgc_fake_run_step(struct mgc_fake_run *run);
/* After the last: did the run come to its end, with every cell measured? Another verdict than that
 * of a good night would cost something else. */
bool mgc_fake_run_is_good(const struct mgc_fake_run *run, struct mgc_error *err);
/* What its end writes: the history, and the files of the report. */
bool mgc_fake_run_end(struct mgc_fake_run *run, struct mgc_error *err);

#endif
