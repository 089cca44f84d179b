/* The undo journal: what this worker changed on the machine, on disk before the change was made.
 *
 * One file per entry in STATE/journal, NUMBER.undo, written atomically; entry.h has the format. An
 * entry is removed once its undo succeeded. One whose undo fails stays and is tried again: at the
 * next start, and between two sessions. Entries of another boot are undone like any other, because
 * undo is idempotent (task.h). Files that cannot be read are renamed to NUMBER.damaged, counted
 * and left to a person; what a writer that was killed has left of one is removed.
 *
 * All functions may be called from any thread; an undo runs on the caller's thread with no lock
 * held. An entry belongs to the task that wrote it, so two threads never undo the same one.
 */
#ifndef MGC_TASK_JOURNAL_H
#define MGC_TASK_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/fields.h"
#include "common/task/task.h"

struct mgc_journal; /* opaque */

struct mgc_journal_config {
    const char *dir;                   /* made when absent; borrowed for the call */
    const char *boot_id;               /* borrowed for the call */
    const struct mgc_undo_kind *undos; /* borrowed: lives as long as the journal */
    void *worker;                      /* given to undo functions */
};

/* Load what is there. False only when the directory cannot be used. */
struct mgc_journal *mgc_journal_open(
    const struct mgc_journal_config *config, struct mgc_error *err);
void mgc_journal_free(struct mgc_journal *journal); /* entries stay on disk; takes NULL */

/* Write an entry; *ret_entry is its number. MGC_E_UNSUPPORTED for an undo kind that is not in the
 * table, which is our bug, told early. */
bool mgc_journal_add(struct mgc_journal *journal, uint64_t task_id, const char *label,
    const char *undo, const struct mgc_fields *before, uint64_t *ret_entry, struct mgc_error *err);
/* Undo and remove one; MGC_E_NOT_FOUND when there is no such entry. */
bool mgc_journal_undo(struct mgc_journal *journal, uint64_t entry, struct mgc_error *err);
/* Remove without undo. */
bool mgc_journal_drop(struct mgc_journal *journal, uint64_t entry, struct mgc_error *err);

struct mgc_undo_report {
    int64_t done, failed;
    char text[MGC_ERROR_TEXT_MAX]; /* sentence of the first that failed, or empty */
};

/* As if its undo had just failed with that: somebody has tried. */
void mgc_journal_note_failure(
    struct mgc_journal *journal, uint64_t entry, const struct mgc_error *why);

/* Undo all entries of a task, newest first; a failure does not stop the others. One whose undo has
 * failed before in this process is not tried a second time, which would cost its deadline again: it
 * counts as failed and stays. After begin_until_ns (mono) no further one is begun, to the same end.
 */
void mgc_journal_undo_task(struct mgc_journal *journal, uint64_t task_id, int64_t begin_until_ns,
    struct mgc_undo_report *ret_report);

/* Undo what tasks that are over, or of earlier processes, left at one place, newest first: all
 * whose `before` has `value` as its text `param`. Entries of tasks that run are theirs. Stops at
 * the first failure: MGC_E_LOST when the place is away, else MGC_E_BUSY. Any thread; one at a time
 * for each value. */
bool mgc_journal_undo_left(
    struct mgc_journal *journal, const char *param, const char *value, struct mgc_error *err);

/* Name of the text in `before` that says on which device a change is. */
#define MGC_JOURNAL_PLACE "serial"

/* Undo all entries, those of each place newest first, the places side by side; after an MGC_E_LOST
 * no further one of the same place. What fails otherwise is gone over up to `tries` times with
 * pauses of pause_ms. `each` (may be NULL) hears the final outcome of every entry, one at a time
 * and from any thread; err is NULL on success. */
typedef void mgc_journal_each(
    void *user, uint64_t task_id, const char *undo, bool other_boot, const struct mgc_error *err);
void mgc_journal_replay(
    struct mgc_journal *journal, int tries, int64_t pause_ms, mgc_journal_each *each, void *user);

/* Forget, without undo, every entry with `value` as any text of its `before`: a phone that never
 * comes back, or cannot be put right, must not hold up all others. `each` hears of every one. */
void mgc_journal_give_up(
    struct mgc_journal *journal, const char *value, mgc_journal_each *each, void *user);

/* The replay that runs begins no further entry, and no later one begins any. Any thread. */
void mgc_journal_stop_replay(struct mgc_journal *journal);

size_t mgc_journal_count(const struct mgc_journal *journal);   /* entries there now */
size_t mgc_journal_damaged(const struct mgc_journal *journal); /* files that could not be read */

#endif
