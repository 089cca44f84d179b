#include "tests/lib/check.h"

#include <math.h>
#include <string.h>

#include "lab/replay/ssim.h"

static const struct mgr_crop all = {0};

/* Alpha differs on purpose: it must not count. */
static struct mgr_image filled(int width, int height, uint32_t colour)
{
    struct mgr_image image;
    assert_true(mgr_image_init(&image, width, height));
    mgr_image_clear(&image, colour);
    return image;
}

static void test_equal_pictures_are_exactly_one(void **state)
{
    struct mgr_image a = filled(8, 8, 0xff102030), b = filled(8, 8, 0x00102030);
    a.pixels[5] = b.pixels[5] = 0xffffffff;
    b.pixels[5] &= 0x00ffffff;
    struct mgr_compare result;
    assert_true(mgr_compare(&a, &b, &all, &result, NULL));
    assert_true(result.ssim == 1.0);
    assert_int_equal(result.mismatch_pixels, 0);
    mgr_image_destroy(&a);
    mgr_image_destroy(&b);
}

/* Flat pictures have no variance, so only the luminance term is left: per channel
 * (2ab + C1) / (a^2 + b^2 + C1). */
static void test_flat_pictures_give_the_formula(void **state)
{
    struct mgr_image a = filled(4, 4, 0xff000064), b = filled(4, 4, 0xff000096);
    struct mgr_compare result;
    assert_true(mgr_compare(&a, &b, &all, &result, NULL));
    double red = (2.0 * 100 * 150 + 6.5025) / (100.0 * 100 + 150.0 * 150 + 6.5025);
    assert_true(fabs(result.ssim - (red + 2) / 3) < 1e-12);
    assert_int_equal(result.mismatch_pixels, 16);
    mgr_image_destroy(&a);
    mgr_image_destroy(&b);
}

/* A checkerboard against its negative: means 127.5, variance 127.5^2, covariance -127.5^2. */
static void test_negative_structure(void **state)
{
    struct mgr_image a = filled(4, 4, 0), b = filled(4, 4, 0);
    for (int i = 0; i < 16; i++) {
        bool white = (i + i / 4) % 2;
        a.pixels[i] = white ? 0xffffffff : 0xff000000;
        b.pixels[i] = white ? 0xff000000 : 0xffffffff;
    }
    struct mgr_compare result;
    assert_true(mgr_compare(&a, &b, &all, &result, NULL));
    double v = 127.5 * 127.5;
    assert_true(fabs(result.ssim - (-2 * v + 58.5225) / (2 * v + 58.5225)) < 1e-12);
    mgr_image_destroy(&a);
    mgr_image_destroy(&b);
}

static void test_crop_hides_what_is_outside(void **state)
{
    struct mgr_image a = filled(6, 6, 0xff404040), b = filled(6, 6, 0xff404040);
    b.pixels[0] = 0xffffffff;
    struct mgr_compare result;
    struct mgr_crop inner = {1, 1, 4, 4}, outside = {3, 3, 4, 3};
    assert_true(mgr_compare(&a, &b, &inner, &result, NULL));
    assert_true(result.ssim == 1.0);
    assert_true(mgr_compare(&a, &b, &all, &result, NULL));
    assert_true(result.ssim < 1.0);
    assert_int_equal(result.mismatch_pixels, 1);
    struct mgc_error err;
    assert_false(mgr_compare(&a, &b, &outside, &result, &err));
    mgr_image_destroy(&b);
    b = filled(6, 5, 0);
    assert_false(mgr_compare(&a, &b, &all, &result, &err));
    assert_non_null(strstr(err.text, "6x5"));
    mgr_image_destroy(&a);
    mgr_image_destroy(&b);
}

static void test_difference_picture(void **state)
{
    struct mgr_image a = filled(2, 1, 0xff102030), b = filled(2, 1, 0xff302010), diff;
    b.pixels[1] = a.pixels[1];
    assert_true(mgr_diff(&a, &b, &diff, NULL));
    assert_int_equal(diff.pixels[0], 0xff200020);
    assert_int_equal(diff.pixels[1], 0xff000000);
    mgr_image_destroy(&a);
    mgr_image_destroy(&b);
    mgr_image_destroy(&diff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_pictures_are_exactly_one),
        cmocka_unit_test(test_flat_pictures_give_the_formula),
        cmocka_unit_test(test_negative_structure),
        cmocka_unit_test(test_crop_hides_what_is_outside),
        cmocka_unit_test(test_difference_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
