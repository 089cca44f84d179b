/* One thing wrong with a good attempt: what is it called? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/check.h"
#include "tests/unit/verify/fixture.h"

enum op {
    EDIT,    /* file, from, to */
    APPEND,  /* file, line */
    DELETE,  /* file */
    PUT,     /* file, text */
    AS_DIR,  /* file */
    BROKEN,  /* file */
    NO_FACT, /* step, fact */
    INT,     /* step, fact, number */
    BOOL,    /* step, fact, "true" or "false" */
    FAIL,    /* step or "stopped", code name, sentence */
};

struct deviation {
    const char *name; /* NULL: the two before it are enough to tell it apart */
    enum mgc_mode mode;
    enum op op;
    const char *a, *b, *c;
    enum mgc_verdict_state state;
    const char *reason;
    const char *check; /* whose evidence is not OK */
    enum mgc_check_outcome outcome;
};

static enum mgc_code code_named(const char *name)
{
    for (int code = 0; code < MGC_CODE_COUNT; code++) {
        if (strcmp(mgc_code_name((enum mgc_code)code), name) == 0)
            return (enum mgc_code)code;
    }
    fail_msg("no code '%s'", name);
    return MGC_OK;
}

static void apply_fact(struct fixture *f, const struct deviation *d)
{
    struct mgc_fields *facts = fixture_facts(f, d->a);
    if (d->op == NO_FACT) {
        assert_non_null(mgc_fields_get(facts, d->b));
        mgc_fields_remove(facts, d->b);
    } else if (d->op == INT) {
        mgc_fields_set_int(facts, d->b, atoll(d->c));
    } else {
        mgc_fields_set_bool(facts, d->b, strcmp(d->c, "true") == 0);
    }
}

static void apply(struct fixture *f, const struct deviation *d)
{
    switch (d->op) {
    case EDIT:
        fixture_edit(f, d->a, d->b, d->c);
        break;
    case APPEND:
        fixture_append(f, d->a, d->b);
        break;
    case DELETE:
        fixture_remove(f, d->a);
        break;
    case PUT:
        fixture_put(f, d->a, d->b);
        break;
    case AS_DIR:
        fixture_make_dir(f, d->a);
        break;
    case BROKEN:
        fixture_make_unreadable(f, d->a);
        break;
    case NO_FACT:
    case INT:
    case BOOL:
        apply_fact(f, d);
        break;
    case FAIL:
        fixture_fail(f, d->a, code_named(d->b), d->c);
        break;
    }
}

static bool has_evidence(const struct fixture *f, const char *check, enum mgc_check_outcome outcome)
{
    for (size_t i = 0; i < f->verdict.evidence_count; i++) {
        const struct mgc_evidence *item = &f->verdict.evidence[i];
        if (strcmp(item->check, check) == 0 && item->outcome == outcome)
            return true;
    }
    return false;
}

static void expect(const struct fixture *f, const struct deviation *d)
{
    const struct mgc_verdict *v = &f->verdict;
    if (v->state != d->state || strcmp(v->reason, d->reason ? d->reason : "") != 0)
        fail_msg("%s: %s (%s: %s), expected %s (%s)", d->name, mgc_verdict_state_name(v->state),
            v->reason, v->text, mgc_verdict_state_name(d->state), d->reason);
    if (d->check && !has_evidence(f, d->check, d->outcome))
        fail_msg("%s: no evidence '%s' that is %s", d->name, d->check,
            mgc_check_outcome_name(d->outcome));
    if (!d->reason)
        return;
    const struct mgc_reason_words *words = mgc_reason_find(d->reason);
    assert_non_null(words);
    assert_int_equal(words->state, d->state);
    assert_int_equal(words->infrastructure, v->infrastructure);
    assert_string_equal(words->next_step, v->next_step);
    assert_true(v->text[0]);
}

#define CLIENT          "mobilegl.client.log"
#define SERVER          "mgl.server.log"
#define PHONE           "phone-logcat.txt"
#define BENCH           MGC_MODE_BENCHMARK
#define SSIM            MGC_MODE_SSIM
#define GOOD            MGC_VERDICT_MEASURED, NULL
#define INVALID(reason) MGC_VERDICT_INVALID, reason
#define FAILED(reason)  MGC_VERDICT_FAILED, reason
#define BAD(check)      check, MGC_CHECK_BAD
#define ABSENT(check)   check, MGC_CHECK_ABSENT
#define OK(check)       check, MGC_CHECK_OK
#define LOGGED          "11-30 12:00:02.000  4709  4711 E MobileGL: [12:00:02] [Android x/ERROR]: "

static const struct deviation table[] = {
    /* the arm's markers */
    {"no transport", BENCH, EDIT, CLIENT, "Config: MOBILEGL_TRANSPORT=spawn - ", "x",
        INVALID("transport-marker-missing"), ABSENT("transport-spawn")},
    {"other transport", BENCH, EDIT, CLIENT, "Config: MOBILEGL_TRANSPORT=spawn - ",
        "Config: MOBILEGL_TRANSPORT=inproc - ", INVALID("transport-marker-missing"),
        ABSENT("transport-spawn")},
    {"only an accepted variable", BENCH, EDIT, CLIENT, "Config: MOBILEGL_TRANSPORT=spawn - ",
        "Accepted env variable: Config: MOBILEGL_TRANSPORT=spawn - ",
        INVALID("transport-marker-missing"), ABSENT("transport-spawn")},
    {"markers of the server's log prove nothing", BENCH, EDIT, CLIENT, "run-ahead ARMED", "x",
        INVALID("run-ahead-not-armed"), ABSENT("run-ahead-armed")},
    {"no session", BENCH, EDIT, CLIENT, "control=tcp data=stream server=", "x",
        INVALID("session-marker-missing"), ABSENT("control-tcp")},
    {"unix session", BENCH, EDIT, CLIENT, "control=tcp data=stream server=10.99.0.2:40613",
        "control=unix data=shm", INVALID("session-marker-missing"), ABSENT("control-tcp")},
    {"transport refused as well", BENCH, APPEND, CLIENT,
        "Config: MOBILEGL_TRANSPORT='spwan' names no transport", NULL, INVALID("transport-refused"),
        BAD("transport-refused")},
    {"lockstep", BENCH, APPEND, CLIENT,
        "MG_Remote client: run-ahead requested, server does not - running lockstep. x", NULL,
        INVALID("lockstep"), BAD("lockstep")},
    {"disarmed", BENCH, APPEND, CLIENT, "MG_Remote client: run-ahead DISARMED by a later caps",
        NULL, INVALID("run-ahead-disarmed"), BAD("disarmed")},
    {"disarmed in small letters", BENCH, APPEND, CLIENT, "MG_Remote client: run-ahead disarmed",
        NULL, INVALID("run-ahead-disarmed"), BAD("disarmed")},
    {"fatal, client", BENCH, APPEND, CLIENT, "MGPipe: Fatal{BarrierTimeout, \"Clear\"} - x", NULL,
        INVALID("fatal-in-log"), BAD("fatal")},
    {"fatal, server's log only", BENCH, APPEND, SERVER, "MGPipe: Fatal{RingOverrun, \"x\"} - y",
        NULL, INVALID("fatal-in-log"), BAD("fatal")},
    {"fatal, phone's log only", BENCH, APPEND, PHONE, LOGGED "MGPipe: Fatal{RoleViolation} - y",
        NULL, INVALID("fatal-in-log"), BAD("fatal")},
    {"fatal, forwarded log", BENCH, PUT, "mobilegl.server.log", "MGPipe: Fatal{X} - y\n", NULL,
        INVALID("fatal-in-log"), BAD("fatal")},
    {"fatal, standard error", BENCH, PUT, "mobilegl.log", "MGPipe: Fatal{X} - y", NULL,
        INVALID("fatal-in-log"), BAD("fatal")},
    {"device lost", BENCH, APPEND, CLIENT, "MGPipe: DEVICE LOST - the peer is gone. x", NULL,
        INVALID("gl-device-lost"), BAD("device-lost")},
    {"another app is disarmed", BENCH, APPEND, PHONE,
        "11-30 12:00:02.000   900   912 W AlarmManager: alarm 12 DISARMED, running lockstep", NULL,
        GOOD, OK("disarmed")},
    {"another app is fatal", BENCH, APPEND, PHONE,
        "11-30 12:00:02.000  1900  1912 F Other: Fatal{Thing}", NULL, GOOD, OK("fatal")},
    {"ours is disarmed in the phone's log", BENCH, APPEND, PHONE,
        LOGGED "MG_Remote client: run-ahead DISARMED", NULL, INVALID("run-ahead-disarmed"),
        BAD("disarmed")},

    /* what the client says of its session */
    {"wrong credit", BENCH, EDIT, CLIENT, "present-credit=2", "present-credit=1",
        INVALID("credit-differs"), BAD("present credit")},
    {"credit is no number", BENCH, EDIT, CLIENT, "present-credit=2", "present-credit=two",
        INVALID("credit-unknown"), ABSENT("present credit")},
    {"no Config: IPC", BENCH, EDIT, CLIENT, "Config: IPC ", "Config: ", INVALID("credit-unknown"),
        ABSENT("present credit")},
    {"wrong backend", BENCH, EDIT, CLIENT, "set to DirectGLES", "set to DirectVulkan",
        INVALID("backend-differs"), BAD("backend")},
    {"no backend", BENCH, EDIT, CLIENT, "Config: Active backend", "x", INVALID("backend-unknown"),
        ABSENT("backend")},
    {"wrong server", BENCH, EDIT, CLIENT, "server=10.99.0.2:40613", "server=127.0.0.1:40613",
        INVALID("wrong-server"), BAD("server address")},
    {"no server named", BENCH, EDIT, CLIENT, "server=10.99.0.2:40613",
        "server=", INVALID("server-unknown"), ABSENT("server address")},

    /* logs */
    {"no client log", BENCH, DELETE, CLIENT, NULL, NULL, INVALID("log-missing"),
        ABSENT("log " CLIENT)},
    {"no server log", BENCH, DELETE, SERVER, NULL, NULL, INVALID("log-missing"),
        ABSENT("log " SERVER)},
    {"no phone log", BENCH, DELETE, PHONE, NULL, NULL, INVALID("log-missing"),
        ABSENT("log " PHONE)},
    {"empty client log", BENCH, PUT, CLIENT, "", NULL, INVALID("log-empty"), ABSENT("log " CLIENT)},
    {"empty server log", BENCH, PUT, SERVER, "", NULL, INVALID("log-empty"), ABSENT("log " SERVER)},
    {"empty phone log", BENCH, PUT, PHONE, "", NULL, INVALID("log-empty"), ABSENT("log " PHONE)},
    {"client log is a directory", BENCH, AS_DIR, CLIENT, NULL, NULL, INVALID("log-unreadable"),
        BAD("log " CLIENT)},
    {"server log is a directory", BENCH, AS_DIR, SERVER, NULL, NULL, INVALID("log-unreadable"),
        BAD("log " SERVER)},
    {"phone log cannot be read", BENCH, BROKEN, PHONE, NULL, NULL, INVALID("log-unreadable"),
        BAD("log " PHONE)},
    {"logs that repeat others may be there", BENCH, PUT, "mobilegl.server.log", "", NULL, GOOD,
        OK("log mobilegl.server.log")},

    /* ssim */
    {"ssim below", SSIM, EDIT, "result.json", "0.999883010", "0.989999999",
        FAILED("ssim-below-threshold"), BAD("ssim")},
    {"ssim at the threshold", SSIM, EDIT, "result.json", "0.999883010", "0.990000000", GOOD,
        OK("ssim")},
    {"ssim says no data", SSIM, EDIT, "result.json", "0.999883010", "-1", INVALID("ssim-missing"),
        ABSENT("ssim")},
    {"ssim missing", SSIM, EDIT, "result.json", "\"ssim\"", "\"sim\"", INVALID("ssim-missing"),
        ABSENT("ssim")},
    {"no golden", SSIM, EDIT, "result.json", "/g/golden.png", "", INVALID("no-golden"),
        ABSENT("golden")},
    {"ssim of a run that broke off", SSIM, PUT, "result.json",
        "{\"passed\": false, \"statusCode\": 3, \"ssim\": -1, \"message\": \"no library\"}", NULL,
        FAILED("result-not-passed"), ABSENT("ssim")},
    {"ssim width", SSIM, EDIT, "result.json", "640", "641", INVALID("geometry"), BAD("width")},
    {"ssim height", SSIM, EDIT, "result.json", "\"height\": 480,", "", INVALID("geometry"),
        ABSENT("height")},

    /* result.json */
    {"no result", BENCH, DELETE, "result.json", NULL, NULL, FAILED("result-missing"),
        ABSENT("result.json whole")},
    {"empty result", BENCH, PUT, "result.json", "", NULL, FAILED("result-damaged"),
        BAD("result.json whole")},
    {"half a result", BENCH, PUT, "result.json", "{\"passed\": true, \"statusCode\": 0, \"mess",
        NULL, FAILED("result-damaged"), BAD("result.json whole")},
    {"result is a directory", BENCH, AS_DIR, "result.json", NULL, NULL, FAILED("result-damaged"),
        BAD("result.json whole")},
    {"result cannot be read", BENCH, BROKEN, "result.json", NULL, NULL, FAILED("result-damaged"),
        BAD("result.json whole")},
    {"result of wrong types", BENCH, EDIT, "result.json", "\"passed\": true", "\"passed\": 1",
        FAILED("result-damaged"), BAD("result.json whole")},
    {"not passed", BENCH, EDIT, "result.json", "\"passed\": true", "\"passed\": false",
        FAILED("result-not-passed"), BAD("client passed")},
    {"status", BENCH, EDIT, "result.json", "\"statusCode\": 0", "\"statusCode\": 5",
        FAILED("result-not-passed"), BAD("client passed")},
    {"passed is not said", BENCH, EDIT, "result.json", "\"passed\": true,", "",
        FAILED("result-not-passed"), ABSENT("client passed")},
    {"status is not said", BENCH, EDIT, "result.json", "\"statusCode\": 0,", "",
        FAILED("result-not-passed"), ABSENT("client passed")},

    /* benchmark.json */
    {"no benchmark", BENCH, DELETE, "benchmark.json", NULL, NULL, FAILED("benchmark-missing"),
        ABSENT("benchmark.json whole")},
    {"half a benchmark", BENCH, EDIT, "benchmark.json", ",\n  \"frameCpuTimesMs\": []\n}\n", "",
        FAILED("benchmark-damaged"), BAD("benchmark.json whole")},
    {"benchmark is a directory", BENCH, AS_DIR, "benchmark.json", NULL, NULL,
        FAILED("benchmark-damaged"), BAD("benchmark.json whole")},
    {"totalFrames", BENCH, EDIT, "benchmark.json", "\"totalFrames\": 4", "\"totalFrames\": 3",
        INVALID("frame-count"), BAD("totalFrames")},
    {"no totalFrames", BENCH, EDIT, "benchmark.json", "\"totalFrames\": 4,", "",
        INVALID("frame-count"), ABSENT("totalFrames")},
    {"fewer frame times", BENCH, EDIT, "benchmark.json", ", 12.000]", "]", INVALID("frame-count"),
        BAD("frameTimesMs")},
    {"no frame times", BENCH, EDIT, "benchmark.json", "\"frameTimesMs\"", "\"x\"",
        INVALID("frame-count"), ABSENT("frameTimesMs")},
    {"width", BENCH, EDIT, "benchmark.json", "\"width\": 640", "\"width\": 0", INVALID("geometry"),
        BAD("width")},
    {"no height", BENCH, EDIT, "benchmark.json", "\"height\": 480,", "", INVALID("geometry"),
        ABSENT("height")},
    {"finish", BENCH, EDIT, "benchmark.json", "\"benchmarkFinish\": true",
        "\"benchmarkFinish\": false", INVALID("benchmark-finish"), BAD("benchmarkFinish")},
    {"no finish", BENCH, EDIT, "benchmark.json", "\"benchmarkFinish\": true,", "",
        INVALID("benchmark-finish"), ABSENT("benchmarkFinish")},
    {"no mean", BENCH, EDIT, "benchmark.json", "\"meanFrameMs\": 260.500", "\"meanFrameMs\": -1",
        INVALID("no-frame-times"), ABSENT("meanFrameMs")},
    {"mean of 0", BENCH, EDIT, "benchmark.json", "\"meanFrameMs\": 260.500", "\"meanFrameMs\": 0",
        INVALID("no-frame-times"), BAD("meanFrameMs")},

    /* the client's end */
    {"rc", BENCH, INT, "replay", "rc", "5", FAILED("client-exit"), BAD("client exit")},
    {"rc unknown", BENCH, NO_FACT, "replay", "rc", NULL, FAILED("client-exit-unknown"),
        ABSENT("client exit")},
    {"signal", BENCH, INT, "replay", "signal", "11", FAILED("client-crashed"), BAD("client exit")},
    {"timed out", BENCH, BOOL, "replay", "timed_out", "true", FAILED("client-timeout"),
        BAD("client exit")},
    {"not timed out", BENCH, BOOL, "replay", "timed_out", "false", GOOD, OK("client exit")},

    /* the server's session */
    {"session exit 70", BENCH, INT, "server", "session_exit", "70", INVALID("server-session-exit"),
        BAD("server session")},
    {"session signal", BENCH, INT, "server", "session_signal", "9",
        INVALID("server-session-signal"), BAD("server session")},
    {"session end unknown", BENCH, NO_FACT, "server", "session_exit", NULL,
        INVALID("session-not-reaped"), ABSENT("server session")},
    {"no reap line", BENCH, NO_FACT, "server", "reap_line", NULL, INVALID("session-not-reaped"),
        ABSENT("server session")},
    {"not reaped", BENCH, BOOL, "server", "session_reaped", "false", INVALID("session-not-reaped"),
        ABSENT("server session")},
    {"busy", BENCH, APPEND, CLIENT, "MGPipe: peer Refuse{Busy} one session is already active", NULL,
        FAILED("refused-busy"), BAD("refused")},
    {"authentication", BENCH, APPEND, CLIENT, "MGPipe: peer Refuse{Authentication} x", NULL,
        FAILED("refused-authentication"), BAD("refused")},
    {"backend refused", BENCH, APPEND, CLIENT, "MGPipe: peer Refuse{Backend} x", NULL,
        FAILED("refused-backend"), BAD("refused")},
    {"builds", BENCH, APPEND, CLIENT, "MGPipe: peer Refuse{BuildFingerprint} x", NULL,
        FAILED("refused-build"), BAD("refused")},
    {"unheard-of refusal", BENCH, APPEND, CLIENT, "MGPipe: peer Refuse{../x} y", NULL,
        FAILED("refused"), BAD("refused")},

    /* steps */
    {"failed", BENCH, FAIL, "server", "failed", "x", FAILED("step-failed"), BAD("step server")},
    {"usage", BENCH, FAIL, "server", "usage", "x", FAILED("bad-parameter"), BAD("step server")},
    {"config", BENCH, FAIL, "replay", "config", "x", FAILED("bad-parameter"), BAD("step replay")},
    {"io", BENCH, FAIL, "replay", "io", "x", FAILED("step-failed"), BAD("step replay")},
    {"no space", BENCH, FAIL, "replay", "no-space", "x", FAILED("disk-full"), BAD("step replay")},
    {"no memory", BENCH, FAIL, "replay", "no-memory", "x", FAILED("step-failed"),
        BAD("step replay")},
    {"not found", BENCH, FAIL, "replay", "not-found", "x", FAILED("file-missing"),
        BAD("step replay")},
    {"exists", BENCH, FAIL, "replay", "exists", "x", FAILED("step-failed"), BAD("step replay")},
    {"denied", BENCH, FAIL, "replay", "denied", "x", FAILED("denied"), BAD("step replay")},
    {"step busy", BENCH, FAIL, "server", "busy", "x", FAILED("busy"), BAD("step server")},
    {"timeout", BENCH, FAIL, "server", "timeout", "x", FAILED("timeout"), BAD("step server")},
    {"cancelled", BENCH, FAIL, "server", "cancelled", "x", FAILED("cancelled"), BAD("step server")},
    {"refused", BENCH, FAIL, "server", "refused", "x", FAILED("step-failed"), BAD("step server")},
    {"unreachable", BENCH, FAIL, "server", "unreachable", "x", FAILED("unreachable"),
        BAD("step server")},
    {"protocol", BENCH, FAIL, "server", "protocol", "x", FAILED("step-failed"), BAD("step server")},
    {"version", BENCH, FAIL, "server", "version", "x", FAILED("step-failed"), BAD("step server")},
    {"stale", BENCH, FAIL, "server", "stale", "x", FAILED("lease-stale"), BAD("step server")},
    {"unsupported", BENCH, FAIL, "server", "unsupported", "x", FAILED("step-failed"),
        BAD("step server")},
    {"integrity", BENCH, FAIL, "server", "integrity", "x", FAILED("artifact-damaged"),
        BAD("step server")},
    {"device lost", BENCH, FAIL, "server", "lost", "device X went gone: pull",
        FAILED("device-lost"), BAD("step server")},
    {"a device that says 'worker lost'", BENCH, FAIL, "server", "lost", "device worker lost",
        FAILED("device-lost"), BAD("step server")},
    {"worker lost", BENCH, FAIL, "server", "lost", "worker lost: silent for 10 s",
        FAILED("worker-lost"), BAD("step server")},
    {"worker without session", BENCH, FAIL, "server", "lost",
        "worker of role 'host' has no session", FAILED("worker-lost"), BAD("step server")},
    {"worker restarted", BENCH, FAIL, "replay", "lost", "the worker ended while the task ran",
        FAILED("worker-lost"), BAD("step replay")},
    {"process lost", BENCH, FAIL, "replay", "lost", "the client was gone before",
        FAILED("peer-lost"), BAD("step replay")},
    {"worker absent", BENCH, FAIL, "stopped", "lost", "no worker of role 'wsl' joined within 60 s",
        FAILED("worker-absent"), NULL, 0},
    {"setup lost", BENCH, FAIL, "stopped", "lost", "setup no longer holds: x", FAILED("setup-lost"),
        NULL, 0},
    {"barrier timeout", BENCH, FAIL, "stopped", "timeout", "barrier 'start': x did not arrive",
        FAILED("timeout"), NULL, 0},
};

static void good_is_measured(void **state)
{
    for (int mode = 0; mode < 2; mode++) {
        struct fixture f;
        fixture_make(&f, mode ? SSIM : BENCH);
        fixture_judge(&f);
        if (f.verdict.state != MGC_VERDICT_MEASURED)
            fail_msg("mode %d: %s: %s", mode, f.verdict.reason, f.verdict.text);
        assert_string_equal(f.verdict.reason, "");
        assert_string_equal(f.verdict.text, "");
        assert_string_equal(f.verdict.next_step, "");
        assert_false(f.verdict.infrastructure);
        assert_true(f.verdict.evidence_count >= 20);
        fixture_destroy(&f);
    }
}

static void each_deviation_has_its_name(void **state)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct fixture f;
        fixture_make(&f, table[i].mode);
        apply(&f, &table[i]);
        fixture_judge(&f);
        expect(&f, &table[i]);
        fixture_destroy(&f);
    }
}

static const struct deviation *named(const char *name)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    }
    fail_msg("no deviation '%s'", name);
    return NULL;
}

/* The first of a pair names the verdict, in whatever order they happened; both are evidence. */
static void the_first_check_names_the_verdict(void **state)
{
    static const char *const pairs[][2] = {
        {"busy", "timeout"},
        {"busy", "no result"},
        {"timeout", "rc unknown"},
        {"signal", "no result"},
        {"signal", "fatal, server's log only"},
        {"not passed", "rc"},
        {"not passed", "disarmed"},
        {"rc", "no transport"},
        {"no server log", "no transport"},
        {"lockstep", "no transport"},
        {"lockstep", "disarmed"},
        {"disarmed", "fatal, phone's log only"},
        {"fatal, client", "wrong credit"},
        {"wrong server", "wrong credit"},
        {"wrong backend", "totalFrames"},
        {"no result", "totalFrames"},
        {"totalFrames", "width"},
        {"width", "finish"},
        {"finish", "no mean"},
        {"no mean", "session exit 70"},
        {"no benchmark", "session signal"},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const struct deviation *first = named(pairs[i][0]), *second = named(pairs[i][1]);
        struct fixture f;
        fixture_make(&f, BENCH);
        apply(&f, second);
        apply(&f, first);
        fixture_judge(&f);
        expect(&f, first);
        if (!has_evidence(&f, second->check, second->outcome))
            fail_msg("%s hides %s", first->name, second->name);
        fixture_destroy(&f);
    }
}

static void interrupted_comes_before_all(void **state)
{
    struct fixture f;
    fixture_make(&f, BENCH);
    fixture_fail(&f, "server", MGC_E_CANCELLED, "interrupted");
    f.attempt.interrupted = true;
    f.attempt.infrastructure = true;
    fixture_append(&f, CLIENT, "MGPipe: peer Refuse{Busy} x");
    fixture_judge(&f);
    assert_int_equal(f.verdict.state, MGC_VERDICT_INCOMPLETE);
    assert_string_equal(f.verdict.reason, "interrupted");
    assert_false(f.verdict.infrastructure);
    fixture_destroy(&f);
}

static void an_attempt_lost_to_infrastructure_says_so(void **state)
{
    struct fixture f;
    fixture_make(&f, BENCH);
    fixture_fail(&f, "server", MGC_E_TIMEOUT, "x");
    f.attempt.infrastructure = true;
    fixture_judge(&f);
    assert_true(f.verdict.infrastructure);
    fixture_destroy(&f);
}

static void best_effort_steps_prove_nothing(void **state)
{
    struct fixture f;
    fixture_make(&f, BENCH);
    f.steps[FIXTURE_LOGCAT].best_effort = true;
    f.outcomes[FIXTURE_LOGCAT].state = MGC_STEP_FAILED;
    fixture_judge(&f);
    assert_int_equal(f.verdict.state, MGC_VERDICT_MEASURED);
    assert_null(fixture_evidence(&f, "step logcat"));
    fixture_destroy(&f);
}

static void a_step_that_is_not_done_is_not_measured(void **state)
{
    for (int i = 0; i < FIXTURE_STEPS; i++) {
        struct fixture f;
        fixture_make(&f, BENCH);
        f.outcomes[i].state = MGC_STEP_SKIPPED; /* although the attempt says completed */
        fixture_judge(&f);
        assert_string_equal(f.verdict.reason, "step-failed");
        fixture_destroy(&f);
    }
}

static void a_cell_without_its_steps_is_not_measured(void **state)
{
    static const struct {
        size_t count;
        const char *reason;
    } cases[] = {{0, "client-exit-unknown"}, {2, "client-exit-unknown"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        fixture_make(&f, BENCH);
        f.cell.step_count = cases[i].count;
        fixture_judge(&f);
        assert_string_equal(f.verdict.reason, cases[i].reason);
        assert_int_equal(fixture_evidence(&f, "server session")->outcome,
            cases[i].count ? MGC_CHECK_OK : MGC_CHECK_ABSENT);
        fixture_destroy(&f);
    }
}

static void an_unknown_arm_is_not_measured(void **state)
{
    struct fixture f;
    fixture_make(&f, BENCH);
    f.cell.arm = (char *)"crosshost-c9";
    fixture_judge(&f);
    assert_string_equal(f.verdict.reason, "unknown-arm");
    fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_is_measured),
        cmocka_unit_test(each_deviation_has_its_name),
        cmocka_unit_test(the_first_check_names_the_verdict),
        cmocka_unit_test(interrupted_comes_before_all),
        cmocka_unit_test(an_attempt_lost_to_infrastructure_says_so),
        cmocka_unit_test(best_effort_steps_prove_nothing),
        cmocka_unit_test(a_step_that_is_not_done_is_not_measured),
        cmocka_unit_test(a_cell_without_its_steps_is_not_measured),
        cmocka_unit_test(an_unknown_arm_is_not_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
