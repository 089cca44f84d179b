/* The pure parts of mgdevice: hash, /proc texts, paths, names of processes. */
#include <stdio.h>
#include <string.h>

#include "common/base/hash.h"
#include "sampler/path.h"
#include "sampler/proc.h"
#include "sampler/sha256.h"
#include "tests/lib/check.h"

static void check_hash(const void *data, size_t len, size_t step)
{
    unsigned char digest[32];
    char got[MGC_SHA256_HEX_SIZE], want[MGC_SHA256_HEX_SIZE];
    struct mgd_sha256 hash;
    struct mgc_sha256 theirs;
    mgd_sha256_init(&hash);
    for (size_t at = 0; at < len; at += step)
        mgd_sha256_update(&hash, (const char *)data + at, len - at < step ? len - at : step);
    mgd_sha256_final(&hash, digest);
    mgc_sha256_hex(digest, got);
    mgc_sha256_init(&theirs);
    mgc_sha256_update(&theirs, data, len);
    mgc_sha256_final(&theirs, digest);
    mgc_sha256_hex(digest, want);
    if (strcmp(got, want) != 0)
        fail_msg("%zu bytes in steps of %zu", len, step);
}

static void test_hash(void **state)
{
    static unsigned char data[1000];
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (unsigned char)(i * 7 + i / 256);
    for (size_t len = 0; len <= 200; len++)
        for (size_t step = 1; step <= 130; step += 13)
            check_hash(data, len, step);
    check_hash(data, sizeof(data), 64);
    check_hash(data, sizeof(data), sizeof(data));
}

/* FIPS 180-4's own example. */
static void test_hash_of_abc(void **state)
{
    unsigned char digest[32];
    char hex[MGC_SHA256_HEX_SIZE];
    struct mgd_sha256 hash;
    mgd_sha256_init(&hash);
    mgd_sha256_update(&hash, "abc", 3);
    mgd_sha256_final(&hash, digest);
    mgc_sha256_hex(digest, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

#define TAIL " 0 0 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 3 0 777 123 9 1\n"

static void test_stat(void **state)
{
    struct mgd_stat stat;
    assert_true(mgd_stat_parse("12 (sleep) S 3" TAIL, &stat));
    assert_string_equal(stat.comm, "sleep");
    assert_int_equal(stat.state, 'S');
    assert_int_equal(stat.ppid, 3);
    assert_int_equal(stat.start_ticks, 777);
    assert_true(mgd_stat_parse("12 (a) b) (c) Z 4" TAIL, &stat));
    assert_string_equal(stat.comm, "a) b) (c");
    assert_int_equal(stat.state, 'Z');
    assert_false(mgd_stat_parse("", &stat));
    assert_false(mgd_stat_parse("12 (sleep", &stat));
    assert_false(mgd_stat_parse(")12 (sleep", &stat));
    assert_false(mgd_stat_parse("12 (sleep) S 3 0 0 0", &stat));
}

static void test_package(void **state)
{
    static const char package[] = "top.app.trace";
    assert_true(mgd_of_package("top.app.trace", package));
    assert_true(mgd_of_package("top.app.trace:mglsrv", package));
    assert_true(mgd_of_package("/data/app/~~x==/top.app.trace-y==/lib/arm64/libS.so", package));
    assert_true(mgd_of_package("/data/app/top.app.trace/lib/libS.so", package));
    assert_false(mgd_of_package("top.app.trace2", package));
    assert_false(mgd_of_package("top.app", package));
    assert_false(mgd_of_package("/data/app/xtop.app.trace/lib/libS.so", package));
    assert_false(mgd_of_package("/data/app/other/top.app.trace", package)); /* its own name only */
    assert_false(mgd_of_package("/data/user/0/top.app.trace/mgdevice-0123", package));
    assert_false(mgd_of_package("./mgdevice-0123", package));
    assert_false(mgd_of_package("", package));
    assert_false(mgd_of_package("top.app.trace", ""));
}

static void test_paths(void **state)
{
    char path[32];
    assert_true(mgd_path_ok("/"));
    assert_true(mgd_path_ok("/a/b..c"));
    assert_false(mgd_path_ok(""));
    assert_false(mgd_path_ok("a"));
    assert_false(mgd_path_ok("/a/../b"));
    assert_false(mgd_path_ok("/.."));
    assert_true(mgd_name_ok("a/b"));
    assert_true(mgd_name_ok("a/"));
    assert_false(mgd_name_ok(""));
    assert_false(mgd_name_ok("/a"));
    assert_false(mgd_name_ok("a//b"));
    assert_false(mgd_name_ok("./a"));
    assert_false(mgd_name_ok("a/.."));
    assert_true(mgd_path_join(path, sizeof(path), "/d", "n"));
    assert_string_equal(path, "/d/n");
    assert_true(mgd_path_join(path, sizeof(path), "", "/n"));
    assert_string_equal(path, "/n");
    assert_false(mgd_path_join(path, sizeof(path), "", "n"));
    assert_false(mgd_path_join(path, sizeof(path), "/d", "/n"));
    assert_false(mgd_path_join(path, 4, "/d", "n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_hash_of_abc),
        cmocka_unit_test(test_stat),
        cmocka_unit_test(test_package),
        cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
