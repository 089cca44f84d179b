#include "tests/unit/coordinator/plan_fixture.h"

/* `text` with the first `find` replaced; the caller frees it. */
static char *replaced(const char *text, const char *find, const char *with)
{
    const char *at = strstr(text, find);
    if (!at)
        fail_msg("the base text does not hold '%s'", find);
    struct mgc_buf out = {0};
    mgc_buf_append(&out, text, (size_t)(at - text));
    mgc_buf_puts(&out, with);
    mgc_buf_puts(&out, at + strlen(find));
    return mgc_buf_steal(&out);
}

static void must_fail(struct fixture *fixture, const struct mgc_plan_request *request)
{
    struct mgc_site site;
    struct mgc_plan plan;
    struct mgc_error err = {0};
    if (mgc_plan_load(request, &site, &plan, &err)) {
        mgc_plan_destroy(&plan);
        mgc_site_destroy(&site);
        fail_msg("was accepted");
    }
    assert_int_equal(err.code, MGC_E_CONFIG);
    assert_true(fixture->problems.errors.total > 0);
}

/* Exactly one problem, with exactly this sentence. */
static void must_say(
    struct fixture *fixture, const struct mgc_plan_request *request, const char *sentence)
{
    must_fail(fixture, request);
    assert_string_equal(fixture->problems.errors.text[0], sentence);
    if (fixture->problems.errors.total != 1)
        fail_msg("after '%s' also: '%s'", sentence, fixture->problems.errors.text[1]);
}

static const struct {
    const char *find, *with; /* in data/site.yaml */
    const char *sentence;
} site_errors[] = {
    {"site: bench-a", "site: Bench A",
        "site.yaml:1: site: expected a name of lower-case letters, digits and '-', got 'Bench A'"},
    {"site: bench-a\n", "",
        "site.yaml: site is missing: expected a name of lower-case letters, digits and '-'"},
    {"  serial: 2f7cbe2e\n", "",
        "site.yaml:5: phone.serial is missing: expected a serial as `adb devices` prints it (or "
        "set SER)"},
    {"2f7cbe2e", "'a b; rm'",
        "site.yaml:6: phone.serial: expected a serial as `adb devices` prints it, got 'a b; rm'"},
    {"serial:", "serail: x\n  serial:",
        "site.yaml:6:3: unknown key 'serail' in phone, expected one of: serial, address, port, "
        "sink_port, link, package, clocks, host, wsl"},
    {"phone:", "phome: 1\nphone:",
        "site.yaml:5:1: unknown key 'phome', expected one of: site, results, bind, keys, "
        "liveness, workers, phone, phones, route, replay, workloads"},
    {"phone:", "phone.port: 1\nphone:",
        "site.yaml:5:1: unknown key 'phone.port', expected one of: site, results, bind, keys, "
        "liveness, workers, phone, phones, route, replay, workloads"},
    {"192.168.21.181", "192.168.21.281",
        "site.yaml:7: phone.address: expected an IPv4 address such as 192.168.21.181, got "
        "'192.168.21.281'"},
    {"192.168.21.181", "[1, 2]", "site.yaml:7:12: phone.address: expected text, got a list"},
    {"192.168.21.181", "{a: 1}", "site.yaml:7:12: phone.address: expected text, got a mapping"},
    {"192.168.21.181", "",
        "site.yaml:7:3: phone.address: expected text after the ':', got nothing"},
    {"route:", "  port: 80\nroute:",
        "site.yaml:8: phone.port: expected an integer from 1024 to 65535, got '80'"},
    {"route:", "  port: '40613 '\nroute:",
        "site.yaml:8: phone.port: expected an integer from 1024 to 65535, got '40613 '"},
    {"route:", "  package: trace\nroute:",
        "site.yaml:8: phone.package: expected an Android package name such as "
        "top.mobilegl.plugin.trace, got 'trace'"},
    {"route:", "  package: a..b\nroute:",
        "site.yaml:8: phone.package: expected an Android package name such as "
        "top.mobilegl.plugin.trace, got 'a..b'"},
    {"route:\n  gateway: 192.168.31.1", "route: 192.168.31.1",
        "site.yaml:8:8: route: expected 'key: value' lines, got text"},
    {"192.168.31.1", "192.168.21.181",
        "site.yaml:9: route.gateway: expected another address than phone.address, got "
        "'192.168.21.181' for both"},
    {"route:\n  gateway: 192.168.31.1", "route: {interface: eth0}",
        "site.yaml:8: route.gateway is missing: expected an IPv4 address such as 192.168.31.1 (or "
        "set GATEWAY)"},
    {"192.168.31.1", "192.168.31.1\n  mode: maybe",
        "site.yaml:10: route.mode: expected replace or none, got 'maybe'"},
    {"replay:", "  interface: a-name-too-long-for-linux\nreplay:",
        "site.yaml:10: route.interface: expected the name of a network interface, up to 15 "
        "characters, got 'a-name-too-long-for-linux'"},
    {"/opt/mobilegl/libMobileGL.so", "~/libMobileGL.so",
        "site.yaml:12: replay.library: expected an absolute path on the WSL worker's machine, got "
        "'~/libMobileGL.so'"},
    {"role: host", "role: windows",
        "site.yaml:3: workers.pc.role: expected host (owns adb and the phone) or wsl (runs the "
        "replay client), got 'windows'"},
    {"role: host", "role: wsl",
        /* two things are wrong, the first decides; see the count in test_several */
        NULL},
    {"  ubuntu: {role: wsl}\n", "",
        "site.yaml:2: workers has none with role wsl: expected one, as in workers: {wsl: {role: "
        "wsl}}"},
    {"{role: wsl}", "", NULL},
    {"ubuntu: {role: wsl}", "ubuntu: {role: wsl}\n  other: {role: wsl}",
        "site.yaml:4: workers.ubuntu.role: expected one worker with role wsl, workers.other.role "
        "has it already"},
    {"  pc:", "  PC one:", NULL},
    {"phone:", "liveness: {heartbeat_ms: 2000, silence_ms: 3000}\nphone:",
        "site.yaml:5: liveness.silence_ms: expected at least twice heartbeat_ms (2000), got 3000"},
    {"phone:", "liveness: {heartbeat_ms: 6000}\nphone:",
        "site.yaml:5: liveness.silence_ms: expected at least twice heartbeat_ms (6000), got 10000"},
    {"phone:", "bind: tcp://127.0.0.1:0\nphone:",
        "site.yaml:5: bind: expected an endpoint such as tcp://127.0.0.1:40700, got "
        "'tcp://127.0.0.1:0'"},
    {"phone:", "bind: 127.0.0.1:40700\nphone:",
        "site.yaml:5: bind: expected an endpoint such as tcp://127.0.0.1:40700, got "
        "'127.0.0.1:40700'"},
    {"  rd12:", "  bsl: {trace: /x}\n  rd12:",
        "site.yaml:17: workloads: unknown workload 'bsl', expected one of: openra, rd12"},
    {"    golden: /opt/traces/rd12.png\n", "    frames: 0\n    golden: /opt/traces/rd12.png\n",
        "site.yaml:19: workloads.rd12.frames: expected an integer from 1 to 1000000, got '0'"},
    {"    golden: /opt/traces/rd12.png\n", "    timeout: soon\n    golden: /opt/traces/rd12.png\n",
        "site.yaml:19: workloads.rd12.timeout: expected a duration such as 10s or 250ms, from 1s "
        "to 86400s, got 'soon'"},
    {"    golden: /opt/traces/rd12.png\n", "",
        "site.yaml: workloads.rd12.golden is missing: expected the path of the picture that the "
        "ssim cell compares with"},
    {"    trace: /opt/traces/rd12.trace\n", "",
        "site.yaml: workloads.rd12.trace is missing: expected the path of the trace, since the "
        "plan measures rd12"},
    {"  rd12:", "  openra:", "site.yaml:17:3: key 'openra' was given before, in line 14"},
    {"workloads:", "workloads: [", "site.yaml:15:10: did not find expected ',' or ']'"},
};

static void test_site_errors(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(site_errors) / sizeof(site_errors[0]); i++) {
        char *text =
            replaced(mgc_buf_text(&fixture->site), site_errors[i].find, site_errors[i].with);
        fixture_write("site.yaml", text);
        free(text);
        struct mgc_plan_request request = fixture_request(fixture);
        if (site_errors[i].sentence)
            must_say(fixture, &request, site_errors[i].sentence);
        else
            must_fail(fixture, &request);
    }
}

static const struct {
    const char *text;
    const char *sentence;
} plan_errors[] = {
    {"plan: x\n",
        "p.yaml:1: lanes is missing: expected at least one, as in lanes: {crosshost: {}}"},
    {"lanes: {crosshost: {}}\n",
        "p.yaml: plan is missing: expected a name of lower-case letters, digits and '-'"},
    {"plan: x\nlanes: {netbinch: {}}\n", "p.yaml:2:9: unknown key 'netbinch' in lanes, expected "
                                         "one of: crosshost, matrix, netbench"},
    {"plan: x\nlanes: {crosshost: {reps: 0}}\n",
        "p.yaml:2: lanes.crosshost.reps: expected an integer from 1 to 1000, got '0'"},
    {"plan: x\nlanes: {crosshost: {credits: [1, 9]}}\n",
        "p.yaml:2: lanes.crosshost.credits: expected present credits from 1 to 8, got '9'"},
    {"plan: x\nlanes: {crosshost: {credits: []}}\n",
        "p.yaml:2: lanes.crosshost.credits: expected 1 to 64 items, got 0"},
    {"plan: x\nlanes: {crosshost: {credits: [[1]]}}\n",
        "p.yaml:2:31: lanes.crosshost.credits: expected plain items, got a list"},
    {"plan: x\nlanes: {crosshost: {credits: [2, 2]}}\n",
        "p.yaml:2: lanes.crosshost.credits: benchmark of openra with credit 2 is asked for twice"},
    {"plan: x\nlanes: {crosshost: {workloads: [openra, rd12, openra]}}\n",
        "p.yaml:2: lanes.crosshost.workloads: 'openra' is asked for twice"},
    {"plan: x\nlanes: {crosshost: {workloads: [doom]}}\n",
        "p.yaml:2: lanes.crosshost.workloads: unknown workload 'doom', expected one of: openra, "
        "rd12"},
    {"plan: x\nlanes: {crosshost: {runs: [bench:openra]}}\n",
        "p.yaml:2: lanes.crosshost.runs: expected cells such as ssim:openra or bench:rd12:1, got "
        "'bench:openra'"},
    {"plan: x\nlanes:\n  crosshost:\n    runs: [ssim:openra]\n    workloads: [rd12]\n",
        "p.yaml:4: lanes.crosshost.runs: does not go together with lanes.crosshost.workloads, "
        "expected one of them"},
    {"plan: x\nlanes: {crosshost: {backend: Vulkan}}\n",
        "p.yaml:2: lanes.crosshost.backend: expected DirectGLES or DirectVulkan, got 'Vulkan'"},
    {"plan: x\nlanes: {crosshost: {ssim: maybe}}\n",
        "p.yaml:2: lanes.crosshost.ssim: expected true or false, got 'maybe'"},
    {"plan: x\nlanes: {crosshost: {}}\ntoken: short\n",
        "p.yaml:3: token: expected 16 to 128 letters, digits, '.', '_' or '-' (what was given is "
        "not shown)"},
    {"plan: x\nlanes: {crosshost: {}}\noverride: {phone: {prot: 1}}\n",
        "p.yaml:3:20: unknown key 'prot' in phone, expected one of: serial, address, port, "
        "sink_port, link, package, clocks, host, wsl"},
    {"plan: x\nlanes: {crosshost: {}}\noverride: {phone: {port: 1}}\n",
        "p.yaml:3: phone.port: expected an integer from 1024 to 65535, got '1'"},
};

static void test_plan_errors(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(plan_errors) / sizeof(plan_errors[0]); i++) {
        fixture_write("p.yaml", plan_errors[i].text);
        struct mgc_plan_request request = fixture_request(fixture);
        request.plan = "p.yaml";
        if (strstr(plan_errors[i].sentence, "credit 2 is asked")) { /* once per workload */
            must_fail(fixture, &request);
            assert_string_equal(fixture->problems.errors.text[0], plan_errors[i].sentence);
        } else {
            must_say(fixture, &request, plan_errors[i].sentence);
        }
    }
}

static void test_no_secret_on_a_command_line(void **state)
{
    struct fixture *fixture = *state;
    static const struct mgc_override overrides[] = {
        {"token", "a-token-of-my-own-2026", "--set token"}};
    struct mgc_plan_request request = fixture_request(fixture);
    request.overrides = overrides;
    request.override_count = 1;
    must_fail(fixture, &request);
    const char *text = fixture->problems.errors.text[0];
    assert_non_null(strstr(text, "--set token: a secret is not taken from a command line"));
    assert_non_null(strstr(text, "TOKEN"));
    assert_null(strstr(text, "of-my-own"));
}

static void must_refuse(struct fixture *fixture, const char *key, const char *value)
{
    const struct mgc_override overrides[] = {{key, value, "--set"}};
    struct mgc_plan_request request = fixture_request(fixture);
    request.overrides = overrides;
    request.override_count = 1;
    must_fail(fixture, &request);
    assert_non_null(strstr(fixture->problems.errors.text[0], key));
}

static void test_what_is_nobodys_is_refused_on_a_command_line(void **state)
{
    struct fixture *fixture = *state;
    must_refuse(fixture, "workloads.quake.trace", "/x");
    must_refuse(fixture, "lanes.crosshost.workload_reps.quake", "3");
    must_refuse(fixture, "phone.address", "0.0.0.0");
    must_refuse(fixture, "phone.address", "224.0.0.1");
}

static void test_several_errors_at_once(void **state)
{
    struct fixture *fixture = *state;
    fixture_write("site.yaml", "site: A\nbogus: 1\nphone: {address: x, port: y}\n"
                               "workers: {a: {role: host}, b: {}}\n");
    fixture_write("p.yaml", "plan: x\nlanes: {crosshost: {reps: many}}\n");
    fixture->env[0] = "GATEWAY=nowhere";
    static const struct mgc_override overrides[] = {{"no.such", "1", "--set no.such"}};
    struct mgc_plan_request request = fixture_request(fixture);
    request.plan = "p.yaml";
    request.overrides = overrides;
    request.override_count = 1;
    must_fail(fixture, &request);
    static const char *const starts[] = {
        "site.yaml:1: site: ",
        "site.yaml:2:1: unknown key 'bogus'",
        "site.yaml:3: phone.address: ",
        "site.yaml:3: phone.port: ",
        "p.yaml:2: lanes.crosshost.reps: ",
        "environment GATEWAY: route.gateway: expected an IPv4 address",
        "--set no.such: unknown key 'no.such', expected one that `mgcoord plan schema` lists",
        "site.yaml:4: workers.b.role is missing",
        "site.yaml:3: phone.serial is missing",
        "site.yaml: replay.client is missing",
    };
    /* more than are kept, all counted; the file's keys that were bad do not count as missing */
    assert_int_equal(fixture->problems.errors.total, 12);
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        if (strncmp(fixture->problems.errors.text[i], starts[i], strlen(starts[i])) != 0)
            fail_msg("%zu: '%s' does not begin with '%s'", i, fixture->problems.errors.text[i],
                starts[i]);
    }
}

static void origin_is(
    const struct mgc_site *site, const char *key, const char *text, const char *origin)
{
    const struct mgc_setting *setting = mgc_settings_get(&site->settings, key);
    assert_non_null(setting);
    assert_string_equal(setting->text, text);
    assert_string_equal(setting->origin, origin);
}

/* One source after the other is added, each beats those before. */
static void test_precedence(void **state)
{
    struct fixture *fixture = *state;
    char *text = replaced(mgc_buf_text(&fixture->site), "  serial: 2f7cbe2e\n",
        "  serial: 2f7cbe2e\n  port: 40001\n");
    struct mgc_plan_request request = fixture_request(fixture);
    struct mgc_site site;
    struct mgc_plan plan;
    static const struct mgc_override overrides[] = {
        {"phone.port", "40003", "--set phone.port"},
        {"phone.package", "org.cli.app", "--set phone.package"},
    };
    static const struct {
        const char *port, *port_origin, *package, *package_origin;
    } steps[] = {
        {"40613", "built-in", "top.mobilegl.plugin.trace", "built-in"},
        {"40001", "site.yaml:7", "top.mobilegl.plugin.trace", "built-in"},
        {"40002", "p.yaml:3", "org.plan.app", "p.yaml:3"},
        {"40002", "p.yaml:3", "org.env.app", "environment PKG"},
        {"40003", "--set phone.port", "org.cli.app", "--set phone.package"},
    };
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (i == 1)
            fixture_write("site.yaml", text);
        if (i == 2) {
            fixture_write("p.yaml", "plan: x\nlanes: {crosshost: {}}\n"
                                    "override: {phone: {port: 40002, package: org.plan.app}}\n");
            request.plan = "p.yaml";
        }
        if (i == 3)
            fixture->env[0] = "PKG=org.env.app";
        if (i == 4) {
            request.overrides = overrides;
            request.override_count = 2;
        }
        fixture_load(&request, &site, &plan);
        origin_is(&site, "phone.port", steps[i].port, steps[i].port_origin);
        origin_is(&site, "phone.package", steps[i].package, steps[i].package_origin);
        mgc_plan_destroy(&plan);
        mgc_site_destroy(&site);
    }
    free(text);
}

static void test_environment(void **state)
{
    struct fixture *fixture = *state;
    static const char *const env[] = {"SER=HA27Q3LQ", "PHONE=10.0.0.9", "PKG=", "GATEWAY=10.0.0.1",
        "PERF_WORK=/var/perf", "RD12_TIMEOUT=900", "OPENRA_REPS=2", NULL};
    memcpy(fixture->env, env, sizeof(env));
    struct mgc_plan_request request = fixture_request(fixture);
    struct mgc_site site;
    struct mgc_plan plan;
    fixture_load(&request, &site, &plan);
    origin_is(&site, "phone.serial", "HA27Q3LQ", "environment SER");
    origin_is(&site, "phone.address", "10.0.0.9", "environment PHONE");
    origin_is(&site, "phone.package", "top.mobilegl.plugin.trace", "built-in");
    origin_is(&site, "route.gateway", "10.0.0.1", "environment GATEWAY");
    origin_is(&site, "results", "/var/perf", "environment PERF_WORK");
    origin_is(&site, "workloads.rd12.timeout", "900", "environment RD12_TIMEOUT");
    assert_int_equal(mgc_site_workload(&site, "rd12")->timeout_ms, 900000);
    assert_string_equal(site.results, "/var/perf");
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

static void test_site_values(void **state)
{
    struct fixture *fixture = *state;
    struct mgc_error err;
    assert_true(mgc_dir_make("etc", 0755, &err));
    char *text = replaced(mgc_buf_text(&fixture->site), "phone:",
        "results: out\nkeys: /var/keys\nliveness: {heartbeat_ms: 100, silence_ms: 500}\nphone:");
    fixture_write("etc/bench.yaml", text);
    free(text);
    struct mgc_plan_request request = fixture_request(fixture);
    request.plan = NULL;
    request.site_path = "etc/bench.yaml";
    struct mgc_site site;
    assert_true(mgc_site_load(&request, &site, &err));
    assert_string_equal(site.file, "etc/bench.yaml");
    assert_string_equal(site.results, "etc/out"); /* relative to the file */
    assert_string_equal(site.keys, "/var/keys");
    assert_int_equal(site.heartbeat_ms, 100);
    assert_int_equal(site.silence_ms, 500);
    assert_int_equal(site.worker_count, 2);
    assert_string_equal(site.workers[0].name, "pc");
    assert_int_equal(site.workers[0].role, MGC_ROLE_HOST);
    assert_string_equal(mgc_site_worker(&site, MGC_ROLE_WSL)->name, "ubuntu");
    assert_string_equal(site.route.interface, "eth0");
    assert_string_equal(site.replay.client, "/opt/mobilegl/mobilegl_trace_replay");
    assert_int_equal(mgc_site_workload(&site, "openra")->frames, 128);
    assert_null(mgc_site_workload(&site, "bsl"));
    mgc_site_destroy(&site);
    mgc_site_destroy(&site);
    mgc_site_destroy(NULL);
}

static void test_finding_the_site(void **state)
{
    struct fixture *fixture = *state;
    struct mgc_plan_request request = fixture_request(fixture);
    struct mgc_site site;
    struct mgc_error err = {0};
    assert_true(mgc_file_rename("site.yaml", "elsewhere.yaml", &err));
    fixture->env[0] = "HOME=/nonexistent";
    assert_false(mgc_site_load(&request, &site, &err));
    assert_string_equal(err.text,
        "no site file: expected --site FILE, MGCOORD_SITE, ./site.yaml or "
        "/nonexistent/.config/mgcoord/site.yaml; examples/site.yaml is one to start from; "
        "without hardware: mgcoord run PLAN --lab, whose lab has its own "
        "(~/.local/state/mglab/default/site.yaml)");
    assert_int_equal(err.code, MGC_E_CONFIG);

    fixture->env[0] = "MGCOORD_SITE=elsewhere.yaml";
    request = fixture_request(fixture);
    assert_true(mgc_site_load(&request, &site, &err));
    assert_string_equal(site.file, "elsewhere.yaml");
    mgc_site_destroy(&site);

    assert_true(mgc_dir_make("cfg/mgcoord", 0755, &err));
    assert_true(mgc_file_rename("elsewhere.yaml", "cfg/mgcoord/site.yaml", &err));
    fixture->env[0] = "XDG_CONFIG_HOME=cfg";
    request = fixture_request(fixture);
    assert_true(mgc_site_load(&request, &site, &err));
    assert_string_equal(site.file, "cfg/mgcoord/site.yaml");
    mgc_site_destroy(&site);

    request = fixture_request(fixture);
    request.site_path = "no-such.yaml";
    assert_false(mgc_site_load(&request, &site, &err));
    assert_int_equal(err.code, MGC_E_CONFIG);
    assert_non_null(strstr(err.text, "no-such.yaml"));
}

static void test_unknown_plan(void **state)
{
    struct fixture *fixture = *state;
    struct mgc_plan_request request = fixture_request(fixture);
    request.plan = "weekly";
    must_say(fixture, &request,
        "no plan is called 'weekly': expected a built-in one (crosshost, matrix, nightly, "
        "netbench) or a "
        "file such as ./plans/weekly.yaml");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_site_errors),
        TEST(test_plan_errors),
        TEST(test_no_secret_on_a_command_line),
        TEST(test_what_is_nobodys_is_refused_on_a_command_line),
        TEST(test_several_errors_at_once),
        TEST(test_precedence),
        TEST(test_environment),
        TEST(test_site_values),
        TEST(test_finding_the_site),
        TEST(test_unknown_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
