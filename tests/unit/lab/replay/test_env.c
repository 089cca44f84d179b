#include "tests/lib/check.h"

#include <stdio.h>
#include <string.h>

#include "lab/replay/env.h"

/* The environment of one test: "K=V" items. */
static const char *const *variables;
static char notes[4096];

static const char *get(const char *name)
{
    size_t len = strlen(name);
    for (const char *const *item = variables; *item; item++) {
        if (strncmp(*item, name, len) == 0 && (*item)[len] == '=')
            return *item + len + 1;
    }
    return NULL;
}

static void note(void *user, enum mgr_level level, const char *text)
{
    size_t used = strlen(notes);
    snprintf(notes + used, sizeof(notes) - used, "%s\n", text);
}

static struct mgr_env read_env(const char *const *list)
{
    struct mgr_env env;
    variables = list;
    notes[0] = '\0';
    mgr_env_read(&env, get, note, NULL);
    return env;
}

static void test_defaults(void **state)
{
    static const char *const none[] = {NULL};
    struct mgr_env env = read_env(none);
    assert_int_equal(env.transport, MGR_MONOLITH);
    assert_int_equal(env.present_credit, 1);
    assert_int_equal(env.cold_start_ms, 20000);
    assert_int_equal(env.control_timeout_ms, 5000);
    assert_true(env.run_ahead && env.log_forward);
    assert_false(env.pipe_stats || env.link_metrics || env.require_same_build);
    assert_string_equal(env.control, "fork");
    assert_string_equal(notes, "");
}

static void test_accepted_values_and_the_secret(void **state)
{
    static const char *const list[] = {"MOBILEGL_TRANSPORT=spawn", "MOBILEGL_IPC_PRESENT_CREDIT=8",
        "MOBILEGL_IPC_RUN_AHEAD=0", "MOBILEGL_IPC_TOKEN=abcdefghijklmnop", "MOBILEGL_PIPE_STATS=1",
        NULL};
    struct mgr_env env = read_env(list);
    assert_int_equal(env.transport, MGR_SPAWN);
    assert_int_equal(env.present_credit, 8);
    assert_false(env.run_ahead);
    assert_string_equal(env.token, "abcdefghijklmnop");
    assert_true(env.pipe_stats && env.link_metrics);
    assert_non_null(strstr(notes, "Accepted env variable: MOBILEGL_TRANSPORT=spawn\n"));
    assert_null(strstr(notes, "abcdefgh"));
}

static void test_refused_by_name(void **state)
{
    static const char *const list[] = {"MOBILEGL_TRANSPORT=tcp", "MOBILEGL_IPC_PRESENT_CREDIT=9",
        "MOBILEGL_IPC_RUN_AHEAD=yes", "MOBILEGL_IPC_COLD_START_MS=99", "MOBILEGL_PIPE_STATS=2",
        NULL};
    struct mgr_env env = read_env(list);
    assert_int_equal(env.transport, MGR_MONOLITH);
    assert_int_equal(env.present_credit, 1);
    assert_true(env.run_ahead);
    assert_int_equal(env.cold_start_ms, 20000);
    assert_true(env.pipe_stats);
    assert_false(env.link_metrics); /* exactly "1" is needed */
    assert_non_null(
        strstr(notes, "Config: Ignoring invalid env variable MOBILEGL_TRANSPORT='tcp'"));
    assert_non_null(strstr(notes, "MOBILEGL_IPC_PRESENT_CREDIT='9'"));
    assert_non_null(strstr(notes, "MOBILEGL_IPC_RUN_AHEAD='yes'"));
    assert_null(strstr(notes, "Accepted"));
}

static void test_credit_bounds(void **state)
{
    static const struct {
        const char *item;
        int64_t credit;
    } cases[] = {{"MOBILEGL_IPC_PRESENT_CREDIT=1", 1}, {"MOBILEGL_IPC_PRESENT_CREDIT=0", 1},
        {"MOBILEGL_IPC_PRESENT_CREDIT=3", 3}, {"MOBILEGL_IPC_PRESENT_CREDIT=", 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const list[] = {cases[i].item, NULL};
        struct mgr_env env = read_env(list);
        assert_int_equal(env.present_credit, cases[i].credit);
    }
}

static void test_ipc_line(void **state)
{
    static const char *const list[] = {"MOBILEGL_IPC_PRESENT_CREDIT=3", NULL};
    struct mgr_env env = read_env(list);
    char line[512];
    mgr_env_ipc_line(&env, line, sizeof(line));
    assert_int_equal(strncmp(line, "Config: IPC ring=8MiB stage=32MiB ", 34), 0);
    assert_non_null(strstr(line, " run-ahead=1 present-credit=3 control-timeout=5000ms "));
}

static void test_control_and_data(void **state)
{
    static const struct {
        const char *control, *data;
        bool legal;
    } cases[] = {{"fork", "auto", true}, {"fork", "shm", true}, {"fork", "stream", false},
        {"tcp://h:1", "auto", true}, {"tcp://h:1", "stream", true}, {"tcp://h:1", "shm", false},
        {"fork", "", false}, {"fork", "SHM", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mgr_env env = {0};
        struct mgc_error err = {0};
        snprintf(env.control, sizeof(env.control), "%s", cases[i].control);
        snprintf(env.data, sizeof(env.data), "%s", cases[i].data);
        assert_int_equal(mgr_env_check_pair(&env, &err), cases[i].legal);
        if (!cases[i].legal)
            assert_non_null(strstr(err.text, cases[i].control));
    }
}

static void test_endpoints(void **state)
{
    static const struct {
        const char *text, *host;
        unsigned port;
    } cases[] = {
        {"tcp://127.0.0.1:40613", "127.0.0.1", 40613},
        {"tcp://[::1]:5", "::1", 5},
        {"tcp://phone:0", "phone", 0},
        {"tcp://phone", NULL, 0},
        {"tcp://:5", NULL, 0},
        {"tcp://a:65536", NULL, 0},
        {"tcp://a/b:5", NULL, 0},
        {"unix:/x", NULL, 0},
        {"", NULL, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char host[16];
        unsigned port;
        bool ok = mgr_env_endpoint(cases[i].text, host, sizeof(host), &port);
        assert_int_equal(ok, cases[i].host != NULL);
        if (ok) {
            assert_string_equal(host, cases[i].host);
            assert_int_equal(port, cases[i].port);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_accepted_values_and_the_secret),
        cmocka_unit_test(test_refused_by_name),
        cmocka_unit_test(test_credit_bounds),
        cmocka_unit_test(test_ipc_line),
        cmocka_unit_test(test_control_and_data),
        cmocka_unit_test(test_endpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
