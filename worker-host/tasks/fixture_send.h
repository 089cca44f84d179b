/* One fixture into the app's directory on the phone. Task's thread.
 *
 * The device helper takes it, as the app's user, straight to where it belongs: no second copy on
 * the phone, and the shell's user need not reach the app's files. Until the phone's hash is the one
 * of the file here it is called NAME.part; a part that was cut off stays, and the next try goes on
 * with it. */
#ifndef MGC_HOST_FIXTURE_SEND_H
#define MGC_HOST_FIXTURE_SEND_H

#include "worker-host/tasks/common.h"
#include "worker-host/tasks/fixture.h"

struct mgc_fixture_place {
    const char *serial, *package, *dir; /* borrowed; dir: below files/trace-replay, exists */
};

/* Exit codes of the scripts that work there. */
enum { MGC_FIXTURE_EXIT_DIR = 86, MGC_FIXTURE_EXIT_WRITE = 87, MGC_FIXTURE_EXIT_HASH = 88 };

/* What one of them means; `text`: what was written to stderr. Fills err, returns false. */
bool mgc_fixture_exit_error(
    const struct mgc_fixture_place *place, int code, const char *text, struct mgc_error *err);

/* Send the local file `local`, which is `fixture`, as `name`; progress events call it `what`. Adds
 * the fact WHAT_resumed_bytes when an earlier try's part was gone on with. MGC_E_NOT_FOUND when
 * host.helper has not put the device program there. */
bool mgc_fixture_send(struct mgc_task *task, const struct mgc_fixture_place *place,
    const char *local, const struct mgc_fixture *fixture, const char *name, const char *what,
    struct mgc_error *err);

#endif
