/* Which lab a command means: lab.json of a state directory, or the lab that we are in already.
 *
 * A lab.json that a killed lab left behind is recognised by pid and start time, see identity.h.
 */
#ifndef MGC_LAB_TARGET_H
#define MGC_LAB_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "lab/world/layout.h"
#include "lab/world/roster.h"

bool mgc_lab_target_write(const struct mgc_lab_layout *layout, pid_t pid,
    const struct mgc_lab_roster *roster, struct mgc_error *err);
void mgc_lab_target_remove(const struct mgc_lab_layout *layout);

struct mgc_lab_target {
    char state[MGC_LAB_PATH_MAX]; /* "" when we are in it */
    pid_t pid;                    /* of the lab's first process, in our own pid namespace */
    struct mgc_lab_roster roster; /* in loopback mode what runs in it runs on this machine */
    bool inside;                  /* we run in this lab; pid is 1 */
    char control_path[64];        /* of its control socket, as we reach it */
};

/* state NULL: the lab we are in, else $MGLAB_STATE, else the default directory. MGC_E_NOT_FOUND
 * when no lab runs there. */
bool mgc_lab_target_find(
    const char *state, struct mgc_lab_target *ret_target, struct mgc_error *err);

/* For a command in the lab: where it finds the lab and its site. */
void mgc_lab_target_export(const struct mgc_lab_target *target);

#endif
