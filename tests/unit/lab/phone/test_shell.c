/* Names of the shell services. */
#include "tests/lib/check.h"

#include <string.h>

#include "lab/phone/shell.h"

static bool parse(const char *name, struct mgl_shell_request *ret_request)
{
    static char copy[128];
    strcpy(copy, name);
    return mgl_shell_parse(copy, ret_request);
}

static void parses_what_adb_sends(void **state)
{
    struct mgl_shell_request request;
    assert_true(parse("shell,v2,TERM=xterm-256color,raw:echo a:b", &request));
    assert_true(request.v2 && !request.pty && !request.exec);
    assert_string_equal(request.term, "xterm-256color");
    assert_string_equal(request.command, "echo a:b");
    assert_true(parse("shell,v2,pty:", &request));
    assert_true(request.v2 && request.pty);
    assert_null(request.command);
    assert_true(parse("exec:cat x", &request));
    assert_true(request.exec && !request.pty && !request.v2);
    assert_string_equal(request.command, "cat x");
}

static void chooses_a_terminal_as_adbd_does(void **state)
{
    struct mgl_shell_request request;
    assert_true(parse("shell,v2:", &request));
    assert_true(request.pty);
    assert_true(parse("shell,v2:ls", &request));
    assert_false(request.pty);
    assert_true(parse("shell:ls", &request)); /* the old protocol always has one */
    assert_true(request.pty && !request.v2);
}

static void refuses_other_services(void **state)
{
    struct mgl_shell_request request;
    assert_false(parse("sync:", &request));
    assert_false(parse("shellx:", &request));
    assert_false(parse("shell", &request));
    assert_false(parse("exec:", &request));
    assert_false(parse("", &request));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_what_adb_sends),
        cmocka_unit_test(chooses_a_terminal_as_adbd_does),
        cmocka_unit_test(refuses_other_services),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
