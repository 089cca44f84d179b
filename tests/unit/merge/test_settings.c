/* What a report says of the settings: the same from a run that begins and from its run.json. */
#include <stdio.h>
#include <string.h>

#include "coordinator/merge/settings.h"
#include "tests/lib/check.h"

struct fixture {
    struct mgc_cell cells[3];
    struct mgc_plan plan;
    struct mgc_results results;
};

static void make(struct fixture *f, enum mgc_mode mode)
{
    static const char *const workloads[] = {"openra", "rd12", "openra"};
    *f = (struct fixture){.plan = {.name = (char *)"p", .run_id = (char *)"r", .cell_count = 3}};
    f->plan.cells = f->cells;
    for (size_t i = 0; i < 3; i++)
        f->cells[i] = (struct mgc_cell){.kind = MGC_CELL_MEASURE,
            .id = (char *)"x",
            .lane = (char *)"crosshost",
            .workload = (char *)workloads[i],
            .arm = (char *)"crosshost-c1",
            .mode = mode};
    assert_true(mgc_results_init(&f->results, &f->plan, NULL));
}

static void take(struct fixture *f, const char *text)
{
    json_t *json = mgc_json_parse(text, strlen(text), 1 << 16, NULL);
    assert_non_null(json);
    mgc_results_take_settings(&f->results, json);
    json_decref(json);
}

static const struct mgc_result_setting *find(const struct fixture *f, const char *key)
{
    for (size_t i = 0; i < f->results.setting_count; i++) {
        if (strcmp(f->results.settings[i].key, key) == 0)
            return &f->results.settings[i];
    }
    return NULL;
}

static void what_shapes_the_numbers_is_kept(void **state)
{
    struct fixture f;
    make(&f, MGC_MODE_BENCHMARK);
    take(&f, "{\"lanes.crosshost.reps\": {\"value\": 1, \"source\": \"--reps\"},"
             " \"lanes.crosshost.credits\": {\"value\": [1, 3], \"source\": \"plan:11\"},"
             " \"lanes.crosshost.benchmark_finish\": {\"value\": true, \"source\": \"built-in\"},"
             " \"lanes.crosshost.ready_timeout\": {\"value\": 30000, \"source\": \"built-in\"},"
             " \"lanes.matrix.reps\": {\"value\": 1, \"source\": \"--reps\"},"
             " \"workloads.openra.trace\": {\"value\": \"/x\", \"source\": \"site.yaml:3\"},"
             " \"phone.port\": {\"value\": 40614, \"source\": \"--set\"},"
             " \"workloads.openra.frames\": {\"value\": 128, \"source\": \"built-in bench\"}}");
    assert_int_equal(f.results.setting_count, 5);
    assert_string_equal(find(&f, "lanes.crosshost.reps")->origin, "--reps");
    assert_string_equal(find(&f, "lanes.crosshost.credits")->value, "1, 3");
    assert_string_equal(find(&f, "lanes.crosshost.benchmark_finish")->value, "true");
    assert_string_equal(find(&f, "phone.port")->value, "40614");
    assert_false(f.results.frames_reduced);
    mgc_results_destroy(&f.results);
}

/* "300000" alone may be anything. */
static void a_value_has_its_unit(void **state)
{
    struct fixture f;
    make(&f, MGC_MODE_BENCHMARK);
    take(&f, "{\"lanes.matrix.temp_max\": {\"value\": 38, \"source\": \"--set\"},"
             " \"worker_timeout\": {\"value\": 30000, \"source\": \"--set\"},"
             " \"lanes.crosshost.reps\": {\"value\": 1, \"source\": \"--reps\"},"
             " \"nobody.knows\": {\"value\": 1, \"source\": \"--set\"}}");
    assert_null(find(&f, "lanes.matrix.temp_max")); /* a lane without cells shapes nothing */
    assert_string_equal(find(&f, "worker_timeout")->unit, "ms");
    assert_null(find(&f, "lanes.crosshost.reps")->unit);
    assert_null(find(&f, "nobody.knows")->unit);
    assert_true(mgc_results_add_setting(&f.results, "lanes.matrix.temp_max", "38", "--set"));
    assert_string_equal(find(&f, "lanes.matrix.temp_max")->unit, "degrees C");
    mgc_results_destroy(&f.results);
}

static const char short_traces[] =
    "{\"workloads.openra.frames\": {\"value\": 16, \"source\": \"site.yaml:28\"},"
    " \"workloads.rd12.frames\": {\"value\": 2, \"source\": \"site.yaml:34\"}}";

/* Pictures are of a frame of the same short trace. */
static void reduced_frames_are_named_also_for_pictures(void **state)
{
    static const enum mgc_mode modes[] = {MGC_MODE_SSIM, MGC_MODE_BENCHMARK};
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        struct mgc_buf reduced = {0}, few = {0};
        make(&f, modes[i]);
        take(&f, short_traces);
        assert_true(f.results.frames_reduced);
        mgc_results_reduced_text(&f.results, &reduced);
        mgc_results_few_frames_text(&f.results, &few);
        assert_string_equal(mgc_buf_text(&reduced), "openra 16 of 128, rd12 2 of 251");
        assert_string_equal(mgc_buf_text(&few), modes[i] == MGC_MODE_SSIM ? "" : "rd12 2");
        mgc_buf_destroy(&reduced);
        mgc_buf_destroy(&few);
        mgc_results_destroy(&f.results);
    }
}

static const char link_test[] =
    "{\"lanes.netbench.reps\": {\"value\": 3, \"source\": \"built-in\"},"
    " \"lanes.netbench.duration\": {\"value\": 10000, \"source\": \"built-in\"},"
    " \"lanes.netbench.probes\": {\"value\": %d, \"source\": \"built-in\"},"
    " \"lanes.netbench.short\": {\"value\": %s, \"source\": \"--short\"},"
    " \"lanes.netbench.short_duration\": {\"value\": 2000, \"source\": \"built-in\"}}";

static void expect_setting(
    const struct fixture *f, const char *key, const char *value, const char *origin)
{
    assert_non_null(find(f, key));
    assert_string_equal(find(f, key)->value, value);
    assert_string_equal(find(f, key)->origin, origin);
}

static void take_link_test(struct fixture *f, int probes, const char *is_short)
{
    char text[640];
    make(f, MGC_MODE_BENCHMARK);
    f->cells[0].lane = (char *)"netbench";
    f->cells[0].rep = 1;
    snprintf(text, sizeof(text), link_test, probes, is_short);
    take(f, text);
}

/* What was in force, not what would have been without --short. */
static void a_short_link_test_has_its_own(void **state)
{
    struct fixture f;
    take_link_test(&f, 20, "true");
    expect_setting(&f, "lanes.netbench.reps", "1", "--short");
    expect_setting(&f, "lanes.netbench.duration", "2000", "--short");
    expect_setting(&f, "lanes.netbench.probes", "10", "--short");
    mgc_results_destroy(&f.results);
    take_link_test(&f, 5, "true");
    expect_setting(&f, "lanes.netbench.probes", "5", "built-in");
    mgc_results_destroy(&f.results);
    take_link_test(&f, 20, "false");
    expect_setting(&f, "lanes.netbench.reps", "3", "built-in");
    expect_setting(&f, "lanes.netbench.duration", "10000", "built-in");
    expect_setting(&f, "lanes.netbench.probes", "20", "built-in");
    mgc_results_destroy(&f.results);
}

static void strange_settings_are_left_out(void **state)
{
    struct fixture f;
    int64_t used, full;
    make(&f, MGC_MODE_BENCHMARK);
    mgc_results_take_settings(&f.results, NULL);
    take(&f, "[]");
    take(&f, "{\"workloads.openra.frames\": 16, \"route.mode\": {\"value\": \"none\"},"
             " \"workloads.rd12.frames\": {\"value\": \"many\", \"source\": \"x\"}}");
    assert_int_equal(f.results.setting_count, 1);
    assert_false(mgc_results_frames(&f.results, "rd12", &used, &full));
    assert_false(f.results.frames_reduced);
    mgc_results_destroy(&f.results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_shapes_the_numbers_is_kept),
        cmocka_unit_test(reduced_frames_are_named_also_for_pictures),
        cmocka_unit_test(a_value_has_its_unit),
        cmocka_unit_test(a_short_link_test_has_its_own),
        cmocka_unit_test(strange_settings_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
