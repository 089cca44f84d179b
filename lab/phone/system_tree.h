/* /system of the phone: programs and the few files of /system/etc. */
#ifndef MGC_LAB_PHONE_SYSTEM_TREE_H
#define MGC_LAB_PHONE_SYSTEM_TREE_H

#include <stdbool.h>

#include "common/base/error.h"
#include "lab/phone/options.h"

/* Below the current directory. */
bool mgl_system_tree_make(const struct mgl_options *options, struct mgc_error *err);

#endif
