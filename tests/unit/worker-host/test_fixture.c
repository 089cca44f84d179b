#include "worker-host/tasks/fixture.h"

#include <stdio.h>
#include <string.h>

#include "common/plat/file.h"
#include "tests/lib/check.h"

#define PNG_HEAD "\x89PNG\r\n\x1a\n"
#define PNG_END  "\0\0\0\0IEND\xae\x42\x60\x82"

static const char *judge(enum mgc_fixture_kind kind, const char *data, size_t len)
{
    const unsigned char *bytes = (const unsigned char *)data;
    size_t tail = len < MGC_FIXTURE_TAIL ? 0 : MGC_FIXTURE_TAIL;
    return mgc_fixture_judge(kind, bytes, len, bytes + len - tail, tail);
}
#define JUDGE(kind, text) judge(MGC_FIXTURE_##kind, text, sizeof(text) - 1)

static void expect(const char *what, const char *part)
{
    if (!part)
        assert_null(what);
    else if (!what || !strstr(what, part))
        fail_msg("%s, expected %s", what ? what : "fine", part);
}

static void test_names(void **state)
{
    expect(mgc_fixture_judge_name("/a/openra.tgz"), "archive");
    expect(mgc_fixture_judge_name("/a/x.tar.gz"), "archive");
    expect(mgc_fixture_judge_name("/a/x.tgz/openra.trace"), NULL);
    expect(mgc_fixture_judge_name(""), NULL);
}

static void test_content(void **state)
{
    static const char lfs[] = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2\n";
    char tar[512] = "openra/";
    memcpy(tar + 257, "ustar", 5);
    expect(JUDGE(TRACE, ""), "empty");
    expect(JUDGE(TRACE, lfs), "Git LFS");
    expect(JUDGE(GOLDEN, lfs), "Git LFS");
    expect(judge(MGC_FIXTURE_TRACE, tar, sizeof(tar)), "archive");
    expect(JUDGE(TRACE, "PK\3\4rest"), "archive");
    expect(JUDGE(TRACE, "at..."), NULL);
    expect(JUDGE(TRACE, "\x1f\x8b old apitrace"), NULL);
    expect(JUDGE(TRACE, "\6\0\0a call and its end\0"), NULL);
    expect(JUDGE(TRACE, "\6\0\0a call and no end"), "cut off within a call");
    expect(JUDGE(TRACE, "\6\0"), NULL); /* too short to tell */
    expect(JUDGE(GOLDEN, PNG_HEAD "data" PNG_END), NULL);
    expect(JUDGE(GOLDEN, PNG_HEAD "data and no end"), "cut off");
    expect(JUDGE(GOLDEN, PNG_HEAD), "cut off");
    expect(JUDGE(GOLDEN, "\x89PN"), "cut off");
    expect(JUDGE(GOLDEN, "JFIF"), "no PNG");
}

static void check_file(const char *data, size_t len, const char *part)
{
    struct mgc_fixture fixture;
    struct mgc_error err = {0};
    assert_true(mgc_file_write("fixture-test.trace", data, len, 0644, NULL));
    bool ok = mgc_fixture_check("fixture-test.trace", MGC_FIXTURE_TRACE, &fixture, &err);
    mgc_file_remove("fixture-test.trace", NULL);
    if (!part) {
        assert_true(ok);
        assert_int_equal(fixture.bytes, len);
        assert_int_equal(strlen(fixture.sha256), 64);
        return;
    }
    assert_false(ok);
    assert_int_equal(err.code, MGC_E_CONFIG);
    expect(err.text, part);
}

static void test_trace_chunks(void **state)
{
    static const char whole[] = "at\2\0\0\0ab\3\0\0\0xyz";
    check_file(whole, sizeof(whole) - 1, NULL);
    for (size_t len = sizeof(whole) - 2; len > 2; len--)
        if (len != 8)
            check_file(whole, len, "cut off");
    check_file(whole, 8, NULL); /* the first chunk is whole */
    check_file("at\xff\xff\xff\xff", 6, "cut off");
    check_file("MGLABTRC", 8, NULL);
    check_file("a", 1, NULL);
}

static void test_unreadable(void **state)
{
    struct mgc_fixture fixture;
    struct mgc_error err = {0};
    assert_false(mgc_fixture_check("no/such/file.trace", MGC_FIXTURE_TRACE, &fixture, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "no/such/file.trace"));
    assert_false(mgc_fixture_check(".", MGC_FIXTURE_TRACE, &fixture, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_content),
        cmocka_unit_test(test_trace_chunks), cmocka_unit_test(test_unreadable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
