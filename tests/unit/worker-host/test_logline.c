#include "worker-host/adb/logline.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/check.h"

static bool parse(const char *text, struct mgc_adb_logline *line)
{
    return mgc_adb_logline_parse(text, strlen(text), line);
}

static void test_line(void **state)
{
    struct mgc_adb_logline line;
    assert_true(
        parse("09-28 12:00:01.123  4711  4720 I MobileGL: [x] listening on tcp://h:1", &line));
    assert_string_equal(line.stamp, "09-28 12:00:01.123");
    assert_int_equal(line.pid, 4711);
    assert_int_equal(line.tid, 4720);
    assert_int_equal(line.level, 'I');
    assert_true(mgc_adb_logline_has_tag(&line, "MobileGL"));
    assert_false(mgc_adb_logline_has_tag(&line, "MobileG"));
    assert_false(mgc_adb_logline_has_tag(&line, "MobileGLServer"));
    assert_int_equal(line.text_len, strlen("[x] listening on tcp://h:1"));
    assert_memory_equal(line.text, "[x] listening on tcp://h:1", line.text_len);
}

static void test_line_forms(void **state)
{
    struct mgc_adb_logline line;
    assert_true(parse("01-02 00:00:00.000     1     1 E chatty  : uid=0 expire 3 lines", &line));
    assert_true(mgc_adb_logline_has_tag(&line, "chatty"));
    assert_true(parse("01-02 00:00:00.000 12345 12345 W a:b: c", &line));
    assert_true(mgc_adb_logline_has_tag(&line, "a:b"));
    assert_true(parse("01-02 00:00:00.000     1     1 I tag: \r", &line));
    assert_int_equal(line.text_len, 0);
    assert_true(parse("01-02 00:00:00.000     1     1 I tag:", &line));
    assert_int_equal(line.text_len, 0);
}

static void test_not_lines(void **state)
{
    static const char *const texts[] = {"", "--------- beginning of main", "text",
        "13-02 00:00:00.000     1     1 I tag: x", "01-00 00:00:00.000     1     1 I tag: x",
        "01-02 00:00:00.000     1     1 Q tag: x", "01-02 00:00:00.000     1 I tag: x",
        "01-02 00:00:00.000", "01-02 00:00:00.000     1     1 I tag", "01-02 00:00:00.000 1 1 I"};
    struct mgc_adb_logline line;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (parse(texts[i], &line))
            fail_msg("accepted '%s'", texts[i]);
    }
}

static enum mgc_adb_log_gap scan_line(struct mgc_adb_logscan *scan, const char *text)
{
    return mgc_adb_logscan_line(scan, text, strlen(text));
}

static void test_counts(void **state)
{
    struct mgc_adb_logscan scan = {0};
    assert_int_equal(scan_line(&scan, "--------- beginning of main"), MGC_ADB_GAP_NONE);
    assert_int_equal(scan_line(&scan, "--------- beginning of system"), MGC_ADB_GAP_NONE);
    assert_int_equal(scan_line(&scan, "09-28 12:00:01.000     1     1 I t: a"), MGC_ADB_GAP_NONE);
    assert_int_equal(scan_line(&scan, "09-28 12:00:05.500     1     1 I t: b"), MGC_ADB_GAP_NONE);
    assert_int_equal(scan_line(&scan, "a continuation"), MGC_ADB_GAP_NONE);
    assert_int_equal(scan.lines, 5);
    assert_int_equal(scan.gaps, 0);
    assert_string_equal(scan.last_stamp, "09-28 12:00:05.500");
    assert_int_equal(scan.bytes, 28 + 30 + 2 * 38 + 15);
}

static void test_backwards(void **state)
{
    struct mgc_adb_logscan scan = {0};
    scan_line(&scan, "09-28 12:00:05.000     1     1 I t: a");
    /* merged buffers: a little disorder is normal */
    assert_int_equal(scan_line(&scan, "09-28 12:00:04.100     1     1 I t: b"), MGC_ADB_GAP_NONE);
    assert_int_equal(
        scan_line(&scan, "09-28 12:00:02.000     1     1 I t: c"), MGC_ADB_GAP_BACKWARDS);
    assert_int_equal(scan_line(&scan, "09-28 12:00:02.100     1     1 I t: d"), MGC_ADB_GAP_NONE);
    assert_int_equal(scan.gaps, 1);
}

static void test_new_year_is_no_gap(void **state)
{
    struct mgc_adb_logscan scan = {0};
    scan_line(&scan, "12-31 23:59:59.900     1     1 I t: a");
    assert_int_equal(scan_line(&scan, "01-01 00:00:00.100     1     1 I t: b"), MGC_ADB_GAP_NONE);
}

static void test_dropped(void **state)
{
    struct mgc_adb_logscan scan = {0};
    assert_int_equal(scan_line(&scan, "01-02 00:00:00.000     1     1 I chatty  : uid=1000(system) "
                                      "Binder:1 identical 5 lines"),
        MGC_ADB_GAP_NONE);
    assert_int_equal(scan_line(&scan, "01-02 00:00:00.000     1     1 I chatty  : uid=1000(system) "
                                      "Binder:1 expire 12 lines"),
        MGC_ADB_GAP_EXPIRED);
    assert_int_equal(scan_line(&scan, "01-02 00:00:00.000     1     1 I other: expire 12 lines"),
        MGC_ADB_GAP_NONE);
    assert_int_equal(scan_line(&scan, "read: unexpected EOF!"), MGC_ADB_GAP_OVERRUN);
    assert_int_equal(scan.expired_lines, 12);
    assert_int_equal(scan.gaps, 2);
}

static void test_buffer_begins_again(void **state)
{
    struct mgc_adb_logscan scan = {0};
    scan_line(&scan, "--------- beginning of main");
    scan_line(&scan, "01-02 00:00:00.000     1     1 I t: a");
    assert_int_equal(scan_line(&scan, "--------- beginning of crash"), MGC_ADB_GAP_NONE);
    assert_int_equal(scan_line(&scan, "--------- beginning of main"), MGC_ADB_GAP_RESTART);
    mgc_adb_logscan_reopened(&scan);
    assert_int_equal(scan_line(&scan, "--------- beginning of main"), MGC_ADB_GAP_NONE);
    assert_int_equal(scan.gaps, 2);
}

/* Feed a stream; say which lines were kept. */
static void marks_keep(const char *const *lines, const char *want)
{
    struct mgc_adb_logmarks marks = {.nonce = "n1"};
    char got[64] = "";
    for (size_t i = 0; lines[i]; i++)
        got[i] = mgc_adb_logmarks_line(&marks, lines[i], strlen(lines[i])) ? '1' : '0';
    assert_string_equal(got, want);
}

#define LINE(tag, text) "01-02 00:00:00.000     1     1 I " tag ": " text

static void test_marks(void **state)
{
    marks_keep((const char *const[]){LINE("MobileGL", "listening"), LINE("mgcoord", "begin n1"),
                   LINE("MobileGL", "listening"), LINE("mgcoord", "end n1"), NULL},
        "0111");
    /* another nonce, another tag, more text, and no line of the format: none of them begins it */
    marks_keep((const char *const[]){LINE("mgcoord", "begin n2"), LINE("other", "begin n1"),
                   LINE("mgcoord", "begin n1 "), "begin n1", LINE("mgcoord", "end n1"), NULL},
        "00000");
    struct mgc_adb_logmarks marks = {.nonce = "n1"};
    mgc_adb_logmarks_line(&marks, LINE("mgcoord", "begin n1"), strlen(LINE("mgcoord", "begin n1")));
    assert_true(marks.begun && !marks.ended);
    mgc_adb_logmarks_line(&marks, LINE("mgcoord", "end n1"), strlen(LINE("mgcoord", "end n1")));
    assert_true(marks.ended);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_line_forms),
        cmocka_unit_test(test_not_lines),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_backwards),
        cmocka_unit_test(test_new_year_is_no_gap),
        cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_buffer_begins_again),
        cmocka_unit_test(test_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
