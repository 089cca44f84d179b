/* Lines of ActivityManager as Android 10 to 15 write them, and as the lab phone does. */
#include <string.h>

#include "common/contract/app_log.h"
#include "tests/lib/check.h"

#define HEAD "11-30 23:59:59.123  1000  1234  1260 I ActivityManager: "

static void expect(
    const char *line, enum mgc_app_event event, const char *package, const char *process)
{
    struct mgc_app_line parsed;
    assert_int_equal(mgc_app_line_parse(line, &parsed), event);
    assert_int_equal(parsed.event, event);
    assert_string_equal(parsed.package, package);
    assert_string_equal(parsed.process, process);
}

static void starts(void **state)
{
    expect(HEAD "Start proc 582:top.mobilegl.plugin.trace:mglsrv/u0a231 for service "
                "{top.mobilegl.plugin.trace/top.mobilegl.plugin.MobileGLServerService}",
        MGC_APP_STARTED, "top.mobilegl.plugin.trace", ":mglsrv");
    expect(HEAD "Start proc 12345:com.example/u0a99 for top-activity {com.example/.Main}",
        MGC_APP_STARTED, "com.example", "");
}

static void stops_and_ends(void **state)
{
    expect(HEAD "Force stopping top.mobilegl.plugin.trace appid=10231 user=0: from pid 4242",
        MGC_APP_STOPPED, "top.mobilegl.plugin.trace", "");
    expect(HEAD "Killing 582:top.mobilegl.plugin.trace:mglsrv/u0a231 (adj 0): stop "
                "top.mobilegl.plugin.trace due to from pid 4242",
        MGC_APP_ENDED, "top.mobilegl.plugin.trace", ":mglsrv");
    expect(HEAD "Process top.mobilegl.plugin.trace:mglsrv (pid 582) has died: fg  TOP ",
        MGC_APP_ENDED, "top.mobilegl.plugin.trace", ":mglsrv");
    expect(HEAD "Process top.mobilegl.plugin.trace has died: signal 9", MGC_APP_ENDED,
        "top.mobilegl.plugin.trace", "");
}

static void tag_may_be_padded(void **state)
{
    expect("11-30 23:59:59.123  1234  1260 I ActivityManager : Force stopping a.b appid=1",
        MGC_APP_STOPPED, "a.b", "");
}

static void what_is_none_of_them(void **state)
{
    static const char *const lines[] = {"", HEAD, HEAD "Start proc ", HEAD "Start proc x:a/u0",
        HEAD "Start proc 1:/u0a1 for service", HEAD "Process a.b restarted", HEAD "Force stopping ",
        "I MobileGL: Force stopping a.b appid=1", "I ActivityManagerX: Force stopping a.b appid=1"};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        expect(lines[i], MGC_APP_NONE, "", "");
}

static void a_name_that_is_too_long(void **state)
{
    char line[1024] = HEAD "Force stopping ";
    size_t len = strlen(line);
    memset(line + len, 'a', MGC_APP_NAME_MAX);
    line[len + MGC_APP_NAME_MAX] = '\0';
    expect(line, MGC_APP_NONE, "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts),
        cmocka_unit_test(stops_and_ends),
        cmocka_unit_test(tag_may_be_padded),
        cmocka_unit_test(what_is_none_of_them),
        cmocka_unit_test(a_name_that_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
