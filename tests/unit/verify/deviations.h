/* The table of test_deviations.c: one thing wrong with a good attempt, and what it is called. */
#ifndef MGC_TESTS_VERIFY_DEVIATIONS_H
#define MGC_TESTS_VERIFY_DEVIATIONS_H

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
    TEXT,    /* step, fact, text */
    FAIL,    /* step or "stopped", code name, sentence */
    LOSE,    /* step or "stopped", "worker", "nobody came" or "setup", sentence */
};

struct deviation {
    const char *name;
    enum mgc_mode mode;
    enum op op;
    const char *a, *b, *c;
    enum mgc_verdict_state state;
    const char *reason;
    const char *check; /* whose evidence is not OK */
    enum mgc_check_outcome outcome;
};

#define CLIENT          "mobilegl.client.log"
#define SERVER          "mgl.server.log"
#define PHONE           "phone-logcat.txt"
#define STATE           "device-state.csv"
#define BENCH           MGC_MODE_BENCHMARK
#define SSIM            MGC_MODE_SSIM
#define GOOD            MGC_VERDICT_MEASURED, NULL
#define INVALID(reason) MGC_VERDICT_INVALID, reason
#define FAILED(reason)  MGC_VERDICT_FAILED, reason
#define BAD(check)      check, MGC_CHECK_BAD
#define ABSENT(check)   check, MGC_CHECK_ABSENT
#define OK(check)       check, MGC_CHECK_OK
#define LOGGED          "11-30 12:00:02.000  4709  4711 E MobileGL: [12:00:02] [Android x/ERROR]: "

static const struct deviation deviations[] = {
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
        FAILED("gl-device-lost"), BAD("device-lost")},
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

    {"a second session with another server", BENCH, APPEND, CLIENT,
        "MG_Remote client: control=tcp data=stream server=10.99.0.9:40613 pid=5 dial=connect", NULL,
        INVALID("wrong-server"), BAD("server address")},
    {"a second session with the same server", BENCH, APPEND, CLIENT,
        "MG_Remote client: control=tcp data=stream server=10.99.0.2:40613 pid=5 dial=connect", NULL,
        INVALID("wrong-server"), BAD("server address")},
    {"another credit later", BENCH, APPEND, CLIENT, "Config: IPC ring=8MiB present-credit=1", NULL,
        INVALID("credit-differs"), BAD("present credit")},
    {"another backend later", BENCH, APPEND, CLIENT,
        "Config: Active backend type set to DirectVulkan", NULL, INVALID("backend-differs"),
        BAD("backend")},
    {"the same backend again", BENCH, APPEND, CLIENT,
        "Config: Active backend type set to DirectGLES", NULL, GOOD, OK("backend")},

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

    {"phone log cut short", BENCH, BOOL, "logcat", "complete", "false", INVALID("log-incomplete"),
        BAD("phone log complete")},
    {"phone log's end not proved", BENCH, NO_FACT, "logcat", "complete", NULL,
        INVALID("log-incomplete"), ABSENT("phone log complete")},
    {"gaps do not decide", BENCH, INT, "logcat", "gaps", "2", GOOD, OK("phone log complete")},

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
    {"another mean", BENCH, EDIT, "benchmark.json", "\"meanFrameMs\": 260.500",
        "\"meanFrameMs\": 26.050", FAILED("benchmark-damaged"), BAD("frame statistics")},
    {"another median", BENCH, EDIT, "benchmark.json", "\"medianFrameMs\": 16.000",
        "\"medianFrameMs\": 12.000", FAILED("benchmark-damaged"), BAD("frame statistics")},
    {"another p95", BENCH, EDIT, "benchmark.json", "\"p95FrameMs\": 1000.000",
        "\"p95FrameMs\": 20.000", FAILED("benchmark-damaged"), BAD("frame statistics")},
    {"another fps", BENCH, EDIT, "benchmark.json", "\"fps\": 3.839", "\"fps\": 133.500",
        FAILED("benchmark-damaged"), BAD("frame statistics")},
    {"no fps", BENCH, EDIT, "benchmark.json", "\"fps\": 3.839,", "", FAILED("benchmark-damaged"),
        ABSENT("frame statistics")},
    {"shorter tail", BENCH, EDIT, "benchmark.json", "\"tailFrames\": 4", "\"tailFrames\": 3",
        FAILED("benchmark-damaged"), BAD("frame statistics")},
    {"no tail", BENCH, EDIT, "benchmark.json", "\"tailFrames\": 4,", "",
        FAILED("benchmark-damaged"), ABSENT("frame statistics")},
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
    {"session signal", BENCH, INT, "server", "session_signal", "9", FAILED("server-session-signal"),
        BAD("server session")},
    {"session end unknown", BENCH, NO_FACT, "server", "session_exit", NULL,
        INVALID("session-not-reaped"), ABSENT("server session")},
    {"no reap line", BENCH, NO_FACT, "server", "reap_line", NULL, INVALID("session-not-reaped"),
        ABSENT("server session")},
    {"not reaped", BENCH, BOOL, "server", "session_reaped", "false", INVALID("session-not-reaped"),
        ABSENT("server session")},
    {"another client's session", BENCH, INT, "server", "session_pid", "4720",
        INVALID("other-session"), BAD("session is the client's")},
    {"whose session is not known", BENCH, NO_FACT, "server", "session_pid", NULL,
        INVALID("other-session"), ABSENT("session is the client's")},
    {"the client names no session", BENCH, EDIT, CLIENT, " pid=4711 dial", " dial",
        INVALID("other-session"), ABSENT("session is the client's")},
    {"another server's log", BENCH, INT, "server", "server_pid", "4799",
        INVALID("other-server-log"), BAD("log is the server's")},
    {"an older server's log", BENCH, EDIT, SERVER, "pid=4709 listening", "pid=4609 listening",
        INVALID("other-server-log"), BAD("log is the server's")},
    {"whose log is not said", BENCH, EDIT, SERVER, " listening on ", " waits on ",
        INVALID("other-server-log"), ABSENT("log is the server's")},
    {"the server's pid is not known", BENCH, NO_FACT, "server", "server_pid", NULL,
        INVALID("other-server-log"), ABSENT("log is the server's")},
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
    {"worker lost", BENCH, LOSE, "server", "worker", "worker lost: silent for 10 s",
        FAILED("worker-lost"), BAD("step server")},
    {"worker without session", BENCH, LOSE, "server", "worker",
        "worker of role 'host' has no session", FAILED("worker-lost"), BAD("step server")},
    {"worker restarted", BENCH, LOSE, "replay", "worker", "the worker ended while the task ran",
        FAILED("worker-lost"), BAD("step replay")},
    {"process lost", BENCH, FAIL, "replay", "lost", "the client was gone before",
        FAILED("peer-lost"), BAD("step replay")},
    {"worker absent", BENCH, LOSE, "stopped", "nobody came",
        "no worker of role 'wsl' joined within 60 s", FAILED("worker-absent"), NULL, 0},
    {"setup lost", BENCH, LOSE, "stopped", "setup", "setup no longer holds: x",
        FAILED("setup-lost"), NULL, 0},
    {"barrier timeout", BENCH, FAIL, "stopped", "timeout", "barrier 'start': x did not arrive",
        FAILED("timeout"), NULL, 0},

    /* phone and machines */
    {"a machine's gate is not told", BENCH, NO_FACT, "wsl-gate", "gate", NULL,
        INVALID("evidence-incomplete"), ABSENT("gate of wsl")},
    {"the phone's gate is not told", BENCH, NO_FACT, "quiesce", "gate", NULL,
        INVALID("evidence-incomplete"), ABSENT("gate")},
    {"the phone's gate was shut", BENCH, TEXT, "quiesce", "gate", "hot", FAILED("too-hot"),
        BAD("gate")},
    {"hot meanwhile", BENCH, EDIT, STATE, "8000000000,312", "8000000000,381",
        INVALID("left-temperature-band"), BAD("battery temperature")},
    {"cold meanwhile", BENCH, EDIT, STATE, "8000000000,312", "8000000000,49",
        INVALID("left-temperature-band"), BAD("battery temperature")},
    {"power lost meanwhile", BENCH, EDIT, STATE, "8000000000,312,1", "8000000000,312,0",
        INVALID("power-lost"), BAD("power")},
    {"throttled meanwhile", BENCH, EDIT, STATE, "3532800,3532800\n8", "2745600,3532800\n8",
        INVALID("throttled"), BAD("not throttled")},
    {"nobody saw when the run began", BENCH, NO_FACT, "state", "run_from_mono_ns", NULL,
        INVALID("device-state-missing"), ABSENT("device state")},
    {"the run ended before it began", BENCH, INT, "state", "run_to_mono_ns", "4000000000",
        INVALID("device-state-missing"), ABSENT("device state")},
    {"restarted since the setup", BENCH, TEXT, "quiesce", "boot_id", "boot-2",
        FAILED("phone-rebooted"), BAD("same boot")},
    {"restarted before its server", BENCH, TEXT, "server", "boot_id", "boot-2",
        FAILED("phone-rebooted"), BAD("same boot at the run")},
    {"app installed anew", BENCH, TEXT, "quiesce", "app_stamp", "/data/app/y 2",
        INVALID("app-changed"), BAD("same app")},
    {"app installed anew meanwhile", BENCH, TEXT, "server", "app_stamp", "/data/app/y 2",
        INVALID("app-changed"), BAD("same app after the run")},
    {"a knob lost", BENCH, TEXT, "quiesce", "knobs_lost", "log-buffer 16M", INVALID("knob-lost"),
        BAD("knobs hold")},
    {"a knob lost meanwhile", BENCH, TEXT, "server", "knobs_lost", "log-buffer 16M",
        INVALID("knob-lost"), BAD("knobs held")},
};

#endif
