/* A run on several phones as one: every form byte for byte (test_golden.c says how they are made
 * anew), and what they come to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "coordinator/report/fleet.h"
#include "tests/lib/check.h"
#include "tests/unit/report/fixture.h"
#include "tests/unit/report/fixture_matrix.h"

/* p1 has cells of every kind of verdict, p2 was interrupted before anything, p3 was refused. */
struct fixture {
    struct report_fixture whole, empty;
    struct mgc_fleet_row rows[3];
    struct mgc_fleet_report report;
};

static void make(struct fixture *f)
{
    static char phones[][3] = {"p1", "p2"}, ids[][16] = {"run-p1", "run-p2"}, part_of[] = "run";
    report_fixture_make(&f->whole);
    report_fixture_make_empty(&f->empty);
    struct mgc_plan *plans[] = {&f->whole.plan, &f->empty.plan};
    for (size_t i = 0; i < 2; i++) {
        plans[i]->phone = phones[i];
        plans[i]->run_id = ids[i];
        plans[i]->part_of = part_of;
    }
    f->rows[0] = (struct mgc_fleet_row){"p1", "phones/p1", &f->whole.results, NULL};
    f->rows[1] = (struct mgc_fleet_row){"p2", "phones/p2", &f->empty.results, NULL};
    f->rows[2] = (struct mgc_fleet_row){
        "p3", "phones/p3", NULL, "run 'run-p3' cannot be resumed: serial <was> a, is b"};
    f->report = (struct mgc_fleet_report){"run", "crosshost", f->rows, 3};
}

static void destroy(struct fixture *f)
{
    report_fixture_destroy(&f->whole);
    report_fixture_destroy(&f->empty);
}

static void assert_golden(
    mgc_fleet_form *form, const struct mgc_fleet_report *report, const char *name)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf golden = {0}, text = {0};
    const char *update = getenv("MGC_UPDATE_GOLDEN");
    assert_true(form(report, &text, NULL));
    assert_true(mgc_path_join(path, sizeof(path), update ? update : GOLDEN_DIR, name));
    if (update)
        assert_true(mgc_file_write(path, text.data, text.len, 0644, NULL));
    assert_true(mgc_file_read(path, (size_t)1 << 20, &golden, NULL));
    assert_string_equal(mgc_buf_text(&text), mgc_buf_text(&golden));
    mgc_buf_destroy(&golden);
    mgc_buf_destroy(&text);
}

static void every_form(void **state)
{
    struct fixture f;
    make(&f);
    assert_golden(mgc_fleet_table, &f.report, "fleet-table.txt");
    assert_golden(mgc_fleet_markdown, &f.report, "fleet-REPORT.md");
    assert_golden(mgc_fleet_json, &f.report, "fleet-summary.json");
    assert_golden(mgc_fleet_junit, &f.report, "junit-fleet.xml");
    destroy(&f);
    (void)state;
}

/* Of codes: interrupted, refused, not as planned, a gate, good. */
static void the_worst_of_its_phones_counts(void **state)
{
    struct fixture f;
    make(&f);
    assert_int_equal(mgc_fleet_row_code(&f.rows[0]), 3);
    assert_int_equal(mgc_fleet_row_code(&f.rows[1]), 4);
    assert_int_equal(mgc_fleet_row_code(&f.rows[2]), 2);
    assert_int_equal(mgc_fleet_exit_code(&f.report), 4);
    f.report.count = 1;
    assert_int_equal(mgc_fleet_exit_code(&f.report), 3);
    f.report.rows = &f.rows[2];
    assert_int_equal(mgc_fleet_exit_code(&f.report), 2);
    struct mgc_fleet_row both[] = {f.rows[0], f.rows[2]};
    f.report = (struct mgc_fleet_report){"run", "crosshost", both, 2};
    assert_int_equal(mgc_fleet_exit_code(&f.report), 2);
    destroy(&f);
    (void)state;
}

/* A phone that has not measured a workload has no number there, not 0. */
static void absent_speed_is_no_number(void **state)
{
    struct fixture f;
    struct mgc_fleet_speed speed;
    make(&f);
    assert_true(mgc_fleet_speed(&f.rows[2], "openra", &speed, NULL));
    assert_null(speed.arm);
    assert_true(isnan(speed.fps));
    assert_true(mgc_fleet_speed(&f.rows[1], "openra", &speed, NULL));
    assert_true(isnan(speed.fps));
    assert_true(mgc_fleet_speed(&f.rows[0], "openra", &speed, NULL));
    assert_non_null(speed.arm);
    destroy(&f);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),
        cmocka_unit_test(the_worst_of_its_phones_counts),
        cmocka_unit_test(absent_speed_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
