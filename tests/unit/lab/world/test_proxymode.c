#include "lab/world/proxymode.h"

#include <string.h>

#include "tests/lib/check.h"

static void names_are_read_back(void **state)
{
    enum mgc_lab_proxy_mode mode;
    for (int i = 0; i < MGC_LAB_PROXY_MODE_COUNT; i++) {
        const char *name = mgc_lab_proxy_mode_name((enum mgc_lab_proxy_mode)i);
        assert_true(mgc_lab_proxy_mode_parse(name, &mode, NULL));
        assert_int_equal(mode, i);
    }
}

static void an_unknown_mode_is_named(void **state)
{
    enum mgc_lab_proxy_mode mode = MGC_LAB_PROXY_DROP;
    struct mgc_error err = {0};
    assert_false(mgc_lab_proxy_mode_parse("1", &mode, &err));
    assert_int_equal(mode, MGC_LAB_PROXY_DROP);
    assert_non_null(strstr(err.text, "\"1\""));
}

/* nft 1.0.6 wants a line end or ';' before every '}'. */
static void check_form(const char *rules)
{
    assert_ptr_equal(strstr(rules, "add table ip mglab\ndelete table ip mglab\n"), rules);
    for (const char *brace = strchr(rules, '}'); brace != NULL; brace = strchr(brace + 1, '}')) {
        const char *before = brace - 1;
        while (*before == ' ')
            before--;
        assert_true(*before == '\n' || *before == ';');
    }
}

static void every_mode_replaces_the_table_in_a_form_that_old_nft_reads(void **state)
{
    for (int i = 0; i < MGC_LAB_PROXY_MODE_COUNT; i++) {
        check_form(mgc_lab_proxy_rules((enum mgc_lab_proxy_mode)i));
        check_form(mgc_lab_proxy_wsl_rules((enum mgc_lab_proxy_mode)i));
    }
}

static void only_silence_touches_wsl(void **state)
{
    for (int i = 0; i < MGC_LAB_PROXY_MODE_COUNT; i++) {
        bool drops = strstr(mgc_lab_proxy_wsl_rules((enum mgc_lab_proxy_mode)i), "drop") != NULL;
        assert_int_equal(drops, i == MGC_LAB_PROXY_SILENCE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_read_back),
        cmocka_unit_test(an_unknown_mode_is_named),
        cmocka_unit_test(every_mode_replaces_the_table_in_a_form_that_old_nft_reads),
        cmocka_unit_test(only_silence_touches_wsl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
