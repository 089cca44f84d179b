/* Files as MobileGL's own programs write them: opened, truncated and written in place, so that a
 * reader may see a part. Not for files of ours that must be whole (common/plat/file.h). */
#ifndef MGC_LAB_REPLAY_WRITE_H
#define MGC_LAB_REPLAY_WRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

bool mgr_write(const char *path, const void *data, size_t len, struct mgc_error *err);
bool mgr_write_more(const char *path, const void *data, size_t len, struct mgc_error *err);

#endif
