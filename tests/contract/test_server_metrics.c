/* P65ServerMetrics, P65ServerFrame, P65ClientPace: the invented examples of contract section 5. */
#include "tests/lib/check.h"

#include "common/contract/server_metrics.h"

#define APPLY "[12:00:03] [Android mgl-srv-apply/INFO]: "
#define FRAME                                                                                      \
    APPLY "P65ServerFrame frame=7 records=7497 apply_ms=3.6 wall_ms=41.0 outside_ms=37.4 | read: " \
          "1520000 B in 40 recv(22 reads) recv_ms=36.9 total_ms=37.1 (99% blocked, 41.0 MB/s)"

static void metrics_line(void **state)
{
    struct mgc_server_metrics metrics;
    (void)state;
    assert_int_equal(
        mgc_server_metrics_parse(APPLY "P65ServerMetrics frame=7 valid=1 wall_ns=40950000 "
                                       "apply_thread_cpu_ns=3500000\r",
            &metrics),
        MGC_P65_OK);
    assert_int_equal(metrics.frame, 7);
    assert_true(metrics.valid);
    assert_int_equal(metrics.wall_ns, 40950000);
    assert_int_equal(metrics.apply_thread_cpu_ns, 3500000);
    assert_int_equal(mgc_server_metrics_parse(FRAME, &metrics), MGC_P65_NONE);
    assert_int_equal(mgc_server_metrics_parse("P65ServerMetrics frame=7 valid=2 wall_ns=4 "
                                              "apply_thread_cpu_ns=3",
                         &metrics),
        MGC_P65_BAD);
    assert_int_equal(mgc_server_metrics_parse("P65ServerMetrics frame=7", &metrics), MGC_P65_BAD);
    assert_int_equal(metrics.frame, 7); /* left alone */
}

static void frame_line(void **state)
{
    struct mgc_server_frame frame;
    (void)state;
    assert_int_equal(mgc_server_frame_parse(FRAME, &frame), MGC_P65_OK);
    assert_int_equal(frame.frame, 7);
    assert_int_equal(frame.records, 7497);
    assert_true(frame.apply_ms == 3.6 && frame.wall_ms == 41.0 && frame.outside_ms == 37.4);
    assert_int_equal(frame.read_bytes, 1520000);
    assert_int_equal(frame.recv_count, 40);
    assert_int_equal(frame.read_count, 22);
    assert_true(frame.recv_ms == 36.9 && frame.total_ms == 37.1);
}

/* Cut off at any place it is no frame. */
static void cut_frame_line(void **state)
{
    static const char text[] = FRAME;
    struct mgc_server_frame frame;
    (void)state;
    for (size_t len = 0; len + 40 < sizeof(text); len++) {
        char cut[sizeof(text)] = "";
        for (size_t i = 0; i < len; i++)
            cut[i] = text[i];
        assert_int_not_equal(mgc_server_frame_parse(cut, &frame), MGC_P65_OK);
    }
}

static void pace_line(void **state)
{
    int64_t present = 77;
    (void)state;
    assert_int_equal(
        mgc_client_pace_parse(
            "[12:00:03] [Android Thread-14/INFO]: P65ClientPace present=480 x=y", &present),
        MGC_P65_OK);
    assert_int_equal(present, 480);
    assert_int_equal(mgc_client_pace_parse("P65ClientPace ", &present), MGC_P65_BAD);
    assert_int_equal(mgc_client_pace_parse("P65Client", &present), MGC_P65_NONE);
    assert_int_equal(present, 480);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(metrics_line), cmocka_unit_test(frame_line),
        cmocka_unit_test(cut_frame_line), cmocka_unit_test(pace_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
