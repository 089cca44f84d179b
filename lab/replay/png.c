#include "lab/replay/png.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

/* libpng's error text goes to the caller, not to stderr. */
static void on_error(png_structp png, png_const_charp text)
{
    mgc_error_set(png_get_error_ptr(png), MGC_E_IO, "libpng: %s", text);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void write_rows(png_structp png, png_infop info, const struct mgr_image *image, uint8_t *row)
{
    png_set_compression_level(png, 0);
    png_set_filter(png, 0, PNG_FILTER_NONE);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
        PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
        PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    const uint32_t *pixels = image->pixels;
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++, pixels++)
            memcpy(row + (size_t)x * 3, pixels, 3);
        png_write_row(png, row);
    }
    png_write_end(png, NULL);
}

/* Everything between create and destroy of libpng's structs; setjmp lives here. */
static bool write_image(
    FILE *file, const struct mgr_image *image, uint8_t *row, struct mgc_error *err)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, err, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_init_io(png, file);
    write_rows(png, info, image, row);
    png_destroy_write_struct(&png, &info);
    return true;
}

bool mgr_png_write(const char *path, const struct mgr_image *image, struct mgc_error *err)
{
    struct mgc_error local = {.code = MGC_E_NO_MEMORY, .text = "no memory for libpng"};
    FILE *file = fopen(path, "wbe");
    if (!file)
        return mgc_error_errno(err, errno, "%s: cannot write", path);
    uint8_t *row = malloc((size_t)image->width * 3);
    bool ok = row && write_image(file, image, row, &local);
    free(row);
    if (fclose(file) != 0 && ok)
        return mgc_error_errno(err, errno, "%s: cannot write", path);
    if (!ok)
        mgc_error_set(err, local.code, "%s: %s", path, local.text);
    return ok;
}

bool mgr_png_read(const char *path, struct mgr_image *ret_image, struct mgc_error *err)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    *ret_image = (struct mgr_image){0};
    if (!png_image_begin_read_from_file(&png, path))
        return mgc_error_set(err, MGC_E_IO, "%s: %s", path, png.message);
    png.format = PNG_FORMAT_RGBA;
    if (png.width > MGR_IMAGE_SIDE_MAX || png.height > MGR_IMAGE_SIDE_MAX ||
        !mgr_image_init(ret_image, (int)png.width, (int)png.height)) {
        png_image_free(&png);
        return mgc_error_set(err, MGC_E_IO, "%s: picture too large", path);
    }
    if (!png_image_finish_read(&png, NULL, ret_image->pixels, 0, NULL)) {
        mgr_image_destroy(ret_image);
        return mgc_error_set(err, MGC_E_IO, "%s: %s", path, png.message);
    }
    return true;
}
