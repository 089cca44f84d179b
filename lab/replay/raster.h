/* A small software rasteriser: integers only, so every machine draws the same bytes. */
#ifndef MGC_LAB_REPLAY_RASTER_H
#define MGC_LAB_REPLAY_RASTER_H

#include <stdbool.h>
#include <stdint.h>

/* Pixels row by row from the top left, bytes R, G, B, A in memory order. */
struct mgr_image {
    int width, height;
    uint32_t *pixels; /* owned */
};

enum { MGR_IMAGE_SIDE_MAX = 4096 };

/* False: a side outside 1..MGR_IMAGE_SIDE_MAX, or no memory. Starts black, transparent. */
bool mgr_image_init(struct mgr_image *image, int width, int height);
void mgr_image_destroy(struct mgr_image *image); /* takes NULL and zeroed */

void mgr_image_clear(struct mgr_image *image, uint32_t colour);

/* Fill with the texture from (u, v) on, repeated, times the tint per channel. Clipped. NULL
 * texture: the tint alone. */
void mgr_image_rect(struct mgr_image *image, int x, int y, int w, int h,
    const struct mgr_image *texture, int u, int v, uint32_t tint);

struct mgr_point {
    int x, y;
};

/* A flat triangle in either winding; pixels whose centre is inside or on an edge. Clipped. */
void mgr_image_triangle(
    struct mgr_image *image, const struct mgr_point corners[3], uint32_t colour);

#endif
