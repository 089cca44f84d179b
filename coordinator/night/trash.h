/* RESULTS/.trash: where old runs go on their way out. Internal to night/. */
#ifndef MGC_NIGHT_TRASH_H
#define MGC_NIGHT_TRASH_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

/* "20261130T135200Z-crosshost-k3f9": nothing of another form is ever touched, in RESULTS or in
 * .trash. Pure. */
bool mgc_trash_is_run_id(const char *name);

/* Remove what an earlier run that was killed left there. Absent is success. */
bool mgc_trash_empty(const char *results, struct mgc_error *err);
/* Move RESULTS/RUN-ID there in one step, then remove it. */
bool mgc_trash_run(const char *results, const char *run_id, struct mgc_error *err);
/* The same for attempts of cells that have a final one. Attempts of setup and close, and of cells
 * that came to no end, stay: the report is made of them. *ret_count: cells whose attempts went. */
bool mgc_trash_attempts(
    const char *results, const char *run_id, size_t *ret_count, struct mgc_error *err);

#endif
