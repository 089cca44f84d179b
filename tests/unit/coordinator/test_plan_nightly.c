/* Lanes together: every round of a workload has each arm of each lane once. */
#include "tests/unit/coordinator/plan_fixture.h"

#include "coordinator/plan/plan.h"

enum { OVERRIDES_MAX = 10 };

static const struct mgc_override small[] = {
    {"lanes.matrix.reps", "2", "--reps"},
    {"lanes.crosshost.reps", "2", "--reps"},
    {"lanes.matrix.arms", "monolith, tcp", "--arm"},
    {"lanes.crosshost.credits", "1, 2", "--credit"},
    {"lanes.matrix.workloads", "openra", "--workload"},
    {"lanes.crosshost.workloads", "openra", "--workload"},
    {"confirm", "0", "--set"},
};
enum { SMALL_COUNT = sizeof(small) / sizeof(small[0]) };

struct loaded {
    struct mgc_site site;
    struct mgc_plan plan;
};

static void load(
    struct fixture *fixture, const struct mgc_override *more, size_t more_count, struct loaded *ret)
{
    struct mgc_override overrides[OVERRIDES_MAX];
    struct mgc_plan_request request = fixture_request(fixture);
    memcpy(overrides, small, sizeof(small));
    for (size_t i = 0; i < more_count; i++)
        overrides[SMALL_COUNT + i] = more[i];
    request.plan = "nightly";
    request.overrides = overrides;
    request.override_count = SMALL_COUNT + more_count;
    fixture_load(&request, &ret->site, &ret->plan);
}

static void unload(struct loaded *loaded)
{
    mgc_plan_destroy(&loaded->plan);
    mgc_site_destroy(&loaded->site);
}

#define X "crosshost/bench-openra-"

static const struct {
    struct mgc_override more[2];
    size_t more_count;
    const char *ids[24];
} rows[] = {
    /* Each round begins with the next arm; what crosses hosts stays together, between brackets. */
    {{{"order", "rotate", "--set"}}, 1,
        {"setup", "openra/monolith-rssim", "openra/tcp-rssim", "crosshost/ssim-openra-r1",
            "openra/monolith-r1", "openra/tcp-r1", "brackets/openra-r1-before", X "c1-r1",
            X "c2-r1", "brackets/openra-r1-after", "openra/tcp-r2", "brackets/openra-r2-before",
            X "c1-r2", X "c2-r2", "brackets/openra-r2-after", "openra/monolith-r2", "close"}},
    {{{"order", "fixed", "--set"}, {"brackets", "none", "--set"}}, 2,
        {"setup", "openra/monolith-rssim", "openra/tcp-rssim", "crosshost/ssim-openra-r1",
            "openra/monolith-r1", "openra/tcp-r1", X "c1-r1", X "c2-r1", "openra/monolith-r2",
            "openra/tcp-r2", X "c1-r2", X "c2-r2", "close"}},
    /* One lane after the other, each as if it were alone. */
    {{{"order", "fixed", "--set"}, {"interleave", "lane", "--set"}}, 2,
        {"setup", "openra/monolith-r1", "openra/tcp-r1", "openra/monolith-r2", "openra/tcp-r2",
            "openra/monolith-rssim", "openra/tcp-rssim", "crosshost/ssim-openra-r1",
            "brackets/r1-before", X "c1-r1", X "c2-r1", "brackets/r1-after", "brackets/r2-before",
            X "c1-r2", X "c2-r2", "brackets/r2-after", "close"}},
};

static void cells_come_in_order(void **state)
{
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct loaded loaded;
        size_t at = 0;
        load(*state, rows[r].more, rows[r].more_count, &loaded);
        for (; rows[r].ids[at]; at++) {
            assert_true(at < loaded.plan.cell_count);
            assert_string_equal(loaded.plan.cells[at].id, rows[r].ids[at]);
        }
        assert_int_equal(loaded.plan.cell_count, at);
        unload(&loaded);
    }
}

/* After all regular rounds, between brackets of their own, under names of their own. */
static void confirming_rounds_come_last(void **state)
{
    static const char *const ids[] = {"confirm/openra/monolith-r3", "confirm/openra/tcp-r3",
        "confirm/brackets/openra-r3-before", "confirm/" X "c1-r3", "confirm/" X "c2-r3",
        "confirm/brackets/openra-r3-after", "confirm/openra/monolith-r4", "confirm/openra/tcp-r4",
        "confirm/brackets/openra-r4-before", "confirm/" X "c1-r4", "confirm/" X "c2-r4",
        "confirm/brackets/openra-r4-after", "close"};
    const struct mgc_override more[] = {{"confirm", "2", "--set"}, {"order", "fixed", "--set"}};
    struct loaded loaded;
    size_t first = 17 - 1; /* where the close stands without them */
    load(*state, more, 2, &loaded);
    assert_int_equal(loaded.plan.cell_count, first + sizeof(ids) / sizeof(ids[0]));
    for (size_t i = 0; i < loaded.plan.cell_count; i++) {
        const struct mgc_cell *cell = &loaded.plan.cells[i];
        assert_int_equal(cell->confirm, i >= first && cell->kind != MGC_CELL_CLOSE);
        if (i >= first)
            assert_string_equal(cell->id, ids[i - first]);
        if (cell->confirm)
            assert_false(mgc_cell_is_regular(cell));
    }
    const struct mgc_cell *before = &loaded.plan.cells[first + 2];
    assert_true(before->kind == MGC_CELL_BRACKET && before->block == 3 && !before->after);
    assert_int_equal(loaded.plan.cells[first + 3].block, 3);
    assert_int_equal(loaded.plan.cells[first + 3].rep, 3);
    assert_int_equal(loaded.plan.cells[first].block, 0);
    assert_string_equal(loaded.plan.reference, "monolith");
    unload(&loaded);
}

/* Lanes that come one after the other confirm together, too; there is no other way round for it. */
static void lanes_in_turn_confirm_by_workload(void **state)
{
    const struct mgc_override more[] = {{"confirm", "1", "--set"}, {"interleave", "lane", "--set"}};
    struct loaded loaded;
    size_t cells = 0, brackets = 0;
    load(*state, more, 2, &loaded);
    for (size_t i = 0; i < loaded.plan.cell_count; i++) {
        cells += loaded.plan.cells[i].confirm && loaded.plan.cells[i].kind == MGC_CELL_MEASURE;
        brackets += loaded.plan.cells[i].confirm && loaded.plan.cells[i].kind == MGC_CELL_BRACKET;
    }
    assert_int_equal(cells, 4);
    assert_int_equal(brackets, 2);
    unload(&loaded);
}

static const struct mgc_cell *find(const struct loaded *loaded, const char *id)
{
    for (size_t i = 0; i < loaded->plan.cell_count; i++) {
        if (strcmp(loaded->plan.cells[i].id, id) == 0)
            return &loaded->plan.cells[i];
    }
    fail_msg("no cell '%s'", id);
    return NULL;
}

static void cells_know_their_round_and_block(void **state)
{
    struct loaded loaded;
    load(*state, NULL, 0, &loaded);
    const struct mgc_cell *before = find(&loaded, "brackets/openra-r2-before");
    const struct mgc_cell *after = find(&loaded, "brackets/openra-r2-after");
    const struct mgc_cell *crossing = find(&loaded, X "c2-r2");
    const struct mgc_cell *phone = find(&loaded, "openra/tcp-r2");
    assert_int_equal(before->kind, MGC_CELL_BRACKET);
    assert_false(before->after);
    assert_true(after->after);
    assert_int_equal(before->block, 2);
    assert_int_equal(after->block, 2);
    assert_int_equal(crossing->block, 2);
    assert_int_equal(crossing->round, 2);
    assert_true(crossing->crosses_hosts);
    assert_int_equal(phone->block, 0);
    assert_int_equal(phone->round, 2);
    assert_false(phone->crosses_hosts);
    assert_int_equal(find(&loaded, "openra/tcp-rssim")->round, 0);
    assert_true(find(&loaded, "setup")->crosses_hosts);
    assert_int_equal(loaded.plan.block_count, 2);
    assert_true(loaded.plan.interleaved);
    unload(&loaded);
}

/* What the phone's lane holds for the whole run holds for cells across hosts, which prove it. */
static void cells_across_hosts_share_the_phone(void **state)
{
    static const struct mgc_override more[] = {{"lanes.matrix.arms", "monolith, tcp@p14", "--set"},
        {"lanes.matrix.clocks", "sustained", "--set"},
        {"phone.clocks.big", "/sys/devices/system/cpu/cpufreq/policy7", "--set"}};
    struct loaded loaded;
    load(*state, more, 3, &loaded);
    const struct mgc_cell *cell = find(&loaded, X "c1-r1");
    const struct mgc_step *quiesce = NULL;
    for (size_t i = 0; i < cell->step_count; i++)
        quiesce = strcmp(cell->steps[i].id, "quiesce") == 0 ? &cell->steps[i] : quiesce;
    assert_non_null(quiesce);
    assert_string_equal(mgc_fields_get_str(&quiesce->params, "packages"),
        "top.mobilegl.plugin.trace,top.mobilegl.plugin.p14.trace");
    assert_string_equal(mgc_fields_get_str(&quiesce->params, "stay_awake"), "7");
    assert_string_equal(cell->expect.pins, "cpu7=2035200");
    assert_string_equal(find(&loaded, "openra/monolith-r1")->expect.pins, "cpu7=2035200");
    unload(&loaded);
}

/* Whatever the order, every round has every arm once and one block. */
static void every_round_is_complete(void **state)
{
    for (int seed = 0; seed < 50; seed++) {
        char text[16];
        snprintf(text, sizeof(text), "%d", seed);
        struct mgc_override more[] = {{"order", "shuffle", "--set"}, {"seed", text, "--set"}};
        struct loaded loaded;
        size_t cells[3] = {0}, brackets[3] = {0};
        int open = 0;
        load(*state, more, 2, &loaded);
        for (size_t i = 0; i < loaded.plan.cell_count; i++) {
            const struct mgc_cell *cell = &loaded.plan.cells[i];
            assert_in_range(cell->round, 0, 2);
            cells[cell->round] += cell->kind == MGC_CELL_MEASURE;
            brackets[cell->round] += cell->kind == MGC_CELL_BRACKET;
            if (cell->kind == MGC_CELL_BRACKET)
                open += cell->after ? -1 : 1;
            assert_int_equal(open, (cell->block && !cell->after) ? 1 : 0);
        }
        assert_int_equal(cells[1], 4);
        assert_int_equal(cells[2], 4);
        assert_int_equal(brackets[1], 2);
        assert_int_equal(brackets[2], 2);
        unload(&loaded);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cells_come_in_order),
        TEST(confirming_rounds_come_last),
        TEST(lanes_in_turn_confirm_by_workload),
        TEST(cells_know_their_round_and_block),
        TEST(cells_across_hosts_share_the_phone),
        TEST(every_round_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
