/* Two looks at a link: did it move? */
#include <math.h>
#include <string.h>

#include "coordinator/merge/link_band.h"
#include "coordinator/verify/reasons.h"
#include "tests/lib/check.h"

static const struct {
    double up[2], rtt[2]; /* NAN: not known */
    bool moved;
    const char *says;
} rows[] = {
    {{100, 100}, {5, 5}, false, NULL},
    {{100, 115}, {5, 5}, false, NULL},
    {{100, 116}, {5, 5}, true,
        "throughput to the phone was 100 Mbit/s before and 116 Mbit/s after"},
    {{116, 100}, {5, 5}, true, "116 Mbit/s before and 100"},
    {{NAN, 100}, {5, 5}, false, NULL},
    {{100, 100}, {0.3, 2.2}, false, NULL}, /* a machine that wakes up late */
    {{100, 100}, {0.3, 2.4}, true, "round trip was 0.3 ms before and 2.4 ms after"},
    {{100, 100}, {40, 45}, false, NULL},
    {{100, 100}, {40, 47}, true, "more than 15 % apart"},
    {{100, 100}, {NAN, 47}, false, NULL},
};

static void put(struct mgc_fields *fields, const char *name, double value)
{
    if (!isnan(value))
        mgc_fields_set_double(fields, name, value);
}

static void by_band(void **state)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mgc_fields looks[2] = {{0}};
        char text[256] = "";
        for (size_t k = 0; k < 2; k++) {
            put(&looks[k], "up_mbit_s", rows[i].up[k]);
            put(&looks[k], "link_rtt_ms", rows[i].rtt[k]);
        }
        bool moved = mgc_link_band_left(&looks[0], &looks[1], 15, text, sizeof(text));
        if (moved != rows[i].moved || (rows[i].says && !strstr(text, rows[i].says)))
            fail_msg("row %zu: %d '%s'", i, moved, text);
        mgc_fields_destroy(&looks[0]);
        mgc_fields_destroy(&looks[1]);
    }
}

static void on_amended(void *user, struct mgc_cell_result *cell)
{
    ++*(int *)user;
}

/* Only what is measured, and only in that block. */
static void a_moved_link_voids_its_block(void **state)
{
    struct mgc_cell cells[] = {
        {.kind = MGC_CELL_BRACKET, .id = (char *)"before", .block = 1},
        {.kind = MGC_CELL_MEASURE, .id = (char *)"a", .block = 1},
        {.kind = MGC_CELL_MEASURE, .id = (char *)"b", .block = 1},
        {.kind = MGC_CELL_BRACKET, .id = (char *)"after", .block = 1, .after = true},
        {.kind = MGC_CELL_MEASURE, .id = (char *)"c"},
    };
    struct mgc_plan plan = {.cells = cells, .cell_count = 5, .link_band = 15};
    struct mgc_results results;
    int amended = 0;
    struct mgc_step test = {.id = (char *)"netbench", .kind = (char *)"wsl.netbench"};
    cells[3].steps = &test;
    cells[3].step_count = 1;
    assert_true(mgc_results_init(&results, &plan, NULL));
    results.brackets[0].verdict.state = results.brackets[1].verdict.state = MGC_VERDICT_MEASURED;
    for (size_t i = 0; i < 3; i++)
        results.cells[i].verdict.state = i == 1 ? MGC_VERDICT_FAILED : MGC_VERDICT_MEASURED;
    put(&results.brackets[0].verdict.metrics, "up_mbit_s", 100);
    put(&results.brackets[1].verdict.metrics, "up_mbit_s", 101);
    mgc_link_band_judge(&results, &cells[3], on_amended, &amended);
    assert_int_equal(amended, 0);
    mgc_fields_set_double(&results.brackets[1].verdict.metrics, "up_mbit_s", 50);
    mgc_link_band_judge(&results, &cells[3], on_amended, &amended);
    assert_int_equal(amended, 1);
    assert_string_equal(results.cells[0].verdict.reason, "link-moved");
    assert_int_equal(results.cells[0].verdict.state, MGC_VERDICT_INVALID);
    assert_int_equal(results.cells[1].verdict.state, MGC_VERDICT_FAILED);
    assert_int_equal(results.cells[2].verdict.state, MGC_VERDICT_MEASURED);
    mgc_results_destroy(&results);
}

/* A link that was to be tested and was not has not held. */
static void a_look_that_is_not_proved_voids_its_block(void **state)
{
    for (size_t bad = 0; bad < 2; bad++) {
        struct mgc_step test = {.id = (char *)"netbench", .kind = (char *)"wsl.netbench"};
        struct mgc_cell cells[] = {
            {.kind = MGC_CELL_BRACKET, .id = (char *)"before", .block = 1},
            {.kind = MGC_CELL_MEASURE, .id = (char *)"a", .block = 1},
            {.kind = MGC_CELL_BRACKET,
                .id = (char *)"after",
                .block = 1,
                .after = true,
                .steps = &test,
                .step_count = 1},
        };
        struct mgc_plan plan = {.cells = cells, .cell_count = 3, .link_band = 15};
        struct mgc_results results;
        int amended = 0;
        assert_true(mgc_results_init(&results, &plan, NULL));
        results.cells[0].verdict.state = MGC_VERDICT_MEASURED;
        results.brackets[!bad].verdict.state = MGC_VERDICT_MEASURED;
        mgc_reason_set(&results.brackets[bad].verdict, MGC_REASON_LINK_CUT_SHORT, "seen");
        put(&results.brackets[0].verdict.metrics, "up_mbit_s", 100);
        put(&results.brackets[1].verdict.metrics, "up_mbit_s", 100);
        mgc_link_band_judge(&results, &cells[2], on_amended, &amended);
        assert_int_equal(amended, 1);
        assert_string_equal(results.cells[0].verdict.reason, "link-unproved");
        assert_non_null(strstr(results.cells[0].verdict.text, bad ? "after" : "before"));
        mgc_results_destroy(&results);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_band),
        cmocka_unit_test(a_moved_link_voids_its_block),
        cmocka_unit_test(a_look_that_is_not_proved_voids_its_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
