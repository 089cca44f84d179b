/* docs/site-format.md and docs/plan-format.md are what the schema prints, and the example loads. */
#include "tests/unit/coordinator/plan_fixture.h"

static void compare(const struct mgc_schema *schema, const char *name)
{
    char path[512];
    struct mgc_buf want = {0}, got = {0};
    struct mgc_error err;
    snprintf(path, sizeof(path), "%s/%s", getenv("MGC_TEST_DOCS"), name);
    if (!mgc_file_read(path, 1 << 20, &got, &err))
        fail_msg("%s", err.text);
    mgc_schema_print(schema, &want);
    if (strcmp(mgc_buf_text(&got), mgc_buf_text(&want)) != 0)
        fail_msg(
            "docs/%s is out of date: mgcoord plan schema %s > docs/%s", name, schema->name, name);
    mgc_buf_destroy(&want);
    mgc_buf_destroy(&got);
}

static void test_pages(void **state)
{
    (void)state;
    compare(&mgc_schema_site, "site-format.md");
    compare(&mgc_schema_plan, "plan-format.md");
}

static void test_example(void **state)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/site.yaml", getenv("MGC_TEST_EXAMPLES"));
    struct mgc_plan_request request = fixture_request(*state);
    request.site_path = path;
    struct mgc_site site;
    struct mgc_plan plan;
    fixture_load(&request, &site, &plan);
    assert_string_equal(site.name, "desk-1");
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

/* Fallbacks go through the same checks as what people write. */
static void test_built_in_values_are_good(void **state)
{
    (void)state;
    struct mgc_settings settings = {0};
    struct mgc_problems problems = {0};
    mgc_source_built_in(mgc_bench_built_in(), &settings, &problems);
    assert_int_equal(problems.errors.total, 0);
    assert_true(settings.count > 10);
    mgc_settings_destroy(&settings);
}

static void test_names_of_sections(void **state)
{
    (void)state;
    assert_true(mgc_schema_is_section(&mgc_schema_site, "workloads.openra"));
    assert_true(mgc_schema_is_section(&mgc_schema_site, ""));
    assert_false(mgc_schema_is_section(&mgc_schema_site, "workloads.openra.trace"));
    assert_false(mgc_schema_is_section(&mgc_schema_site, "phon"));
    assert_true(mgc_schema_is_open(&mgc_schema_site, "workers"));
    assert_false(mgc_schema_is_open(&mgc_schema_site, "phone"));
    assert_null(mgc_schema_find(&mgc_schema_site, "workloads.openra"));
    assert_null(mgc_schema_find(&mgc_schema_site, "workloads.openra.trace.x"));
    assert_null(mgc_schema_find(&mgc_schema_site, ""));
    assert_non_null(mgc_schema_find(&mgc_schema_site, "workloads.openra.trace"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),
        cmocka_unit_test_setup_teardown(test_example, fixture_setup, fixture_teardown),
        cmocka_unit_test(test_built_in_values_are_good),
        cmocka_unit_test(test_names_of_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
