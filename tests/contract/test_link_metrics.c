/* P65LinkMetrics lines: the invented examples of contract section 5, and broken ones. */
#include "tests/lib/check.h"

#include <stdio.h>
#include <string.h>

#include "common/contract/link_metrics.h"

#define PREFIX     "[12:00:03] [Linux mobilegl_trace_/INFO]: "
#define HIST_FRAME "0,0,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"
#define FRAME_7                                                                                    \
    PREFIX "P65LinkMetrics kind=frame frame=7 wait_replies=1 rtt_samples=1 rtt_mean_us=812.500 "   \
           "rtt_p50_upper_us=1024 rtt_p99_upper_us=1024 stage_bytes=816248 wall_ns=41000000 "      \
           "client_thread_cpu_ns=6100000 rtt_hist_us_pow2=" HIST_FRAME
#define SUMMARY                                                                                    \
    "[12:00:30] [Linux mobilegl_trace_/INFO]: P65LinkMetrics kind=summary frame=251 "              \
    "wait_replies=330 rtt_samples=330 rtt_mean_us=16000.250 rtt_p50_upper_us=8192 "                \
    "rtt_p99_upper_us=131072 stage_bytes=2698000000 wall_ns=70000000000 "                          \
    "client_thread_cpu_ns=6500000000 rtt_hist_us_pow2="                                            \
    "0,0,0,0,0,0,0,0,0,0,0,0,0,200,60,50,15,5,0,0,0,0,0,0,0,0,0,0,0,0,0,0"

static void test_frame_line(void **state)
{
    struct mgc_link_metrics metrics;
    assert_int_equal(mgc_link_metrics_parse(FRAME_7, &metrics, NULL), MGC_LINK_LINE_OK);
    assert_int_equal(metrics.kind, MGC_LINK_FRAME);
    assert_int_equal(metrics.values[MGC_LINK_KEY_FRAME], 7);
    assert_int_equal(metrics.values[MGC_LINK_KEY_STAGE_BYTES], 816248);
    assert_int_equal(metrics.values[MGC_LINK_KEY_CLIENT_THREAD_CPU_NS], 6100000);
    assert_true(metrics.has_rtt_mean && metrics.rtt_mean_us == 812.5);
    assert_true(metrics.has_hist);
    assert_int_equal(metrics.hist[10], 1);
    assert_false(metrics.has[MGC_LINK_KEY_TRANSPORT_WAIT_NS]);
}

static void test_summary_line(void **state)
{
    struct mgc_link_metrics metrics;
    assert_int_equal(mgc_link_metrics_parse(SUMMARY, &metrics, NULL), MGC_LINK_LINE_OK);
    assert_int_equal(metrics.kind, MGC_LINK_SUMMARY);
    assert_int_equal(metrics.values[MGC_LINK_KEY_WALL_NS], INT64_C(70000000000));
    assert_int_equal(metrics.values[MGC_LINK_KEY_RTT_P99_UPPER_US], 131072);
    assert_int_equal(metrics.hist[13], 200);
}

static void test_new_keys_and_other_order(void **state)
{
    struct mgc_link_metrics metrics;
    assert_int_equal(mgc_link_metrics_parse("P65LinkMetrics kind=frame transport_wait_ns=5 new=x "
                                            "stage_bytes=3 frame=2 word",
                         &metrics, NULL),
        MGC_LINK_LINE_OK);
    assert_int_equal(metrics.values[MGC_LINK_KEY_TRANSPORT_WAIT_NS], 5);
    assert_int_equal(metrics.values[MGC_LINK_KEY_FRAME], 2);
    assert_false(metrics.has[MGC_LINK_KEY_WAIT_REPLIES]);
}

static void test_kind_needs_its_space(void **state)
{
    struct mgc_link_metrics metrics;
    static const char *const others[] = {
        PREFIX "P65LinkMetrics kind=frame-op frame=7 by_op 2=11",
        PREFIX "P65LinkMetrics kind=frame-sent frame=7",
        PREFIX "P65LinkMetrics kind=frame",
        PREFIX "P65LinkMetrics kind=",
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_int_equal(mgc_link_metrics_parse(others[i], &metrics, NULL), MGC_LINK_LINE_OK);
        assert_int_equal(metrics.kind, MGC_LINK_OTHER);
    }
    assert_int_equal(
        mgc_link_metrics_parse(PREFIX "P65ServerMetrics frame=7 valid=1", &metrics, NULL),
        MGC_LINK_LINE_NONE);
}

static void test_bad_values(void **state)
{
    static const char *const bad[] = {
        "P65LinkMetrics kind=frame wait_replies=1",
        "P65LinkMetrics kind=frame frame=x",
        "P65LinkMetrics kind=frame frame=-1",
        "P65LinkMetrics kind=frame frame=99999999999999999999",
        "P65LinkMetrics kind=frame frame=1 rtt_mean_us=fast",
        "P65LinkMetrics kind=frame frame=1 rtt_hist_us_pow2=1,2",
        "P65LinkMetrics kind=frame frame=1 rtt_hist_us_pow2=" HIST_FRAME ",0",
        "P65LinkMetrics kind=frame frame=1 rtt_hist_us_pow2=,",
        "P65LinkMetrics kind=summary frame=",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct mgc_link_metrics metrics;
        struct mgc_error err = {0};
        assert_int_equal(mgc_link_metrics_parse(bad[i], &metrics, &err), MGC_LINK_LINE_BAD);
        assert_int_equal(err.code, MGC_E_PROTOCOL);
    }
}

static void feed(struct mgc_link_log *log, const char *text, size_t step)
{
    size_t len = strlen(text);
    for (size_t at = 0; at < len; at += step)
        mgc_link_log_feed(log, text + at, len - at < step ? len - at : step);
    mgc_link_log_finish(log);
}

static void test_log_counts_a_frame_once(void **state)
{
    static const char text[] = "something else\n"
                               "P65LinkMetrics kind=frame frame=1 stage_bytes=10 wait_replies=1\n"
                               "P65LinkMetrics kind=frame frame=2 stage_bytes=20 wait_replies=0\r\n"
                               "P65LinkMetrics kind=frame frame=1 stage_bytes=10 wait_replies=1\n"
                               "P65LinkMetrics kind=frame-op frame=2 by_op 2=1\n"
                               "P65LinkMetrics kind=frame frame=zz\n" SUMMARY "\n"
                               "P65LinkMetrics kind=frame frame=3 stage_bytes=4";
    for (size_t step = 1; step < 200; step += 37) {
        struct mgc_link_log log = {0};
        feed(&log, text, step);
        assert_int_equal(log.frame_count, 2);
        assert_int_equal(log.frames[1].frame, 2);
        assert_int_equal(log.sums[MGC_LINK_KEY_STAGE_BYTES], 30);
        assert_int_equal(log.sums[MGC_LINK_KEY_WAIT_REPLIES], 1);
        assert_false(log.has_sum[MGC_LINK_KEY_TRANSPORT_WAIT_NS]);
        assert_int_equal(log.repeated, 1);
        assert_int_equal(log.other, 1);
        assert_int_equal(log.bad, 1);
        assert_true(log.has_summary);
        assert_int_equal(log.summary.values[MGC_LINK_KEY_FRAME], 251);
        mgc_link_log_destroy(&log);
    }
}

static void test_log_bounds(void **state)
{
    struct mgc_link_log log = {0};
    feed(&log,
        "P65LinkMetrics kind=frame frame=9223372036854775807\n"
        "P65LinkMetrics kind=frame frame=1 stage_bytes=9223372036854775807\n"
        "P65LinkMetrics kind=frame frame=2 stage_bytes=9223372036854775807\n",
        1000);
    assert_int_equal(log.bad, 1);
    assert_int_equal(log.sums[MGC_LINK_KEY_STAGE_BYTES], INT64_MAX);
    mgc_link_log_destroy(&log);

    /* A line past the cap may have lost its end: it is not trusted. */
    char longline[MGC_LINE_MAX + 200];
    memset(longline, ' ', sizeof(longline));
    memcpy(longline, "P65LinkMetrics kind=frame frame=1", 33);
    longline[sizeof(longline) - 2] = '\n';
    longline[sizeof(longline) - 1] = '\0';
    feed(&log, longline, 1000);
    assert_int_equal(log.bad, 1);
    assert_int_equal(log.frame_count, 0);
    mgc_link_log_destroy(&log);
    mgc_link_log_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame_line),
        cmocka_unit_test(test_summary_line),
        cmocka_unit_test(test_new_keys_and_other_order),
        cmocka_unit_test(test_kind_needs_its_space),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_log_counts_a_frame_once),
        cmocka_unit_test(test_log_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
