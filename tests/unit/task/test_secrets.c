/* Masking: same length, across pieces, overlapping secrets as their union. */
#include "tests/lib/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/task/secrets.h"

static struct mgc_secrets make(const char *a, const char *b)
{
    struct mgc_fields fields = {0};
    struct mgc_secrets secrets;
    mgc_fields_set_str(&fields, "a", a);
    mgc_fields_set_str(&fields, "b", b);
    assert_true(mgc_secrets_init(&secrets, &fields));
    mgc_fields_destroy(&fields);
    return secrets;
}

/* Feed `text` in pieces of `piece` bytes. */
static char *mask(const struct mgc_secrets *secrets, const char *text, size_t len, size_t piece,
    uint64_t *ret_count)
{
    struct mgc_masker masker;
    struct mgc_buf out = {0};
    mgc_masker_init(&masker, secrets);
    for (size_t i = 0; i < len; i += piece)
        assert_true(mgc_masker_feed(&masker, text + i, len - i < piece ? len - i : piece, &out));
    assert_true(mgc_masker_end(&masker, &out));
    assert_int_equal(out.len, len);
    *ret_count = masker.count;
    mgc_masker_destroy(&masker);
    return mgc_buf_steal(&out);
}

static void masks_across_every_border(void **state)
{
    (void)state;
    struct mgc_secrets secrets = make("token-0123", "other-secret");
    const char text[] = "x token-0123 y token-012 other-secrettoken-0123";
    const char want[] = "x ********** y token-012 **********************";
    for (size_t piece = 1; piece <= sizeof(text); piece++) {
        uint64_t count;
        char *got = mask(&secrets, text, strlen(text), piece, &count);
        assert_string_equal(got, want);
        assert_int_equal(count, 3);
        free(got);
    }
    mgc_secrets_destroy(&secrets);
}

static void masks_overlaps_as_their_union(void **state)
{
    (void)state;
    struct mgc_secrets secrets = make("abcdefgh", "efghijkl");
    for (size_t piece = 1; piece <= 20; piece++) {
        uint64_t count;
        char *got = mask(&secrets, "<abcdefghijkl>", 14, piece, &count);
        assert_string_equal(got, "<************>");
        free(got);
    }
    mgc_secrets_destroy(&secrets);
}

static void leaves_other_text_alone(void **state)
{
    (void)state;
    struct mgc_secrets secrets = make("token-0123", NULL);
    uint64_t count;
    char *got = mask(&secrets, "ttttttoken-012x", 15, 4, &count);
    assert_string_equal(got, "ttttttoken-012x");
    assert_int_equal(count, 0);
    free(got);
    mgc_secrets_destroy(&secrets);
}

static void sees_binary_data(void **state)
{
    (void)state;
    struct mgc_secrets secrets = make("token-0123", NULL);
    struct mgc_masker masker;
    mgc_masker_init(&masker, &secrets);
    assert_true(mgc_masker_feed(&masker, "text token-0123", 15, NULL));
    assert_false(masker.has_nul);
    assert_true(mgc_masker_feed(&masker, "a\0b", 3, NULL));
    assert_true(mgc_masker_end(&masker, NULL));
    assert_true(masker.has_nul);
    assert_int_equal(masker.count, 1);
    mgc_masker_destroy(&masker);
    mgc_secrets_destroy(&secrets);
}

static void without_secrets_nothing_is_held_back(void **state)
{
    (void)state;
    struct mgc_secrets secrets = {0};
    struct mgc_masker masker;
    struct mgc_buf out = {0};
    mgc_masker_init(&masker, &secrets);
    assert_true(mgc_masker_feed(&masker, "hello", 5, &out));
    assert_string_equal(mgc_buf_text(&out), "hello");
    mgc_masker_destroy(&masker);
    mgc_buf_destroy(&out);
}

static void masks_fields_in_place(void **state)
{
    (void)state;
    struct mgc_secrets secrets = make("token-0123", NULL);
    struct mgc_fields fields = {0};
    mgc_fields_set_str(&fields, "text", "say token-0123!");
    mgc_fields_set_int(&fields, "n", 3);
    mgc_secrets_mask_fields(&secrets, &fields);
    assert_string_equal(mgc_fields_get_str(&fields, "text"), "say **********!");
    mgc_fields_destroy(&fields);
    mgc_secrets_destroy(&secrets);
}

static void refuses_more_than_it_can_hold(void **state)
{
    (void)state;
    struct mgc_fields fields = {0};
    struct mgc_secrets secrets;
    for (int i = 0; i <= MGC_SECRETS_MAX; i++) {
        char name[16];
        snprintf(name, sizeof(name), "s%d", i);
        mgc_fields_set_str(&fields, name, "some-secret");
    }
    assert_false(mgc_secrets_init(&secrets, &fields));
    mgc_secrets_destroy(&secrets);
    mgc_fields_destroy(&fields);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_across_every_border),
        cmocka_unit_test(masks_overlaps_as_their_union),
        cmocka_unit_test(leaves_other_text_alone),
        cmocka_unit_test(sees_binary_data),
        cmocka_unit_test(without_secrets_nothing_is_held_back),
        cmocka_unit_test(masks_fields_in_place),
        cmocka_unit_test(refuses_more_than_it_can_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
