/* From a command line to a loaded plan and an exit code, as every command does it. */
#include "tests/unit/coordinator/plan_fixture.h"

#include "coordinator/cmd/exit_code.h"
#include "coordinator/cmd/options.h"

struct options {
    bool before;
    struct mgc_plan_options plan;
};

static const struct mgc_cli_option rows[] = {
    {"before", 'b', NULL, "a flag of the command's own", mgc_cli_flag,
        offsetof(struct options, before)},
    MGC_PLAN_OPTIONS(struct options, plan),
    {0},
};
static const struct mgc_cli cli = {.program = "mgcoord test",
    .synopsis = "PLAN",
    .summary = "For this test.",
    .options = rows,
    .min_operands = 1,
    .max_operands = 1};

enum { ARGS_MAX = 24 };

/* The whole way; MGC_EXIT_OK leaves site and plan to the caller. */
static int load(const char *const *args, struct mgc_site *site, struct mgc_plan *plan)
{
    static const char *const variables[] = {"MGCOORD_SITE", "SER", "PHONE", "PKG", "GATEWAY",
        "TOKEN", "PERF_WORK", "RUNS", "OPENRA_REPS", "RD12_REPS", "OPENRA_TIMEOUT", "RD12_TIMEOUT"};
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        unsetenv(variables[i]);
    char *argv[ARGS_MAX + 1] = {(char *)"test"};
    int argc = 1;
    for (; args[argc - 1]; argc++)
        argv[argc] = (char *)args[argc - 1];
    struct options options = {0};
    char **operands;
    int count, exit_code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    return exit_code >= 0 ? exit_code
                          : mgc_plan_options_load(&options.plan, operands[0], site, plan);
}

static void test_all_options(void **state)
{
    (void)state;
    static const char *const args[] = {"-b", "crosshost", "--site=site.yaml", "--workload", "rd12",
        "--workload=openra", "-c", "2,3", "--credit", "1", "-r", "2", "--set", "phone.port=40700",
        "--set", "lanes.crosshost.ssim=false", NULL};
    struct mgc_site site;
    struct mgc_plan plan;
    assert_int_equal(load(args, &site, &plan), MGC_EXIT_OK);
    assert_int_equal(plan.cell_count, 2 + 2 * 3 * 2);
    assert_string_equal(plan.cells[1].id, "crosshost/bench-rd12-c2-r1");
    assert_string_equal(plan.cells[3].id, "crosshost/bench-rd12-c1-r1");
    assert_string_equal(plan.cells[12].id, "crosshost/bench-openra-c1-r2");
    assert_int_equal(site.phone.port, 40700);
    assert_string_equal(mgc_settings_get(&site.settings, "phone.port")->origin, "--set phone.port");
    assert_string_equal(
        mgc_settings_get(&site.settings, "lanes.crosshost.credits")->origin, "--credit");
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

static void test_usage_errors(void **state)
{
    (void)state;
    static const char *const cases[][6] = {
        {"crosshost", "--reps", "0"},
        {"crosshost", "--set", "phone.port"},
        {"crosshost", "--set", "=1"},
        {"crosshost", "--set", "no.such.key=1"},
        {"crosshost", "--workload", "doom"},
        {"crosshost", "--credit", "x"},
        {"crosshost", "--credit", ","},
        {"crosshost", "--site", "no-such.yaml"},
        {"no-such-plan"},
        {"./no-such-plan.yaml"},
        {"crosshost", "too-many"},
        {"--no-such-option", "crosshost"},
        {NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mgc_site site;
        struct mgc_plan plan;
        assert_int_equal(load(cases[i], &site, &plan), MGC_EXIT_USAGE);
    }
}

static void test_exit_codes(void **state)
{
    (void)state;
    static const struct {
        enum mgc_code code;
        enum mgc_exit exit_code;
    } cases[] = {
        {MGC_E_USAGE, MGC_EXIT_USAGE},
        {MGC_E_CONFIG, MGC_EXIT_USAGE},
        {MGC_E_CANCELLED, MGC_EXIT_INTERRUPTED},
        {MGC_E_BUSY, MGC_EXIT_INFRASTRUCTURE},
        {MGC_E_NO_SPACE, MGC_EXIT_INFRASTRUCTURE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mgc_error err;
        mgc_error_set(&err, cases[i].code, "for the test");
        assert_int_equal(mgc_cmd_fail(&err), cases[i].exit_code);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_all_options),
        TEST(test_usage_errors),
        TEST(test_exit_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
