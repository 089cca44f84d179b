/* Which lab a command means: lab.json of a state directory, or the lab that we are in already.
 *
 * lab.json holds the pid of the lab's first process and that process's start time; together they
 * name one process for ever, so a file that a killed lab left behind is recognised.
 */
#ifndef MGC_LAB_TARGET_H
#define MGC_LAB_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "lab/world/layout.h"

struct mgc_lab_identity {
    pid_t pid;
    uint64_t start_ticks; /* see mgc_process_start_time */
};

/* Pure: the text of lab.json. */
void mgc_lab_identity_print(const struct mgc_lab_identity *identity, char *ret_text, size_t size);
bool mgc_lab_identity_parse(
    const char *text, struct mgc_lab_identity *ret_identity, struct mgc_error *err);

bool mgc_lab_target_write(const struct mgc_lab_layout *layout, pid_t pid, struct mgc_error *err);
void mgc_lab_target_remove(const struct mgc_lab_layout *layout);

struct mgc_lab_target {
    pid_t pid;             /* of the lab's first process, in our own pid namespace */
    bool inside;           /* we run in this lab; pid is 1 */
    char control_path[64]; /* of its control socket, as we reach it */
};

/* state NULL: the lab we are in, else $MGLAB_STATE, else the default directory. MGC_E_NOT_FOUND
 * when no lab runs there. */
bool mgc_lab_target_find(
    const char *state, struct mgc_lab_target *ret_target, struct mgc_error *err);

#endif
