/* /data and /sdcard: made on the host once, bound into the phone. */
#ifndef MGC_LAB_PHONE_DATA_TREE_H
#define MGC_LAB_PHONE_DATA_TREE_H

#include <stdbool.h>

#include "common/base/error.h"
#include "lab/phone/options.h"

/* Make what is missing below options->data, with Android's modes and (real) owners. Changes the
 * current directory. */
bool mgl_data_tree_make(const struct mgl_options *options, struct mgc_error *err);
/* Bind it, and the app's libraries, into the new root, which is the current directory. */
bool mgl_data_tree_bind(const struct mgl_options *options, struct mgc_error *err);

#endif
