/* What replaying the journal at start did, per task: logged, and told in the results of the tasks
 * that the crash cut off. */
#ifndef MGC_TASK_UNDONE_H
#define MGC_TASK_UNDONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/task/journal.h"

struct mgc_undone { /* zeroed is empty */
    struct mgc_undone_row {
        uint64_t task_id;
        struct mgc_undo_report report;
    } * rows; /* owned */
    size_t count;
};

/* A mgc_journal_each; user is the mgc_undone. */
void mgc_undone_note(
    void *user, uint64_t task_id, const char *undo, bool other_boot, const struct mgc_error *err);
/* Report of one task; empty when nothing was left of it. For mgc_results_config. */
void mgc_undone_of(void *user, uint64_t task_id, struct mgc_undo_report *ret_report);
void mgc_undone_destroy(struct mgc_undone *undone); /* takes NULL and zeroed */

#endif
