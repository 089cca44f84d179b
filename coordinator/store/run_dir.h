/* The directory of one run, and of every attempt in it. Nothing is ever overwritten: an attempt
 * writes into a directory of its own below attempts/, and becomes the cell's directory by a rename
 * once it is the final one.
 *
 *   RESULTS/RUN-ID/attempts/CELL-ID/a1/...   while it runs, and for ever when superseded
 *   RESULTS/RUN-ID/CELL-ID/...               the attempt that counts
 *
 * One thread.
 */
#ifndef MGC_STORE_RUN_DIR_H
#define MGC_STORE_RUN_DIR_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/base/path.h"
#include "common/plat/file.h"
#include "coordinator/store/run_note.h"

#define MGC_RUN_LOCK "mgcoord.lock" /* in the results root */

struct mgc_run_dir {
    char path[MGC_PATH_MAX];
    char run_id[MGC_RUN_ID_SIZE];
    struct mgc_lock lock; /* RESULTS/mgcoord.lock: one run at a time per results root */
};

/* Take the results root's lock (MGC_E_BUSY names process and run of the holder) and say in it who
 * we are. Makes nothing but the results root. */
bool mgc_run_dir_open(
    struct mgc_run_dir *dir, const char *results, const char *run_id, struct mgc_error *err);
/* Make the run's own directory; MGC_E_EXISTS when there is one. */
bool mgc_run_dir_make(const struct mgc_run_dir *dir, struct mgc_error *err);
/* Say in the lock file where the run's control socket is (run_note.h); NULL: it has none. */
bool mgc_run_dir_announce(const struct mgc_run_dir *dir, const char *socket, struct mgc_error *err);
void mgc_run_dir_close(struct mgc_run_dir *dir); /* takes NULL and zeroed */

/* Make the directory of an attempt; MGC_E_EXISTS when there is one. */
bool mgc_run_dir_attempt(const struct mgc_run_dir *dir, const char *cell_id, int number,
    char ret_path[MGC_PATH_MAX], struct mgc_error *err);
/* That attempt is the cell's final one: it becomes RUN/CELL-ID. ret_path is the new place. Folders
 * below attempts/ that are empty then go. */
bool mgc_run_dir_settle(const struct mgc_run_dir *dir, const char *cell_id, int number,
    char ret_path[MGC_PATH_MAX], struct mgc_error *err);

/* The other way round, for a run that is resumed and a cell that is measured again: what stands at
 * RUN/CELL-ID does not count any more and becomes that attempt again; MGC_E_EXISTS when there is
 * one of that number. */
bool mgc_run_dir_unsettle(const struct mgc_run_dir *dir, const char *cell_id, int number,
    char ret_path[MGC_PATH_MAX], struct mgc_error *err);
/* The highest number of an attempt below attempts/; 0: there is none. */
int mgc_run_dir_last_attempt(const struct mgc_run_dir *dir, const char *cell_id);
/* Where an attempt has its directory while it does not count. False: the path is too long. */
bool mgc_run_dir_attempt_path(const struct mgc_run_dir *dir, const char *cell_id, int number,
    char ret_path[MGC_PATH_MAX], struct mgc_error *err);

/* Write RUN/name atomically. */
bool mgc_run_dir_write(const struct mgc_run_dir *dir, const char *name, const void *data,
    size_t len, struct mgc_error *err);

#endif
