/* Marker lines: the invented examples of contract section 5, and lines that only look like them. */
#include "tests/lib/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/contract/markers.h"

#define CLIENT "[12:00:02] [Android MobileGLTraceRe/INFO]: "
#define SERVER "[12:00:01] [Android libMobileGLServ/ERROR]: "

static struct mgc_markers *scan(const char *text, size_t step)
{
    struct mgc_markers *markers = test_calloc(1, sizeof(*markers));
    size_t len = strlen(text);
    for (size_t at = 0; at < len; at += step)
        mgc_markers_feed(markers, text + at, len - at < step ? len - at : step);
    mgc_markers_finish(markers);
    return markers;
}

static void assert_only(const struct mgc_markers *markers, enum mgc_marker marker)
{
    for (int i = 0; i < MGC_MARKER_COUNT; i++) {
        if (mgc_markers_has(markers, i) != (i == (int)marker))
            fail_msg("marker %s: count %d", mgc_marker_name(i), (int)markers->hits[i].count);
    }
}

static void test_each_line_is_one_marker(void **state)
{
    static const struct {
        enum mgc_marker marker;
        const char *line;
    } cases[] = {
        {MGC_MARKER_TRANSPORT_INPROC,
            CLIENT "Config: MOBILEGL_TRANSPORT=inproc - the MGPipe record stream crosses a real "
                   "ring to an apply thread"},
        {MGC_MARKER_TRANSPORT_SPAWN,
            CLIENT "Config: MOBILEGL_TRANSPORT=spawn - the MGPipe record stream crosses a real "
                   "ring to an apply thread in ANOTHER PROCESS"},
        {MGC_MARKER_TRANSPORT_REFUSED,
            CLIENT "Config: Ignoring invalid env variable MOBILEGL_TRANSPORT='tcp' invented"},
        {MGC_MARKER_TRANSPORT_REFUSED, CLIENT "Config: MOBILEGL_TRANSPORT='x' names invented"},
        {MGC_MARKER_SPAWN_ARMED, CLIENT "MG_Remote client: spawn ARMED - the server role runs in "
                                        "pid 4712, reached at \"@mgl-4700-123456\""},
        {MGC_MARKER_CONTROL_TCP, CLIENT "MG_Remote client: control=tcp data=stream "
                                        "server=127.0.0.1:40613 pid=4711 dial=connect"},
        {MGC_MARKER_RUN_AHEAD_ARMED, CLIENT "MG_Remote client: run-ahead ARMED - invented prose, "
                                            "paced by a present credit of 1"},
        {MGC_MARKER_LOCKSTEP, CLIENT "MG_Remote client: run-ahead requested, server does not "
                                     "publish kCapRunAheadApply - running lockstep. invented"},
        {MGC_MARKER_DISARMED, CLIENT "MG_Remote client: run-ahead DISARMED by a later caps "
                                     "snapshot - invented prose"},
        {MGC_MARKER_DISARMED, CLIENT "run-ahead Disarmed"},
        {MGC_MARKER_FATAL, "[12:00:42] [Linux mobilegl_trace_/ERROR]: MGPipe: "
                           "Fatal{BarrierTimeout, \"Clear\"} - invented prose"},
        {MGC_MARKER_DEVICE_LOST, CLIENT "MGPipe: DEVICE LOST - invented reason. invented prose"},
        {MGC_MARKER_DEAD_DOORBELL, CLIENT "MG_Remote client: the barrier for Clear (seq 99) woke "
                                          "on a dead doorbell; invented prose"},
        {MGC_MARKER_REFUSE, CLIENT "MGPipe: peer Refuse{Busy} one session is already active "
                                   "expected=0 actual=0"},
        {MGC_MARKER_ACTIVE_BACKEND, CLIENT "Config: Active backend type set to DirectGLES"},
        {MGC_MARKER_LISTENING,
            SERVER "MG_Remote server: pid=4709 listening on tcp://127.0.0.1:40613"},
        {MGC_MARKER_READY, SERVER "MG_Remote server: pid=5 transport=spawn role=server ready "
                                  "control=tcp data=stream"},
        {MGC_MARKER_REAPED,
            SERVER "MG_Remote server: session pid=77 reaped exit=0 sessionsFaulted=0"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mgc_markers *markers = scan(cases[i].line, 7);
        assert_only(markers, cases[i].marker);
        assert_string_equal(markers->hits[cases[i].marker].line, cases[i].line);
        test_free(markers);
    }
}

static void test_lines_that_prove_nothing(void **state)
{
    static const char text[] =
        CLIENT "Accepted env variable: MOBILEGL_TRANSPORT=spawn\n" CLIENT
               "Config: Accepted env variable: X=Config: MOBILEGL_TRANSPORT=spawn - run-ahead "
               "ARMED Fatal{X} DISARMED\n" CLIENT "P65ClientPace present=480\n" CLIENT
               "MGPipe stats: counters ON (MOBILEGL_PIPE_STATS), summary every 120 frames\n" CLIENT
               "process 12 reaped exit=0\n"
               "\n\r\n";
    struct mgc_markers *markers = scan(text, 64);
    for (int i = 0; i < MGC_MARKER_COUNT; i++)
        assert_int_equal(markers->hits[i].count, 0);
    assert_int_equal(markers->lines.count, 7);
    test_free(markers);
}

static void test_values_of_a_client_log(void **state)
{
    static const char text[] =
        CLIENT "Config: IPC ring=8MiB stage=32MiB spin=50us run-ahead=1 present-credit=3 "
               "control-timeout=5000ms affinity='auto' surface=offscreen\n" CLIENT
               "MG_Remote client: control=tcp data=stream server=192.168.21.181:40613 pid=4711 "
               "dial=connect\n" CLIENT "MGPipe: Fatal{PresentCreditTimeout} x\n" CLIENT
               "MGPipe: Fatal{RingOverrun, \"y\"} x\n" CLIENT
               "Config: Active backend type set to DirectVulkan\n" CLIENT
               "MGPipe: peer Refuse{Authentication} bad token expected=1 actual=0\n";
    struct mgc_markers *markers = scan(text, 1);
    assert_true(markers->has_present_credit && markers->has_run_ahead);
    assert_int_equal(markers->present_credit, 3);
    assert_int_equal(markers->run_ahead, 1);
    assert_string_equal(markers->control_server, "192.168.21.181:40613");
    assert_int_equal(markers->control_pid, 4711);
    assert_int_equal(markers->hits[MGC_MARKER_FATAL].count, 2);
    assert_int_equal(markers->hits[MGC_MARKER_FATAL].line_number, 3);
    assert_string_equal(markers->fatal_family, "PresentCreditTimeout");
    assert_string_equal(markers->backend, "DirectVulkan");
    assert_string_equal(markers->refuse_code, "Authentication");
    test_free(markers);
}

static void test_absent_credit_stays_absent(void **state)
{
    struct mgc_markers *markers = scan(CLIENT "Config: IPC ring=8MiB stage=32MiB present-credit=x "
                                              "run-ahead=\n",
        100);
    assert_true(mgc_markers_has(markers, MGC_MARKER_CONFIG_IPC));
    assert_false(markers->has_present_credit);
    assert_false(markers->has_run_ahead);
    test_free(markers);
}

static void test_values_of_a_server_log(void **state)
{
    static const char text[] =
        SERVER "MG_Remote server: pid=4000 listening on tcp://127.0.0.1:40613\n" SERVER
               "MG_Remote server: session pid=4001 reaped exit=70 sessionsFaulted=1\n" SERVER
               "MG_Remote server: pid=4709 listening on tcp://0.0.0.0:40613 (in-process display "
               "server, display installed)\n" SERVER
               "MG_Remote server: pid=4710 transport=spawn role=server ready control=tcp "
               "data=stream\n" SERVER
               "MG_Remote server: session pid=4710 reaped signal=9 sessionsFaulted=1\n" SERVER
               "MG_Remote server: session pid=4711 reaped status=0x1f\n" SERVER
               "MG_Remote server: session pid=x reaped exit=0\n" SERVER
               "MG_Remote server: Refuse{Busy} one session is already active\n";
    struct mgc_markers *markers = scan(text, 33);
    assert_true(markers->listening.known);
    assert_string_equal(markers->listening.endpoint, "tcp://0.0.0.0:40613");
    assert_int_equal(markers->listening.pid, 4709);
    assert_int_equal(markers->listening.line_number, 3);
    assert_int_equal(markers->ready_pid, 4710);
    assert_int_equal(markers->hits[MGC_MARKER_REAPED].count, 4);
    assert_int_equal(markers->reap_count, 3);
    assert_int_equal(markers->reaps[0].pid, 4001);
    assert_int_equal(markers->reaps[0].kind, MGC_REAP_EXIT);
    assert_int_equal(markers->reaps[0].value, 70);
    assert_int_equal(markers->reaps[0].faulted, 1);
    assert_int_equal(markers->reaps[1].kind, MGC_REAP_SIGNAL);
    assert_int_equal(markers->reaps[1].value, 9);
    assert_int_equal(markers->reaps[2].kind, MGC_REAP_STATUS);
    assert_int_equal(markers->reaps[2].value, 0x1f);
    assert_false(markers->reaps[2].has_faulted);
    assert_string_equal(markers->refuse_code, "Busy");
    test_free(markers);
}

static void test_long_lines_and_floods_stay_bounded(void **state)
{
    struct mgc_markers *markers = test_calloc(1, sizeof(*markers));
    char line[2 * MGC_LINE_MAX];
    memset(line, 'a', sizeof(line));
    memcpy(line, "Fatal{", 6);
    line[sizeof(line) - 1] = '\n';
    for (int i = 0; i < 50; i++)
        mgc_markers_feed(markers, line, sizeof(line));
    static const char reap[] = "session pid=1 reaped exit=0\n";
    for (int i = 0; i < 1000; i++)
        mgc_markers_feed(markers, reap, sizeof(reap) - 1);
    mgc_markers_finish(markers);
    assert_int_equal(markers->hits[MGC_MARKER_FATAL].count, 50);
    assert_int_equal(strlen(markers->hits[MGC_MARKER_FATAL].line), MGC_MARKER_LINE_MAX);
    assert_string_equal(markers->fatal_family, "");
    assert_int_equal(markers->lines.cut_count, 50);
    assert_int_equal(markers->hits[MGC_MARKER_REAPED].count, 1000);
    assert_int_equal(markers->reap_count, MGC_REAPS_MAX);
    test_free(markers);
}

/* Wherever a marker stands on a long line, and however the chunks fall. */
static void test_long_lines_are_searched_to_their_end(void **state)
{
    static const size_t offsets[] = {4089, 4090, 4091, 4095, 4096, 7900, 11994};
    static char text[12000 + 32];
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        for (size_t chunk = 1; chunk < 9000; chunk = chunk * 5 + 2) {
            memset(text, 'a', sizeof(text) - 1);
            memcpy(text + offsets[i], "Fatal{", 6);
            memcpy(text + 12000, "\nrun-ahead ARMED\n", 18);
            struct mgc_markers *markers = scan(text, chunk);
            assert_int_equal(markers->hits[MGC_MARKER_FATAL].count, 1);
            assert_int_equal(markers->hits[MGC_MARKER_FATAL].line_number, 1);
            assert_int_equal(markers->hits[MGC_MARKER_RUN_AHEAD_ARMED].line_number, 2);
            assert_int_equal(markers->lines.cut_count, 1);
            test_free(markers);
        }
    }
}

static void test_merge(void **state)
{
    struct mgc_markers *a = scan("Fatal{A}\nsession pid=1 reaped exit=0\n", 100);
    struct mgc_markers *b = scan("Fatal{B}\nrun-ahead ARMED\nConfig: IPC present-credit=2\n"
                                 "session pid=2 reaped exit=3\npid=9 listening on tcp://[::1]:5\n",
        100);
    mgc_markers_merge(a, b);
    assert_int_equal(a->hits[MGC_MARKER_FATAL].count, 2);
    assert_string_equal(a->hits[MGC_MARKER_FATAL].line, "Fatal{A}");
    assert_string_equal(a->fatal_family, "A");
    assert_true(mgc_markers_has(a, MGC_MARKER_RUN_AHEAD_ARMED));
    assert_int_equal(a->present_credit, 2);
    assert_int_equal(a->reap_count, 2);
    assert_int_equal(a->reaps[1].value, 3);
    assert_string_equal(a->listening.endpoint, "tcp://[::1]:5");
    assert_false(a->listening.has_pid);
    test_free(a);
    test_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_line_is_one_marker),
        cmocka_unit_test(test_lines_that_prove_nothing),
        cmocka_unit_test(test_values_of_a_client_log),
        cmocka_unit_test(test_absent_credit_stays_absent),
        cmocka_unit_test(test_values_of_a_server_log),
        cmocka_unit_test(test_long_lines_and_floods_stay_bounded),
        cmocka_unit_test(test_long_lines_are_searched_to_their_end),
        cmocka_unit_test(test_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
