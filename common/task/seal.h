/* Make a file of a task ready to leave the worker: take its hash, mask the task's secrets.
 *
 * A text file that holds a secret is replaced by its masked copy; a binary one (it has a NUL byte)
 * is never edited: it stays where it is and must not be sent. Runs on the task's thread, after the
 * task is over, so nobody writes to the file any more.
 */
#ifndef MGC_TASK_SEAL_H
#define MGC_TASK_SEAL_H

#include "common/base/error.h"
#include "common/task/secrets.h"
#include "common/wire/msg.h"

enum mgc_seal {
    MGC_SEAL_READY,       /* may be sent */
    MGC_SEAL_ABSENT,      /* there is no such file */
    MGC_SEAL_QUARANTINED, /* binary with a secret in it */
    MGC_SEAL_FAILED,      /* could not be read or replaced; err says why */
};

/* `name` is relative to dir. On MGC_SEAL_READY the artifact is filled; its name is owned. */
enum mgc_seal mgc_seal_file(const char *dir, const char *name, const struct mgc_secrets *secrets,
    struct mgc_artifact *ret_artifact, struct mgc_error *err);

#endif
