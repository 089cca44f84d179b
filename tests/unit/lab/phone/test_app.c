/* What reaches the app's process, and the environment its server gets. */
#include "tests/lib/check.h"

#include <string.h>

#include "lab/phone/app/channel.h"
#include "lab/phone/app/replay_run.h"
#include "lab/phone/app/request.h"
#include "lab/phone/app/server_env.h"
#include "lab/phone/app_faults.h"

static void takes_a_request(void **state)
{
    static const char *const words[] = {
        "a.b", "a.b.Service", "s:listen=tcp://h:1", "s:env=A=1;B", NULL};
    struct mgc_buf data = {0};
    struct mgl_app_request request;
    assert_true(mgl_control_append_request(&data, words));
    assert_true(mgl_app_request_parse(data.data, data.len, &request));
    assert_string_equal(request.package, "a.b");
    assert_string_equal(request.class_name, "a.b.Service");
    assert_string_equal(mgl_app_request_extra(&request, "env", "x"), "A=1;B");
    assert_string_equal(mgl_app_request_extra(&request, "listen", "x"), "tcp://h:1");
    assert_string_equal(mgl_app_request_extra(&request, "token", "none"), "none");
    mgc_buf_destroy(&data);
}

static void refuses_broken_requests(void **state)
{
    static const char *const one[] = {"a.b", NULL};
    struct mgc_buf data = {0};
    struct mgl_app_request request;
    assert_true(mgl_control_append_request(&data, one));
    assert_false(mgl_app_request_parse(data.data, data.len, &request)); /* no class */
    assert_false(mgl_app_request_parse(data.data, data.len - 1, &request));
    assert_false(mgl_app_request_parse(data.data, 3, &request));
    mgc_buf_destroy(&data);
    char unended[] = {3, 0, 0, 0, 'a', 0, 'b'};
    assert_false(mgl_app_request_parse(unended, sizeof(unended), &request));
}

static void caps_the_words(void **state)
{
    const char *words[MGL_CONTROL_WORDS_MAX];
    char text[2 * (MGL_CONTROL_WORDS_MAX + 1)];
    size_t count = 0;
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = i % 2 ? 0 : 'w';
    assert_true(mgl_control_split(text, 2 * MGL_CONTROL_WORDS_MAX, words, &count));
    assert_int_equal(count, MGL_CONTROL_WORDS_MAX);
    assert_false(mgl_control_split(text, sizeof(text), words, &count));
    assert_false(mgl_control_split(text, 0, words, &count));
}

static const char *const base[] = {"PATH=/system/bin", "MOBILEGL_TRANSPORT=spawn", NULL};

static void builds(const char *extra, const char *token, struct mgc_fields *ret_env)
{
    struct mgl_server_env spec = {base, "/data/user/0/a/files", token, extra};
    assert_true(mgl_server_env_build(&spec, ret_env));
}

#define CHECK_VAR(env, name, value) assert_string_equal(mgc_fields_get_str(&(env), name), value)

static void forces_the_role_and_removes_the_clients(void **state)
{
    struct mgc_fields env;
    builds("MOBILEGL_IPC_ROLE=client;MOBILEGL_IPC_CONTROL=fork;MOBILEGL_IPC_RING_MB=8;"
           "MOBILEGL_IPC_STAGE_MB=1;MOBILEGL_IPC_ENDPOINT=e;MOBILEGL_IPC_SERVER_PATH=p",
        "sixteen-bytes-ok", &env);
    CHECK_VAR(env, "MOBILEGL_IPC_ROLE", "server");
    CHECK_VAR(env, "MOBILEGL_IPC_DIAL", "no");
    CHECK_VAR(env, "MOBILEGL_IPC_LOG_FORWARD", "1");
    CHECK_VAR(env, "MOBILEGL_IPC_TOKEN", "sixteen-bytes-ok");
    CHECK_VAR(env, "MOBILEGL_LOG_FILE_PATH", "/data/user/0/a/files/mgl.log");
    CHECK_VAR(env, "PATH", "/system/bin");
    assert_int_equal(env.count, 6);
    mgc_fields_destroy(&env);
}

static void follows_the_grammar_of_env(void **state)
{
    struct mgc_fields env;
    builds(";;A=1=2;EMPTY=;PATH;=x;MOBILEGL_LOG_FILE_PATH=/sdcard/x.log;", "", &env);
    CHECK_VAR(env, "A", "1=2");
    CHECK_VAR(env, "EMPTY", "");
    CHECK_VAR(env, "MOBILEGL_LOG_FILE_PATH", "/sdcard/x.log");
    assert_null(mgc_fields_get(&env, "PATH"));
    assert_null(mgc_fields_get(&env, ""));
    assert_null(mgc_fields_get(&env, "MOBILEGL_IPC_TOKEN"));
    mgc_fields_destroy(&env);
}

static void extras_have_types(void **state)
{
    const struct mgl_app_request request = {.extra_count = 7,
        .extras = {"i:n=5", "l:call=4660351000", "z:on=true", "z:off=0", "d:x=0.5", "s:n=text",
            "n:null="}};
    assert_string_equal(mgl_app_request_extra(&request, "n", "-"), "text"); /* the later one */
    assert_int_equal(mgl_app_request_int(&request, "n", -1), -1);
    assert_int_equal(mgl_app_request_int(&request, "call", -1), -1);
    assert_true(mgl_app_request_long(&request, "call", -1) == 4660351000);
    assert_true(mgl_app_request_bool(&request, "on", false));
    assert_false(mgl_app_request_bool(&request, "off", true));
    assert_true(mgl_app_request_bool(&request, "x", true));
    assert_true(mgl_app_request_double(&request, "x", 1) == 0.5);
    assert_string_equal(mgl_app_request_extra(&request, "null", "-"), "-");
}

static void extras_become_a_run(void **state)
{
    static struct mgl_replay_run run;
    const char *message;
    const struct mgl_app_request request = {.package = "a.b",
        .extra_count = 6,
        .extras = {"s:trace_path=/t", "l:target_call=9", "s:ssim_threshold=0.5",
            "s:alternate_golden_path=/g2", "z:benchmark_finish=false", "s:width=640"}};
    assert_true(mgl_replay_run_make(&request, &run, &message));
    const struct mgr_options *options = &run.run.options;
    assert_string_equal(options->output, "/data/user/0/a.b/files/trace-replay");
    assert_string_equal(run.run.server_path, "/data/app/a.b/lib/libMobileGLServer.so");
    assert_string_equal(options->backend, "DirectGLES");
    assert_int_equal(options->target_call, 9);
    assert_true(options->ssim_threshold == 0.5);
    assert_int_equal(options->alternate_goldens.count, 1);
    assert_false(options->benchmark_finish);
    assert_int_equal(options->width, 0); /* a string is no int */
    assert_int_equal(options->benchmark_tail_frames, 200);
}

static void refuses_runs_that_cannot_be(void **state)
{
    static struct mgl_replay_run run;
    static const char *const words[][3] = {{"z:benchmark=true", "s:x=y", "s:x=y"},
        {"s:trace_path=/t", "i:target_call=9", "s:x=y"},
        {"s:trace_path=/t", "z:benchmark=true", "s:backend=Metal"},
        {"s:trace_path=/t", "z:benchmark=true", "i:height=-1"}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const char *message = NULL;
        struct mgl_app_request request = {.package = "a.b", .extra_count = 3};
        memcpy(request.extras, words[i], sizeof(words[i]));
        assert_false(mgl_replay_run_make(&request, &run, &message));
        assert_non_null(message);
        assert_string_equal(run.output, "/data/user/0/a.b/files/trace-replay");
    }
}

static void reads_reports(void **state)
{
    static const char *const bad[] = {"", "result", " 5", "result x", "result -1", "result 5 "};
    char what[MGL_CHANNEL_REPORT_MAX];
    int64_t number;
    assert_true(mgl_channel_report_parse("result 12345678901", 18, what, &number));
    assert_string_equal(what, "result");
    assert_true(number == 12345678901);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(mgl_channel_report_parse(bad[i], strlen(bad[i]), what, &number));
    char big[MGL_CHANNEL_REPORT_MAX];
    memset(big, '1', sizeof(big));
    assert_false(mgl_channel_report_parse(big, sizeof(big), what, &number));
}

static void reads_times_of_a_drop(void **state)
{
    static const char *const bad[] = {"", "+", "5+", "+5", "5+x", "-1", "5+-1"};
    int64_t at, away = 1000;
    assert_true(mgl_app_faults_parse_drop("300", &at, &away));
    assert_int_equal(at, 300);
    assert_int_equal(away, 1000);
    assert_true(mgl_app_faults_parse_drop("300+20", &at, &away));
    assert_int_equal(away, 20);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(mgl_app_faults_parse_drop(bad[i], &at, &away));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_a_request),
        cmocka_unit_test(refuses_broken_requests),
        cmocka_unit_test(caps_the_words),
        cmocka_unit_test(extras_have_types),
        cmocka_unit_test(extras_become_a_run),
        cmocka_unit_test(refuses_runs_that_cannot_be),
        cmocka_unit_test(reads_reports),
        cmocka_unit_test(reads_times_of_a_drop),
        cmocka_unit_test(forces_the_role_and_removes_the_clients),
        cmocka_unit_test(follows_the_grammar_of_env),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
