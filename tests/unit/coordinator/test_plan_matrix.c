#include "tests/unit/coordinator/plan_fixture.h"

#include "coordinator/plan/sequence.h"
#include "coordinator/plan/plan_text.h"

struct loaded {
    struct mgc_site site;
    struct mgc_plan plan;
};

static void load(
    struct fixture *fixture, const struct mgc_override *overrides, size_t count, struct loaded *ret)
{
    struct mgc_plan_request request = fixture_request(fixture);
    request.plan = "matrix";
    request.overrides = overrides;
    request.override_count = count;
    fixture_load(&request, &ret->site, &ret->plan);
}

static void unload(struct loaded *loaded)
{
    mgc_plan_destroy(&loaded->plan);
    mgc_site_destroy(&loaded->site);
}

static void expect_cells(struct fixture *fixture, const struct mgc_override *overrides,
    size_t count, const char *const *ids)
{
    struct loaded loaded;
    size_t at = 0;
    load(fixture, overrides, count, &loaded);
    for (; ids[at]; at++) {
        assert_true(at < loaded.plan.cell_count);
        assert_string_equal(loaded.plan.cells[at].id, ids[at]);
    }
    assert_int_equal(loaded.plan.cell_count, at);
    unload(&loaded);
}

/* As the old run_matrix.sh: rounds of a workload, then its pictures, then the next workload. */
static void test_order_of_all(void **state)
{
    static const struct mgc_override two[] = {
        {"lanes.matrix.reps", "2", "--reps"}, {"lanes.matrix.arms", "monolith, tcp", "--arm"}};
    static const char *const ids[] = {"setup", "openra/monolith-r1", "openra/tcp-r1",
        "openra/monolith-r2", "openra/tcp-r2", "openra/monolith-rssim", "openra/tcp-rssim",
        "rd12/monolith-r1", "rd12/tcp-r1", "rd12/monolith-r2", "rd12/tcp-r2", "rd12/monolith-rssim",
        "rd12/tcp-rssim", "close", NULL};
    expect_cells(*state, two, 2, ids);
}

static const struct {
    const char *mode;
    const char *ids[14];
} modes[] = {
    {"smoke", {"setup", "openra/monolith-r1", "openra/inproc-r1", "openra/shm-r1", "openra/tcp-r1",
                  "close"}},
    {"prep", {"setup", "close"}},
    {"rd12", {"setup", "rd12/monolith-r1", "rd12/inproc-r1", "rd12/shm-r1", "rd12/tcp-r1",
                 "rd12/monolith-rssim", "rd12/inproc-rssim", "rd12/shm-rssim", "rd12/tcp-rssim",
                 "close"}},
    {"one", {"setup", "openra/tcp-r99", "close"}},
    {"ssimonly", {"setup", "openra/monolith-rssim", "openra/inproc-rssim", "openra/shm-rssim",
                     "openra/tcp-rssim", "rd12/monolith-rssim", "rd12/inproc-rssim",
                     "rd12/shm-rssim", "rd12/tcp-rssim", "close"}},
};

static void test_modes(void **state)
{
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        const struct mgc_override overrides[] = {{"lanes.matrix.mode", modes[i].mode, "MODE"},
            {"lanes.matrix.workload_reps.rd12", "1", "--set"}};
        expect_cells(*state, overrides, 2, modes[i].ids);
    }
}

static void test_environment_of_the_old_scripts(void **state)
{
    struct fixture *fixture = *state;
    static const struct mgc_override one[] = {{"lanes.matrix.mode", "one", "MODE"}};
    static const char *const ids[] = {"setup", "rd12/shm-r7", "close", NULL};
    fixture->env[0] = "ONE=shm";
    fixture->env[1] = "WL=rd12";
    fixture->env[2] = "REP=7";
    fixture->env[3] = "EXTRA_ENV=;MOBILEGL_IPC_SPIN_US=2000";
    fixture->env[4] = "RD12_TIMEOUT=77";
    expect_cells(fixture, one, 1, ids);
    struct loaded loaded;
    load(fixture, one, 1, &loaded);
    const struct mgc_cell *cell = &loaded.plan.cells[1];
    const struct mgc_step *replay = &cell->steps[cell->step_count - 1];
    int64_t timeout_ms;
    const char *env = mgc_fields_get_str(&replay->params, "env");
    assert_non_null(strstr(env, "MOBILEGL_IPC_CONTROL=fork;"));
    assert_non_null(strstr(env, "MOBILEGL_IPC_PRESENT_CREDIT=1;"));
    assert_non_null(strstr(env, "pipestats.json;MOBILEGL_IPC_SPIN_US=2000"));
    assert_true(mgc_fields_get_int(&replay->params, "timeout_ms", &timeout_ms));
    assert_int_equal(timeout_ms, 77000);
    unload(&loaded);
}

/* Another build of the app has a package, a directory and fixtures of its own. */
static void test_tagged_arms_and_backends(void **state)
{
    static const struct mgc_override overrides[] = {{"lanes.matrix.arms", "tcp, tcp@p14", "--arm"},
        {"lanes.matrix.backends", "DirectGLES, DirectVulkan", "--set"},
        {"lanes.matrix.mode", "smoke", "MODE"}};
    static const char *const ids[] = {"setup", "openra/DirectGLES/tcp-r1",
        "openra/DirectVulkan/tcp-r1", "openra/DirectGLES/tcp@p14-r1",
        "openra/DirectVulkan/tcp@p14-r1", "close", NULL};
    struct loaded loaded;
    expect_cells(*state, overrides, 3, ids);
    load(*state, overrides, 3, &loaded);
    assert_string_equal(loaded.plan.cells[1].expect.package, "top.mobilegl.plugin.trace");
    assert_string_equal(loaded.plan.cells[3].expect.package, "top.mobilegl.plugin.p14.trace");
    assert_string_equal(loaded.plan.cells[2].expect.backend, "DirectVulkan");
    assert_string_equal(loaded.plan.cells[3].expect.endpoint, "127.0.0.1:40613");
    const struct mgc_cell *setup = &loaded.plan.cells[0];
    size_t apps = 0, fixtures = 0;
    for (size_t i = 0; i < setup->step_count; i++) {
        apps += strcmp(setup->steps[i].kind, "host.app") == 0;
        fixtures += strcmp(setup->steps[i].kind, "host.fixtures") == 0;
    }
    assert_int_equal(apps, 2);
    assert_int_equal(fixtures, 2);
    unload(&loaded);
}

/* No backend has all its runs before the other's: a phone that warms up would be a difference. */
static void test_backends_rotate_with_arms(void **state)
{
    static const struct mgc_override overrides[] = {{"lanes.matrix.arms", "monolith, tcp", "--arm"},
        {"lanes.matrix.backends", "DirectGLES, DirectVulkan", "--set"},
        {"order", "rotate", "--set"}, {"lanes.matrix.mode", "openra", "MODE"},
        {"lanes.matrix.reps", "2", "--set"}, {"lanes.matrix.ssim", "false", "--set"}};
    static const char *const ids[] = {"setup", "openra/DirectGLES/monolith-r1",
        "openra/DirectVulkan/monolith-r1", "openra/DirectGLES/tcp-r1", "openra/DirectVulkan/tcp-r1",
        "openra/DirectVulkan/monolith-r2", "openra/DirectGLES/tcp-r2", "openra/DirectVulkan/tcp-r2",
        "openra/DirectGLES/monolith-r2", "close", NULL};
    expect_cells(*state, overrides, 6, ids);
}

static void test_clocks_and_services_are_knobs(void **state)
{
    static const struct mgc_override overrides[] = {{"lanes.matrix.clocks", "sustained", "--set"},
        {"phone.clocks.big", "/sys/devices/system/cpu/cpufreq/policy7", "--set"},
        {"phone.clocks.gpu", "/sys/class/kgsl/kgsl-3d0/devfreq", "--set"},
        {"lanes.matrix.stop_services", "thermal-engine", "--set"}};
    struct loaded loaded;
    load(*state, overrides, 4, &loaded);
    const struct mgc_cell *setup = &loaded.plan.cells[0];
    const struct mgc_step *knobs = &setup->steps[setup->step_count - 1];
    assert_string_equal(knobs->kind, "host.knobs");
    assert_true(knobs->holds);
    assert_string_equal(mgc_fields_get_str(&knobs->params, "knobs"),
        "service-stop thermal-engine\n"
        "clear-clamps\n"
        "sysfs /sys/devices/system/cpu/cpufreq/policy7/scaling_max_freq 2035200\n"
        "sysfs /sys/devices/system/cpu/cpufreq/policy7/scaling_min_freq 2035200\n"
        "sysfs /sys/class/kgsl/kgsl-3d0/devfreq/max_freq 680000000\n"
        "sysfs /sys/class/kgsl/kgsl-3d0/devfreq/min_freq 680000000\n"
        "setting global stay_on_while_plugged_in 7\n"
        "doze-exempt top.mobilegl.plugin.trace\n"
        "log-buffer 16M\n");
    assert_string_equal(loaded.plan.cells[1].expect.pins, "cpu7=2035200 gpu=680000000");
    unload(&loaded);
}

/* What is held ends when nobody waits for it any more: log and state have to outlast the run. */
static void test_what_holds_outlasts_the_run(void **state)
{
    static const char *const held[] = {"logcat", "state", "server"};
    struct loaded loaded;
    load(*state, NULL, 0, &loaded);
    for (size_t i = 0; i < loaded.plan.cell_count; i++) {
        const struct mgc_cell *cell = &loaded.plan.cells[i];
        const struct mgc_step *replay = &cell->steps[cell->step_count - 1];
        size_t waits = 0;
        if (cell->kind != MGC_CELL_MEASURE)
            continue;
        assert_string_equal(replay->id, "replay");
        for (size_t d = 0; d < replay->dep_count; d++) {
            for (size_t h = 0; h < 3; h++)
                waits += strcmp(cell->steps[replay->deps[d].step].id, held[h]) == 0;
        }
        assert_int_equal(waits, strcmp(cell->arm, "tcp") == 0 ? 3 : 2);
    }
    unload(&loaded);
}

/* The lane's own value counts, unless the general one comes from a better source. */
static void test_gates(void **state)
{
    static const struct {
        struct mgc_override overrides[2];
        const char *env;
        int64_t max_dc;
    } rows[] = {
        {{{"gates.temp_max", "40", "--set"}, {"gates.temp_min", "4", "--set"}}, NULL, 400},
        {{{"gates.temp_max", "40", "--set"}, {"lanes.matrix.temp_max", "36", "--set"}}, NULL, 360},
        {{{"gates.temp_min", "4", "--set"}, {"lanes.matrix.temp_max", "36", "--set"}}, NULL, 360},
        {{{"gates.temp_min", "4", "--set"}, {"gates.cool_to", "20", "--set"}}, "COOL_C=30", 300},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture *fixture = *state;
        struct loaded loaded;
        int64_t value;
        fixture->env[0] = rows[i].env;
        load(fixture, rows[i].overrides, 2, &loaded);
        const struct mgc_cell *cell = &loaded.plan.cells[1];
        const struct mgc_step *quiesce = NULL;
        for (size_t s = 0; s < cell->step_count; s++) {
            quiesce = strcmp(cell->steps[s].id, "quiesce") == 0 ? &cell->steps[s] : quiesce;
            assert_string_not_equal(cell->steps[s].id, "wsl-gate");
        }
        assert_non_null(quiesce);
        assert_true(mgc_fields_get_int(&quiesce->params, "temp_max_dc", &value));
        assert_int_equal(value, rows[i].max_dc);
        assert_int_equal(cell->expect.temp_max_dc, rows[i].max_dc);
        unload(&loaded);
    }
}

static void test_rule_of_rd12(void **state)
{
    struct loaded loaded;
    load(*state, NULL, 0, &loaded);
    assert_int_equal(loaded.plan.shorten_count, 1);
    assert_string_equal(loaded.plan.shorten[0].workload, "rd12");
    assert_int_equal(loaded.plan.shorten[0].above_ms, 300000);
    assert_int_equal(loaded.plan.shorten[0].reps, 2);
    unload(&loaded);
}

static void order_is(
    const char *order, int64_t seed, int64_t rep, size_t count, const size_t *expected)
{
    size_t seen[8];
    mgc_sequence_order(order, seed, 0, rep, count, seen);
    assert_memory_equal(seen, expected, count * sizeof(*seen));
}

static void test_orders(void **state)
{
    (void)state;
    static const size_t plain[] = {0, 1, 2, 3}, third[] = {2, 3, 0, 1};
    order_is("fixed", 0, 3, 4, plain);
    order_is(NULL, 0, 3, 4, plain);
    order_is("rotate", 0, 1, 4, plain);
    order_is("rotate", 0, 3, 4, third);
    /* Every arm once, the same for the same seed, and every place reached by every arm. */
    size_t first[4] = {0};
    for (int64_t seed = 0; seed < 400; seed++) {
        size_t one[4], again[4], sum = 0;
        mgc_sequence_order("shuffle", seed, 1, 2, 4, one);
        mgc_sequence_order("shuffle", seed, 1, 2, 4, again);
        assert_memory_equal(one, again, sizeof(one));
        for (size_t i = 0; i < 4; i++)
            sum |= (size_t)1 << one[i];
        assert_int_equal(sum, 15);
        first[one[0]]++;
    }
    for (size_t i = 0; i < 4; i++) /* 100 expected; 60 is more than 4 standard deviations off */
        assert_true(first[i] > 60 && first[i] < 140);
}

/* In a fixed order an arm's place is always the same: the reader hears of it before it is run. */
static void test_fixed_places_are_warned_of(void **state)
{
    static const struct {
        struct mgc_override override;
        bool warned;
    } rows[] = {
        {{"order", "fixed", "--set"}, true},
        {{"order", "rotate", "--set"}, false},
        {{"order", "shuffle", "--set"}, false},
        {{"lanes.matrix.mode", "one", "MODE"}, false},
        {{"lanes.matrix.mode", "ssimonly", "MODE"}, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct loaded loaded;
        struct mgc_buf text = {0};
        load(*state, &rows[i].override, 1, &loaded);
        struct mgc_estimates *estimates = mgc_estimates_typical(&loaded.site, &loaded.plan);
        assert_non_null(estimates);
        mgc_plan_print_schedule(&loaded.plan, estimates, &text);
        mgc_estimates_free(estimates);
        assert_int_equal(strstr(mgc_buf_text(&text), "order=rotate") != NULL, rows[i].warned);
        mgc_buf_destroy(&text);
        unload(&loaded);
    }
}

static const struct {
    const char *key, *value;
    const char *sentence;
} wrong[] = {
    {"lanes.matrix.arms", "monolith, spwan",
        "--set: lanes.matrix.arms: unknown arm 'spwan', expected one of: monolith, inproc, shm, "
        "tcp, or one with @TAG"},
    {"lanes.matrix.arms", "crosshost-c1",
        "--set: lanes.matrix.arms: unknown arm 'crosshost-c1', expected one of: monolith, inproc, "
        "shm, tcp, or one with @TAG"},
    {"lanes.matrix.arms", "monolith, tcp@14",
        "--set: lanes.matrix.arms: arm 'tcp@14' names the package 'top.mobilegl.plugin.14.trace', "
        "which Android does not allow: expected a tag that begins with a letter"},
    {"lanes.matrix.arms", "monolith, tcp@_x",
        "--set: lanes.matrix.arms: arm 'tcp@_x' names the package 'top.mobilegl.plugin._x.trace', "
        "which Android does not allow: expected a tag that begins with a letter"},
    {"lanes.matrix.arms", "tcp, tcp", "--set: lanes.matrix.arms: 'tcp' is asked for twice"},
    {"lanes.matrix.workloads", "doom",
        "--set: lanes.matrix.workloads: unknown workload 'doom', expected one of: openra, rd12"},
    {"lanes.matrix.mode", "everything",
        "--set: lanes.matrix.mode: expected smoke, prep, openra, rd12, all, one or ssimonly, got "
        "'everything'"},
    {"lanes.matrix.clocks", "sustained",
        "--set: lanes.matrix.clocks: 'sustained' needs the phone's nodes: expected "
        "phone.clocks.big, phone.clocks.little or phone.clocks.gpu in site.yaml"},
    {"lanes.matrix.temp_max", "-3",
        "--set: lanes.matrix.temp_max: expected an integer from 10 to 70, got '-3'"},
    {"lanes.matrix.temp_min", "40",
        "--set: lanes.matrix.temp_min: expected less than gates.temp_max (38), got 40"},
    {"gates.temp_max", "3", "--set: gates.temp_max: expected an integer from 10 to 70, got '3'"},
    {"gates.temp_min", "38",
        "--set: gates.temp_min: expected less than gates.temp_max (38), got 38"},
    {"gates.cool_to", "39", "--set: gates.cool_to: expected at most gates.temp_max (38), got 39"},
    {"gates.host_load", "0",
        "--set: gates.host_load: expected an integer from 1 to 10000, got '0'"},
    {"gates.power", "maybe", "--set: gates.power: expected plugged or any, got 'maybe'"},
    {"lanes.matrix.shorten.openra.above", "10s",
        "--set: lanes.matrix.shorten.openra: expected both above and reps"},
    {"lanes.matrix.extra_env", "A B",
        "--set: lanes.matrix.extra_env: expected K=V;K=V, or K alone to unset it, got 'A B'"},
    {"lanes.matrix.extra_env", "OK=1;2BAD=1",
        "--set: lanes.matrix.extra_env: expected K=V;K=V, or K alone to unset it, got "
        "'OK=1;2BAD=1'"},
    {"lanes.matrix.extra_server_env", "=1",
        "--set: lanes.matrix.extra_server_env: expected K=V;K=V, or K alone to unset it, got "
        "'=1'"},
};

static void test_what_is_wrong(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const struct mgc_override override = {wrong[i].key, wrong[i].value, "--set"};
        struct mgc_plan_request request = fixture_request(fixture);
        struct loaded loaded;
        struct mgc_error err;
        request.plan = "matrix";
        request.overrides = &override;
        request.override_count = 1;
        if (mgc_plan_load(&request, &loaded.site, &loaded.plan, &err))
            fail_msg("%s = %s was taken", wrong[i].key, wrong[i].value);
        assert_string_equal(fixture->problems.errors.text[0], wrong[i].sentence);
    }
}

static const struct {
    const char *mode, *key, *value, *origin;
    const char *sentence; /* NULL: both go together */
} unused[] = {
    {"openra", "lanes.matrix.workloads", "rd12", "--workload",
        "--workload: lanes.matrix.workloads: does not go together with mode openra (MODE), which "
        "says it itself; expected another mode or no workloads"},
    {"smoke", "lanes.matrix.reps", "3", "--reps",
        "--reps: lanes.matrix.reps: does not go together with mode smoke (MODE), which says it "
        "itself; expected another mode or no reps"},
    {"one", "lanes.matrix.arms", "shm", "--arm",
        "--arm: lanes.matrix.arms: does not go together with mode one (MODE), which says it "
        "itself; expected another mode or no arms"},
    {"all", "lanes.matrix.workloads", "rd12", "--workload", NULL},
    {"smoke", "lanes.matrix.workloads", "rd12", "--workload", NULL},
    {"openra", "lanes.matrix.reps", "2", "--reps", NULL},
};

static void test_what_a_mode_leaves_unused(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(unused) / sizeof(unused[0]); i++) {
        const struct mgc_override overrides[] = {{"lanes.matrix.mode", unused[i].mode, "MODE"},
            {unused[i].key, unused[i].value, unused[i].origin}};
        struct mgc_plan_request request = fixture_request(fixture);
        struct loaded loaded;
        struct mgc_error err;
        request.plan = "matrix";
        request.overrides = overrides;
        request.override_count = 2;
        bool ok = mgc_plan_load(&request, &loaded.site, &loaded.plan, &err);
        assert_int_equal(ok, unused[i].sentence == NULL);
        if (ok)
            unload(&loaded);
        else
            assert_string_equal(fixture->problems.errors.text[0], unused[i].sentence);
    }
    /* The old script's variables stay what they were: said, not refused. */
    static const struct mgc_override smoke[] = {{"lanes.matrix.mode", "smoke", "MODE"}};
    struct loaded loaded;
    fixture->env[0] = "REPS=5";
    load(fixture, smoke, 1, &loaded);
    assert_string_equal(fixture->problems.warnings.text[0],
        "environment REPS: lanes.matrix.reps is not used: mode smoke, given by MODE, says it "
        "itself");
    unload(&loaded);
}

static void test_a_name_alone_is_warned_of(void **state)
{
    static const struct mgc_override override[] = {
        {"lanes.matrix.extra_env", ";A=1;nonsense;B=", "--set"}};
    struct fixture *fixture = *state;
    struct loaded loaded;
    load(fixture, override, 1, &loaded);
    assert_int_equal(fixture->problems.warnings.total, 1);
    assert_string_equal(fixture->problems.warnings.text[0],
        "--set: lanes.matrix.extra_env: 'nonsense' has no value, so it is unset there");
    unload(&loaded);
}

/* Measuring on the phone needs no address, route or replay client. */
static void test_small_site(void **state)
{
    fixture_write("site.yaml", "site: desk\nworkers: {windows: {role: host}}\n"
                               "phone: {serial: abc}\n");
    struct loaded loaded;
    load(*state, NULL, 0, &loaded);
    assert_int_equal(loaded.plan.cell_count, 34);
    for (size_t i = 0; i < loaded.plan.cell_count; i++) {
        for (size_t s = 0; s < loaded.plan.cells[i].step_count; s++)
            assert_int_equal(loaded.plan.cells[i].steps[s].role, MGC_ROLE_HOST);
    }
    unload(&loaded);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_order_of_all),
        TEST(test_modes),
        TEST(test_environment_of_the_old_scripts),
        TEST(test_tagged_arms_and_backends),
        TEST(test_backends_rotate_with_arms),
        TEST(test_clocks_and_services_are_knobs),
        TEST(test_what_holds_outlasts_the_run),
        TEST(test_gates),
        TEST(test_rule_of_rd12),
        cmocka_unit_test(test_orders),
        TEST(test_fixed_places_are_warned_of),
        TEST(test_what_is_wrong),
        TEST(test_what_a_mode_leaves_unused),
        TEST(test_a_name_alone_is_warned_of),
        TEST(test_small_site),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
