/* What ended a session names the verdict before what the client says of it; what a failed server
 * step says of itself names it before its error code. */
#include <stdio.h>
#include <string.h>

#include "tests/lib/check.h"
#include "tests/unit/verify/fixture.h"

#define FATAL_LINE "[12:00:02] [Linux mobilegl_trace_/ERROR]: "

static void not_passed(struct fixture *f, const char *message)
{
    char text[256];
    snprintf(text, sizeof(text), "\"passed\": false,\n  \"statusCode\": 5,\n  \"message\": \"%s\"",
        message);
    fixture_edit(
        f, "result.json", "\"passed\": true,\n  \"statusCode\": 0,\n  \"message\": \"ok\"", text);
    mgc_fields_set_int(fixture_facts(f, "replay"), "rc", 5);
}

static void expect(struct fixture *f, const char *reason, enum mgc_verdict_state state, bool again)
{
    fixture_judge(f);
    assert_string_equal(f->verdict.reason, reason);
    assert_int_equal(f->verdict.state, state);
    assert_int_equal(f->verdict.infrastructure, again);
    fixture_destroy(f);
}

static void failed_servers_say_how(void **state)
{
    static const struct {
        const char *word;
        enum mgc_code code;
        const char *reason;
        bool again;
    } rows[] = {
        {"release-late", MGC_E_FAILED, "release-late", true},
        {"not-started", MGC_E_TIMEOUT, "server-not-started", false},
        {"not-listening", MGC_E_TIMEOUT, "server-not-listening", false},
        {"left", MGC_E_BUSY, "server-left", false},
        {"older", MGC_E_FAILED, "server-older", false},
        {"ended", MGC_E_FAILED, "server-ended", false},
        {"session-signal", MGC_E_FAILED, "server-session-signal", false},
        {"rebooted", MGC_E_LOST, "phone-rebooted", true},
        {"a-word-of-a-newer-worker", MGC_E_TIMEOUT, "timeout", false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        fixture_make(&f, MGC_MODE_BENCHMARK);
        mgc_fields_set_str(fixture_facts(&f, "server"), "failure", rows[i].word);
        fixture_fail(&f, "server", rows[i].code, "x");
        expect(&f, rows[i].reason, MGC_VERDICT_FAILED, rows[i].again);
    }
}

/* The word of a step that is not the failed one names nothing. */
static void only_the_failed_step_is_asked(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    mgc_fields_set_str(fixture_facts(&f, "server"), "failure", "ended");
    fixture_fail(&f, "replay", MGC_E_TIMEOUT, "x");
    expect(&f, "timeout", MGC_VERDICT_FAILED, false);
}

static void signal_of_the_session_before_the_client(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    struct mgc_fields *server = fixture_facts(&f, "server");
    mgc_fields_remove(server, "session_exit");
    mgc_fields_set_int(server, "session_signal", 11);
    fixture_append(&f, "mobilegl.client.log", FATAL_LINE "MGPipe: DEVICE LOST - reset. x");
    not_passed(&f, "reset");
    expect(&f, "server-session-signal", MGC_VERDICT_FAILED, false);
}

static void broken_session_before_the_client(void **state)
{
    for (int crashed = 0; crashed < 2; crashed++) {
        struct fixture f;
        fixture_make(&f, MGC_MODE_BENCHMARK);
        fixture_append(&f, "mobilegl.client.log", FATAL_LINE "MGPipe: DEVICE LOST - reset. x");
        not_passed(&f, "reset");
        if (crashed) {
            mgc_fields_remove(fixture_facts(&f, "replay"), "rc");
            mgc_fields_set_int(fixture_facts(&f, "replay"), "signal", 6);
        }
        expect(&f, "gl-device-lost", MGC_VERDICT_FAILED, true);
    }
}

static void client_without_a_session(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    fixture_edit(&f, "mobilegl.client.log", "control=tcp data=stream server=", "no session: ");
    not_passed(&f, "connect: no answer");
    fixture_judge(&f);
    assert_non_null(strstr(f.verdict.text, "connect: no answer"));
    expect(&f, "no-session", MGC_VERDICT_FAILED, true);
}

static void client_that_crashed_before_a_session(void **state)
{
    struct fixture f;
    fixture_make(&f, MGC_MODE_BENCHMARK);
    fixture_edit(&f, "mobilegl.client.log", "control=tcp data=stream server=", "no session: ");
    not_passed(&f, "x");
    mgc_fields_remove(fixture_facts(&f, "replay"), "rc");
    mgc_fields_set_int(fixture_facts(&f, "replay"), "signal", 11);
    expect(&f, "client-crashed", MGC_VERDICT_FAILED, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_servers_say_how),
        cmocka_unit_test(only_the_failed_step_is_asked),
        cmocka_unit_test(signal_of_the_session_before_the_client),
        cmocka_unit_test(broken_session_before_the_client),
        cmocka_unit_test(client_without_a_session),
        cmocka_unit_test(client_that_crashed_before_a_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
