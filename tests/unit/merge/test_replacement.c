/* Which cells go again, with what beside them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/merge/replacement.h"
#include "coordinator/merge/rounds.h"
#include "coordinator/verify/reasons.h"
#include "tests/lib/check.h"

/* One round: reference, an arm on the phone, a block of two cells between brackets; a second round
 * of the first two. */
enum { REFERENCE, PHONE, BEFORE, CROSS_1, CROSS_2, AFTER, REFERENCE_2, PHONE_2, CELLS };

struct fixture {
    struct mgc_cell cells[CELLS];
    struct mgc_plan plan;
    struct mgc_results results;
    struct mgc_turn turns[MGC_REPLACEMENT_TURNS_MAX];
    size_t count;
};

static const char *const arms[CELLS] = {
    "monolith", "tcp", NULL, "crosshost-c1", "crosshost-c2", NULL, "monolith", "tcp"};

static void make(struct fixture *f)
{
    *f = (struct fixture){.plan = {.cells = f->cells,
                              .cell_count = CELLS,
                              .reference = (char *)"monolith",
                              .replacements = 3,
                              .retries_per_cell = 1}};
    for (size_t i = 0; i < CELLS; i++)
        f->cells[i] = (struct mgc_cell){.kind = arms[i] ? MGC_CELL_MEASURE : MGC_CELL_BRACKET,
            .id = (char *)(arms[i] ? arms[i] : "bracket"),
            .workload = (char *)"openra",
            .arm = (char *)arms[i],
            .rep = i < REFERENCE_2 ? 1 : 2,
            .block = i >= BEFORE && i <= AFTER,
            .after = i == AFTER};
    assert_true(mgc_results_init(&f->results, &f->plan, NULL));
    for (size_t i = 0; i < f->results.count; i++) {
        f->results.cells[i].verdict.state = MGC_VERDICT_MEASURED;
        mgc_fields_set_double(&f->results.cells[i].verdict.metrics, "ms", 10 + (double)i);
    }
}

static struct mgc_cell_result *result_of(struct fixture *f, size_t cell)
{
    return mgc_results_find(&f->results, &f->cells[cell]);
}

static void spoil(struct fixture *f, size_t cell, enum mgc_reason reason)
{
    struct mgc_verdict *verdict = &result_of(f, cell)->verdict;
    mgc_verdict_take_back(verdict);
    mgc_reason_set(verdict, reason, "seen");
}

static void judge(struct fixture *f, size_t cell)
{
    f->count = mgc_replace(&f->results, &f->cells[cell], f->turns);
}

static void turn_is(const struct fixture *f, size_t at, size_t cell, int sake)
{
    assert_true(at < f->count);
    assert_ptr_equal(f->turns[at].cell, &f->cells[cell]);
    assert_ptr_equal(f->turns[at].sake, sake < 0 ? NULL : &f->cells[sake]);
}

static void a_void_cell_goes_again_behind_its_reference(void **state)
{
    struct fixture f;
    make(&f);
    judge(&f, PHONE);
    assert_int_equal(f.count, 0);
    spoil(&f, PHONE, MGC_REASON_THROTTLED);
    judge(&f, PHONE);
    assert_int_equal(f.count, 2);
    turn_is(&f, 0, REFERENCE, PHONE);
    turn_is(&f, 1, PHONE, -1);
    mgc_results_destroy(&f.results);
}

/* What the infrastructure did goes again at once, except where a reference has to come first. */
static void what_was_disturbed_is_replaced_rather_than_retried(void **state)
{
    static const enum mgc_reason rows[] = {MGC_REASON_CLOCK_STEPPED, MGC_REASON_HOST_SLEPT,
        MGC_REASON_WORKER_LOST, MGC_REASON_SETUP_LOST, MGC_REASON_TRANSPORT_RENEWED,
        MGC_REASON_APP_STOPPED, MGC_REASON_APP_STARTED_BESIDE};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        make(&f);
        assert_false(mgc_replacement_due(&f.results, result_of(&f, PHONE)));
        spoil(&f, PHONE, rows[i]);
        spoil(&f, REFERENCE, rows[i]);
        spoil(&f, CROSS_1, rows[i]);
        assert_true(mgc_replacement_due(&f.results, result_of(&f, PHONE)));
        assert_true(mgc_replacement_due(&f.results, result_of(&f, CROSS_1)));
        assert_false(mgc_replacement_due(&f.results, result_of(&f, REFERENCE)));
        judge(&f, PHONE);
        assert_int_equal(f.count, 2);
        turn_is(&f, 0, REFERENCE, PHONE);
        turn_is(&f, 1, PHONE, -1);
        mgc_results_destroy(&f.results);
    }
}

static void without_budget_nothing_is_due(void **state)
{
    struct fixture f;
    make(&f);
    f.plan.replacements = 0;
    spoil(&f, PHONE, MGC_REASON_WORKER_LOST);
    assert_false(mgc_replacement_due(&f.results, result_of(&f, PHONE)));
    mgc_results_destroy(&f.results);
}

static void the_reference_goes_again_alone(void **state)
{
    struct fixture f;
    make(&f);
    spoil(&f, REFERENCE, MGC_REASON_LEFT_BAND);
    judge(&f, REFERENCE);
    assert_int_equal(f.count, 1);
    turn_is(&f, 0, REFERENCE, -1);
    mgc_results_destroy(&f.results);
}

/* What the arm itself did wrong stays, however often one measures it. */
static void other_reasons_stay(void **state)
{
    static const enum mgc_reason rows[] = {MGC_REASON_FATAL_IN_LOG, MGC_REASON_APP_DIED,
        MGC_REASON_TOO_HOT, MGC_REASON_CREDIT_DIFFERS};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        make(&f);
        spoil(&f, PHONE, rows[i]);
        judge(&f, PHONE);
        assert_int_equal(f.count, 0);
        mgc_results_destroy(&f.results);
    }
}

static void a_block_waits_for_its_bracket_and_goes_as_a_whole(void **state)
{
    struct fixture f;
    make(&f);
    spoil(&f, CROSS_1, MGC_REASON_PATH_CHANGED);
    spoil(&f, CROSS_2, MGC_REASON_PATH_CHANGED);
    judge(&f, CROSS_1);
    assert_int_equal(f.count, 0);
    judge(&f, BEFORE);
    assert_int_equal(f.count, 0);
    judge(&f, AFTER);
    assert_int_equal(f.count, 5);
    turn_is(&f, 0, REFERENCE, CROSS_1);
    turn_is(&f, 1, BEFORE, -1);
    turn_is(&f, 2, CROSS_1, -1);
    turn_is(&f, 3, CROSS_2, -1);
    turn_is(&f, 4, AFTER, -1);
    judge(&f, AFTER); /* they are on their way */
    assert_int_equal(f.count, 0);
    mgc_results_destroy(&f.results);
}

static void the_budget_ends(void **state)
{
    struct fixture f;
    make(&f);
    spoil(&f, PHONE, MGC_REASON_THROTTLED);
    judge(&f, PHONE);
    assert_int_equal(f.count, 2);
    result_of(&f, PHONE)->again = false; /* it was measured again, and is void again */
    judge(&f, PHONE);
    assert_int_equal(f.count, 0);
    f.plan.retries_per_cell = 9;
    for (int i = 0; i < 2; i++) {
        judge(&f, PHONE);
        assert_int_equal(f.count, 2);
        result_of(&f, PHONE)->again = false;
    }
    judge(&f, PHONE); /* three of three */
    assert_int_equal(f.count, 0);
    mgc_results_destroy(&f.results);
}

/* The pair of a replaced cell is the one made for it; the other rounds keep theirs. */
static void only_the_replaced_cell_is_held_against_the_new_reference(void **state)
{
    struct fixture f;
    struct mgc_pair *pairs;
    size_t count;
    struct mgc_verdict again = {.state = MGC_VERDICT_MEASURED};
    make(&f);
    mgc_fields_set_double(&again.metrics, "ms", 99);
    assert_true(
        mgc_replacement_beside(&f.results, &f.cells[PHONE], &f.cells[REFERENCE], 2, &again));
    struct mgc_rounds rounds;
    const struct mgc_side tcp = {.workload = "openra", .arm = "tcp"},
                          monolith = {.workload = "openra", .arm = "monolith"};
    assert_true(mgc_rounds_init(&rounds, &f.results, NULL));
    assert_true(mgc_rounds_pairs(&rounds, &tcp, &monolith, "ms", &pairs, &count, NULL));
    mgc_rounds_destroy(&rounds);
    assert_int_equal(count, 2);
    assert_true(pairs[0].arm == 11 && pairs[0].reference == 99);
    assert_true(pairs[1].arm == 15 && pairs[1].reference == 14);
    free(pairs);
    assert_int_equal(result_of(&f, PHONE)->beside_attempt, 2);
    assert_int_equal(result_of(&f, CROSS_1)->beside_attempt, 0);
    mgc_verdict_destroy(&again);
    mgc_results_destroy(&f.results);
}

/* Between two sessions of a resumed run may lie a day, unless the reference went again, too. */
static void cells_of_two_sessions_make_no_pair(void **state)
{
    struct fixture f;
    struct mgc_rounds rounds;
    struct mgc_pair *pairs;
    size_t count;
    struct mgc_verdict again = {.state = MGC_VERDICT_MEASURED};
    const struct mgc_side tcp = {.workload = "openra", .arm = "tcp"},
                          monolith = {.workload = "openra", .arm = "monolith"};
    make(&f);
    mgc_fields_set_double(&again.metrics, "ms", 99);
    result_of(&f, PHONE)->session = 1;
    result_of(&f, PHONE_2)->session = 1;
    assert_true(
        mgc_replacement_beside(&f.results, &f.cells[PHONE_2], &f.cells[REFERENCE_2], 2, &again));
    assert_true(mgc_rounds_init(&rounds, &f.results, NULL));
    assert_true(mgc_rounds_pairs(&rounds, &tcp, &monolith, "ms", &pairs, &count, NULL));
    mgc_rounds_destroy(&rounds);
    assert_int_equal(count, 2);
    assert_true(isnan(pairs[0].arm) && isnan(pairs[0].reference));
    assert_true(pairs[1].arm == 15 && pairs[1].reference == 99);
    free(pairs);
    mgc_verdict_destroy(&again);
    mgc_results_destroy(&f.results);
}

/* One reference serves the cells of a block that go again together. */
static void a_block_shares_its_reference(void **state)
{
    struct fixture f;
    struct mgc_verdict again = {.state = MGC_VERDICT_MEASURED};
    make(&f);
    spoil(&f, CROSS_1, MGC_REASON_PATH_CHANGED);
    judge(&f, AFTER);
    assert_true(
        mgc_replacement_beside(&f.results, &f.cells[CROSS_1], &f.cells[REFERENCE], 2, &again));
    assert_int_equal(result_of(&f, CROSS_1)->beside_attempt, 2);
    assert_int_equal(result_of(&f, CROSS_2)->beside_attempt, 0);
    spoil(&f, CROSS_2, MGC_REASON_PATH_CHANGED);
    result_of(&f, CROSS_1)->again = false;
    f.plan.retries_per_cell = 2;
    judge(&f, AFTER);
    assert_true(
        mgc_replacement_beside(&f.results, &f.cells[CROSS_1], &f.cells[REFERENCE], 3, &again));
    assert_int_equal(result_of(&f, CROSS_1)->beside_attempt, 3);
    assert_int_equal(result_of(&f, CROSS_2)->beside_attempt, 3);
    mgc_results_destroy(&f.results);
}

/* The phone measures with another backend than the cells across hosts: its reference will do. */
static void a_block_takes_the_reference_of_another_backend(void **state)
{
    struct fixture f;
    make(&f);
    for (size_t i = 0; i < CELLS; i++) {
        f.cells[i].crosses_hosts = f.cells[i].block;
        f.cells[i].expect.backend = (char *)(f.cells[i].block ? "DirectGLES" : "DirectVulkan");
    }
    spoil(&f, CROSS_1, MGC_REASON_LINK_MOVED);
    judge(&f, AFTER);
    turn_is(&f, 0, REFERENCE, CROSS_1);
    f.cells[REFERENCE].expect.backend = (char *)"DirectGLES";
    spoil(&f, PHONE, MGC_REASON_THROTTLED);
    judge(&f, PHONE);
    assert_int_equal(f.count, 1); /* on the phone backends are not held against each other */
    turn_is(&f, 0, PHONE, -1);
    mgc_results_destroy(&f.results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_void_cell_goes_again_behind_its_reference),
        cmocka_unit_test(what_was_disturbed_is_replaced_rather_than_retried),
        cmocka_unit_test(without_budget_nothing_is_due),
        cmocka_unit_test(the_reference_goes_again_alone),
        cmocka_unit_test(other_reasons_stay),
        cmocka_unit_test(a_block_waits_for_its_bracket_and_goes_as_a_whole),
        cmocka_unit_test(the_budget_ends),
        cmocka_unit_test(only_the_replaced_cell_is_held_against_the_new_reference),
        cmocka_unit_test(cells_of_two_sessions_make_no_pair),
        cmocka_unit_test(a_block_shares_its_reference),
        cmocka_unit_test(a_block_takes_the_reference_of_another_backend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
