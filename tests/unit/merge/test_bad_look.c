/* Cells that never began: a report made of the directory says what the run said. */
#include "coordinator/merge/bad_look.h"

#include <string.h>

#include "coordinator/merge/confirm.h"
#include "coordinator/verify/reasons.h"
#include "tests/lib/check.h"
#include "tests/unit/report/fixture_merged.h"

static struct mgc_cell_result *not_begun(struct merged_fixture *f, const char *arm, int64_t rep)
{
    struct mgc_cell_result *cell = merged_fixture_cell(f, arm, rep);
    cell->attempts = 0;
    mgc_verdict_destroy(&cell->verdict);
    mgc_reason_set(
        &cell->verdict, MGC_REASON_RUN_STOPPED, "not begun, and the run says nowhere why");
    return cell;
}

/* The look before block `nth`, from 0. */
static struct mgc_bracket_result *spoil_look(
    struct merged_fixture *f, size_t nth, enum mgc_reason reason)
{
    struct mgc_bracket_result *bracket = &f->results.brackets[2 * nth];
    mgc_verdict_destroy(&bracket->verdict);
    mgc_reason_set(&bracket->verdict, reason, "a proxy answers");
    return bracket;
}

static void assert_reason(const struct mgc_cell_result *cell, const char *reason)
{
    assert_string_equal(cell->verdict.reason, reason);
}

static void a_block_without_a_path(void **state)
{
    struct merged_fixture f;
    merged_fixture_make(&f);
    struct mgc_cell_result *out = not_begun(&f, "crosshost-c1", 3);
    struct mgc_cell_result *phone = not_begun(&f, "tcp", 3);
    struct mgc_bracket_result *bracket = spoil_look(&f, 2, MGC_REASON_MIDDLEBOX);
    assert_ptr_equal(mgc_results_bad_look(&f.results, out->cell), bracket);
    mgc_results_restore_bad_looks(&f.results);
    assert_reason(out, "path-not-good");
    assert_int_equal(out->verdict.state, MGC_VERDICT_SKIPPED);
    assert_string_equal(out->verdict.text, "brackets/openra-r3-before: a proxy answers");
    assert_reason(phone, "run-stopped");
    assert_reason(merged_fixture_cell(&f, "crosshost-c2", 3), "");
    merged_fixture_destroy(&f);
}

/* Nobody looked, or Ctrl-C came while somebody did: the block's turn never came. */
static void a_look_that_decided_nothing(void **state)
{
    struct merged_fixture f;
    merged_fixture_make(&f);
    struct mgc_cell_result *cut = not_begun(&f, "crosshost-c1", 3);
    struct mgc_cell_result *never = not_begun(&f, "crosshost-c1", 1);
    spoil_look(&f, 2, MGC_REASON_INTERRUPTED);
    mgc_verdict_destroy(&f.results.brackets[0].verdict);
    mgc_results_restore_bad_looks(&f.results);
    assert_reason(cut, "run-stopped");
    assert_reason(never, "run-stopped");
    merged_fixture_destroy(&f);
}

/* Only those that the gate had asked for; the others were to be left out anyhow, and are dropped.
 */
static void confirming_cells(void **state)
{
    struct merged_fixture f;
    merged_fixture_make(&f);
    struct mgc_cell_result *asked = not_begun(&f, "crosshost-c1", 3);
    struct mgc_cell_result *other = not_begun(&f, "crosshost-c2", 3);
    for (size_t i = 0; i < f.plan.cell_count; i++)
        f.cells[i].confirm = f.cells[i].round == 3;
    spoil_look(&f, 2, MGC_REASON_MIDDLEBOX);
    f.results.gate = json_pack("{s:[{s:s, s:s, s:s, s:s, s:b}]}", "arms", "lane", "crosshost",
        "workload", "openra", "arm", "crosshost-c1", "backend", "DirectGLES", "flagged", 1);
    assert_true(mgc_results_gate_flagged(&f.results, asked->cell));
    assert_false(mgc_results_gate_flagged(&f.results, other->cell));
    mgc_results_restore_bad_looks(&f.results);
    assert_reason(asked, "path-not-good");
    assert_reason(other, "run-stopped");
    size_t before = f.results.count;
    mgc_results_drop_unconfirmed(&f.results);
    assert_int_equal(f.results.count, before - 1);
    assert_int_equal(mgc_results_exit_code(&f.results), 3);
    merged_fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_without_a_path),
        cmocka_unit_test(a_look_that_decided_nothing),
        cmocka_unit_test(confirming_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
