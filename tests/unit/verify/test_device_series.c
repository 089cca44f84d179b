#include <stdio.h>
#include <string.h>

#include "coordinator/verify/device_series.h"
#include "tests/lib/check.h"

#define HEAD "# mgdevice state period_ms=500 clock=monotonic\n"

static const struct {
    const char *text;
    const char *sentence; /* NULL: it is taken */
    size_t rows;
} texts[] = {
    {HEAD "t_ns,a,b\n1,2,3\n5,,-4\n", NULL, 2},
    {HEAD "t_ns,a\r\n1,2\r\n", NULL, 1},
    {HEAD "t_ns,a\n1,2\n5,", NULL, 1}, /* the last line is cut */
    {HEAD "t_ns\n1\n", NULL, 1},
    {HEAD "t_ns,a\n", NULL, 0},
    {"", "it has no header of two lines", 0},
    {HEAD, "it has no header of two lines", 0},
    {"# mgdevice state period_ms=0 clock=monotonic\nt_ns\n",
        "line 1: expected '# mgdevice state period_ms=N clock=monotonic'", 0},
    {"# mgdevice state period_ms=5 clock=realtime\nt_ns\n",
        "line 1: expected '# mgdevice state period_ms=N clock=monotonic'", 0},
    {HEAD "time,a\n", "line 2: expected 't_ns' and up to 128 names", 0},
    {HEAD "t_ns,a\n1\n", "line 3: expected a rising time and 1 integers or nothing", 0},
    {HEAD "t_ns,a\n1,2,3\n", "line 3: expected a rising time and 1 integers or nothing", 0},
    {HEAD "t_ns,a\n1,x\n", "line 3: expected a rising time and 1 integers or nothing", 0},
    {HEAD "t_ns,a\n1,99999999999999999999\n",
        "line 3: expected a rising time and 1 integers or nothing", 0},
    {HEAD "t_ns,a\n2,1\n2,1\n", "line 4: expected a rising time and 1 integers or nothing", 0},
    {HEAD "t_ns,a\n,1\n", "line 3: expected a rising time and 1 integers or nothing", 0},
};

static void forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct mgc_series series;
        struct mgc_error err;
        bool ok = mgc_series_parse(texts[i].text, strlen(texts[i].text), &series, &err);
        if (ok != !texts[i].sentence)
            fail_msg("%zu: %s", i, ok ? "taken" : err.text);
        if (!ok)
            assert_string_equal(err.text, texts[i].sentence);
        assert_int_equal(series.row_count, texts[i].rows);
        mgc_series_destroy(&series);
        mgc_series_destroy(&series);
    }
    mgc_series_destroy(NULL);
}

static void values(void **state)
{
    static const char text[] = HEAD "t_ns,a,b\n1000,2,3\n2000,,-4\n";
    struct mgc_series series;
    int64_t value = 77;
    (void)state;
    assert_true(mgc_series_parse(text, strlen(text), &series, NULL));
    assert_int_equal(series.period_ms, 500);
    size_t a = mgc_series_column(&series, "a"), b = mgc_series_column(&series, "b");
    assert_true(mgc_series_get(&series, 0, a, &value) && value == 2);
    value = 77;
    assert_false(mgc_series_get(&series, 1, a, &value));
    assert_int_equal(value, 77);
    assert_true(mgc_series_get(&series, 1, b, &value) && value == -4);
    assert_false(mgc_series_get(&series, 0, mgc_series_column(&series, "c"), &value));
    assert_false(mgc_series_get(&series, 2, a, &value));
    mgc_series_destroy(&series);
}

/* Rows at 1, 2, 3, 4 and 9 s; the period is half a second, so neighbours count up to 1 s away. */
static const struct {
    int64_t from_ms, to_ms;
    size_t first, end;
} windows[] = {
    {2000, 3000, 0, 4},
    {1500, 3500, 0, 4},
    {2200, 2300, 1, 3}, /* between two rows */
    {4500, 5500, 3, 4}, /* 9 s is too far off */
    {5500, 6000, 4, 4}, /* nothing near */
    {8500, 12000, 4, 5},
    {0, 500, 0, 1},
};

static void window(void **state)
{
    static const char text[] =
        HEAD "t_ns,a\n1000000000,1\n2000000000,1\n3000000000,1\n4000000000,1\n9000000000,1\n";
    struct mgc_series series;
    (void)state;
    assert_true(mgc_series_parse(text, strlen(text), &series, NULL));
    for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
        size_t first, end;
        mgc_series_window(
            &series, windows[i].from_ms * 1000000, windows[i].to_ms * 1000000, &first, &end);
        if (first != windows[i].first || end != windows[i].end)
            fail_msg("%zu: [%zu, %zu)", i, first, end);
    }
    mgc_series_destroy(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms), cmocka_unit_test(values), cmocka_unit_test(window)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
