#include "common/base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/open.h"
#include "tests/lib/check.h"
#include "tests/lib/temp.h"

/* FIPS 180-4 examples; the last is a million times 'a'. */
static const char empty_hex[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
static const char abc_hex[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
static const char million_hex[] =
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

static void assert_hash(const char *data, size_t len, size_t step, const char *want)
{
    struct mgc_sha256 hash;
    unsigned char digest[MGC_SHA256_SIZE];
    char hex[MGC_SHA256_HEX_SIZE];
    mgc_sha256_init(&hash);
    for (size_t at = 0; at < len; at += step)
        mgc_sha256_update(&hash, data + at, len - at < step ? len - at : step);
    mgc_sha256_final(&hash, digest);
    mgc_sha256_hex(digest, hex);
    assert_string_equal(hex, want);
}

static void test_known_vectors(void **state)
{
    char *million = malloc(1000000);
    assert_non_null(million);
    memset(million, 'a', 1000000);
    assert_hash("", 0, 1, empty_hex);
    assert_hash("abc", 3, 3, abc_hex);
    assert_hash("abc", 3, 1, abc_hex);
    assert_hash(million, 1000000, 1000000, million_hex);
    assert_hash(million, 1000000, 977, million_hex);
    free(million);
}

static void test_file(void **state)
{
    char path[512];
    temp_name(path, sizeof(path), "hash");
    FILE *file = mgc_open_write(path);
    assert_non_null(file);
    char hex[MGC_SHA256_HEX_SIZE];
    uint64_t size = 99;
    assert_true(mgc_sha256_file(path, hex, &size, NULL));
    assert_string_equal(hex, empty_hex);
    assert_int_equal(size, 0);
    assert_true(fputs("abc", file) >= 0 && fflush(file) == 0);
    assert_true(mgc_sha256_file(path, hex, &size, NULL));
    assert_string_equal(hex, abc_hex);
    assert_int_equal(size, 3);
    assert_true(mgc_sha256_file(path, hex, NULL, NULL));
    fclose(file);
    remove(path);

    struct mgc_error err = {0};
    assert_false(mgc_sha256_file(path, hex, NULL, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    assert_non_null(strstr(err.text, path));
    assert_false(mgc_sha256_file("/", hex, NULL, &err));
}

static void test_random(void **state)
{
    char text[21];
    mgc_random_text(text, 20);
    assert_int_equal(strlen(text), 20);
    assert_int_equal(strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789"), 20);
    mgc_random_text(text, 0);
    assert_string_equal(text, "");
    uint64_t a = mgc_random_id(), b = mgc_random_id();
    assert_true(a != 0 && b != 0 && a != b);
    unsigned char bytes[64] = {0}, zero[64] = {0};
    mgc_random_bytes(bytes, sizeof(bytes));
    assert_memory_not_equal(bytes, zero, sizeof(bytes));
}

static int start(void **state)
{
    return mgc_random_init(NULL) && mgc_random_init(NULL) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_vectors),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
