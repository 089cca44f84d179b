/* PNG files to and from pictures; the only user of libpng. */
#ifndef MGC_LAB_REPLAY_PNG_H
#define MGC_LAB_REPLAY_PNG_H

#include <stdbool.h>

#include "common/base/error.h"
#include "lab/replay/raster.h"

/* Write RGB, uncompressed, so that the file's bytes depend on the picture alone and not on the
 * version of a compressor. The alpha channel is not kept. */
bool mgr_png_write(const char *path, const struct mgr_image *image, struct mgc_error *err);

/* Read any PNG up to the picture cap as RGBA; destroy the image. */
bool mgr_png_read(const char *path, struct mgr_image *ret_image, struct mgc_error *err);

#endif
