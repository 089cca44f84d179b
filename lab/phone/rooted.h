/* su: there on a rooted phone only (fault phone-rooted). */
#ifndef MGC_LAB_PHONE_ROOTED_H
#define MGC_LAB_PHONE_ROOTED_H

#include <stdbool.h>

#include "common/base/error.h"

/* Below the current directory, the phone's new root: /system/xbin, which can be written to later.
 */
bool mgl_rooted_make_place(struct mgc_error *err);
/* On the running phone: put su there, or take it away. */
bool mgl_rooted_set(bool rooted, struct mgc_error *err);

#endif
