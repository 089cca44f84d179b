/* Which differences end a resumption, and how they are told. */
#include "coordinator/session/match.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/check.h"

static const char stored_text[] =
    "{'coordinator': {'build': 'mgcoord 1', 'protocol': 1, 'host': 'a'},"
    " 'plan': {'name': 'n', 'run_id': 'r', 'retries_per_cell': 1, 'worker_timeout_ms': 1000,"
    "  'cells': [{'id': 'setup', 'lane': 'matrix', 'steps': [{'id': 'device', 'deadline_ms': 5,"
    "   'params': {'serial': 's', 'device_timeout_ms': 3}}]},"
    "  {'id': 'openra/tcp-r1', 'lane': 'matrix', 'expect': {'frames': 128}, 'steps': []}]},"
    " 'settings': {"
    "  'lanes.matrix.reps': {'value': 3, 'source': 'night.yaml:4'},"
    "  'lanes.matrix.arms': {'value': ['tcp'], 'source': '--arm'},"
    "  'lanes.crosshost.reps': {'value': 3, 'source': 'built-in'},"
    "  'phone.port': {'value': 40613, 'source': 'site.yaml:7'},"
    "  'worker_timeout': {'value': 30000, 'source': 'built-in'},"
    "  'workers.wsl.addresses': {'value': ['tcp://1.2.3.4:1'], 'source': 'site.yaml:9'},"
    "  'token': {'value': '(secret)', 'source': 'environment TOKEN'}}}";

static json_t *parse(void)
{
    char *text = strdup(stored_text);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *doc = json_loads(text, 0, NULL);
    assert_non_null(doc);
    free(text);
    return doc;
}

/* What is told when the present differs in one place; NULL value: it is not there any more. */
static char *told(const char *section, const char *key, json_t *value)
{
    static struct mgc_problems problems;
    json_t *stored = parse(), *present = parse();
    json_t *part = section ? json_object_get(present, section) : present;
    if (value)
        json_object_set_new(part, key, value);
    else
        json_object_del(part, key);
    problems = (struct mgc_problems){0};
    mgc_match_records(stored, present, &problems);
    json_decref(stored);
    json_decref(present);
    assert_true(problems.errors.total <= 1);
    return problems.errors.total ? problems.errors.text[0] : NULL;
}

static json_t *setting(json_t *value, const char *source)
{
    return json_pack("{s:o, s:s}", "value", value, "source", source);
}

static void settings_that_shape_numbers_have_to_be_the_same(void **state)
{
    assert_string_equal(told("settings", "lanes.matrix.reps", setting(json_integer(5), "--reps")),
        "lanes.matrix.reps: stored 3 (night.yaml:4), present 5 (--reps)");
    assert_string_equal(told("settings", "phone.port", setting(json_integer(1), "site.yaml:8")),
        "phone.port: stored 40613 (site.yaml:7), present 1 (site.yaml:8)");
    assert_string_equal(
        told("settings", "lanes.matrix.arms", setting(json_pack("[s]", "shm"), "-")),
        "lanes.matrix.arms: stored [\"tcp\"] (--arm), present [\"shm\"] (-)");
    assert_string_equal(told("settings", "phone.port", NULL),
        "phone.port: stored 40613 (site.yaml:7), present nothing");
    assert_string_equal(
        told("settings", "phone.package", setting(json_string("a.b"), "environment PKG")),
        "phone.package: stored nothing, present \"a.b\" (environment PKG)");
    assert_string_equal(told("settings", "of.a.newer.build", setting(json_true(), "site.yaml:1")),
        "of.a.newer.build: stored nothing, present true (site.yaml:1)");
}

static void what_shapes_no_number_may_differ(void **state)
{
    assert_null(told("settings", "lanes.matrix.reps", setting(json_integer(3), "--reps")));
    assert_null(told("settings", "worker_timeout", setting(json_integer(1), "--set")));
    assert_null(told("settings", "workers.wsl.addresses", NULL));
    assert_null(told("settings", "token", setting(json_string("(secret)"), "plan.yaml:1")));
    assert_null(told("settings", "lanes.crosshost.reps", setting(json_integer(9), "REPS")));
    assert_null(told(NULL, "start_wall_s", json_real(1)));
}

static void build_and_protocol_have_to_be_the_same(void **state)
{
    assert_string_equal(told("coordinator", "build", json_string("mgcoord 2")),
        "coordinator.build: stored \"mgcoord 1\", present \"mgcoord 2\"");
    assert_string_equal(told("coordinator", "protocol", json_integer(2)),
        "coordinator.protocol: stored 1, present 2");
    assert_null(told("coordinator", "host", json_string("another machine")));
}

static json_t *cells(const char *id, const char *serial, int frames, int timeout)
{
    return json_pack("[{s:s, s:s, s:[{s:s, s:i, s:{s:s, s:i}}]}, {s:s, s:s, s:{s:i}, s:[]}]", "id",
        "setup", "lane", "matrix", "steps", "id", "device", "deadline_ms", 2 * timeout, "params",
        "serial", serial, "device_timeout_ms", timeout, "id", id, "lane", "matrix", "expect",
        "frames", frames, "steps");
}

static char *told_of_cells(json_t *list)
{
    json_t *doc = parse(), *plan = json_incref(json_object_get(doc, "plan"));
    json_object_set_new(plan, "cells", list);
    json_decref(doc);
    return told(NULL, "plan", plan);
}

/* Two builds of one version may still make other cells of the same settings. */
static void expanded_plans_have_to_be_the_same_but_for_time_limits(void **state)
{
    assert_null(told_of_cells(cells("openra/tcp-r1", "s", 128, 77)));
    assert_string_equal(told_of_cells(cells("openra/shm-r1", "s", 128, 3)),
        "plan.cells openra/tcp-r1: stored \"openra/tcp-r1\", present \"openra/shm-r1\"");
    assert_string_equal(told_of_cells(cells("openra/tcp-r1", "s", 64, 3)),
        "plan.cells openra/tcp-r1.expect.frames: stored 128, present 64");
    assert_string_equal(told_of_cells(cells("openra/tcp-r1", "t", 128, 3)),
        "plan.cells setup.steps device.params.serial: stored \"s\", present \"t\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_that_shape_numbers_have_to_be_the_same),
        cmocka_unit_test(what_shapes_no_number_may_differ),
        cmocka_unit_test(build_and_protocol_have_to_be_the_same),
        cmocka_unit_test(expanded_plans_have_to_be_the_same_but_for_time_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
