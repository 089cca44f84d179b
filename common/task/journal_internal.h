/* Inside the undo journal: what journal.c, journal_undo.c and journal_replay.c share. */
#ifndef MGC_TASK_JOURNAL_INTERNAL_H
#define MGC_TASK_JOURNAL_INTERNAL_H

#include <pthread.h>

#include "common/plat/keylock.h"
#include "common/task/entry.h"
#include "common/task/journal.h"

/* Longest text that names a place (a phone's serial, an address). */
enum { MGC_PLACE_MAX = 256 };

struct mgc_journal_item {
    uint64_t number; /* ascending in the list */
    struct mgc_entry entry;
    struct mgc_error failed; /* of its last undo in this process; MGC_OK: none */
    bool left;               /* its task is over, or was of an earlier process */
};

struct mgc_journal {
    char *dir;
    char *boot_id;
    const struct mgc_undo_kind *undos;
    void *worker;
    pthread_mutex_t lock;
    struct mgc_journal_item *items; /* owned; guarded by lock, like all below */
    size_t count, cap;
    uint64_t last; /* highest number used */
    size_t damaged;
    bool replay_stopped;
    struct mgc_keylock left; /* by place: held while a task undoes what others left there */
};

/* NULL: this program has no such undo. */
const struct mgc_undo_kind *mgc_journal_undo_find(
    const struct mgc_journal *journal, const char *name);

/* NULL when there is no such entry. The caller holds `lock`, for as long as it uses the item. */
struct mgc_journal_item *mgc_journal_item(struct mgc_journal *journal, uint64_t number);

/* Numbers of a task's entries (task_id 0: of all), oldest first; owned by the caller. NULL: out of
 * memory. */
uint64_t *mgc_journal_numbers_of(struct mgc_journal *journal, uint64_t task_id, size_t *ret_count);

/* Copy of a text of the entry's `before`; false when there is none, when it does not fit, or with
 * only_left when the entry belongs to a task that runs. */
bool mgc_journal_place_of(struct mgc_journal *journal, uint64_t number, const char *param,
    bool only_left, char *ret_place, size_t size);

#endif
