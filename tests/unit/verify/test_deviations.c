/* One thing wrong with a good attempt: what is it called? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/check.h"
#include "tests/unit/verify/deviations.h"
#include "tests/unit/verify/fixture.h"

static enum mgc_code code_named(const char *name)
{
    for (int code = 0; code < MGC_CODE_COUNT; code++) {
        if (strcmp(mgc_code_name((enum mgc_code)code), name) == 0)
            return (enum mgc_code)code;
    }
    fail_msg("no code '%s'", name);
    return MGC_OK;
}

static void apply_fact(struct fixture *f, const struct deviation *d)
{
    struct mgc_fields *facts = fixture_facts(f, d->a);
    if (d->op == NO_FACT) {
        assert_non_null(mgc_fields_get(facts, d->b));
        mgc_fields_remove(facts, d->b);
    } else if (d->op == INT) {
        mgc_fields_set_int(facts, d->b, atoll(d->c));
    } else if (d->op == TEXT) {
        mgc_fields_set_str(facts, d->b, d->c);
    } else {
        mgc_fields_set_bool(facts, d->b, strcmp(d->c, "true") == 0);
    }
}

static enum mgc_lost lost_named(const char *name)
{
    return strcmp(name, "worker") == 0        ? MGC_LOST_WORKER
           : strcmp(name, "nobody came") == 0 ? MGC_LOST_NOBODY_CAME
                                              : MGC_LOST_SETUP;
}

static void apply(struct fixture *f, const struct deviation *d)
{
    switch (d->op) {
    case EDIT:
        fixture_edit(f, d->a, d->b, d->c);
        break;
    case APPEND:
        fixture_append(f, d->a, d->b);
        break;
    case DELETE:
        fixture_remove(f, d->a);
        break;
    case PUT:
        fixture_put(f, d->a, d->b);
        break;
    case AS_DIR:
        fixture_make_dir(f, d->a);
        break;
    case BROKEN:
        fixture_make_unreadable(f, d->a);
        break;
    case NO_FACT:
    case INT:
    case BOOL:
    case TEXT:
        apply_fact(f, d);
        break;
    case FAIL:
        fixture_fail(f, d->a, code_named(d->b), d->c);
        break;
    case LOSE:
        fixture_lose(f, d->a, lost_named(d->b), d->c);
        break;
    }
}

static bool has_evidence(const struct fixture *f, const char *check, enum mgc_check_outcome outcome)
{
    for (size_t i = 0; i < f->verdict.evidence_count; i++) {
        const struct mgc_evidence *item = &f->verdict.evidence[i];
        if (strcmp(item->check, check) == 0 && item->outcome == outcome)
            return true;
    }
    return false;
}

static void expect(const struct fixture *f, const struct deviation *d)
{
    const struct mgc_verdict *v = &f->verdict;
    if (v->state != d->state || strcmp(v->reason, d->reason ? d->reason : "") != 0)
        fail_msg("%s: %s (%s: %s), expected %s (%s)", d->name, mgc_verdict_state_name(v->state),
            v->reason, v->text, mgc_verdict_state_name(d->state), d->reason);
    if (d->check && !has_evidence(f, d->check, d->outcome))
        fail_msg("%s: no evidence '%s' that is %s", d->name, d->check,
            mgc_check_outcome_name(d->outcome));
    if (!d->reason)
        return;
    const struct mgc_reason_words *words = mgc_reason_find(d->reason);
    assert_non_null(words);
    assert_int_equal(words->state, d->state);
    assert_int_equal(words->infrastructure, v->infrastructure);
    assert_string_equal(words->next_step, v->next_step);
    assert_true(v->text[0]);
}

static void good_is_measured(void **state)
{
    for (int mode = 0; mode < 2; mode++) {
        struct fixture f;
        fixture_make(&f, mode ? SSIM : BENCH);
        fixture_judge(&f);
        if (f.verdict.state != MGC_VERDICT_MEASURED)
            fail_msg("mode %d: %s: %s", mode, f.verdict.reason, f.verdict.text);
        assert_string_equal(f.verdict.reason, "");
        assert_string_equal(f.verdict.text, "");
        assert_string_equal(f.verdict.next_step, "");
        assert_false(f.verdict.infrastructure);
        assert_true(f.verdict.evidence_count >= 20);
        fixture_destroy(&f);
    }
}

static void each_deviation_has_its_name(void **state)
{
    for (size_t i = 0; i < sizeof(deviations) / sizeof(deviations[0]); i++) {
        struct fixture f;
        fixture_make(&f, deviations[i].mode);
        apply(&f, &deviations[i]);
        fixture_judge(&f);
        expect(&f, &deviations[i]);
        fixture_destroy(&f);
    }
}

static const struct deviation *named(const char *name)
{
    for (size_t i = 0; i < sizeof(deviations) / sizeof(deviations[0]); i++) {
        if (strcmp(deviations[i].name, name) == 0)
            return &deviations[i];
    }
    fail_msg("no deviation '%s'", name);
    return NULL;
}

/* The first of a pair names the verdict, in whatever order they happened; both are evidence. */
static void the_first_check_names_the_verdict(void **state)
{
    static const char *const pairs[][2] = {
        {"busy", "timeout"},
        {"busy", "no result"},
        {"timeout", "rc unknown"},
        {"signal", "no result"},
        {"signal", "fatal, server's log only"},
        {"not passed", "rc"},
        {"not passed", "disarmed"},
        {"rc", "no transport"},
        {"no server log", "no transport"},
        {"lockstep", "no transport"},
        {"lockstep", "disarmed"},
        {"disarmed", "fatal, phone's log only"},
        {"fatal, client", "wrong credit"},
        {"wrong server", "wrong credit"},
        {"wrong backend", "totalFrames"},
        {"no result", "totalFrames"},
        {"totalFrames", "width"},
        {"width", "finish"},
        {"finish", "no mean"},
        {"no mean", "session exit 70"},
        {"session signal", "no benchmark"},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const struct deviation *first = named(pairs[i][0]), *second = named(pairs[i][1]);
        struct fixture f;
        fixture_make(&f, BENCH);
        apply(&f, second);
        apply(&f, first);
        fixture_judge(&f);
        expect(&f, first);
        if (!has_evidence(&f, second->check, second->outcome))
            fail_msg("%s hides %s", first->name, second->name);
        fixture_destroy(&f);
    }
}

static void interrupted_comes_before_all(void **state)
{
    struct fixture f;
    fixture_make(&f, BENCH);
    fixture_fail(&f, "server", MGC_E_CANCELLED, "interrupted");
    f.attempt.interrupted = true;
    f.attempt.infrastructure = true;
    fixture_append(&f, CLIENT, "MGPipe: peer Refuse{Busy} x");
    fixture_judge(&f);
    assert_int_equal(f.verdict.state, MGC_VERDICT_INCOMPLETE);
    assert_string_equal(f.verdict.reason, "interrupted");
    assert_false(f.verdict.infrastructure);
    fixture_destroy(&f);
}

static void an_attempt_lost_to_infrastructure_says_so(void **state)
{
    struct fixture f;
    fixture_make(&f, BENCH);
    fixture_fail(&f, "server", MGC_E_TIMEOUT, "x");
    f.attempt.infrastructure = true;
    fixture_judge(&f);
    assert_true(f.verdict.infrastructure);
    fixture_destroy(&f);
}

static void best_effort_steps_prove_nothing(void **state)
{
    struct fixture f;
    fixture_make(&f, BENCH);
    f.steps[FIXTURE_LOGCAT].best_effort = true;
    f.outcomes[FIXTURE_LOGCAT].state = MGC_STEP_FAILED;
    fixture_judge(&f);
    assert_int_equal(f.verdict.state, MGC_VERDICT_MEASURED);
    assert_null(fixture_evidence(&f, "step logcat"));
    fixture_destroy(&f);
}

static void a_step_that_is_not_done_is_not_measured(void **state)
{
    for (int i = 0; i < FIXTURE_STEPS; i++) {
        struct fixture f;
        fixture_make(&f, BENCH);
        f.outcomes[i].state = MGC_STEP_SKIPPED; /* although the attempt says completed */
        fixture_judge(&f);
        assert_string_equal(f.verdict.reason, "step-failed");
        fixture_destroy(&f);
    }
}

static void a_cell_without_its_steps_is_not_measured(void **state)
{
    static const struct {
        size_t count;
        const char *reason;
    } cases[] = {{0, "client-exit-unknown"}, {2, "client-exit-unknown"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        fixture_make(&f, BENCH);
        f.cell.step_count = cases[i].count;
        fixture_judge(&f);
        assert_string_equal(f.verdict.reason, cases[i].reason);
        assert_int_equal(fixture_evidence(&f, "server session")->outcome,
            cases[i].count ? MGC_CHECK_OK : MGC_CHECK_ABSENT);
        fixture_destroy(&f);
    }
}

static void an_unknown_arm_is_not_measured(void **state)
{
    struct fixture f;
    fixture_make(&f, BENCH);
    f.cell.arm = (char *)"crosshost-c9";
    fixture_judge(&f);
    assert_string_equal(f.verdict.reason, "unknown-arm");
    fixture_destroy(&f);
}

static void a_busy_machine_has_a_name(void **state)
{
    struct fixture f;
    fixture_make(&f, BENCH);
    fixture_fail(&f, "wsl-gate", MGC_E_TIMEOUT, "load 9.00 on 2 CPUs");
    mgc_fields_set_str(fixture_facts(&f, "wsl-gate"), "failure", "loaded");
    mgc_fields_set_str(fixture_facts(&f, "wsl-gate"), "gate", "loaded");
    fixture_judge(&f);
    assert_string_equal(f.verdict.reason, "host-loaded");
    assert_int_equal(f.verdict.state, MGC_VERDICT_FAILED);
    assert_string_equal(
        fixture_evidence(&f, "gate of wsl")->seen, "loaded: load 0.50 on 2 CPUs, 5000 MB free");
    fixture_destroy(&f);
}

/* No device program for this phone: the plan says whether that will do. */
static void a_phone_that_cannot_be_sampled_is_the_plans_to_accept(void **state)
{
    static const char *const policies[] = {"accept", "refuse"};
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        fixture_make(&f, BENCH);
        fixture_remove(&f, STATE);
        mgc_fields_set_str(fixture_facts(&f, "state"), "unavailable", "none for riscv64");
        mgc_fields_remove(fixture_facts(&f, "state"), "run_from_mono_ns");
        mgc_fields_set_str(&f.steps[FIXTURE_QUIESCE].params, "unreadable", policies[i]);
        fixture_judge(&f);
        assert_string_equal(f.verdict.reason, i ? "device-state-missing" : "");
        assert_int_equal(f.verdict.state, i ? MGC_VERDICT_INVALID : MGC_VERDICT_MEASURED);
        fixture_destroy(&f);
    }
}

/* A setup that took no hashes of the app and held nothing: it has to be the same one all the time.
 */
static void without_the_setups_word_the_cell_is_held_against_itself(void **state)
{
    static const char *const after[] = {"/data/app/x 1", "/data/app/y 2"};
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        fixture_make(&f, BENCH);
        f.setup_steps[FIXTURE_APP].kind = (char *)"host.other";
        f.setup_steps[FIXTURE_KNOBS].kind = (char *)"host.other";
        mgc_fields_set_str(fixture_facts(&f, "server"), "app_stamp", after[i]);
        fixture_judge(&f);
        assert_string_equal(f.verdict.reason, i ? "app-changed" : "");
        assert_null(fixture_evidence(&f, "knobs hold"));
        fixture_destroy(&f);
    }
}

/* Cells across hosts prove the clocks that the plan holds. A GPU that waits for the link is idle
 * most of the time. */
static void pins_are_proved_across_hosts(void **state)
{
    static const struct {
        const char *from, *to, *reason, *seen;
    } rows[] = {
        {",80,", ",80,", "", "at its pin when at work"},
        {",80,", ",10,", "", "never busy enough to show its pin"},
        {"6000000000,312,1,2035200,2035200,3,680000000", "6000000000,312,1,2035200,2035200,3,1000",
            "pin-overridden", "gpu_hz was 1000, held at 680000000"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        fixture_make(&f, BENCH);
        f.cell.expect.pins = (char *)"cpu7=2035200 gpu=680000000";
        fixture_edit(&f, STATE, rows[i].from, rows[i].to);
        fixture_judge(&f);
        assert_string_equal(f.verdict.reason, rows[i].reason);
        assert_string_equal(fixture_evidence(&f, "gpu held")->seen, rows[i].seen);
        assert_int_equal(fixture_evidence(&f, "cpu7 held")->outcome, MGC_CHECK_OK);
        fixture_destroy(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_is_measured),
        cmocka_unit_test(each_deviation_has_its_name),
        cmocka_unit_test(the_first_check_names_the_verdict),
        cmocka_unit_test(interrupted_comes_before_all),
        cmocka_unit_test(an_attempt_lost_to_infrastructure_says_so),
        cmocka_unit_test(best_effort_steps_prove_nothing),
        cmocka_unit_test(a_step_that_is_not_done_is_not_measured),
        cmocka_unit_test(a_cell_without_its_steps_is_not_measured),
        cmocka_unit_test(an_unknown_arm_is_not_measured),
        cmocka_unit_test(a_busy_machine_has_a_name),
        cmocka_unit_test(a_phone_that_cannot_be_sampled_is_the_plans_to_accept),
        cmocka_unit_test(without_the_setups_word_the_cell_is_held_against_itself),
        cmocka_unit_test(pins_are_proved_across_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
