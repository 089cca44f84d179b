/* Nodes of /sys that are missing or that nobody may read: two faults. Loop thread only. */
#ifndef MGC_LAB_PHONE_SYS_HIDE_H
#define MGC_LAB_PHONE_SYS_HIDE_H

#include <stdbool.h>

#include "common/base/error.h"

/* Take a file, directory or link below /sys away; the one before comes back first. NULL: only that.
 */
bool mgl_sys_hide(const char *path, struct mgc_error *err);
/* Make one unreadable for everybody but root, in the same way. */
bool mgl_sys_lock(const char *path, struct mgc_error *err);

#endif
