#include "worker-host/tasks/app_report.h"

#include <string.h>

#include "tests/lib/check.h"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_report(void **state)
{
    static const char report[] = "mgc:apk_path /data/app/~~x==/a.b-1/base.apk\n"
                                 "mgc:apk_sha256 " HASH "\n"
                                 "mgc:split_sha256 split_a.apk=" HASH "\n"
                                 "mgc:split_sha256 split_b.apk=" HASH "\n"
                                 "mgc:split_sha256 split_c.apk=none\n"
                                 "mgc:app_stamp package:/a package:/b lastUpdateTime=x y\n"
                                 "mgc:library_in_apk true\n"
                                 "noise\n"
                                 "mgc:version 1.2 (3)\n"
                                 "mgc:version_code 114\n"
                                 "mgc:library_path /data/app/a.b/lib/arm64/libMobileGL.so\n"
                                 "mgc:library_sha256 not-a-hash\n"
                                 "mgc:debuggable true\n"
                                 "mgc:pid_alive false\n"
                                 "mgc:end\n";
    struct mgc_fields facts = {0};
    bool flag = true;
    assert_true(mgc_app_report_parse(report, &facts, NULL));
    assert_string_equal(mgc_fields_get_str(&facts, "apk_path"), "/data/app/~~x==/a.b-1/base.apk");
    assert_string_equal(mgc_fields_get_str(&facts, "apk_sha256"), HASH);
    assert_string_equal(mgc_fields_get_str(&facts, "version"), "1.2 (3)");
    int64_t code = 0;
    assert_true(mgc_fields_get_int(&facts, "version_code", &code) && code == 114);
    assert_null(mgc_fields_get(&facts, "library_sha256"));
    assert_true(mgc_fields_get_bool(&facts, "pid_alive", &flag));
    assert_false(flag);
    assert_true(mgc_fields_get_bool(&facts, "debuggable", &flag) && flag);
    assert_true(mgc_fields_get_bool(&facts, "library_in_apk", &flag) && flag);
    assert_string_equal(
        mgc_fields_get_str(&facts, "split_sha256"), "split_a.apk=" HASH " split_b.apk=" HASH);
    assert_string_equal(
        mgc_fields_get_str(&facts, "app_stamp"), "package:/a package:/b lastUpdateTime=x y");
    mgc_fields_destroy(&facts);
}

static void test_cut_off(void **state)
{
    struct mgc_error err = {0};
    struct mgc_fields facts = {0};
    assert_false(mgc_app_report_parse("mgc:version 1\nmgc:debug", &facts, &err));
    assert_int_equal(err.code, MGC_E_PROTOCOL);
    assert_string_equal(mgc_fields_get_str(&facts, "version"), "1");
    assert_false(mgc_app_report_parse("", &facts, &err));
    mgc_fields_destroy(&facts);
}

static void test_nonsense_is_absent(void **state)
{
    struct mgc_fields facts = {0};
    assert_true(mgc_app_report_parse("mgc:\nmgc:apk_path relative\nmgc:version \nmgc:version_code "
                                     "\nmgc:version_code x\nmgc:x y\nmgc:apk_path\nmgc:end",
        &facts, NULL));
    assert_int_equal(facts.count, 0);
    mgc_fields_destroy(&facts);
}

static void test_script_quotes(void **state)
{
    struct mgc_buf out = {0};
    assert_true(mgc_app_report_script(&out, "a.b"));
    assert_non_null(strstr(mgc_buf_text(&out), "'sh' 'a.b'"));
    mgc_buf_destroy(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_report),
        cmocka_unit_test(test_cut_off), cmocka_unit_test(test_nonsense_is_absent),
        cmocka_unit_test(test_script_quotes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
