#include "worker-host/tasks/server_log.h"

#include <string.h>

#include "tests/lib/check.h"
#include "worker-host/adb/logline.h"

/* Lines as the phone's log shows them; texts follow the contract's invented examples. */
#define LIBRARY(level, text)                                                                       \
    "09-28 12:00:01.123  4709  4709 " level                                                        \
    " MobileGL: [12:00:01] [Android libMobileGLServ/X]: " text
#define SERVICE(text) "09-28 12:00:01.123  4700  4700 I MobileGLServer: " text
#define LISTEN        "MG_Remote server: pid=4709 listening on tcp://0.0.0.0:40613"
#define REAP          "MG_Remote server: session pid=4710 reaped exit=0 sessionsFaulted=0"
#define REFUSE        "MG_Remote server: Refuse{Busy} one session is already active"

static struct mgc_server_log feed(const char *const *lines)
{
    struct mgc_server_log log = {0};
    for (; *lines; lines++)
        mgc_server_log_line(&log, *lines, strlen(*lines));
    return log;
}

/* A string fact must be this one; NULL: absent. */
static void fact_is(const struct mgc_fields *facts, const char *name, const char *want)
{
    const char *got = mgc_fields_get_str(facts, name);
    if (want)
        assert_string_equal(got ? got : "(absent)", want);
    else
        assert_null(mgc_fields_get(facts, name));
}

static void test_session(void **state)
{
    struct mgc_server_log log = feed((const char *const[]){
        LIBRARY("E", LISTEN), SERVICE(LISTEN), LIBRARY("E", REAP), SERVICE(REAP), NULL});
    struct mgc_fields facts = {0};
    int64_t number;
    bool flag;
    assert_true(log.markers.listening.known);
    assert_int_equal(log.markers.listening.pid, 4709);
    assert_string_equal(log.markers.listening.endpoint, "tcp://0.0.0.0:40613");
    assert_true(mgc_server_log_facts(&log, true, &facts));
    assert_true(mgc_fields_get_bool(&facts, "session_reaped", &flag) && flag);
    assert_true(mgc_fields_get_int(&facts, "session_pid", &number) && number == 4710);
    assert_true(mgc_fields_get_int(&facts, "session_exit", &number) && number == 0);
    assert_non_null(strstr(mgc_fields_get_str(&facts, "reap_line"), REAP));
    assert_non_null(strstr(mgc_fields_get_str(&facts, "listen_line"), LISTEN));
    assert_null(mgc_fields_get(&facts, "refused"));
    mgc_fields_destroy(&facts);
}

static void test_either_tag_is_enough(void **state)
{
    struct mgc_server_log library = feed((const char *const[]){LIBRARY("I", LISTEN), NULL});
    struct mgc_server_log service = feed((const char *const[]){SERVICE(LISTEN), NULL});
    assert_int_equal(library.markers.listening.pid, 4709);
    assert_int_equal(service.markers.listening.pid, 4709);
}

static void test_other_tags_say_nothing(void **state)
{
    struct mgc_server_log log =
        feed((const char *const[]){"09-28 12:00:01.123  4700  4700 I MobileGLTraceRunner: " LISTEN,
            "09-28 12:00:01.123  4700  4700 I other: " LISTEN, "--------- beginning of main",
            LISTEN, NULL});
    assert_false(log.markers.listening.known);
    assert_int_equal(log.lines, 0);
}

static void test_signal(void **state)
{
    struct mgc_server_log log = feed((const char *const[]){
        LIBRARY("E", "MG_Remote server: session pid=9 reaped signal=11 sessionsFaulted=1"), NULL});
    struct mgc_fields facts = {0};
    int64_t number;
    assert_true(mgc_server_log_facts(&log, true, &facts));
    assert_true(mgc_fields_get_int(&facts, "session_signal", &number) && number == 11);
    assert_null(mgc_fields_get(&facts, "session_exit"));
    mgc_fields_destroy(&facts);
}

static void test_refusals_are_counted_once(void **state)
{
    struct mgc_server_log log = feed((const char *const[]){
        LIBRARY("W", REFUSE), SERVICE(REFUSE), LIBRARY("W", REFUSE), SERVICE(REFUSE), NULL});
    struct mgc_fields facts = {0};
    int64_t number;
    assert_true(mgc_server_log_facts(&log, false, &facts));
    assert_true(mgc_fields_get_int(&facts, "refused", &number) && number == 2);
    fact_is(&facts, "refuse_code", "Busy");
    fact_is(&facts, "listen_line", NULL);
    fact_is(&facts, "session_reaped", NULL); /* nobody asked */
    mgc_fields_destroy(&facts);
}

static void test_no_session(void **state)
{
    struct mgc_server_log log = {0};
    struct mgc_fields facts = {0};
    bool flag = true;
    assert_true(mgc_server_log_facts(&log, true, &facts));
    assert_true(mgc_fields_get_bool(&facts, "session_reaped", &flag) && !flag);
    fact_is(&facts, "reap_line", NULL);
    mgc_fields_destroy(&facts);
}

static void test_words(void **state)
{
    char buf[400];
    struct mgc_server_log log = {0};
    assert_non_null(strstr(mgc_server_log_words(&log, buf, sizeof(buf)), "no line"));
    log = feed((const char *const[]){
        "09-28 12:00:01.123  4700  4700 W MobileGLServer: a server is already there",
        SERVICE("something else"), NULL});
    mgc_server_log_words(&log, buf, sizeof(buf));
    assert_non_null(strstr(buf, "already there"));
    assert_non_null(strstr(buf, "something else"));
}

static void test_cannot_listen(void **state)
{
    struct mgc_server_log other =
        feed((const char *const[]){SERVICE("server ended: exit code 66"), NULL});
    struct mgc_server_log port =
        feed((const char *const[]){SERVICE("server ended: exit code 72"), NULL});
    assert_false(mgc_server_log_cannot_listen(&other));
    assert_true(mgc_server_log_cannot_listen(&port));
}

/* The order rule and the server's lines together, as the task uses them. */
static void test_only_lines_after_the_marker(void **state)
{
    static const char *const lines[] = {SERVICE(LISTEN),
        "09-28 12:00:01.123     1     1 I mgcoord : begin n1",
        ("09-28 11:00:00.000  5000  5000 I MobileGLServer: MG_Remote server: pid=5000 listening on "
         "tcp://127.0.0.1:40613")};
    struct mgc_adb_logmarks marks = {.nonce = "n1"};
    struct mgc_server_log log = {0};
    for (size_t i = 0; i < 3; i++) {
        if (mgc_adb_logmarks_line(&marks, lines[i], strlen(lines[i])))
            mgc_server_log_line(&log, lines[i], strlen(lines[i]));
    }
    /* The stamps say otherwise; the order counts. */
    assert_int_equal(log.markers.listening.pid, 5000);
    assert_int_equal(log.markers.hits[MGC_MARKER_LISTENING].count, 1);
}

#define READY(pid)                                                                                 \
    "MG_Remote server: pid=" pid " transport=spawn role=server ready control=tcp data=stream"
#define ENDED(pid, how) "MG_Remote server: session pid=" pid " reaped " how " sessionsFaulted=1"

static void test_only_refused(void **state)
{
    struct mgc_server_log refused = feed((const char *const[]){LIBRARY("W", REFUSE), NULL});
    struct mgc_server_log both =
        feed((const char *const[]){LIBRARY("I", READY("4710")), LIBRARY("W", REFUSE), NULL});
    struct mgc_server_log silent = {0};
    assert_true(mgc_server_log_only_refused(&refused));
    assert_false(mgc_server_log_only_refused(&both)); /* its reap line is to come */
    assert_false(mgc_server_log_only_refused(&silent));
}

/* No reap line is to come: nobody ever got as far as a session. */
static void test_nobody_came(void **state)
{
    struct mgc_server_log silent = feed((const char *const[]){LIBRARY("I", "listening"), NULL});
    struct mgc_server_log ready = feed((const char *const[]){LIBRARY("I", READY("7")), NULL});
    struct mgc_server_log crashed =
        feed((const char *const[]){LIBRARY("E", ENDED("8", "signal=11")), NULL});
    assert_false(mgc_server_log_has_session(&silent));
    assert_true(mgc_server_log_has_session(&ready));
    assert_true(mgc_server_log_has_session(&crashed));
}

static void test_broken_session(void **state)
{
    static const struct {
        const char *lines[5];
        int64_t value; /* of the reap; 0: not broken */
    } rows[] = {
        {{LIBRARY("I", READY("7")), NULL}, 0},
        {{LIBRARY("I", READY("7")), LIBRARY("E", ENDED("7", "exit=0")), NULL}, 0},
        {{LIBRARY("I", READY("7")), LIBRARY("E", ENDED("7", "signal=9")), NULL}, 9},
        {{LIBRARY("I", READY("7")), SERVICE(ENDED("7", "exit=70")), NULL}, 70},
        /* a stranger's, beside ours and before it */
        {{LIBRARY("I", READY("7")), LIBRARY("E", ENDED("8", "signal=9")), NULL}, 0},
        {{LIBRARY("E", ENDED("8", "exit=1")), NULL}, 0},
        /* the next one is ready */
        {{LIBRARY("I", READY("7")), LIBRARY("E", ENDED("7", "signal=9")), LIBRARY("I", READY("9")),
             NULL},
            0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mgc_server_log log = feed(rows[i].lines);
        const struct mgc_reap *reap = mgc_server_log_broken(&log);
        assert_int_equal(reap ? reap->value : 0, rows[i].value);
    }
}

/* A stranger's end, whenever it comes, is not that of ours. */
static void test_reap_is_of_the_session_that_was_ready(void **state)
{
    static const struct {
        const char *lines[6];
        int64_t pid; /* 0: not reaped yet */
    } rows[] = {
        {{LIBRARY("I", READY("7")), LIBRARY("E", ENDED("8", "exit=0")), NULL}, 0},
        {{LIBRARY("I", READY("7")), LIBRARY("E", ENDED("8", "exit=0")),
             LIBRARY("E", ENDED("7", "exit=0")), NULL},
            7},
        {{LIBRARY("I", READY("7")), LIBRARY("E", ENDED("7", "exit=0")),
             LIBRARY("E", ENDED("8", "exit=0")), NULL},
            7},
        {{LIBRARY("E", ENDED("8", "exit=0")), NULL}, 8}, /* it was never ready */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mgc_server_log log = feed(rows[i].lines);
        struct mgc_fields facts = {0};
        int64_t pid = 0;
        bool reaped = !rows[i].pid;
        assert_true(mgc_server_log_facts(&log, true, &facts));
        assert_true(mgc_fields_get_bool(&facts, "session_reaped", &reaped));
        assert_int_equal(reaped, rows[i].pid != 0);
        mgc_fields_get_int(&facts, "session_pid", &pid);
        assert_int_equal(pid, rows[i].pid);
        assert_int_equal(mgc_server_log_reap(&log) != NULL, reaped);
        mgc_fields_destroy(&facts);
    }
}

#define SYSTEM(text) "09-28 12:00:01.123   900   912 I ActivityManager: " text
#define APP          "top.mobilegl.plugin.trace"

static void test_ends_can_be_told_apart(void **state)
{
    struct mgc_fields facts = {0};
    struct mgc_server_log log = {.package = APP};
    static const char *const lines[] = {SYSTEM("Force stopping " APP " appid=10123 user=0"),
        SYSTEM("Start proc 9:com.other/u0a9 for service"),
        SYSTEM("Start proc 4700:" APP ":mglsrv/u0a123 for service"), SERVICE(LISTEN),
        SERVICE("server ended: signal 9"), SYSTEM("Process " APP ":mglsrv has died: exit code 0")};
    assert_true(mgc_server_log_end_facts(&log, &facts));
    assert_int_equal(facts.count, 0);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        mgc_server_log_line(&log, lines[i], strlen(lines[i]));
    assert_int_equal(log.lines, 2); /* the system's are not the server's */
    assert_true(mgc_server_log_end_facts(&log, &facts));
    fact_is(&facts, "ended_line", "server ended: signal 9");
    fact_is(&facts, "system_lines",
        "Force stopping " APP " appid=10123 user=0 | Start proc 4700:" APP
        ":mglsrv/u0a123 for service | Process " APP ":mglsrv has died: exit code 0");
    for (int i = 0; i < 9; i++)
        mgc_server_log_line(&log, lines[0], strlen(lines[0]));
    mgc_fields_destroy(&facts);
    assert_true(mgc_server_log_end_facts(&log, &facts));
    assert_null(strstr(mgc_fields_get_str(&facts, "system_lines"), "died"));
    mgc_fields_destroy(&facts);
}

/* An app that was killed cannot say how its server ended; what died before this start does not
 * count. */
static void test_last_words_of_a_killed_app(void **state)
{
    char buf[400];
    struct mgc_server_log log = {.package = APP};
    static const char *const lines[] = {SYSTEM("Process " APP ":mglsrv has died: signal 15"),
        SYSTEM("Start proc 4700:" APP ":mglsrv/u0a123 for service"), SERVICE(LISTEN),
        SYSTEM("Process " APP ":mglsrv has died: signal 9")};
    for (size_t i = 0; i < 3; i++)
        mgc_server_log_line(&log, lines[i], strlen(lines[i]));
    assert_false(mgc_server_log_has_last_words(&log));
    assert_null(strstr(mgc_server_log_words(&log, buf, sizeof(buf)), "signal"));
    mgc_server_log_line(&log, lines[3], strlen(lines[3]));
    assert_true(mgc_server_log_has_last_words(&log));
    assert_non_null(strstr(mgc_server_log_words(&log, buf, sizeof(buf)), "died: signal 9"));
    mgc_server_log_line(
        &log, SERVICE("server ended: signal 11"), sizeof(SERVICE("server ended: signal 11")) - 1);
    assert_non_null(strstr(mgc_server_log_words(&log, buf, sizeof(buf)), "ended: signal 11"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session),
        cmocka_unit_test(test_either_tag_is_enough),
        cmocka_unit_test(test_other_tags_say_nothing),
        cmocka_unit_test(test_signal),
        cmocka_unit_test(test_refusals_are_counted_once),
        cmocka_unit_test(test_only_refused),
        cmocka_unit_test(test_nobody_came),
        cmocka_unit_test(test_broken_session),
        cmocka_unit_test(test_reap_is_of_the_session_that_was_ready),
        cmocka_unit_test(test_ends_can_be_told_apart),
        cmocka_unit_test(test_last_words_of_a_killed_app),
        cmocka_unit_test(test_no_session),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_cannot_listen),
        cmocka_unit_test(test_only_lines_after_the_marker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
