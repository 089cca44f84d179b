/* LinkMetrics lines: written here, read back by the product's own parser. */
#include "tests/lib/check.h"

#include <string.h>

#include "common/contract/link_metrics.h"
#include "lab/replay/metrics.h"

static struct mgc_link_metrics written(const struct mgr_span *span, const char *kind)
{
    char line[MGR_METRICS_LINE_MAX];
    struct mgc_link_metrics metrics;
    mgr_metrics_line(span, kind, 7, span->start_wall_ns + 41, span->start_cpu_ns + 6, line);
    assert_int_equal(mgc_link_metrics_parse(line, &metrics, NULL), MGC_LINK_LINE_OK);
    return metrics;
}

static void test_frame_and_total(void **state)
{
    struct mgr_metrics metrics;
    mgr_metrics_start(&metrics);
    mgr_metrics_stage(&metrics, 100);
    mgr_metrics_reply(&metrics, 812500);
    mgr_metrics_next(&metrics);
    mgr_metrics_stage(&metrics, 50);
    mgr_metrics_wait(&metrics, 1000);

    struct mgc_link_metrics frame = written(&metrics.frame, "frame");
    assert_int_equal(frame.kind, MGC_LINK_FRAME);
    assert_int_equal(frame.values[MGC_LINK_KEY_FRAME], 7);
    assert_int_equal(frame.values[MGC_LINK_KEY_STAGE_BYTES], 50);
    assert_int_equal(frame.values[MGC_LINK_KEY_WAIT_REPLIES], 0);
    assert_int_equal(frame.values[MGC_LINK_KEY_TRANSPORT_WAIT_NS], 1000);
    assert_int_equal(frame.values[MGC_LINK_KEY_WALL_NS], 41);
    assert_int_equal(frame.values[MGC_LINK_KEY_CLIENT_THREAD_CPU_NS], 6);
    assert_int_equal(frame.values[MGC_LINK_KEY_RTT_P50_UPPER_US], 0);

    struct mgc_link_metrics total = written(&metrics.total, "summary");
    assert_int_equal(total.kind, MGC_LINK_SUMMARY);
    assert_int_equal(total.values[MGC_LINK_KEY_STAGE_BYTES], 150);
    assert_int_equal(total.values[MGC_LINK_KEY_WAIT_REPLIES], 1);
    assert_int_equal(total.values[MGC_LINK_KEY_TRANSPORT_WAIT_NS], 813500);
    assert_true(total.rtt_mean_us > 812.4 && total.rtt_mean_us < 812.6);
    /* The contract's example: 812.5 us is in bin 10, which ends at 1024. */
    assert_int_equal(total.hist[10], 1);
    assert_int_equal(total.values[MGC_LINK_KEY_RTT_P50_UPPER_US], 1024);
}

static void test_percentiles_of_the_histogram(void **state)
{
    struct mgr_metrics metrics;
    mgr_metrics_start(&metrics);
    for (int i = 0; i < 98; i++)
        mgr_metrics_reply(&metrics, 100 * 1000);
    mgr_metrics_reply(&metrics, 5000 * 1000);
    mgr_metrics_reply(&metrics, INT64_C(1000000) * 1000000);
    struct mgc_link_metrics total = written(&metrics.total, "summary");
    assert_int_equal(total.values[MGC_LINK_KEY_RTT_P50_UPPER_US], 128);
    assert_int_equal(total.values[MGC_LINK_KEY_RTT_P99_UPPER_US], 8192);
    assert_int_equal(total.hist[30], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame_and_total),
        cmocka_unit_test(test_percentiles_of_the_histogram),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
