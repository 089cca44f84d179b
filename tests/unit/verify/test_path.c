#include <string.h>

#include "coordinator/verify/reasons.h"
#include "tests/lib/check.h"

static const struct {
    const char *name;
    enum mgc_step_state step;
    const char *said, *why;
    int refused, accepted; /* ports; -1: the worker does not say */
    bool interrupted;
    enum mgc_verdict_state state;
    const char *reason;
    enum mgc_check_outcome outcome;
} table[] = {
    {"good", MGC_STEP_DONE, "end-to-end", "3 ports refused", 3, 0, false, MGC_VERDICT_MEASURED, "",
        MGC_CHECK_OK},
    {"proxy", MGC_STEP_DONE, "middlebox", "port 1 accepted", 0, 1, false, MGC_VERDICT_FAILED,
        "middlebox", MGC_CHECK_BAD},
    {"proxy without words", MGC_STEP_DONE, "middlebox", NULL, 0, 3, false, MGC_VERDICT_FAILED,
        "middlebox", MGC_CHECK_BAD},
    {"silence", MGC_STEP_DONE, "cannot-tell", "no answer", 0, 0, false, MGC_VERDICT_FAILED,
        "path-unclear", MGC_CHECK_BAD},
    {"a word of a newer worker", MGC_STEP_DONE, "end-to-endish", NULL, 3, 0, false,
        MGC_VERDICT_FAILED, "path-unclear", MGC_CHECK_BAD},
    {"good without probes", MGC_STEP_DONE, "end-to-end", NULL, -1, -1, false, MGC_VERDICT_FAILED,
        "path-unclear", MGC_CHECK_BAD},
    {"good without a refusal", MGC_STEP_DONE, "end-to-end", NULL, 0, 0, false, MGC_VERDICT_FAILED,
        "path-unclear", MGC_CHECK_BAD},
    {"good although a port accepted", MGC_STEP_DONE, "end-to-end", NULL, 2, 1, false,
        MGC_VERDICT_FAILED, "middlebox", MGC_CHECK_BAD},
    {"no word", MGC_STEP_DONE, NULL, NULL, 3, 0, false, MGC_VERDICT_INCOMPLETE, "path-unchecked",
        MGC_CHECK_ABSENT},
    {"failed", MGC_STEP_FAILED, "end-to-end", NULL, 3, 0, false, MGC_VERDICT_INCOMPLETE,
        "path-unchecked", MGC_CHECK_ABSENT},
    {"skipped", MGC_STEP_SKIPPED, NULL, NULL, -1, -1, false, MGC_VERDICT_INCOMPLETE,
        "path-unchecked", MGC_CHECK_ABSENT},
    {"interrupted", MGC_STEP_SKIPPED, NULL, NULL, -1, -1, true, MGC_VERDICT_INCOMPLETE,
        "interrupted", MGC_CHECK_ABSENT},
};

static void each_fact_has_its_verdict(void **state)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct mgc_step step = {.id = (char *)"pathcheck", .kind = (char *)"wsl.pathcheck"};
        struct mgc_cell cell = {.kind = MGC_CELL_SETUP, .steps = &step, .step_count = 1};
        struct mgc_step_outcome outcome = {.state = table[i].step};
        struct mgc_attempt attempt = {
            .cell = &cell, .steps = &outcome, .interrupted = table[i].interrupted};
        struct mgc_verdict verdict;
        mgc_fields_set_str(&outcome.facts, "verdict", table[i].said);
        mgc_fields_set_str(&outcome.facts, "reason", table[i].why);
        if (table[i].refused >= 0) {
            mgc_fields_set_int(&outcome.facts, "ports_refused", table[i].refused);
            mgc_fields_set_int(&outcome.facts, "ports_accepted", table[i].accepted);
        }
        mgc_verify_path(&attempt, &verdict);
        if (verdict.state != table[i].state || strcmp(verdict.reason, table[i].reason) != 0)
            fail_msg("%s: %s (%s)", table[i].name, mgc_verdict_state_name(verdict.state),
                verdict.reason);
        assert_int_equal(verdict.evidence_count, 1);
        assert_int_equal(verdict.evidence[0].outcome, table[i].outcome);
        mgc_verdict_destroy(&verdict);
        mgc_fields_destroy(&outcome.facts);
    }
}

static void a_cell_without_a_check_is_unchecked(void **state)
{
    struct mgc_cell cell = {.kind = MGC_CELL_SETUP};
    struct mgc_attempt attempt = {.cell = &cell};
    struct mgc_verdict verdict;
    mgc_verify_path(&attempt, &verdict);
    assert_string_equal(verdict.reason, "path-unchecked");
    mgc_verdict_destroy(&verdict);
}

static void what_kept_the_check_away_says_what_to_do(void **state)
{
    struct mgc_step step = {.id = (char *)"pathcheck", .kind = (char *)"wsl.pathcheck"};
    struct mgc_cell cell = {.kind = MGC_CELL_SETUP, .steps = &step, .step_count = 1};
    struct mgc_step_outcome outcome = {.state = MGC_STEP_SKIPPED};
    struct mgc_attempt attempt = {.cell = &cell, .steps = &outcome, .lost = MGC_LOST_NOBODY_CAME};
    struct mgc_verdict verdict;
    mgc_error_set(&attempt.error, MGC_E_LOST, "no worker of role 'host' joined within 30 s");
    mgc_verify_path(&attempt, &verdict);
    assert_string_equal(verdict.reason, "path-unchecked");
    assert_int_equal(verdict.state, MGC_VERDICT_INCOMPLETE);
    assert_non_null(strstr(verdict.text, "no worker of role 'host'"));
    assert_non_null(strstr(verdict.next_step, "mgcoord hosts"));
    mgc_verdict_destroy(&verdict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fact_has_its_verdict),
        cmocka_unit_test(what_kept_the_check_away_says_what_to_do),
        cmocka_unit_test(a_cell_without_a_check_is_unchecked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
