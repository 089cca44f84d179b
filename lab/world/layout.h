/* Where things are: the lab's state directory and the programs it starts. */
#ifndef MGC_LAB_LAYOUT_H
#define MGC_LAB_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

enum { MGC_LAB_PATH_MAX = 512 };

/* All absolute. */
struct mgc_lab_layout {
    char state[MGC_LAB_PATH_MAX];
    char bin[MGC_LAB_PATH_MAX];
    char fixtures[MGC_LAB_PATH_MAX];
    char phone[MGC_LAB_PATH_MAX]; /* the phone's /data and /sdcard */
    char keys[MGC_LAB_PATH_MAX];
    char enrol[MGC_LAB_PATH_MAX];
    char host[MGC_LAB_PATH_MAX]; /* state of the host worker */
    char wsl[MGC_LAB_PATH_MAX];
    char locks[MGC_LAB_PATH_MAX]; /* what the workers lock: labs beside this one have their own */
    char log[MGC_LAB_PATH_MAX];
    char results[MGC_LAB_PATH_MAX];
    char site[MGC_LAB_PATH_MAX];     /* site.yaml */
    char lab_json[MGC_LAB_PATH_MAX]; /* who runs here */
    char lock[MGC_LAB_PATH_MAX];
    char run[MGC_LAB_PATH_MAX]; /* of a lab in loopback mode: what others have as /run/mglab */
};

/* state NULL: $XDG_STATE_HOME/mglab/default, or ~/.local/state/mglab/default. bin NULL: where this
 * program is, or its build directory's root. Fills names only. */
bool mgc_lab_layout_fill(
    struct mgc_lab_layout *ret_layout, const char *state, const char *bin, struct mgc_error *err);

/* Make the directories. */
bool mgc_lab_layout_make(const struct mgc_lab_layout *layout, struct mgc_error *err);

/* A program or library of ours: BIN/NAME as installed, else where meson builds it below BIN. */
bool mgc_lab_layout_find(const struct mgc_lab_layout *layout, const char *name,
    char ret_path[MGC_LAB_PATH_MAX], struct mgc_error *err);

#endif
