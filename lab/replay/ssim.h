/* Structural similarity as the runner computes it (contract section 1): the whole picture is one
 * window, each of R, G, B on its own, averaged; C1 = 6.5025, C2 = 58.5225; alpha is ignored. */
#ifndef MGC_LAB_REPLAY_SSIM_H
#define MGC_LAB_REPLAY_SSIM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "lab/replay/raster.h"

struct mgr_crop {
    int x, y, width, height; /* width 0: the whole picture */
};

struct mgr_compare {
    double ssim;             /* 1.0 for equal pictures */
    int64_t mismatch_pixels; /* that differ in R, G or B, inside the crop */
};

/* False when the sizes differ or the crop leaves the picture. */
bool mgr_compare(const struct mgr_image *actual, const struct mgr_image *golden,
    const struct mgr_crop *crop, struct mgr_compare *ret_compare, struct mgc_error *err);

/* |actual - golden| per channel, opaque; sizes must be equal. Destroy *ret_diff. */
bool mgr_diff(const struct mgr_image *actual, const struct mgr_image *golden,
    struct mgr_image *ret_diff, struct mgc_error *err);

#endif
