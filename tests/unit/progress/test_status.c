#include "coordinator/progress/status.h"

#include <string.h>

#include "common/base/clock.h"
#include "tests/lib/check.h"

static struct mgc_status measuring(void)
{
    return (struct mgc_status){
        .index = 3,
        .cells = 14,
        .cell = "crosshost/bench-openra-c1-r1",
        .attempt = 2,
        .phase = "server: ready",
        .cell_ns = 12 * MGC_NS_PER_S,
        .run_ns = 83 * MGC_NS_PER_S,
        .left_ns = 3725 * MGC_NS_PER_S,
    };
}

static void line_is(const struct mgc_status *status, int columns, const char *expected)
{
    struct mgc_buf line = {0};
    mgc_status_line(status, columns, &line);
    assert_string_equal(mgc_buf_text(&line), expected);
    mgc_buf_destroy(&line);
}

static void a_wide_line_says_it_all(void **state)
{
    struct mgc_status status = measuring();
    line_is(&status, 0,
        "cell 3/14 crosshost/bench-openra-c1-r1 (attempt 2), server: ready 0:12 | run 1:23 | about "
        "1:02:05 left");
}

static void a_narrow_line_keeps_what_matters(void **state)
{
    struct mgc_status status = measuring();
    line_is(&status, 95,
        "cell 3/14 crosshost/bench-openra-c1-r1 (attempt 2), server: ready 0:12 | about 1:02:05 "
        "left");
    line_is(&status, 82,
        "cell 3/14 bench-openra-c1-r1 (attempt 2), server: ready 0:12 | about 1:02:05 left");
    line_is(&status, 75, "cell 3/14 bench-openra-c1-r1, server: ready 0:12 | about 1:02:05 left");
    line_is(&status, 60, "cell 3/14 bench-openra-c1-r1, server: ready 0:12");
    line_is(&status, 44, "cell 3/14 bench-openra-c1-r1, server: ready");
    line_is(&status, 40, "cell 3/14, server: ready");
    line_is(&status, 10, "cell 3/14");
    line_is(&status, 1, "");
}

static void no_width_is_ever_reached(void **state)
{
    struct mgc_status status = measuring();
    for (int columns = 1; columns < 140; columns++) {
        struct mgc_buf line = {0};
        mgc_status_line(&status, columns, &line);
        assert_true(line.len < (size_t)columns);
        mgc_buf_destroy(&line);
    }
}

static void between_cells_there_is_less_to_say(void **state)
{
    struct mgc_status status = {
        .cells = 2, .phase = "waiting for a worker", .cell_ns = -1, .left_ns = -1};
    line_is(&status, 0, "waiting for a worker | run 0:00");
    strcpy(status.cell, "setup");
    strcpy(status.phase, "route: starting");
    status.cell_ns = 0;
    status.attempt = 1;
    line_is(&status, 0, "setup, route: starting 0:00 | run 0:00");
    line_is(&status, 30, "setup, route: starting 0:00");
    status = (struct mgc_status){.cell_ns = -1, .left_ns = -1};
    line_is(&status, 0, "run 0:00");
}

static void it_survives_the_way(void **state)
{
    struct mgc_status status = measuring(), got;
    json_t *json = mgc_status_to_json(&status);
    assert_true(mgc_status_from_json(json, &got));
    assert_memory_equal(&status, &got, sizeof(got));
    json_decref(json);
    status.cell_ns = status.left_ns = -1;
    json = mgc_status_to_json(&status);
    assert_true(mgc_status_from_json(json, &got));
    assert_int_equal(got.cell_ns, -1);
    assert_int_equal(got.left_ns, -1);
    json_decref(json);
}

static void strange_json_is_an_empty_status(void **state)
{
    struct mgc_status got;
    json_t *json = json_pack("{s:s, s:i, s:i}", "cells", "many", "index", -4, "run_ms", -1);
    assert_false(mgc_status_from_json(json, &got));
    assert_int_equal(got.index, 0);
    assert_int_equal(got.run_ns, 0);
    json_decref(json);
    assert_false(mgc_status_from_json(NULL, &got));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wide_line_says_it_all),
        cmocka_unit_test(a_narrow_line_keeps_what_matters),
        cmocka_unit_test(no_width_is_ever_reached),
        cmocka_unit_test(between_cells_there_is_less_to_say),
        cmocka_unit_test(it_survives_the_way),
        cmocka_unit_test(strange_json_is_an_empty_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
