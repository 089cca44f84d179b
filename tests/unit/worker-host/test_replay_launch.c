#include "worker-host/tasks/replay_check.h"
#include "worker-host/tasks/replay_launch.h"

#include <string.h>

#include "tests/lib/check.h"
#include "worker-host/tasks/am.h"

static const struct mgc_replay_launch launch = {.package = "a.b",
    .dir = "input-rd12",
    .mode = "benchmark",
    .backend = "DirectGLES",
    .env = "MOBILEGL_TRANSPORT=spawn;MOBILEGL_IPC_RUN_AHEAD=1",
    .width = 854,
    .height = 480,
    .target_call = 4660351,
    .ssim_threshold = 0.99,
    .benchmark_finish = true,
    .benchmark_tail_frames = 200};

static void test_every_extra_is_there(void **state)
{
    struct mgc_buf out = {0};
    assert_true(mgc_replay_launch_command(&out, &launch));
    assert_string_equal(mgc_buf_text(&out),
        "'am' 'start' '-a' 'top.mobilegl.plugin.TRACE_REPLAY' "
        "'-n' 'a.b/top.mobilegl.plugin.trace.TraceReplayActivity' "
        "'--es' 'trace_path' '/data/user/0/a.b/files/trace-replay/input-rd12/trace.trace' "
        "'--es' 'golden_path' '/data/user/0/a.b/files/trace-replay/input-rd12/golden.png' "
        "'--es' 'output_dir' '/data/user/0/a.b/files/trace-replay/output' "
        "'--es' 'diff_path' '/data/user/0/a.b/files/trace-replay/output/diff.png' "
        "'--es' 'benchmark_result_path' "
        "'/data/user/0/a.b/files/trace-replay/output/benchmark.json' "
        "'--es' 'backend' 'DirectGLES' "
        "'--es' 'mobilegl_env' 'MOBILEGL_TRANSPORT=spawn;MOBILEGL_IPC_RUN_AHEAD=1' "
        "'--ei' 'target_frame' '-1' '--el' 'target_call' '4660351' "
        "'--ei' 'width' '854' '--ei' 'height' '480' "
        "'--ei' 'crop_x' '0' '--ei' 'crop_y' '0' '--ei' 'crop_width' '0' '--ei' 'crop_height' '0' "
        "'--ei' 'benchmark_tail_frames' '200' '--es' 'ssim_threshold' '0.99' "
        "'--ez' 'benchmark' 'true' '--ez' 'benchmark_finish' 'true'");
    mgc_buf_destroy(&out);
}

static void test_ssim_and_quoting(void **state)
{
    struct mgc_buf out = {0};
    struct mgc_replay_launch other = launch;
    other.mode = "ssim";
    other.env = "A=it's $HOME";
    other.benchmark_finish = false;
    assert_true(mgc_replay_launch_command(&out, &other));
    assert_non_null(strstr(mgc_buf_text(&out), "'benchmark' 'false'"));
    assert_non_null(strstr(mgc_buf_text(&out), "'benchmark_finish' 'false'"));
    assert_non_null(strstr(mgc_buf_text(&out), "'A=it'\\''s $HOME'"));
    mgc_buf_clear(&out);
    other.env = NULL;
    assert_true(mgc_replay_launch_command(&out, &other));
    assert_non_null(strstr(mgc_buf_text(&out), "'mobilegl_env' ''"));
    mgc_buf_destroy(&out);
}

static void test_script_launches_once(void **state)
{
    struct mgc_buf out = {0};
    assert_true(mgc_replay_script(&out, "a.b", &launch, NULL, 0));
    assert_non_null(strstr(mgc_buf_text(&out), "'am' 'start'"));
    assert_non_null(strstr(mgc_buf_text(&out), "t=$(date +%s)"));
    mgc_buf_clear(&out);
    assert_true(mgc_replay_script(&out, "a.b", NULL, NULL, 0));
    assert_non_null(strstr(mgc_buf_text(&out), "\nt=\n"));
    mgc_buf_clear(&out);
    assert_true(mgc_replay_script(&out, "a.b", NULL, NULL, 1767225600));
    assert_non_null(strstr(mgc_buf_text(&out), "\nt=1767225600\n"));
    assert_non_null(strstr(mgc_buf_text(&out), "${t:+-T} ${t:+$t.000}"));
    assert_null(strstr(mgc_buf_text(&out), "'am' 'start'"));
    assert_non_null(strstr(mgc_buf_text(&out), "pkg='a.b'"));
    mgc_buf_destroy(&out);
}

static void test_script_checks_held_knobs(void **state)
{
    static struct mgc_knobs knobs;
    struct mgc_buf out = {0};
    assert_true(mgc_knobs_parse("stay-on usb\nsysfs /sys/a 1\n", &knobs, NULL));
    assert_true(mgc_replay_script(&out, "a.b", NULL, &knobs, 0));
    assert_non_null(strstr(mgc_buf_text(&out), "echo mgc:knob 2\n"));
    assert_non_null(strstr(mgc_buf_text(&out), "check \"$pkg\" </dev/null >&2;;"));
    mgc_buf_destroy(&out);
}

static void test_what_the_check_says(void **state)
{
    static struct mgc_knobs knobs;
    struct mgc_fields facts = {0};
    static const char report[] = "WARNING: linker: x\n"
                                 "mgc:app_stamp package:/data/app/x/base.apk lastUpdateTime=1\n"
                                 "mgc:knob 1\n2\nmgc:knob 2\n2\nmgc:end\n";
    assert_true(mgc_knobs_parse("sysfs /sys/a 1\nsysfs /sys/b 2\n", &knobs, NULL));
    assert_true(mgc_replay_check_take(report, &knobs, &facts, NULL));
    assert_string_equal(
        mgc_fields_get_str(&facts, "app_stamp"), "package:/data/app/x/base.apk lastUpdateTime=1");
    assert_string_equal(mgc_fields_get_str(&facts, "knobs_lost"), "sysfs /sys/a 1");
    mgc_fields_destroy(&facts);
    assert_true(mgc_replay_check_take("mgc:app_stamp package:/da", NULL, &facts, NULL));
    assert_int_equal(facts.count, 0); /* nothing is held, and half a stamp is none */
    mgc_fields_destroy(&facts);
}

static void test_am_is_judged_by_its_words(void **state)
{
    static const char *const bad[] = {"Error type 3\nError: Activity class {a} does not exist.",
        "java.lang.SecurityException: Permission Denial", "Error: Activity not started, unable",
        "Warning: Activity not started, its current task has been brought to the front",
        "Warning: Activity not started, intent has been delivered to currently running top-most",
        "Unknown option: --x"};
    struct mgc_error err = {0};
    assert_true(mgc_am_judge("s", "am start", 0, "Starting: Intent { act=x }\n", "", NULL));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(mgc_am_judge("s", "am start", 0, bad[i], "", &err));
        assert_false(mgc_am_judge("s", "am start", 0, "Starting: Intent", bad[i], &err));
        assert_int_equal(err.code, MGC_E_FAILED);
        assert_non_null(strstr(err.text, "am start failed: "));
        assert_null(strchr(err.text, '\n'));
    }
    assert_false(mgc_am_judge("s", "am start", 1, "", "killed", &err));
    assert_non_null(strstr(err.text, "code 1: killed"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_extra_is_there),
        cmocka_unit_test(test_ssim_and_quoting), cmocka_unit_test(test_script_launches_once),
        cmocka_unit_test(test_script_checks_held_knobs), cmocka_unit_test(test_what_the_check_says),
        cmocka_unit_test(test_am_is_judged_by_its_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
