/* One thing wrong with a good cell of the matrix: what is it called? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/check.h"
#include "tests/unit/verify/fixture.h"

static const char *const arms[] = {"monolith", "inproc", "shm", "tcp"};

static void good_cells_are_measured(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        for (int mode = 0; mode < 2; mode++) {
            struct fixture f;
            fixture_make_matrix(&f, mode ? MGC_MODE_SSIM : MGC_MODE_BENCHMARK, arms[i]);
            fixture_must_be(&f, arms[i], MGC_VERDICT_MEASURED, NULL);
            assert_string_equal(mgc_fields_get_str(&f.verdict.metrics, "apk_sha256"), "a1");
            assert_string_equal(mgc_fields_get_str(&f.verdict.metrics, "trace_sha256"), "c3");
            fixture_destroy(&f);
        }
    }
}

/* The label is worth nothing: every arm's files under every other arm's name. */
static void no_arm_passes_for_another(void **state)
{
    (void)state;
    for (size_t ran = 0; ran < 4; ran++) {
        for (size_t asked = 0; asked < 4; asked++) {
            struct fixture f;
            if (ran == asked)
                continue;
            fixture_make_matrix(&f, MGC_MODE_BENCHMARK, arms[asked]);
            struct fixture other;
            fixture_make_matrix(&other, MGC_MODE_BENCHMARK, arms[ran]);
            char *log = fixture_text(&other, "mobilegl.client.log");
            fixture_put(&f, "mobilegl.client.log", log);
            free(log);
            fixture_judge(&f);
            if (f.verdict.state != MGC_VERDICT_INVALID)
                fail_msg("%s under the name of %s: %s '%s'", arms[ran], arms[asked],
                    mgc_verdict_state_name(f.verdict.state), f.verdict.reason);
            fixture_destroy(&other);
            fixture_destroy(&f);
        }
    }
}

enum op {
    EDIT,
    APPEND,
    DELETE,
    FACT,
    INT_FACT,
    NO_FACT,
    HOLE,      /* no samples at all (1), no temperature (2), no limit (3) from 5 s to 8 s */
    NO_LIMITS, /* no limit of anything in any sample */
    GPU_PIN,   /* EDIT with the GPU held */
    SHORT_RUN, /* EDIT, where there is one, with the app's run from 5.3 s to 5.6 s */
};

static const struct {
    const char *name, *arm;
    enum op op;
    const char *a, *b, *c;
    enum mgc_verdict_state state;
    const char *reason;
} rows[] = {
#define CLIENT  "mobilegl.client.log"
#define CSV     "device-state.csv"
#define FAILED  MGC_VERDICT_FAILED
#define INVALID MGC_VERDICT_INVALID
#define GOOD    MGC_VERDICT_MEASURED, NULL
    {"no second process", "shm", EDIT, CLIENT, "spawn ARMED", "spawn", INVALID,
        "second-process-missing"},
    {"no session", "tcp", EDIT, CLIENT, "control=tcp", "control=unix", INVALID,
        "session-marker-missing"},
    {"no transport", "inproc", EDIT, CLIENT, "MOBILEGL_TRANSPORT=inproc - ", "x", INVALID,
        "transport-marker-missing"},
    {"split monolith", "monolith", APPEND, CLIENT, "Config: MOBILEGL_TRANSPORT=inproc - x", NULL,
        INVALID, "other-arm"},
    {"split in the phone's log", "monolith", APPEND, "logcat.txt",
        "MobileGL: Config: MOBILEGL_TRANSPORT=spawn - x", NULL, INVALID, "other-arm"},
    {"lockstep", "shm", APPEND, CLIENT, "MG_Remote client: x - running lockstep. y", NULL, INVALID,
        "lockstep"},
    {"disarmed", "inproc", APPEND, CLIENT, "MG_Remote client: run-ahead DISARMED by x", NULL,
        INVALID, "run-ahead-disarmed"},
    {"not armed", "inproc", EDIT, CLIENT, "run-ahead ARMED", "run-ahead", INVALID,
        "run-ahead-not-armed"},
    {"Fatal of the forked server", "shm", APPEND, "mobilegl.server.log",
        "MGPipe: Fatal{RingOverrun, \"x\"} y", NULL, INVALID, "fatal-in-log"},
    {"Fatal of a monolith", "monolith", APPEND, CLIENT, "MGPipe: Fatal{RoleViolation, \"x\"} y",
        NULL, INVALID, "fatal-in-log"},
    {"no log of the forked server", "shm", DELETE, "mobilegl.server.log", NULL, NULL, INVALID,
        "log-missing"},
    {"no phone log", "monolith", DELETE, "logcat.txt", NULL, NULL, INVALID, "log-missing"},
    {"credit", "shm", EDIT, CLIENT, "present-credit=1", "present-credit=2", INVALID,
        "credit-differs"},
    {"backend", "monolith", EDIT, CLIENT, "DirectGLES", "DirectVulkan", INVALID, "backend-differs"},
    {"server elsewhere", "tcp", EDIT, CLIENT, "server=127.0.0.1:40613", "server=10.0.0.1:40613",
        INVALID, "wrong-server"},
    {"session not reaped", "tcp", NO_FACT, "server", "reap_line", NULL, INVALID,
        "session-not-reaped"},

    {"died", "monolith", FACT, "replay", "end", "died", FAILED, "app-died"},
    {"timeout", "monolith", FACT, "replay", "end", "timeout", FAILED, "client-timeout"},
    {"fatal end", "inproc", FACT, "replay", "end", "fatal", INVALID, "fatal-in-log"},
    {"unknown end", "inproc", FACT, "replay", "end", "bored", FAILED, "app-end-unknown"},
    {"nobody saw the end", "inproc", NO_FACT, "replay", "end", NULL, FAILED, "app-end-unknown"},
    {"hot", "inproc", FACT, "quiesce", "gate", "hot", FAILED, "too-hot"},
    {"asleep", "inproc", FACT, "quiesce", "gate", "asleep", FAILED, "asleep"},
    {"gate not told", "inproc", NO_FACT, "quiesce", "gate", NULL, INVALID, "evidence-incomplete"},

    {"restarted since the setup", "tcp", FACT, "quiesce", "boot_id", "boot-2", FAILED,
        "phone-rebooted"},
    {"restarted before the run", "tcp", FACT, "replay", "boot_id", "boot-2", FAILED,
        "phone-rebooted"},
    {"not restarted before the run", "tcp", FACT, "replay", "boot_id", "boot-1", GOOD},
    {"boot not told", "tcp", NO_FACT, "quiesce", "boot_id", NULL, INVALID, "evidence-incomplete"},
    {"app installed anew", "tcp", FACT, "quiesce", "app_stamp", "/data/app/y 2", INVALID,
        "app-changed"},
    {"app's stamp not told", "tcp", NO_FACT, "quiesce", "app_stamp", NULL, INVALID,
        "evidence-incomplete"},
    {"a knob lost", "tcp", FACT, "quiesce", "knobs_lost", "log-buffer", INVALID, "knob-lost"},
    {"app installed anew meanwhile", "tcp", FACT, "replay", "app_stamp", "/data/app/x 2", INVALID,
        "app-changed"},
    {"app's stamp not told afterwards", "tcp", NO_FACT, "replay", "app_stamp", NULL, INVALID,
        "evidence-incomplete"},
    {"a knob lost meanwhile", "tcp", FACT, "replay", "knobs_lost", "log-buffer", INVALID,
        "knob-lost"},
    {"knobs not told afterwards", "tcp", NO_FACT, "replay", "knobs_lost", NULL, INVALID,
        "evidence-incomplete"},
    {"knobs not told", "tcp", NO_FACT, "quiesce", "knobs_lost", NULL, INVALID,
        "evidence-incomplete"},
    {"result changed", "tcp", FACT, "replay", "changed_files", "retrace.log,result.json", INVALID,
        "app-files-changed"},
    {"needed log changed", "tcp", FACT, "replay", "changed_files", CLIENT, INVALID,
        "app-files-changed"},
    {"what nobody needs changed", "tcp", FACT, "replay", "changed_files", "retrace.log", GOOD},

    {"no state", "monolith", DELETE, CSV, NULL, NULL, INVALID, "device-state-missing"},
    {"state of another kind", "monolith", EDIT, CSV, "# mgdevice", "# x", INVALID,
        "device-state-missing"},
    {"no times", "monolith", NO_FACT, "replay", "start_mono_ns", NULL, INVALID,
        "device-state-missing"},
    {"a short run", "monolith", INT_FACT, "replay", "end_mono_ns", "5000000001", GOOD},
    {"a run between two samples", "monolith", SHORT_RUN, NULL, NULL, NULL, INVALID,
        "run-not-sampled"},
    {"a short run with a sample", "monolith", SHORT_RUN, CSV, "\n5000000000,311",
        "\n5400000000,311", GOOD},
    {"a short run with a value before and after it", "monolith", SHORT_RUN, CSV,
        "\n5000000000,311,", "\n5400000000,,", INVALID, "device-state-missing"},
    {"throttled in a short run only", "monolith", SHORT_RUN, CSV,
        "\n5000000000,311,1,2035200,2035200", "\n5400000000,311,1,1286400,1286400", INVALID,
        "throttled"},
    {"pinned in a short run", "monolith", SHORT_RUN, CSV, "\n5000000000,311,1,2035200,2035200",
        "\n5400000000,311,1,,2035200", INVALID, "pin-unreadable"},
    {"its end was not sampled", "monolith", INT_FACT, "replay", "end_mono_ns", "17000000000",
        INVALID, "device-state-missing"},
    {"its start was not sampled", "monolith", INT_FACT, "replay", "start_mono_ns", "1100000000",
        GOOD},
    {"a hole of two samples", "monolith", EDIT, CSV, "7000000000,312,1,2035200,2035200,3,",
        "7000000000,,,,,,", GOOD},
    {"a hole of four samples", "monolith", HOLE, CSV, "1", NULL, INVALID, "device-state-missing"},
    {"no temperature for a while", "monolith", HOLE, CSV, "2", NULL, INVALID,
        "device-state-missing"},
    {"no limit for a while", "monolith", HOLE, CSV, "3", NULL, INVALID, "device-state-missing"},
    {"hot meanwhile", "monolith", EDIT, CSV, "8000000000,312", "8000000000,381", INVALID,
        "left-temperature-band"},
    {"temperature unreadable", "monolith", EDIT, CSV, "battery_temp_dc", "x", INVALID,
        "device-state-missing"},
    {"power lost", "tcp", EDIT, CSV, "8000000000,312,1", "8000000000,312,0", INVALID, "power-lost"},
    {"throttled", "tcp", EDIT, CSV, "6000000000,312,1,2035200,2035200",
        "6000000000,312,1,1286400,1286400", INVALID, "throttled"},
    {"a free CPU throttled", "tcp", EDIT, CSV, "3532800,3532800\n8", "2745600,3532800\n8", INVALID,
        "throttled"},
    {"throttled before the cell began", "tcp", EDIT, CSV, "3532800,3532800\n", "2745600,3532800\n",
        INVALID, "throttled"},
    {"GPU level", "tcp", EDIT, CSV, "312,1,2035200,2035200,3", "312,1,2035200,2035200,4", INVALID,
        "throttled"},
    {"no limit readable", "tcp", NO_LIMITS, CSV, NULL, NULL, INVALID, "device-state-missing"},
    {"clock below its pin", "tcp", EDIT, CSV, "6000000000,312,1,2035200",
        "6000000000,312,1,1286400", INVALID, "pin-overridden"},
    {"clock near its pin", "tcp", EDIT, CSV, "6000000000,312,1,2035200", "6000000000,312,1,1996800",
        GOOD},
    {"limit above its pin", "tcp", EDIT, CSV, "6000000000,312,1,2035200,2035200",
        "6000000000,312,1,2035200,4320000", INVALID, "pin-overridden"},
    {"clock above its pin", "tcp", EDIT, CSV, "6000000000,312,1,2035200",
        "6000000000,312,1,2188800", INVALID, "pin-overridden"},
    {"GPU below its pin", "tcp", GPU_PIN, CSV, "3,680000000,80,", "3,500000000,80,", INVALID,
        "pin-overridden"},
    {"GPU above its pin", "tcp", GPU_PIN, CSV, "3,680000000,80,", "3,720000000,80,", INVALID,
        "pin-overridden"},
    {"GPU idle below its pin", "tcp", GPU_PIN, CSV,
        "8000000000,312,1,2035200,2035200,3,680000000,80",
        "8000000000,312,1,2035200,2035200,3,231000000,2", GOOD},
    {"GPU never at work", "tcp", GPU_PIN, CSV, "680000000,80,", "680000000,2,", INVALID,
        "pin-not-at-work"},
    {"GPU's load not told", "tcp", GPU_PIN, CSV, "680000000,80,", "680000000,,", GOOD},
    {"GPU clock unreadable", "tcp", GPU_PIN, CSV, ",680000000,80,", ",,80,", INVALID,
        "pin-unreadable"},
    {"pinned clock unreadable", "tcp", EDIT, CSV, "cpu7_cur_khz", "cpu6_cur_khz", INVALID,
        "pin-unreadable"},
#undef FAILED
#undef INVALID
};

static void cut_hole(const struct fixture *f, int kind)
{
    for (int second = 5; second <= 8; second++) {
        char from[48], to[64];
        snprintf(
            from, sizeof(from), "\n%d000000000,31%d,1,2035200,2035200", second, 1 + (second > 5));
        snprintf(to, sizeof(to),
            kind == 1   ? "\n400000000%d,312,1,2035200,2035200" /* as one of the time before */
            : kind == 2 ? "\n%d000000000,,1,2035200,2035200"
                        : "\n%d000000000,312,1,2035200,",
            second);
        fixture_edit(f, CSV, from, to);
    }
}

static void drop_limits(const struct fixture *f)
{
    fixture_edit(f, CSV, "cpu7_max_khz", "cpu7_other");
    fixture_edit(f, CSV, "cpu0_max_khz", "cpu0_other");
    fixture_edit(f, CSV, ",3,680000000", ",,680000000");
    fixture_edit(f, CSV, ",9,,", ",,,");
}

static void apply(struct fixture *f, size_t i)
{
    switch (rows[i].op) {
    case HOLE:
        cut_hole(f, atoi(rows[i].b));
        break;
    case NO_LIMITS:
        drop_limits(f);
        f->cell.expect.pins = NULL;
        break;
    case GPU_PIN:
        f->cell.expect.pins = (char *)"cpu7=2035200 gpu=680000000";
        fixture_edit(f, rows[i].a, rows[i].b, rows[i].c);
        break;
    case SHORT_RUN:
        mgc_fields_set_int(fixture_facts(f, "replay"), "start_mono_ns", INT64_C(5300000000));
        mgc_fields_set_int(fixture_facts(f, "replay"), "end_mono_ns", INT64_C(5600000000));
        if (rows[i].a)
            fixture_edit(f, rows[i].a, rows[i].b, rows[i].c);
        break;
    case EDIT:
        fixture_edit(f, rows[i].a, rows[i].b, rows[i].c);
        break;
    case APPEND:
        fixture_append(f, rows[i].a, rows[i].b);
        break;
    case DELETE:
        fixture_remove(f, rows[i].a);
        break;
    case FACT:
        mgc_fields_set_str(fixture_facts(f, rows[i].a), rows[i].b, rows[i].c);
        break;
    case INT_FACT:
        mgc_fields_set_int(fixture_facts(f, rows[i].a), rows[i].b, atoll(rows[i].c));
        break;
    case NO_FACT:
        assert_non_null(mgc_fields_get(fixture_facts(f, rows[i].a), rows[i].b));
        mgc_fields_remove(fixture_facts(f, rows[i].a), rows[i].b);
        break;
    }
}

static void one_thing_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fixture f;
        fixture_make_matrix(&f, MGC_MODE_BENCHMARK, rows[i].arm);
        apply(&f, i);
        fixture_must_be(&f, rows[i].name, rows[i].state, rows[i].reason);
        fixture_destroy(&f);
    }
}

/* A reader that was told to finish too soon proves the end of its file, not that of the cell. */
static void log_that_ends_before_the_run_proves_nothing(void **state)
{
    struct fixture f;
    (void)state;
    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "shm");
    f.outcomes[FIXTURE_REPLAY].end_ns = 2000;
    f.outcomes[FIXTURE_LOGCAT].end_ns = 1999;
    fixture_must_be(&f, "early log", MGC_VERDICT_INVALID, "log-incomplete");
    f.outcomes[FIXTURE_LOGCAT].end_ns = 2000;
    fixture_must_be(&f, "log to the end", MGC_VERDICT_MEASURED, NULL);
    fixture_destroy(&f);
}

/* 0 is a temperature like any other. */
static void band_that_begins_at_freezing_is_a_band(void **state)
{
    struct fixture f;
    (void)state;
    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "shm");
    f.cell.expect.temp_min_dc = 0;
    fixture_must_be(&f, "warm enough", MGC_VERDICT_MEASURED, NULL);
    fixture_edit(&f, "device-state.csv", "8000000000,312", "8000000000,-20");
    fixture_must_be(&f, "too cold", MGC_VERDICT_INVALID, "left-temperature-band");
    fixture_destroy(&f);
}

static void unknown_build_is_not_measured(void **state)
{
    static const char *const facts[] = {"apk_sha256", "library_sha256"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "shm");
        mgc_fields_remove(&f.setup_outcomes[0].facts, facts[i]);
        fixture_must_be(&f, facts[i], MGC_VERDICT_INVALID, "build-unknown");
        f.attempt.setup = NULL;
        fixture_must_be(&f, "no setup", MGC_VERDICT_INVALID, "build-unknown");
        fixture_destroy(&f);
    }
}

static void accepted_unreadable_temperature_is_measured(void **state)
{
    struct fixture f;
    (void)state;
    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "shm");
    mgc_fields_set_str(&f.steps[FIXTURE_QUIESCE].params, "unreadable", "accept");
    fixture_edit(&f, "device-state.csv", "battery_temp_dc", "x");
    fixture_must_be(&f, "accepted", MGC_VERDICT_MEASURED, NULL);
    assert_non_null(strstr(fixture_evidence(&f, "battery temperature")->seen, "accepts"));
    fixture_destroy(&f);
}

static void library_in_the_apk_is_known(void **state)
{
    struct fixture f;
    (void)state;
    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "shm");
    struct mgc_fields *app = &f.setup_outcomes[FIXTURE_APP].facts;
    mgc_fields_remove(app, "library_sha256");
    mgc_fields_set_bool(app, "library_in_apk", false);
    fixture_must_be(&f, "nowhere", MGC_VERDICT_INVALID, "build-unknown");
    mgc_fields_set_bool(app, "library_in_apk", true);
    fixture_must_be(&f, "in the APK", MGC_VERDICT_MEASURED, NULL);
    assert_string_equal(mgc_fields_get_str(&f.verdict.metrics, "library_sha256"), "a1");
    mgc_fields_remove(app, "apk_sha256");
    fixture_must_be(&f, "no hash at all", MGC_VERDICT_INVALID, "build-unknown");
    fixture_destroy(&f);
}

/* The app ended while adb was away: nobody saw when, or what the phone did meanwhile. */
static void what_a_lost_transport_hides_is_measured_again(void **state)
{
    struct fixture f;
    (void)state;
    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "shm");
    mgc_fields_set_int(fixture_facts(&f, "replay"), "transport_losses", 2);
    fixture_must_be(&f, "all is there", MGC_VERDICT_MEASURED, NULL);
    mgc_fields_remove(fixture_facts(&f, "replay"), "end_mono_ns");
    fixture_must_be(&f, "no times", MGC_VERDICT_FAILED, "transport-lost");
    assert_true(f.verdict.infrastructure);
    assert_non_null(strstr(f.verdict.text, "adb lost the phone 2 times"));
    mgc_fields_set_int(fixture_facts(&f, "replay"), "transport_losses", 0);
    fixture_must_be(&f, "no times, no loss", MGC_VERDICT_INVALID, "device-state-missing");
    fixture_destroy(&f);
    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "shm");
    mgc_fields_set_int(fixture_facts(&f, "replay"), "transport_losses", 1);
    cut_hole(&f, 1);
    fixture_must_be(&f, "hole", MGC_VERDICT_FAILED, "transport-lost");
    fixture_destroy(&f);
}

/* What is never told may be accepted, what comes and goes may not. */
static void accepted_means_never_told(void **state)
{
    struct fixture f;
    (void)state;
    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "shm");
    mgc_fields_set_str(&f.steps[FIXTURE_QUIESCE].params, "unreadable", "accept");
    cut_hole(&f, 2);
    fixture_must_be(&f, "hole", MGC_VERDICT_INVALID, "device-state-missing");
    fixture_destroy(&f);
    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, "shm");
    mgc_fields_set_str(&f.steps[FIXTURE_QUIESCE].params, "unreadable", "accept");
    drop_limits(&f);
    f.cell.expect.pins = NULL;
    fixture_must_be(&f, "no limits", MGC_VERDICT_MEASURED, NULL);
    assert_non_null(strstr(fixture_evidence(&f, "not throttled")->seen, "accepts"));
    fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_cells_are_measured),
        cmocka_unit_test(no_arm_passes_for_another),
        cmocka_unit_test(one_thing_wrong),
        cmocka_unit_test(log_that_ends_before_the_run_proves_nothing),
        cmocka_unit_test(band_that_begins_at_freezing_is_a_band),
        cmocka_unit_test(unknown_build_is_not_measured),
        cmocka_unit_test(accepted_unreadable_temperature_is_measured),
        cmocka_unit_test(what_a_lost_transport_hides_is_measured_again),
        cmocka_unit_test(accepted_means_never_told),
        cmocka_unit_test(library_in_the_apk_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
