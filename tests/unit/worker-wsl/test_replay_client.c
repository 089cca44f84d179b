/* The replay client's command line, environment and rc.txt, to the letter of the contract. */
#include "tests/lib/check.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "worker-wsl/replay/client.h"

static const struct mgc_replay_params benchmark = {
    .mode = MGC_REPLAY_BENCHMARK,
    .client = "/opt/mobilegl_trace_replay",
    .library = "/opt/libMobileGL.so",
    .trace = "/t/openra.trace",
    .output = "/out/task 1",
    .address = "192.168.21.181",
    .token = "crosshost-token-2026",
    .backend = "DirectGLES",
    .port = 40613,
    .credit = 2,
    .width = 640,
    .height = 480,
    .target_call = -1,
    .ssim_threshold = 0.99,
    .benchmark_finish = true,
    .benchmark_tail_frames = 200,
};

static struct mgc_replay_params ssim(void)
{
    struct mgc_replay_params params = benchmark;
    params.mode = MGC_REPLAY_SSIM;
    params.golden = "/t/openra.png";
    params.target_call = 31249;
    params.credit = 1;
    params.crop_x = params.crop_y = 1;
    params.crop_width = 638;
    params.crop_height = 478;
    return params;
}

static void expect(struct mgc_replay_strings *got, const char *const *want)
{
    size_t i = 0;
    for (; want[i]; i++) {
        assert_true(i < got->count);
        assert_string_equal(got->items[i], want[i]);
    }
    assert_int_equal(got->count, i);
    assert_null(got->items[i]);
    mgc_replay_strings_destroy(got);
}

static void benchmark_command_line(void **state)
{
    (void)state;
    static const char *const want[] = {"/opt/mobilegl_trace_replay", "--trace", "/t/openra.trace",
        "--output", "/out/task 1", "--backend", "DirectGLES", "--mobilegl-library",
        "/opt/libMobileGL.so", "--width", "640", "--height", "480", "--benchmark",
        "--benchmark-finish=1", "--benchmark-tail-frames=200",
        "--benchmark-result=/out/task 1/benchmark.json", NULL};
    struct mgc_replay_strings args;
    assert_true(mgc_replay_args(&benchmark, &args));
    expect(&args, want);
}

static void finish_is_said_when_off(void **state)
{
    (void)state;
    struct mgc_replay_params params = benchmark;
    struct mgc_replay_strings args;
    params.benchmark_finish = false;
    assert_true(mgc_replay_args(&params, &args));
    assert_string_equal(args.items[14], "--benchmark-finish=0");
    mgc_replay_strings_destroy(&args);
}

static void ssim_command_line(void **state)
{
    (void)state;
    static const char *const want[] = {"/opt/mobilegl_trace_replay", "--trace", "/t/openra.trace",
        "--output", "/out/task 1", "--backend", "DirectGLES", "--mobilegl-library",
        "/opt/libMobileGL.so", "--width", "640", "--height", "480", "--target-call", "31249",
        "--golden", "/t/openra.png", "--diff", "/out/task 1/diff.png", "--ssim-threshold", "0.99",
        "--crop-x", "1", "--crop-y", "1", "--crop-width", "638", "--crop-height", "478", NULL};
    struct mgc_replay_params params = ssim();
    struct mgc_replay_strings args;
    assert_true(mgc_replay_args(&params, &args));
    expect(&args, want);
}

static void no_crop_no_flags(void **state)
{
    (void)state;
    struct mgc_replay_params params = ssim();
    struct mgc_replay_strings args;
    params.crop_width = params.crop_height = 0;
    assert_true(mgc_replay_check(&params, NULL));
    assert_true(mgc_replay_args(&params, &args));
    assert_string_equal(args.items[args.count - 1], "0.99");
    mgc_replay_strings_destroy(&args);
}

static void environment_is_exactly_the_contract(void **state)
{
    (void)state;
    static const char *const want[] = {"MOBILEGL_TRANSPORT=spawn",
        "MOBILEGL_IPC_CONTROL=tcp://192.168.21.181:40613", "MOBILEGL_IPC_DATA=stream",
        "MOBILEGL_IPC_TOKEN=crosshost-token-2026", "MOBILEGL_IPC_RUN_AHEAD=1",
        "MOBILEGL_IPC_COLD_START_MS=120000", "MOBILEGL_IPC_PRESENT_CREDIT=2",
        "MOBILEGL_PIPE_STATS=1", "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/out/task 1",
        "TMPDIR=/out/task 1", "LANG=C.UTF-8", NULL};
    struct mgc_replay_strings env;
    assert_int_equal(setenv("MOBILEGL_IPC_SPIN_US", "2000", 1), 0);
    assert_true(mgc_replay_env(&benchmark, &env));
    expect(&env, want);
}

static void refused(const struct mgc_replay_params *params, const char *sentence)
{
    struct mgc_error err = {0};
    assert_false(mgc_replay_check(params, &err));
    assert_int_equal(err.code, MGC_E_CONFIG);
    assert_string_equal(err.text, sentence);
}

static void ssim_needs_its_parameters(void **state)
{
    (void)state;
    struct mgc_replay_params params = ssim();
    assert_true(mgc_replay_check(&params, NULL));
    assert_true(mgc_replay_check(&benchmark, NULL));
    params.golden = NULL;
    refused(&params, "mode \"ssim\" needs the parameter \"golden\", a picture");
    params = ssim();
    params.target_call = -1;
    refused(&params, "mode \"ssim\" needs the parameter \"target_call\", a call number");
    params = ssim();
    params.crop_width = 640;
    refused(&params, "the crop 1,1 640x478 does not lie in the picture of 640x480");
    params = ssim();
    params.crop_height = 0;
    refused(&params, "the crop 1,1 638x0 does not lie in the picture of 640x480");
}

static void rc_text(void **state)
{
    (void)state;
    char text[64];
    int64_t wall_ns = 12 * MGC_NS_PER_S + 900 * MGC_NS_PER_MS;
    struct mgc_exit code = {MGC_EXIT_CODE, 3}, killed = {MGC_EXIT_SIGNAL, 6};
    mgc_replay_rc_text(&code, false, wall_ns, text, sizeof(text));
    assert_string_equal(text, "rc=3 secs=12\n");
    mgc_replay_rc_text(&killed, false, wall_ns, text, sizeof(text));
    assert_string_equal(text, "rc=134 secs=12\n");
    mgc_replay_rc_text(&killed, true, 0, text, sizeof(text));
    assert_string_equal(text, "rc=124 secs=0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(benchmark_command_line),
        cmocka_unit_test(finish_is_said_when_off),
        cmocka_unit_test(ssim_command_line),
        cmocka_unit_test(no_crop_no_flags),
        cmocka_unit_test(environment_is_exactly_the_contract),
        cmocka_unit_test(ssim_needs_its_parameters),
        cmocka_unit_test(rc_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
