#include "lab/replay/raster.h"

#include <stdlib.h>

bool mgr_image_init(struct mgr_image *image, int width, int height)
{
    *image = (struct mgr_image){0};
    if (width < 1 || height < 1 || width > MGR_IMAGE_SIDE_MAX || height > MGR_IMAGE_SIDE_MAX)
        return false;
    image->pixels = calloc((size_t)width * (size_t)height, sizeof(uint32_t));
    if (!image->pixels)
        return false;
    image->width = width;
    image->height = height;
    return true;
}

void mgr_image_destroy(struct mgr_image *image)
{
    if (!image)
        return;
    free(image->pixels);
    *image = (struct mgr_image){0};
}

void mgr_image_clear(struct mgr_image *image, uint32_t colour)
{
    size_t count = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < count; i++)
        image->pixels[i] = colour;
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* Each channel times the tint's, 255 meaning one; two channels at a time. */
static uint32_t modulate(uint32_t texel, uint32_t tint)
{
    uint32_t r = (texel & 0xff) * ((tint & 0xff) + 1) >> 8;
    uint32_t g = (texel >> 8 & 0xff) * ((tint >> 8 & 0xff) + 1) >> 8;
    uint32_t b = (texel >> 16 & 0xff) * ((tint >> 16 & 0xff) + 1) >> 8;
    return r | g << 8 | b << 16 | 0xff000000u;
}

static void rect_row(
    uint32_t *pixels, int count, const uint32_t *texels, int width, int u, uint32_t tint)
{
    for (int i = 0; i < count; i++) {
        pixels[i] = modulate(texels[u], tint);
        if (++u == width)
            u = 0;
    }
}

void mgr_image_rect(struct mgr_image *image, int x, int y, int w, int h,
    const struct mgr_image *texture, int u, int v, uint32_t tint)
{
    int left = max_int(x, 0), right = min_int(x + w, image->width);
    int top = max_int(y, 0), bottom = min_int(y + h, image->height);
    if (left >= right)
        return;
    for (int row = top; row < bottom; row++) {
        uint32_t *pixels = image->pixels + (size_t)row * (size_t)image->width + left;
        if (!texture) {
            for (int i = 0; i < right - left; i++)
                pixels[i] = tint;
            continue;
        }
        const uint32_t *texels =
            texture->pixels + (size_t)((v + row - y) % texture->height) * (size_t)texture->width;
        rect_row(
            pixels, right - left, texels, texture->width, (u + left - x) % texture->width, tint);
    }
}

/* Twice the signed area of a, b, p. Coordinates are below 2^17, so 64 bits never overflow. */
static int64_t edge(struct mgr_point a, struct mgr_point b, int x, int y)
{
    return (int64_t)(b.x - a.x) * (y - a.y) - (int64_t)(b.y - a.y) * (x - a.x);
}

void mgr_image_triangle(struct mgr_image *image, const struct mgr_point corners[3], uint32_t colour)
{
    struct mgr_point a = corners[0], b = corners[1], c = corners[2];
    if (edge(a, b, c.x, c.y) < 0) {
        b = corners[2];
        c = corners[1];
    }
    int left = max_int(min_int(a.x, min_int(b.x, c.x)), 0);
    int right = min_int(max_int(a.x, max_int(b.x, c.x)), image->width - 1);
    int top = max_int(min_int(a.y, min_int(b.y, c.y)), 0);
    int bottom = min_int(max_int(a.y, max_int(b.y, c.y)), image->height - 1);
    for (int y = top; y <= bottom; y++) {
        uint32_t *row = image->pixels + (size_t)y * (size_t)image->width;
        for (int x = left; x <= right; x++) {
            if (edge(a, b, x, y) >= 0 && edge(b, c, x, y) >= 0 && edge(c, a, x, y) >= 0)
                row[x] = colour;
        }
    }
}
