/* What a run's numbers are of: kept from the first attempt that tells, compared with the sessions
 * before. */
#include "coordinator/session/inputs.h"

#include <string.h>

#include "tests/lib/check.h"

static struct mgc_step steps[] = {
    {.id = (char *)"device", .kind = (char *)"host.device"},
    {.id = (char *)"app-2", .kind = (char *)"host.app"},
    {.id = (char *)"replay", .kind = (char *)"wsl.replay"},
    {.id = (char *)"pull", .kind = (char *)"host.pull"},
};
static struct mgc_cell cell = {.id = (char *)"crosshost/bench-openra-c1-r1",
    .lane = (char *)"crosshost",
    .workload = (char *)"openra",
    .steps = steps,
    .step_count = 4};

struct attempt {
    struct mgc_step_outcome outcomes[4];
    struct mgc_attempt view;
};

static void make(struct attempt *attempt, const char *hash)
{
    *attempt = (struct attempt){0};
    attempt->view = (struct mgc_attempt){.cell = &cell, .number = 1, .steps = attempt->outcomes};
    mgc_fields_set_str(&attempt->outcomes[0].facts, "model", "lab phone");
    mgc_fields_set_str(&attempt->outcomes[0].facts, "boot_id", hash);
    mgc_fields_set_str(&attempt->outcomes[1].facts, "apk_sha256", hash);
    mgc_fields_set_str(&attempt->outcomes[2].facts, "library_sha256", "11");
    mgc_fields_set_str(&attempt->outcomes[2].facts, "trace_sha256", "22");
    mgc_fields_set_str(&attempt->outcomes[3].facts, "sha256", hash); /* of a result */
}

static void destroy(struct attempt *attempt)
{
    for (size_t i = 0; i < 4; i++)
        mgc_fields_destroy(&attempt->outcomes[i].facts);
}

static void the_first_that_tells_is_kept(void **state)
{
    struct attempt attempt;
    json_t *inputs = json_object();
    bool is_new = false;
    make(&attempt, "aa");
    assert_true(mgc_inputs_take(inputs, NULL, &attempt.view, &is_new, NULL));
    assert_true(is_new);
    is_new = false;
    assert_true(mgc_inputs_take(inputs, NULL, &attempt.view, &is_new, NULL));
    assert_false(is_new);
    destroy(&attempt);
    make(&attempt, "bb"); /* within one session others judge that */
    assert_true(mgc_inputs_take(inputs, NULL, &attempt.view, &is_new, NULL));
    json_t *expected =
        json_pack("{s:s, s:s, s:s, s:s}", "device.model", "lab phone", "app-2.apk_sha256", "aa",
            "crosshost.library_sha256", "11", "crosshost.openra.trace_sha256", "22");
    assert_true(json_equal(inputs, expected));
    json_decref(expected);
    json_decref(inputs);
    destroy(&attempt);
}

static void a_resumed_run_has_to_measure_the_same(void **state)
{
    struct attempt attempt;
    struct mgc_error err = {0};
    json_t *inputs = json_object(), *before = json_pack("{s:s}", "app-2.apk_sha256", "aa");
    bool is_new = false;
    make(&attempt, "aa");
    assert_true(mgc_inputs_take(inputs, before, &attempt.view, &is_new, &err));
    destroy(&attempt);
    make(&attempt, "bb");
    assert_false(mgc_inputs_take(inputs, before, &attempt.view, &is_new, &err));
    assert_int_equal(err.code, MGC_E_CONFIG);
    assert_non_null(strstr(err.text, "app-2.apk_sha256: stored aa, present bb"));
    json_decref(before);
    json_decref(inputs);
    destroy(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_that_tells_is_kept),
        cmocka_unit_test(a_resumed_run_has_to_measure_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
