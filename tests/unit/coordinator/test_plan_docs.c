/* docs/site-format.md and docs/plan-format.md are what the schema prints, and the examples load.
 * With MGC_UPDATE_GOLDEN=EXAMPLES_DIR the schedules that the page shows are written instead of
 * compared. */
#include "tests/unit/coordinator/plan_fixture.h"

#include "coordinator/plan/examples.h"
#include "coordinator/plan/plan_text.h"

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

/* As `mgcoord plan show` prints it. */
static void make_schedule(struct fixture *fixture, const char *name, struct mgc_buf *out)
{
    char site_path[512], plan_path[512];
    struct mgc_plan_request request = fixture_request(fixture);
    struct mgc_site site;
    struct mgc_plan plan;
    snprintf(site_path, sizeof(site_path), "%s/site.yaml", getenv("MGC_TEST_EXAMPLES"));
    snprintf(plan_path, sizeof(plan_path), "%s/%s.yaml", getenv("MGC_TEST_EXAMPLES"), name);
    request.site_path = site_path;
    request.plan = plan_path;
    fixture_load(&request, &site, &plan);
    struct mgc_estimates *estimates = mgc_estimates_typical(&site, &plan);
    assert_non_null(estimates);
    mgc_plan_print_schedule(&plan, estimates, out);
    mgc_estimates_free(estimates);
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

static void test_plan_examples(void **state)
{
    const char *update = getenv("MGC_UPDATE_GOLDEN");
    size_t count = 0;
    for (const struct mgc_plan_example *example = mgc_plan_examples; example->name; example++) {
        struct mgc_buf schedule = {0};
        char path[512];
        make_schedule(*state, example->name, &schedule);
        snprintf(path, sizeof(path), "%s/shown/%s.txt", update ? update : "", example->name);
        if (update)
            assert_true(mgc_file_write(path, schedule.data, schedule.len, 0644, NULL));
        else
            assert_string_equal(mgc_buf_text(&schedule), example->schedule);
        mgc_buf_destroy(&schedule);
        count++;
    }
    assert_true(count >= 5);
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
        cmocka_unit_test_setup_teardown(test_plan_examples, fixture_setup, fixture_teardown),
        cmocka_unit_test(test_built_in_values_are_good),
        cmocka_unit_test(test_names_of_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
