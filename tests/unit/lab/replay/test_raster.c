/* The rasteriser and the renderer above it: shapes, clipping, and the same bytes for ever. */
#include "tests/lib/check.h"

#include <string.h>

#include "common/base/hash.h"
#include "lab/replay/renderer.h"
#include "lab/replay/scene.h"

static int count_of(const struct mgr_image *image, uint32_t colour)
{
    int count = 0;
    for (int i = 0; i < image->width * image->height; i++)
        count += image->pixels[i] == colour;
    return count;
}

static void test_triangle_in_both_windings(void **state)
{
    struct mgr_point corners[3] = {{1, 1}, {5, 1}, {1, 5}};
    struct mgr_image image;
    assert_true(mgr_image_init(&image, 8, 8));
    mgr_image_triangle(&image, corners, 7);
    assert_int_equal(count_of(&image, 7), 15); /* 5 + 4 + 3 + 2 + 1, edges belong to it */
    struct mgr_point other[3] = {corners[0], corners[2], corners[1]};
    mgr_image_triangle(&image, other, 9);
    assert_int_equal(count_of(&image, 9), 15);
    assert_int_equal(count_of(&image, 7), 0);
    mgr_image_destroy(&image);
}

static void test_everything_is_clipped(void **state)
{
    struct mgr_image image, texture;
    assert_true(mgr_image_init(&image, 4, 4));
    assert_true(mgr_image_init(&texture, 2, 2));
    mgr_image_clear(&texture, 0xff808080);
    mgr_image_rect(&image, -3, -3, 100, 100, &texture, 1, 1, 0xffffffff);
    assert_int_equal(count_of(&image, 0xff808080), 16);
    mgr_image_rect(&image, 4, 0, 5, 5, &texture, 0, 0, 0xff000000);
    mgr_image_rect(&image, 0, -9, 5, 5, &texture, 0, 0, 0xff000000);
    assert_int_equal(count_of(&image, 0xff808080), 16);
    struct mgr_point huge[3] = {{-60000, -60000}, {60000, -60000}, {0, 60000}};
    mgr_image_triangle(&image, huge, 3);
    assert_int_equal(count_of(&image, 3), 16);
    mgr_image_destroy(&image);
    mgr_image_destroy(&texture);
}

static void test_tint_and_texture_repeat(void **state)
{
    struct mgr_image image, texture;
    assert_true(mgr_image_init(&image, 5, 1));
    assert_true(mgr_image_init(&texture, 2, 1));
    texture.pixels[0] = 0xff0000ff;
    texture.pixels[1] = 0xff00ff00;
    mgr_image_rect(&image, 0, 0, 5, 1, &texture, 1, 0, 0xff00007f);
    assert_int_equal(image.pixels[0], 0xff000000);
    assert_int_equal(image.pixels[1], 0xff00007f);
    assert_int_equal(image.pixels[2], 0xff000000);
    mgr_image_destroy(&image);
    mgr_image_destroy(&texture);
}

/* Render a scene's reduced trace; damage >= 0 flips one byte of that record's expansion. */
static void render(int scene, int damage, char ret_hex[MGC_SHA256_HEX_SIZE])
{
    struct mgc_buf trace = {0}, wire = {0};
    struct mgr_trace_head head;
    struct mgr_renderer renderer;
    struct mgr_record record;
    mgr_scene_write(&mgr_scenes[scene], 32, &trace, &head);
    assert_true(mgr_renderer_init(&renderer, (int)head.width, (int)head.height, NULL));
    int number = 0;
    for (size_t at = MGR_TRACE_HEAD; mgr_trace_next(trace.data, trace.len, &at, &record);
         number++) {
        size_t used;
        mgc_buf_clear(&wire);
        mgr_record_expand(&wire, &record);
        if (number == damage)
            wire.data[wire.len - 1] ^= 1;
        assert_true(mgr_renderer_apply_bytes(&renderer, wire.data, wire.len, &used, NULL));
        assert_int_equal(used, wire.len);
    }
    struct mgc_sha256 hash;
    unsigned char digest[MGC_SHA256_SIZE];
    mgc_sha256_init(&hash);
    mgc_sha256_update(
        &hash, renderer.picture.pixels, (size_t)head.width * head.height * sizeof(uint32_t));
    mgc_sha256_final(&hash, digest);
    mgc_sha256_hex(digest, ret_hex);
    assert_int_equal(renderer.frames, head.frames);
    assert_int_equal(renderer.last_call, head.target_call);
    mgr_renderer_destroy(&renderer);
    mgc_buf_destroy(&trace);
    mgc_buf_destroy(&wire);
}

/* A change of these hashes means that goldens made before no longer fit: raise the trace version.
 */
static void test_scenes_draw_the_same_bytes_for_ever(void **state)
{
    static const char *const expected[MGR_SCENE_COUNT] = {
        "754f222acbecd6aee79e91f2472816ef10b645cb7401f34e1166bccb7f999876",
        "39238dcb5fe181b156d25beb0873b383246bd6808b5e6ff57be771107e34a001",
    };
    for (int scene = 0; scene < MGR_SCENE_COUNT; scene++) {
        char hex[MGC_SHA256_HEX_SIZE];
        render(scene, -1, hex);
        assert_string_equal(hex, expected[scene]);
    }
}

static void test_a_flipped_byte_is_seen(void **state)
{
    char whole[MGC_SHA256_HEX_SIZE], damaged[MGC_SHA256_HEX_SIZE];
    render(0, -1, whole);
    render(0, 3, damaged); /* a texture upload of the first frame */
    assert_string_not_equal(whole, damaged);
}

static void test_renderer_refuses_draws_from_nothing(void **state)
{
    struct mgr_renderer renderer;
    struct mgc_error err;
    assert_true(mgr_renderer_init(&renderer, 16, 16, NULL));
    struct mgr_record rects = {.kind = MGR_RECTS, .slot = 3};
    struct mgr_record tris = {.kind = MGR_TRIS, .slot = 3, .first = 0xffffffff, .count = 2};
    struct mgr_record seed = {.kind = MGR_BUFFER_SEED, .bytes = 4};
    assert_false(mgr_renderer_apply(&renderer, &rects, &err));
    assert_false(mgr_renderer_apply(&renderer, &tris, &err));
    assert_false(mgr_renderer_apply(&renderer, &seed, &err));
    assert_int_equal(err.code, MGC_E_PROTOCOL);
    mgr_renderer_destroy(&renderer);
    mgr_renderer_destroy(NULL);
    assert_false(mgr_renderer_init(&renderer, 0, 16, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangle_in_both_windings),
        cmocka_unit_test(test_everything_is_clipped),
        cmocka_unit_test(test_tint_and_texture_repeat),
        cmocka_unit_test(test_scenes_draw_the_same_bytes_for_ever),
        cmocka_unit_test(test_a_flipped_byte_is_seen),
        cmocka_unit_test(test_renderer_refuses_draws_from_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
