/* /sys of the phone as files: made once, with the modes that an unrooted phone has. */
#ifndef MGC_LAB_PHONE_SYS_TREE_H
#define MGC_LAB_PHONE_SYS_TREE_H

#include <stdbool.h>

#include "common/base/error.h"

/* Below the current directory, the phone's new root: a file system of its own with empty files, for
 * sys/state.h to fill. */
bool mgl_sys_tree_make(struct mgc_error *err);

#endif
