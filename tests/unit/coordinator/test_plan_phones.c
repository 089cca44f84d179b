/* A site whose phones have names: what may stand there, and the plan of each of them. */
#include "tests/unit/coordinator/plan_fixture.h"

#include "coordinator/plan/phones.h"
#include "coordinator/plan/plan.h"

static const char workers[] = "workers:\n"
                              "  pc1: {role: host}\n"
                              "  pc2: {role: host}\n"
                              "  wsl1: {role: wsl, parallel: 4}\n"
                              "  wsl2: {role: wsl}\n";
static const char one_worker_each[] = "workers:\n  pc: {role: host}\n  ubuntu: {role: wsl}\n";
static const char two_phones[] =
    "phones:\n"
    "  p1: {serial: aa, address: 192.168.21.1, host: pc1, wsl: wsl1}\n"
    "  p2: {serial: bb, address: 192.168.21.2, port: 40700, host: pc2, wsl: wsl2,\n"
    "       package: top.mobilegl.plugin.p14.trace,\n"
    "       clocks: {big: /sys/devices/system/cpu/cpufreq/policy7}}\n";

/* site.yaml with these workers and phones in place of the fixture's. */
static void write_site(const struct fixture *fixture, const char *some_workers, const char *phones)
{
    struct mgc_buf text = {0};
    mgc_buf_printf(&text, "site: bench-a\n%s%s%s", some_workers, phones,
        strstr(mgc_buf_text(&fixture->site), "route:"));
    fixture_write("site.yaml", mgc_buf_text(&text));
    mgc_buf_destroy(&text);
}

static void each_has_a_plan_of_its_own(void **state)
{
    struct fixture *fixture = *state;
    struct mgc_plan_request request = fixture_request(fixture);
    struct mgc_site site;
    struct mgc_plan plan;
    write_site(fixture, workers, two_phones);
    request.phone = "p2";
    fixture_load(&request, &site, &plan);
    assert_string_equal(site.phone.name, "p2");
    assert_int_equal(site.phone.of, 2);
    assert_string_equal(site.phone.serial, "bb");
    assert_int_equal(site.phone.port, 40700);
    assert_string_equal(site.phone.package, "top.mobilegl.plugin.p14.trace");
    assert_string_equal(mgc_settings_get(&site.settings, "phone.clocks.big")->items[0],
        "/sys/devices/system/cpu/cpufreq/policy7");
    assert_string_equal(mgc_settings_get(&site.settings, "phone.serial")->origin, "site.yaml:9");
    assert_null(mgc_settings_get(&site.settings, "phones.p1.serial"));
    assert_null(mgc_settings_section(&site.settings, "phones"));
    assert_int_equal(site.worker_count, 2);
    assert_string_equal(mgc_site_worker(&site, MGC_ROLE_HOST)->name, "pc2");
    assert_string_equal(mgc_site_worker(&site, MGC_ROLE_WSL)->name, "wsl2");
    assert_int_equal(mgc_site_worker(&site, MGC_ROLE_WSL)->parallel, 1);
    assert_string_equal(plan.run_id, "20261130T135200Z-crosshost-k3f9-p2");
    assert_string_equal(plan.part_of, "20261130T135200Z-crosshost-k3f9");
    assert_string_equal(plan.phone, "p2");
    assert_string_equal(plan.workers[MGC_ROLE_WSL], "wsl2");
    assert_string_equal(plan.cells[1].expect.endpoint, "192.168.21.2:40700");
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
    request.phone = "p1";
    fixture_load(&request, &site, &plan);
    assert_int_equal(site.phone.port, 40613); /* built in */
    assert_int_equal(mgc_site_worker(&site, MGC_ROLE_WSL)->parallel, 4);
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

static void a_site_alone_names_them(void **state)
{
    struct fixture *fixture = *state;
    struct mgc_plan_request request = fixture_request(fixture);
    struct mgc_site site;
    struct mgc_error err;
    write_site(fixture, workers, two_phones);
    assert_true(mgc_site_load(&request, &site, &err));
    assert_int_equal(site.phone_name_count, 2);
    assert_string_equal(site.phone_names[0], "p1");
    assert_string_equal(site.phone_names[1], "p2");
    assert_int_equal(site.worker_count, 4);
    assert_null(site.phone.name);
    mgc_site_destroy(&site);
}

static void the_only_workers_serve_them(void **state)
{
    struct fixture *fixture = *state;
    struct mgc_plan_request request = fixture_request(fixture);
    struct mgc_site site;
    struct mgc_plan plan;
    write_site(fixture, one_worker_each, "phones: {p1: {serial: aa, address: 192.168.21.1}}\n");
    request.phone = "p1";
    fixture_load(&request, &site, &plan);
    assert_string_equal(plan.workers[MGC_ROLE_HOST], "pc");
    assert_string_equal(plan.workers[MGC_ROLE_WSL], "ubuntu");
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

/* What a single phone's site makes is as it was. */
static void one_phone_has_no_name(void **state)
{
    struct mgc_plan_request request = fixture_request(*state);
    struct mgc_site site;
    struct mgc_plan plan;
    fixture_load(&request, &site, &plan);
    assert_null(site.phone.name);
    assert_int_equal(site.phone.of, 1);
    assert_null(plan.phone);
    assert_null(plan.part_of);
    assert_null(plan.workers[MGC_ROLE_HOST]);
    assert_string_equal(plan.run_id, "20261130T135200Z-crosshost-k3f9");
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

static void one_phone_may_say_who_serves_it(void **state)
{
    struct fixture *fixture = *state;
    struct mgc_plan_request request = fixture_request(fixture);
    struct mgc_site site;
    struct mgc_plan plan;
    write_site(
        fixture, workers, "phone: {serial: aa, address: 192.168.21.1, host: pc2, wsl: wsl1}\n");
    fixture_load(&request, &site, &plan);
    assert_string_equal(mgc_site_worker(&site, MGC_ROLE_HOST)->name, "pc2");
    assert_int_equal(site.worker_count, 2);
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

static const struct {
    const char *workers, *phones;
    const char *phone, *set, *env;
    const char *expected; /* the first sentence */
} bad[] = {
    {one_worker_each,
        "phone: {serial: cc, address: 192.168.21.3}\nphones: {p1: {serial: aa, "
        "address: 192.168.21.1}}\n",
        "p1", NULL, NULL,
        "site.yaml:5: phone.address: this site has several phones: expected phones.NAME.address"},
    {one_worker_each, "phones: {p1: {serial: aa, address: 192.168.21.1}}\n", "p1", NULL, "SER=zz",
        "environment SER: phone.serial: this site has several phones: expected phones.NAME.serial"},
    {one_worker_each, "phones: {p1: {address: 192.168.21.1}}\n", "p1", NULL, NULL,
        "site.yaml:5: phones.p1.serial is missing: expected a serial as `adb devices` prints it"},
    {one_worker_each, "phones: {p1: {serial: aa}}\n", "p1", NULL, NULL,
        "site.yaml:5: phones.p1.address is missing: expected an IPv4 address such as "
        "192.168.21.181"},
    {one_worker_each, "phones: {}\n", "p1", NULL, NULL,
        "site.yaml:5: phones: expected at least one, as in phones: {p1: {...}}"},
    {one_worker_each, "phones: {P1: {serial: aa}}\n", "p1", NULL, NULL,
        "site.yaml:5:10: phones: expected a name of lower-case letters, digits and '-', got 'P1'"},
    {one_worker_each,
        "phones: {a-name-that-is-longer-than-a-phone-may-have: {serial: aa, address: "
        "192.168.21.1}}\n",
        "p1", NULL, NULL,
        "site.yaml:5: phones.a-name-that-is-longer-than-a-phone-may-have: expected a name of up "
        "to 32 characters"},
    {one_worker_each,
        "phones: {p1: {serial: aa, address: 192.168.21.1}, p2: {serial: aa, address: "
        "192.168.21.2}}\n",
        "p1", NULL, NULL,
        "site.yaml:5: phones.p2.serial: phones.p1 has the same: expected one phone each"},
    {one_worker_each,
        "phones: {p1: {serial: aa, address: 127.0.0.1, port: 40700}, p2: {serial: bb, address: "
        "127.0.0.1, port: 40700}}\n",
        "p1", NULL, NULL,
        "site.yaml:5: phones.p2.address: phones.p1 has the same address and port: expected one "
        "phone each"},
    {one_worker_each, "phones: {p1: {serial: aa, address: 192.168.21.1}}\n", "p7", NULL, NULL,
        "phone 'p7': expected one of the site's phones: p1"},
    {one_worker_each, "phones: {p1: {serial: aa, address: 192.168.21.1}}\n", NULL, NULL, NULL,
        "no phone: expected one of the site's phones: p1"},
    {one_worker_each, "phone: {serial: aa, address: 192.168.21.1}\n", "p1", NULL, NULL,
        "phone 'p1': this site has one phone without a name, under `phone`"},
    {one_worker_each, "phones: {p1: {serial: aa, address: 192.168.21.1}}\n", "p1", "phones.p9.port",
        NULL, "--set: phones.p9.port: this site has no phone 'p9'"},
    {workers, "phones: {p1: {serial: aa, address: 192.168.21.1, wsl: wsl1}}\n", "p1", NULL, NULL,
        "site.yaml:7: phones.p1.host is missing: expected the worker with role host that serves "
        "it, one of: pc1, pc2"},
    {workers, "phones: {p1: {serial: aa, address: 192.168.21.1, host: wsl1, wsl: wsl1}}\n", "p1",
        NULL, NULL,
        "site.yaml:7: phones.p1.host: expected a worker with role host, one of: pc1, pc2, got "
        "'wsl1'"},
    {"workers:\n  pc: {role: host, parallel: 2}\n  ubuntu: {role: wsl}\n",
        "phones: {p1: {serial: aa, address: 192.168.21.1}}\n", "p1", NULL, NULL,
        "site.yaml:3: workers.pc.parallel: expected at a worker with role wsl only: cells of one "
        "host worker's phones never wait for each other"},
};

static void what_is_wrong_is_said(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct mgc_plan_request request = fixture_request(fixture);
        struct mgc_override set = {bad[i].set, "40700", "--set"};
        struct mgc_site site;
        struct mgc_plan plan;
        struct mgc_error err;
        write_site(fixture, bad[i].workers, bad[i].phones);
        request.phone = bad[i].phone;
        request.overrides = bad[i].set ? &set : NULL;
        request.override_count = bad[i].set != NULL;
        fixture->env[0] = bad[i].env;
        assert_false(mgc_plan_load(&request, &site, &plan, &err));
        assert_int_equal(err.code, MGC_E_CONFIG);
        if (strncmp(err.text, bad[i].expected, strlen(bad[i].expected)) != 0)
            fail_msg("%zu: %s", i, err.text);
    }
}

/* The same phone again when a run is resumed, with what it was told then. */
static void every_key_of_a_phone_is_there_for_each(void **state)
{
    char key[MGC_KEY_PATH_MAX];
    for (size_t i = 0; i < mgc_schema_site.count; i++) {
        const struct mgc_schema_row *row = &mgc_schema_site.rows[i];
        if (strncmp(row->key, "phone.", 6) != 0)
            continue;
        snprintf(key, sizeof(key), "phones.p1.%s", row->key + 6);
        const struct mgc_schema_row *of_one = mgc_schema_find(&mgc_schema_site, key);
        assert_non_null(of_one);
        assert_int_equal(of_one->kind, row->kind);
        assert_ptr_equal(of_one->check, row->check);
        assert_int_equal(of_one->min, row->min);
        assert_int_equal(of_one->max, row->max);
        assert_int_equal(of_one->may_differ, row->may_differ);
        assert_null(of_one->fallback); /* the built-in value is that of `phone` */
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            each_has_a_plan_of_its_own, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_site_alone_names_them, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(
            the_only_workers_serve_them, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(one_phone_has_no_name, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(
            one_phone_may_say_who_serves_it, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_said, fixture_setup, fixture_teardown),
        cmocka_unit_test(every_key_of_a_phone_is_there_for_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
