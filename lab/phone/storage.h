/* The fault "disk full": full file systems over /data/local/tmp and the apps' files. */
#ifndef MGC_LAB_PHONE_STORAGE_H
#define MGC_LAB_PHONE_STORAGE_H

#include <stdbool.h>

#include "common/base/error.h"

/* What was in the folders is hidden until mgl_storage_unfill. */
bool mgl_storage_fill(struct mgc_error *err);
void mgl_storage_unfill(void);

#endif
