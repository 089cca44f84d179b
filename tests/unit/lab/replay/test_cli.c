#include "tests/lib/check.h"

#include <string.h>

#include "lab/replay/cli.h"

static enum mgc_cli_outcome parse(
    const char *const *args, struct mgr_options *options, struct mgc_error *err)
{
    char *argv[32] = {(char[]){"mobilegl_trace_replay"}};
    int argc = 1;
    for (; args[argc - 1]; argc++)
        argv[argc] = (char *)(intptr_t)args[argc - 1];
    mgc_error_clear(err);
    return mgr_cli_parse(argc, argv, options, err);
}

static void test_both_forms_and_defaults(void **state)
{
    static const char *const args[] = {"--trace=/t", "--output", "/o", "--target-call=4660351",
        "--golden", "/g", "--alternate-golden=/a", "--alternate-golden", "/b", "--crop-x=1",
        "--crop-width", "638", "--ssim-threshold", "0.5", "--width=640", NULL};
    struct mgr_options options;
    struct mgc_error err;
    assert_int_equal(parse(args, &options, &err), MGC_CLI_RUN);
    assert_string_equal(options.trace, "/t");
    assert_string_equal(options.output, "/o");
    assert_int_equal(options.target_call, 4660351);
    assert_int_equal(options.alternate_goldens.count, 2);
    assert_string_equal(options.alternate_goldens.items[1], "/b");
    assert_int_equal(options.crop_x, 1);
    assert_int_equal(options.crop_width, 638);
    assert_int_equal(options.width, 640);
    assert_int_equal(options.height, 0);
    assert_true(options.ssim_threshold == 0.5);
    assert_string_equal(options.backend, "DirectGLES");
    assert_string_equal(options.library, "libMobileGL.so");
    assert_int_equal(options.benchmark_tail_frames, 200);
    assert_true(options.benchmark_finish);
    assert_false(options.benchmark);
}

static void test_benchmark_finish_values(void **state)
{
    static const struct {
        const char *arg;
        bool finish;
    } cases[] = {{"--benchmark-finish=0", false}, {"--benchmark-finish=1", true},
        {"--benchmark-finish=false", true}, {"--benchmark-finish=", true}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const args[] = {
            "--trace", "t", "--output", "o", "--benchmark", cases[i].arg, NULL};
        struct mgr_options options;
        struct mgc_error err;
        assert_int_equal(parse(args, &options, &err), MGC_CLI_RUN);
        assert_int_equal(options.benchmark_finish, cases[i].finish);
        assert_true(options.benchmark);
    }
}

static void test_usage_errors(void **state)
{
    static const struct {
        const char *args[8];
        const char *words;
    } cases[] = {
        {{"--output", "o", "--benchmark"}, "--trace"},
        {{"--trace", "t", "--benchmark"}, "--output"},
        {{"--trace", "t", "--output", "o"}, "--target-call"},
        {{"--trace", "t", "--output", "o", "--target-call", "x"}, "target-call"},
        {{"--trace", "t", "--output", "o", "--benchmark", "--benchmark-tail-frames=0"}, "tail"},
        {{"--trace", "t", "--output", "o", "--benchmark", "--backend", "Metal"}, "backend"},
        {{"--trace", "t", "--output", "o", "--benchmark", "--ssim-threshold", "2"}, "threshold"},
        {{"--nonsense"}, "nonsense"},
        {{"--trace"}, "trace"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mgr_options options;
        struct mgc_error err;
        assert_int_equal(parse(cases[i].args, &options, &err), MGC_CLI_BAD);
        if (!strstr(err.text, cases[i].words))
            fail_msg("case %zu: \"%s\"", i, err.text);
    }
}

static void test_help(void **state)
{
    static const char *const args[] = {"--help", NULL}, *const letter[] = {"-h", NULL};
    struct mgr_options options;
    struct mgc_error err;
    assert_int_equal(parse(args, &options, &err), MGC_CLI_HELP);
    assert_int_equal(parse(letter, &options, &err), MGC_CLI_HELP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_forms_and_defaults),
        cmocka_unit_test(test_benchmark_finish_values),
        cmocka_unit_test(test_usage_errors),
        cmocka_unit_test(test_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
