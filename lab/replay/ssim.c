#include "lab/replay/ssim.h"

#include <stdlib.h>

/* Sums over one channel; integers, so their order and the machine do not matter. */
struct sums {
    uint64_t a, b, aa, bb, ab;
};

static double channel_ssim(const struct sums *sums, double n)
{
    static const double c1 = 6.5025, c2 = 58.5225;
    double mean_a = (double)sums->a / n, mean_b = (double)sums->b / n;
    double var_a = (double)sums->aa / n - mean_a * mean_a;
    double var_b = (double)sums->bb / n - mean_b * mean_b;
    double cov = (double)sums->ab / n - mean_a * mean_b;
    return (2 * mean_a * mean_b + c1) * (2 * cov + c2) /
           ((mean_a * mean_a + mean_b * mean_b + c1) * (var_a + var_b + c2));
}

static void add_pixel(struct sums sums[3], uint32_t a, uint32_t b)
{
    for (int channel = 0; channel < 3; channel++) {
        uint64_t va = a >> (8 * channel) & 0xff, vb = b >> (8 * channel) & 0xff;
        sums[channel].a += va;
        sums[channel].b += vb;
        sums[channel].aa += va * va;
        sums[channel].bb += vb * vb;
        sums[channel].ab += va * vb;
    }
}

bool mgr_compare(const struct mgr_image *actual, const struct mgr_image *golden,
    const struct mgr_crop *crop, struct mgr_compare *ret_compare, struct mgc_error *err)
{
    if (actual->width != golden->width || actual->height != golden->height)
        return mgc_error_set(err, MGC_E_FAILED, "picture is %dx%d, golden is %dx%d", actual->width,
            actual->height, golden->width, golden->height);
    struct mgr_crop area = *crop;
    if (area.width == 0 && area.height == 0)
        area = (struct mgr_crop){0, 0, actual->width, actual->height};
    if (area.x < 0 || area.y < 0 || area.width < 1 || area.height < 1 ||
        area.width > actual->width - area.x || area.height > actual->height - area.y)
        return mgc_error_set(err, MGC_E_FAILED, "crop %d,%d,%d,%d leaves the %dx%d picture", area.x,
            area.y, area.width, area.height, actual->width, actual->height);

    struct sums sums[3] = {0};
    int64_t mismatches = 0;
    for (int y = area.y; y < area.y + area.height; y++) {
        size_t row = (size_t)y * (size_t)actual->width;
        for (int x = area.x; x < area.x + area.width; x++) {
            uint32_t a = actual->pixels[row + (size_t)x], b = golden->pixels[row + (size_t)x];
            add_pixel(sums, a, b);
            mismatches += ((a ^ b) & 0xffffff) != 0;
        }
    }
    double n = (double)area.width * area.height, total = 0;
    for (int channel = 0; channel < 3; channel++)
        total += channel_ssim(&sums[channel], n);
    *ret_compare = (struct mgr_compare){total / 3, mismatches};
    return true;
}

bool mgr_diff(const struct mgr_image *actual, const struct mgr_image *golden,
    struct mgr_image *ret_diff, struct mgc_error *err)
{
    if (actual->width != golden->width || actual->height != golden->height)
        return mgc_error_set(err, MGC_E_FAILED, "pictures of different size have no difference");
    if (!mgr_image_init(ret_diff, actual->width, actual->height))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a difference picture");
    size_t count = (size_t)actual->width * (size_t)actual->height;
    for (size_t i = 0; i < count; i++) {
        uint32_t out = 0xff000000u;
        for (int shift = 0; shift < 24; shift += 8) {
            int a = (int)(actual->pixels[i] >> shift & 0xff);
            int b = (int)(golden->pixels[i] >> shift & 0xff);
            out |= (uint32_t)abs(a - b) << shift;
        }
        ret_diff->pixels[i] = out;
    }
    return true;
}
