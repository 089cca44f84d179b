/* Rows that the real mgdevice samples: on schedule, and at once. */
#include <errno.h>
#include <signal.h>

#include "common/base/clock.h"
#include "tests/unit/worker-host/helper/helper_case.h"

struct rows {
    unsigned count, values, unreadable, ends, missed;
    uint32_t said_rows;
    int64_t last_due_ns, cost_us;
};

static void on_row(void *ctx, const struct mgc_device_msg *msg)
{
    struct rows *rows = ctx;
    const char *item = NULL, *text;
    int errnum;
    if (msg->type == MGC_DEVICE_SAMPLE_END) {
        rows->ends++;
        rows->said_rows = msg->sample_end.rows;
        rows->cost_us = msg->sample_end.user_us + msg->sample_end.sys_us;
    }
    if (msg->type != MGC_DEVICE_ROW)
        return;
    assert_int_equal(msg->row.row, rows->count++);
    assert_true(msg->row.due_ns > rows->last_due_ns);
    assert_true(msg->row.begin_ns >= msg->row.due_ns);
    rows->last_due_ns = msg->row.due_ns;
    rows->missed += msg->row.missed;
    while ((item = mgc_device_list_next(&msg->row.values, item))) {
        if (mgc_device_value(item, &text, &errnum))
            rows->values += strlen(text) > 0;
        else
            rows->unreadable += errnum == ENOENT;
    }
}

static void test_sample(void **state)
{
    static const char *const nodes[] = {
        "/proc/uptime", "/proc/no/such/node", "/proc/loadavg", NULL};
    struct rows rows = {0};
    struct mgc_adb_wait wait = local_wait();
    uint32_t id;
    assert_true(mgc_helper_sample(helper, nodes, 20, 3, on_row, &rows, &id, &wait, &err));
    while (!rows.ends)
        assert_true(mgc_helper_pump(helper, &wait, &err));
    assert_int_equal(rows.count, 3);
    assert_int_equal(rows.said_rows, 3);
    assert_int_equal(rows.values, 6);
    assert_int_equal(rows.unreadable, 3);
    rows = (struct rows){0};
    assert_true(mgc_helper_sample(helper, nodes, 20, 0, on_row, &rows, &id, &wait, &err));
    while (rows.count < 2)
        assert_true(mgc_helper_pump(helper, &wait, &err));
    assert_true(mgc_helper_cancel(helper, id, &wait, &err));
    assert_int_equal(rows.ends, 1);
    assert_int_equal(rows.said_rows, rows.count);
}

/* Far from the next one that is due, and each twice as far from the one before. */
static void test_sample_now(void **state)
{
    static const char *const nodes[] = {"/proc/uptime", NULL};
    struct rows rows = {0};
    struct mgc_adb_wait wait = local_wait();
    uint32_t id;
    assert_true(mgc_helper_sample(helper, nodes, 3600000, 0, on_row, &rows, &id, &wait, &err));
    while (rows.count < 1)
        assert_true(mgc_helper_pump(helper, &wait, &err));
    assert_true(mgc_helper_sample_now(helper, id, 1, 0, &wait, &err));
    assert_int_equal(rows.count, 2); /* before the answer */
    assert_true(mgc_helper_sample_now(helper, id, 3, 10, &wait, &err));
    int64_t first_ns = rows.last_due_ns;
    while (rows.count < 5)
        assert_true(mgc_helper_pump(helper, &wait, &err));
    assert_int_equal(rows.last_due_ns - first_ns, 30 * MGC_NS_PER_MS);
    assert_true(mgc_helper_cancel(helper, id, &wait, &err));
    assert_int_equal(rows.said_rows, 5);
    assert_int_equal(rows.missed, 0);
}

/* What is still to come of one call ends with the next. */
static void test_sample_now_once_more(void **state)
{
    static const char *const nodes[] = {"/proc/uptime", NULL};
    struct rows rows = {0};
    struct mgc_adb_wait wait = local_wait();
    uint32_t id;
    assert_true(mgc_helper_sample(helper, nodes, 3600000, 0, on_row, &rows, &id, &wait, &err));
    assert_true(mgc_helper_sample_now(helper, id, 16, 60000, &wait, &err));
    assert_true(mgc_helper_sample_now(helper, id, 1, 0, &wait, &err));
    assert_true(mgc_helper_cancel(helper, id, &wait, &err));
    assert_true(rows.count == 2 || rows.count == 3); /* with the one that was due at the begin */
    assert_int_equal(rows.ends, 1);
}

static void test_sample_now_is_refused(void **state)
{
    static const char *const nodes[] = {"/proc/uptime", NULL};
    struct rows rows = {0};
    struct mgc_adb_wait wait = local_wait();
    uint32_t id;
    assert_false(mgc_helper_sample_now(helper, 77, 1, 0, &wait, &err));
    assert_int_equal(err.code, MGC_E_USAGE);
    assert_non_null(strstr(err.text, "of request 77: expected 1 to 16"));
    assert_true(mgc_helper_sample(helper, nodes, 3600000, 0, on_row, &rows, &id, &wait, &err));
    assert_false(mgc_helper_sample_now(helper, id, 0, 0, &wait, &err));
    assert_false(mgc_helper_sample_now(helper, id, 17, 10, &wait, &err));
    assert_false(mgc_helper_sample_now(helper, id, 2, 0, &wait, &err));
    assert_false(mgc_helper_sample_now(helper, id, 2, 60001, &wait, &err));
    assert_true(mgc_helper_sample_now(helper, id, 1, 0, &wait, &err)); /* it goes on */
    assert_true(mgc_helper_cancel(helper, id, &wait, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(test_sample),
        DEVICE_TEST(test_sample_now),
        DEVICE_TEST(test_sample_now_once_more),
        DEVICE_TEST(test_sample_now_is_refused),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
