/* Every step that a plan makes is one that the workers accept: kind, parameters, secrets. */
#include "tests/unit/coordinator/plan_fixture.h"

#include "common/task/kinds.h"
#include "common/task/params.h"
#include "worker-host/tasks/tasks.h"
#include "worker-wsl/tasks/tasks.h"

static void check_plan_named(
    struct fixture *fixture, const char *name, const struct mgc_override *overrides, size_t count)
{
    struct mgc_plan_request request = fixture_request(fixture);
    request.plan = name;
    request.overrides = overrides;
    request.override_count = count;
    struct mgc_site site;
    struct mgc_plan plan;
    fixture_load(&request, &site, &plan);
    for (size_t i = 0; i < plan.cell_count; i++) {
        for (size_t s = 0; s < plan.cells[i].step_count; s++) {
            const struct mgc_step *step = &plan.cells[i].steps[s];
            const struct mgc_task_kind *kind = mgc_task_kind_find(
                step->role == MGC_ROLE_HOST ? mgc_host_kinds : mgc_wsl_kinds, step->kind);
            struct mgc_error err;
            if (!kind)
                kind = mgc_task_kind_find(mgc_worker_kinds, step->kind);
            if (!kind)
                fail_msg("%s: no worker has %s", plan.cells[i].id, step->kind);
            if (!mgc_params_check(kind, &step->params, &step->secrets, &err))
                fail_msg("%s: %s", plan.cells[i].id, err.text);
        }
    }
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

static void check_plan(struct fixture *fixture, const struct mgc_override *overrides, size_t count)
{
    check_plan_named(fixture, "crosshost", overrides, count);
}

static void test_matrix(void **state)
{
    static const struct mgc_override full[] = {
        {"lanes.matrix.arms", "monolith, shm@p14, tcp", "--set"},
        {"lanes.matrix.backends", "DirectGLES, DirectVulkan", "--set"},
        {"lanes.matrix.clocks", "gpumax", "--set"},
        {"lanes.matrix.stop_services", "thermal-engine, perf2-hal-1-0", "--set"},
        {"lanes.matrix.extra_env", ";A=1;B=2", "--set"},
        {"lanes.matrix.extra_server_env", "A=1", "--set"},
        {"lanes.matrix.unreadable", "refuse", "--set"},
        {"gates.cool_to", "20", "--set"},
        {"gates.host_load", "10000", "--set"},
        {"gates.phone_free", "1000000", "--set"},
        {"phone.clocks.big", "/sys/devices/system/cpu/cpufreq/policy7", "--set"},
        {"phone.clocks.little", "/sys/devices/system/cpu/cpufreq/policy0", "--set"},
        {"phone.clocks.gpu", "/sys/class/kgsl/kgsl-3d0/devfreq", "--set"},
        {"workloads.openra.host_trace", "C:\\traces\\openra.trace", "--set"},
        {"workloads.openra.host_golden", "C:/traces/openra.png", "--set"},
    };
    check_plan_named(*state, "matrix", NULL, 0);
    check_plan_named(*state, "matrix", full, sizeof(full) / sizeof(full[0]));
}

static void test_default_plan(void **state)
{
    check_plan(*state, NULL, 0);
}

static void test_netbench(void **state)
{
    static const struct mgc_override large[] = {
        {"lanes.netbench.duration", "600s", "--set"},
        {"lanes.netbench.interval", "60s", "--set"},
        {"lanes.netbench.short_duration", "60s", "--set"},
        {"lanes.netbench.warmup", "0s", "--set"},
        {"lanes.netbench.streams", "16", "--set"},
        {"lanes.netbench.probes", "1000", "--set"},
        {"lanes.netbench.congestion", "cubic", "--set"},
        {"phone.sink_port", "65535", "--set"},
    };
    check_plan_named(*state, "netbench", NULL, 0);
    check_plan_named(*state, "netbench", large, sizeof(large) / sizeof(large[0]));
}

/* The edges of what the schema lets through. */
static void test_edges(void **state)
{
    static const struct mgc_override small[] = {
        {"phone.port", "1024", "--set"},
        {"workloads.openra.timeout", "1s", "--set"},
        {"workloads.openra.target_call", "0", "--set"},
        {"phone.package", "a.b", "--set"},
        {"phone.address", "1.0.0.0", "--set"},
        {"gates.temp_min", "-20", "--set"},
        {"gates.host_load", "1", "--set"},
        {"gates.host_free", "0", "--set"},
    };
    static const struct mgc_override large[] = {
        {"phone.port", "65535", "--set"},
        {"workloads.rd12.timeout", "24h", "--set"},
        {"lanes.crosshost.backend", "DirectVulkan", "--set"},
        {"lanes.crosshost.benchmark_finish", "false", "--set"},
        {"phone.address", "223.255.255.255", "--set"},
        {"route.interface", "a-name.15-chars", "--set"},
        {"gates.temp_max", "70", "--set"},
        {"gates.cool_to", "70", "--set"},
        {"gates.host_free", "1000000", "--set"},
        {"gates.timeout", "3600s", "--set"},
    };
    struct fixture *fixture = *state;
    fixture->env[0] = "TOKEN=0123456789abcdef";
    check_plan(fixture, small, sizeof(small) / sizeof(small[0]));
    check_plan(*state, large, sizeof(large) / sizeof(large[0]));
}

/* The backend becomes a part of the server's environment and of the client's command line. */
static void test_strange_backends(void **state)
{
    (void)state;
    static const char *const strange[] = {"DirectGLES;MOBILEGL_IPC=1", "directgles", "DirectGLES "};
    const struct mgc_task_kind *kinds[] = {mgc_task_kind_find(mgc_host_kinds, "host.server"),
        mgc_task_kind_find(mgc_wsl_kinds, "wsl.replay")};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const struct mgc_param *param = kinds[i]->params;
        while (strcmp(param->name, "backend") != 0)
            param++;
        for (size_t s = 0; s < sizeof(strange) / sizeof(strange[0]); s++) {
            struct mgc_value value = {.string = (char *)strange[s]};
            struct mgc_error err = {0};
            assert_false(param->check(&value, &err));
            assert_non_null(strstr(err.text, "expected DirectGLES or DirectVulkan"));
        }
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_default_plan), TEST(test_matrix),
        TEST(test_netbench), TEST(test_edges), cmocka_unit_test(test_strange_backends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
