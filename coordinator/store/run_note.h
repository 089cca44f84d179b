/* What a run writes into the lock file of its results root, so that others find it: the lock itself
 * says that somebody is there, this says who, and where to talk to them.
 *
 *   4711
 *   run 20261130T135200Z-crosshost-k3f9
 *   socket /home/me/results/20261130T135200Z-crosshost-k3f9/control.sock
 *
 * A run that was killed leaves its note behind: only a socket that answers proves that it is on.
 */
#ifndef MGC_STORE_RUN_NOTE_H
#define MGC_STORE_RUN_NOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/base/path.h"

enum { MGC_RUN_ID_SIZE = 128 };

struct mgc_run_note {
    long pid;                     /* 0: the file names nobody */
    char run_id[MGC_RUN_ID_SIZE]; /* empty: unknown */
    char socket[MGC_PATH_MAX];    /* of its control (coordinator/control); empty: it has none */
};

/* Pure. False, and a zeroed note, for text that is no such note; unknown lines are passed over. */
bool mgc_run_note_parse(const char *text, size_t len, struct mgc_run_note *ret_note);

/* Of the lock file at `path`. False: there is none, or it names nobody. */
bool mgc_run_note_read(const char *path, struct mgc_run_note *ret_note);

/* Directory of the user's own for sockets that cannot stand in a run's directory:
 * $XDG_RUNTIME_DIR/mgcoord, else /tmp/mgcoord-UID. It may not be there. False: too long. */
bool mgc_run_user_dir(char ret_dir[MGC_PATH_MAX]);

/* Remove the socket that a killed run left, and nothing else that its note may name: only a socket
 * of this user, at one of the two places where a run has it (coordinator/control/socket.h). Call
 * under the lock of `results`, so that no run is on. */
void mgc_run_note_clean(const struct mgc_run_note *note, const char *results);

/* "run 'X' (process 4711)" or "process 4711". */
void mgc_run_note_name(const struct mgc_run_note *note, char *ret_text, size_t size);

#endif
