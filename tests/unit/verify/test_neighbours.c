/* Somebody else stops or starts the app beside a cell; our own steps do both, too. */
#include <string.h>

#include "tests/lib/check.h"
#include "tests/unit/verify/fixture.h"

#define APP   "top.mobilegl.plugin.trace"
#define OTHER "top.mobilegl.plugin.p14.trace"
#define AM    "11-30 23:59:59.123  1000  1260 I ActivityManager: "

static const char own_stop[] = AM "Force stopping " APP " appid=10231 user=0";
static const char own_server[] = AM "Start proc 582:" APP ":mglsrv/u0a231 for service {x}";
static const char own_app[] = AM "Start proc 583:" APP "/u0a231 for top-activity {x}";
static const char other_stop[] = AM "Force stopping " APP " appid=10231 user=0: from pid 4242";
static const char death[] = AM "Process " APP " (pid 583) has died: fg TOP";

static void make(struct fixture *f, const char *arm)
{
    static const int steps[] = {FIXTURE_SERVER, FIXTURE_REPLAY, FIXTURE_QUIESCE};
    fixture_make_matrix(f, MGC_MODE_BENCHMARK, arm);
    for (size_t i = 0; i < 3; i++)
        mgc_fields_set_str(&f->steps[steps[i]].params, "package", APP);
    mgc_fields_set_str(&f->steps[FIXTURE_QUIESCE].params, "packages", APP "," OTHER);
}

static void put(struct fixture *f, const char *const *lines)
{
    for (; *lines; lines++)
        fixture_append(f, "logcat.txt", *lines);
}

static void expect(struct fixture *f, const char *reason)
{
    fixture_judge(f);
    if (strcmp(f->verdict.reason, reason) != 0)
        fail_msg("'%s' (%s), expected '%s'", f->verdict.reason, f->verdict.text, reason);
    fixture_destroy(f);
}

static void our_own_starts_and_stops(void **state)
{
    struct fixture f;
    make(&f, "tcp");
    put(&f, (const char *const[]){own_stop, own_server, own_app, own_stop, NULL});
    expect(&f, "");
    /* The log at a seam comes twice. */
    make(&f, "tcp");
    put(&f, (const char *const[]){own_server, own_app, own_server, own_app, NULL});
    expect(&f, "");
}

static void starts_beside(void **state)
{
    static const char build[] = AM "Start proc 600:" OTHER "/u0a232 for top-activity {x}";
    static const char stranger[] = AM "Start proc 601:com.example/u0a99 for broadcast {x}";
    struct fixture f;
    make(&f, "monolith");
    put(&f, (const char *const[]){own_app, own_server, NULL});
    expect(&f, "app-started-beside");
    make(&f, "monolith");
    put(&f, (const char *const[]){own_app, build, NULL});
    expect(&f, "app-started-beside");
    make(&f, "monolith");
    put(&f, (const char *const[]){own_app, stranger, NULL});
    expect(&f, "");
}

static void an_activity_that_is_there_already(void **state)
{
    struct fixture f;
    make(&f, "monolith");
    fixture_fail(&f, "replay", MGC_E_FAILED, "am start failed");
    mgc_fields_set_str(fixture_facts(&f, "replay"), "failure", "am-start");
    mgc_fields_set_str(fixture_facts(&f, "replay"), "am_output",
        "Activity not started, its current task has been brought to the front");
    expect(&f, "app-started-beside");
}

/* Both are stopped by us in the end; what came first tells them apart. */
static void an_app_that_is_stopped_is_not_one_that_died(void **state)
{
    struct fixture f;
    make(&f, "monolith");
    put(&f, (const char *const[]){own_stop, own_app, other_stop, death, own_stop, NULL});
    mgc_fields_set_str(fixture_facts(&f, "replay"), "end", "died");
    expect(&f, "app-stopped");
    make(&f, "monolith");
    put(&f, (const char *const[]){own_stop, own_app, death, own_stop, NULL});
    mgc_fields_set_str(fixture_facts(&f, "replay"), "end", "died");
    expect(&f, "app-died");
}

static void fail_server(struct fixture *f, const char *system_lines)
{
    fixture_fail(f, "server", MGC_E_FAILED, "the server process 582 ended");
    mgc_fields_set_str(fixture_facts(f, "server"), "failure", "ended");
    mgc_fields_set_str(fixture_facts(f, "server"), "system_lines", system_lines);
}

static void a_server_that_is_stopped_is_not_one_that_ended(void **state)
{
    struct fixture f;
    make(&f, "tcp");
    fail_server(&f, "Force stopping a | Start proc 582:a | Force stopping a appid=1");
    expect(&f, "app-stopped");
    make(&f, "tcp");
    fail_server(&f, "Force stopping a | Start proc 582:a | Process a has died");
    expect(&f, "server-ended");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_own_starts_and_stops),
        cmocka_unit_test(starts_beside),
        cmocka_unit_test(an_activity_that_is_there_already),
        cmocka_unit_test(an_app_that_is_stopped_is_not_one_that_died),
        cmocka_unit_test(a_server_that_is_stopped_is_not_one_that_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
