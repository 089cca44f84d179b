#include "coordinator/verify/reasons.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define INCOMPLETE(name, meaning, next)                                                            \
    {                                                                                              \
        name, MGC_VERDICT_INCOMPLETE, false, meaning, next                                         \
    }
#define FAILED(name, meaning, next)                                                                \
    {                                                                                              \
        name, MGC_VERDICT_FAILED, false, meaning, next                                             \
    }
#define AGAIN(name, meaning, next)                                                                 \
    {                                                                                              \
        name, MGC_VERDICT_FAILED, true, meaning, next                                              \
    }
#define INVALID(name, meaning, next)                                                               \
    {                                                                                              \
        name, MGC_VERDICT_INVALID, false, meaning, next                                            \
    }

#define GATE(name, meaning, next)                                                                  \
    {                                                                                              \
        name, MGC_VERDICT_FAILED, false, meaning, next, true                                       \
    }

static const struct mgc_reason_words words[MGC_REASON_COUNT] = {
    [MGC_REASON_INTERRUPTED] =
        INCOMPLETE("interrupted", "the run was stopped by the user", "run it again"),
    [MGC_REASON_NO_MEMORY] = INCOMPLETE(
        "no-memory", "the coordinator had no memory to judge", "free memory, run it again"),
    [MGC_REASON_RUN_STOPPED] = {"run-stopped", MGC_VERDICT_SKIPPED, false,
        "the run was stopped before this cell began", "see why the run was stopped"},
    [MGC_REASON_RUN_ENDED] =
        INCOMPLETE("run-ended", "the coordinator ended without a word before the cell was judged",
            "find out what ended it (power, memory, a kill), run it again"),
    [MGC_REASON_STILL_RUNNING] = INCOMPLETE("still-running", "the run is on, and so is this cell",
        "wait for it; 'mgcoord watch' shows how far it is"),
    [MGC_REASON_NOT_YET] = INCOMPLETE("not-yet", "the run is on, and this cell's turn has not come",
        "wait for it; 'mgcoord watch' shows how far it is"),

    [MGC_REASON_RECORD_DAMAGED] = INCOMPLETE("record-damaged",
        "what the run stored about the cell cannot be read or does not hold together",
        "see the sentence and the notes; get the file from a backup or measure the cell again"),
    [MGC_REASON_LEFT_OUT] = {"left-out", MGC_VERDICT_SKIPPED, false,
        "a rule of the plan left this cell out, since the workload is slow",
        "change lanes.matrix.shorten in the plan to have it measured"},
    [MGC_REASON_NOT_FLAGGED] = {"not-flagged", MGC_VERDICT_SKIPPED, false,
        "a confirming cell, and the regression gate did not ask for it",
        "nothing: it is measured when its arm looks slower or faster than in the nights before"},
    [MGC_REASON_NO_TIME_LEFT] = {"no-time-left", MGC_VERDICT_SKIPPED, false,
        "its round, or its workload's pictures, would not have fitted into the budget of time, so "
        "nothing of it was begun",
        "give it more time (budget.wall_time, budget.end_by) or fewer rounds; what was left out is "
        "measured by 'mgcoord run --resume'"},
    [MGC_REASON_TIME_OVER] = {"time-over", MGC_VERDICT_SKIPPED, false,
        "the budget of time was over in the middle of its round, which took longer than estimated",
        "see what held the round up; what was left out is measured by 'mgcoord run --resume'"},
    [MGC_REASON_OTHER_INPUTS] = INCOMPLETE("other-inputs",
        "the run was resumed, and this attempt had other files than the cells finished before",
        "resume it with the files as they were, or begin a new run"),

    [MGC_REASON_WORKER_LOST] = AGAIN("worker-lost", "a worker went away or started anew",
        "look at that machine's log and at its power and network"),
    [MGC_REASON_WORKER_ABSENT] = AGAIN("worker-absent", "a worker that the cell needs never joined",
        "start that worker; 'mgcoord hosts' shows who is there"),
    [MGC_REASON_RELEASE_LATE] = AGAIN("release-late",
        "the common start of the cell was already past when a worker heard of it",
        "raise barrier_lead in the plan if it happens often: a machine or the network is busy"),
    [MGC_REASON_SETUP_LOST] =
        AGAIN("setup-lost", "what holds for the whole run, such as the route, was lost",
            "see the notes of the run and the setup directory"),
    [MGC_REASON_DEVICE_LOST] = AGAIN("device-lost", "the phone left adb",
        "check cable, power, and that the phone is unlocked and authorized"),
    [MGC_REASON_TRANSPORT_LOST] = AGAIN("transport-lost",
        "adb lost the phone for a while, and what had to be seen meanwhile is missing",
        "see the host worker's log; check cable, hub and power saving of the port"),
    [MGC_REASON_TRANSPORT_RENEWED] = {"transport-renewed", MGC_VERDICT_INVALID, true,
        "adb lost the phone for a while and got it back, in a plan that replaces what was "
        "disturbed",
        "see the host worker's log; check cable, hub and power saving of the port"},
    [MGC_REASON_PHONE_REBOOTED] =
        AGAIN("phone-rebooted", "the phone was restarted: it has another boot id than before",
            "look for why it restarted: heat, a crash of the system, an update"),
    [MGC_REASON_PEER_LOST] = AGAIN(
        "peer-lost", "a process that a worker's step relied on went away", "see that step's log"),
    [MGC_REASON_LEASE_STALE] = AGAIN("lease-stale",
        "a worker refused the step: it belongs to a session that is over", "run it again"),
    [MGC_REASON_UNREACHABLE] = AGAIN(
        "unreachable", "a step found no route or host", "check addresses and network in site.yaml"),
    [MGC_REASON_BUSY] =
        AGAIN("busy", "somebody else holds what a step needs", "find out who else uses the phone"),
    [MGC_REASON_TIMEOUT] =
        FAILED("timeout", "a step ran into its deadline", "see the log of the step that is named"),
    [MGC_REASON_CANCELLED] =
        FAILED("cancelled", "a step was cancelled at its worker", "see that worker's log"),
    [MGC_REASON_DISK_FULL] =
        FAILED("disk-full", "a disk is full", "free space on the phone or machine that is named"),
    [MGC_REASON_ARTIFACT_DAMAGED] = FAILED("artifact-damaged",
        "a file that arrived is not the one that was sent, or something is not what its hash says",
        "look at the network between worker and coordinator"),
    [MGC_REASON_FILE_MISSING] = FAILED(
        "file-missing", "a file that a step needs is not there", "check the paths in site.yaml"),
    [MGC_REASON_DENIED] =
        FAILED("denied", "a step lacked a permission", "check the worker's permissions"),
    [MGC_REASON_NO_ROOT] =
        FAILED("no-root", "the plan sets something on the phone that only root may set",
            "root the phone (su must work for adb's shell), or leave it as it is: "
            "lanes.matrix.clocks: free, and no other setting that needs root"),
    [MGC_REASON_BAD_PARAMETER] =
        FAILED("bad-parameter", "a step refused its parameters", "check plan and site"),
    [MGC_REASON_STEP_FAILED] =
        FAILED("step-failed", "a step did not end well, for another reason", "see the step's log"),

    [MGC_REASON_SERVER_NOT_STARTED] = FAILED("server-not-started",
        "the phone accepted the start of the render server, but no server process came",
        "see server-start.txt and server-logcat.txt; a service that believes it runs ends with a "
        "force-stop of the package or a restart of the phone"),
    [MGC_REASON_SERVER_NOT_LISTENING] =
        FAILED("server-not-listening", "the render server runs but did not listen in time",
            "see server-logcat.txt and mgl.server.log; a slow phone needs a longer "
            "ready_timeout in the lane's section of the plan"),
    [MGC_REASON_SERVER_LEFT] = FAILED("server-left",
        "a render server or app from before could not be stopped, so a start would be a no-op",
        "stop what holds the package on the phone, or restart the phone"),
    [MGC_REASON_SERVER_OLDER] =
        FAILED("server-older", "what listens is not the server that this cell started",
            "find out who else starts servers on the phone"),
    [MGC_REASON_SERVER_ENDED] =
        FAILED("server-ended", "the render server's process ended while it had to serve",
            "see the end of mgl.server.log and phone-logcat.txt: a crash, or the system killed it"),

    [MGC_REASON_TOO_HOT] = FAILED("too-hot",
        "the phone's battery stayed above the plan's temperature band, so the cell did not begin",
        "let it cool: out of the case, away from the charger; or raise gates.temp_max"),
    [MGC_REASON_TOO_COLD] = FAILED("too-cold",
        "the phone's battery stayed below the plan's temperature band, so the cell did not begin",
        "warm it up, or lower gates.temp_min"),
    [MGC_REASON_UNPLUGGED] =
        FAILED("unplugged", "the phone had no external power, so the cell did not begin",
            "plug it in, or set gates.power to any"),
    [MGC_REASON_NOT_AWAKE] =
        FAILED("not-awake", "the phone's stay-awake setting is not what the plan set",
            "find out what changes stay_on_while_plugged_in on the phone"),
    [MGC_REASON_ASLEEP] = FAILED("asleep", "the phone stayed asleep, so an app has no surface",
        "unlock it once by hand; a lock with a PIN keeps the screen from showing the app"),
    [MGC_REASON_GATE_UNREADABLE] = FAILED("gate-unreadable",
        "phone or machine do not tell a value that a gate needs, and the plan refuses that",
        "set gates.unreadable to accept to measure all the same"),
    [MGC_REASON_HOST_LOADED] = FAILED("host-loaded",
        "a worker's machine stayed busier than the plan allows, so the cell did not begin",
        "see what else runs there, or raise gates.host_load"),

    [MGC_REASON_APP_NOT_INSTALLED] = FAILED("app-not-installed",
        "the app that a step works with is not on the phone",
        "install its APK on the phone (adb install), or correct phone.package in site.yaml or the "
        "arm's @TAG"),
    [MGC_REASON_HELPER_MISSING] =
        FAILED("helper-missing", "the host worker has no device program for this phone's ABI",
            "build it ('make device') and put mgdevice-ABI beside the host worker's program, or "
            "into the directory that MGC_DEVICE_DIR names"),
    [MGC_REASON_APP_NOT_STARTED] =
        FAILED("app-not-started", "the phone refused to start the app's activity",
            "see am-start.txt; check phone.package and that the app is installed and debuggable"),
    [MGC_REASON_APP_DIED] = FAILED("app-died", "the app's process ended before its result",
        "see the end of logcat.txt and mobilegl.client.log"),
    [MGC_REASON_APP_STOPPED] =
        AGAIN("app-stopped", "somebody else had the app stopped while the cell ran",
            "find out who else uses the phone; the cell is run again"),
    [MGC_REASON_APP_STARTED_BESIDE] = {"app-started-beside", MGC_VERDICT_INVALID, true,
        "somebody else started the app or a server of it while the cell ran",
        "find out who else uses the phone; the cell is run again"},
    [MGC_REASON_APP_END_UNKNOWN] = FAILED(
        "app-end-unknown", "nobody saw how the app's run ended", "see the host worker's log"),
    [MGC_REASON_APP_FILES_MISSING] =
        FAILED("app-files-missing", "files that every run leaves did not come from the phone",
            "see the host worker's log and the phone's free space"),
    [MGC_REASON_APP_FILES_CHANGED] = INVALID("app-files-changed",
        "a file that the verdict rests on still changed while it was read from the phone",
        "see whether the app still runs after its result; run it again"),

    [MGC_REASON_DEVICE_STATE_MISSING] = INVALID("device-state-missing",
        "the phone's limits, temperature or power are not known for the whole of the app's run",
        "see device-state.csv and the host worker's log"),
    [MGC_REASON_RUN_NOT_SAMPLED] = INVALID("run-not-sampled",
        "no sample of the phone's state was taken while the app ran",
        "see t_ns in device-state.csv beside start_mono_ns and end_mono_ns of the step replay, and "
        "the host worker's log: adb was away or slow, or the run too short for it"),
    [MGC_REASON_THROTTLED] =
        INVALID("throttled", "a clock's limit was lower than it has to be while the app ran",
            "let it cool, hold clocks that it can keep (lanes.matrix.clocks)"),
    [MGC_REASON_PIN_OVERRIDDEN] =
        INVALID("pin-overridden", "a clock was not where the plan holds it while the app ran",
            "stop the services that move clocks (lanes.matrix.stop_services)"),
    [MGC_REASON_PIN_UNREADABLE] =
        INVALID("pin-unreadable", "a clock that the plan holds could not be read while the app ran",
            "check phone.clocks in site.yaml"),
    [MGC_REASON_PIN_NOT_AT_WORK] = INVALID("pin-not-at-work",
        "the GPU, whose clock the plan holds, was in no sample of the app's run at work",
        "see gpu_busy_pct in device-state.csv; take a workload that keeps the GPU busy, or free "
        "clocks (lanes.matrix.clocks)"),
    [MGC_REASON_LEFT_BAND] = INVALID("left-temperature-band",
        "the battery's temperature left the plan's band while the app ran",
        "let the phone cool longer between cells"),
    [MGC_REASON_POWER_LOST] = INVALID("power-lost", "the phone lost its power while the app ran",
        "check the cable and what switches the charger"),
    [MGC_REASON_BUILD_UNKNOWN] =
        INVALID("build-unknown", "it is not known of which app, library, trace or golden this is",
            "see the setup directory: the steps app and fixtures"),
    [MGC_REASON_APP_CHANGED] =
        INVALID("app-changed", "the app was installed anew since the setup took its hashes",
            "keep the app as it is during a run; start the run anew"),
    [MGC_REASON_KNOB_LOST] =
        INVALID("knob-lost", "something that the run set on the phone no longer holds",
            "find out what turned it back: an app, a service, a person"),

    [MGC_REASON_REFUSED_BUSY] = AGAIN("refused-busy",
        "the server answered Refuse{Busy}: another session is open, or an old one was not reaped",
        "find out who else uses the phone's server"),
    [MGC_REASON_REFUSED_AUTHENTICATION] = FAILED("refused-authentication",
        "the server answered Refuse{Authentication}: it has another token",
        "check that no server of somebody else listens on that port"),
    [MGC_REASON_REFUSED_BACKEND] =
        FAILED("refused-backend", "the server answered Refuse{Backend}: it cannot do this backend",
            "check the lane's backend in the plan and the app's build"),
    [MGC_REASON_REFUSED_BUILD] = FAILED("refused-build",
        "the server answered Refuse{ProtocolMismatch} or Refuse{BuildFingerprint}: builds differ",
        "install an app and a client library of the same build"),
    [MGC_REASON_REFUSED] = FAILED("refused", "the server refused the session for another reason",
        "see the Refuse line in mobilegl.client.log"),

    [MGC_REASON_CLIENT_TIMEOUT] = FAILED("client-timeout",
        "the replay client did not end within its time", "see where mobilegl.client.log stops"),
    [MGC_REASON_CLIENT_CRASHED] = FAILED("client-crashed", "a signal ended the replay client",
        "see the end of mobilegl.client.log and of the client's other logs"),
    [MGC_REASON_CLIENT_EXIT_UNKNOWN] = FAILED("client-exit-unknown",
        "nobody saw how the replay client ended", "see the WSL worker's log"),
    [MGC_REASON_CLIENT_EXIT] =
        FAILED("client-exit", "the replay client ended with a code other than 0",
            "see the end of mobilegl.client.log and of the client's other logs"),
    [MGC_REASON_NO_SESSION] =
        AGAIN("no-session", "the client failed without a session, although the server listened",
            "check the link between WSL and the phone, and its message in result.json"),
    [MGC_REASON_RESULT_MISSING] = FAILED("result-missing", "the client wrote no result.json",
        "see the end of mobilegl.client.log and of the client's other logs"),
    [MGC_REASON_RESULT_DAMAGED] = FAILED("result-damaged",
        "result.json cannot be read whole: half-written, empty or of a wrong form",
        "see the end of mobilegl.client.log and the disk's space"),
    [MGC_REASON_RESULT_NOT_PASSED] =
        FAILED("result-not-passed", "result.json does not say that the replay passed",
            "see its message and mobilegl.client.log"),
    [MGC_REASON_BENCHMARK_MISSING] =
        FAILED("benchmark-missing", "the client wrote no benchmark.json",
            "see the end of mobilegl.client.log and of the client's other logs"),
    [MGC_REASON_BENCHMARK_DAMAGED] =
        FAILED("benchmark-damaged", "benchmark.json cannot be read whole",
            "see the end of mobilegl.client.log and the disk's space"),
    [MGC_REASON_SSIM_BELOW_THRESHOLD] = GATE("ssim-below-threshold",
        "the picture differs from the golden", "compare actual.png with the golden"),
    [MGC_REASON_SSIM_MISSING] =
        INVALID("ssim-missing", "result.json has no ssim", "check the client's build"),
    [MGC_REASON_NO_GOLDEN] =
        INVALID("no-golden", "nothing was compared: without a golden the client says ssim 1",
            "check workloads.NAME.golden in site.yaml"),

    [MGC_REASON_LOG_MISSING] = INVALID("log-missing",
        "a log that has to prove the arm is not there", "see the step that collects it"),
    [MGC_REASON_LOG_EMPTY] = INVALID("log-empty", "a log that has to prove the arm has no line",
        "see the step that collects it"),
    [MGC_REASON_LOG_UNREADABLE] = INVALID("log-unreadable",
        "a log cannot be read to its end, so a marker may hide in it", "check the results' disk"),
    [MGC_REASON_LOG_INCOMPLETE] = INVALID("log-incomplete",
        "the host worker has no proof that the phone's log was read to the end of the cell",
        "see the host worker's log"),
    [MGC_REASON_TRANSPORT_MARKER_MISSING] = INVALID("transport-marker-missing",
        "the client's log does not prove the arm's MOBILEGL_TRANSPORT: it may have run another arm",
        "check that the client's library is a disaggregated build"),
    [MGC_REASON_OTHER_ARM] =
        INVALID("other-arm", "a log shows the transport of another arm than the cell's",
            "check debug.mobilegl.transport on the phone and the arm's variables"),
    [MGC_REASON_SECOND_PROCESS_MISSING] = INVALID("second-process-missing",
        "the client's log has no 'spawn ARMED' line: no second process took part",
        "check that the app is a disaggregated build and that its server image is there"),
    [MGC_REASON_SESSION_MARKER_MISSING] = INVALID("session-marker-missing",
        "the client's log has no line of a TCP session with the server",
        "check that the client's library is a disaggregated build"),
    [MGC_REASON_RUN_AHEAD_NOT_ARMED] = INVALID("run-ahead-not-armed",
        "the client's log has no 'run-ahead ARMED' line: frames may have waited for each other",
        "check MOBILEGL_IPC_RUN_AHEAD and that client and server builds match"),
    [MGC_REASON_TRANSPORT_REFUSED] = INVALID("transport-refused",
        "the client's library refused the transport by name and went on as monolith",
        "check that the client's library is a disaggregated build"),
    [MGC_REASON_LOCKSTEP] = INVALID("lockstep", "the client ran in lockstep",
        "client and server builds do not match, or the start-up race hit; run it again"),
    [MGC_REASON_RUN_AHEAD_DISARMED] = INVALID("run-ahead-disarmed",
        "run-ahead was disarmed during the run", "see the caps snapshot in the client's log"),
    [MGC_REASON_FATAL_IN_LOG] =
        INVALID("fatal-in-log", "a Fatal line stands in a log", "see the line for its family"),
    [MGC_REASON_GL_DEVICE_LOST] = AGAIN("gl-device-lost",
        "MobileGL reported DEVICE LOST: the session broke off during the run",
        "see the line for why, mgl.server.log, and the link to the phone"),
    [MGC_REASON_SERVER_UNKNOWN] = INVALID("server-unknown",
        "the client's log does not say which server it talked to", "check the client's build"),
    [MGC_REASON_WRONG_SERVER] = INVALID("wrong-server",
        "the client talked to another server than the plan's", "check MOBILEGL_IPC_CONTROL"),
    [MGC_REASON_CREDIT_UNKNOWN] = INVALID("credit-unknown",
        "the client's log does not say its present credit", "check the client's build"),
    [MGC_REASON_CREDIT_DIFFERS] =
        INVALID("credit-differs", "the client used another present credit than the arm's",
            "check MOBILEGL_IPC_PRESENT_CREDIT"),
    [MGC_REASON_BACKEND_UNKNOWN] = INVALID(
        "backend-unknown", "the client's log does not say its backend", "check the client's build"),
    [MGC_REASON_BACKEND_DIFFERS] = INVALID("backend-differs",
        "the client used another backend than the plan's", "check the lane's backend in the plan"),
    [MGC_REASON_UNKNOWN_ARM] =
        INVALID("unknown-arm", "the bench has no such arm", "check the plan's arms"),
    [MGC_REASON_UNKNOWN_MARKER] = INVALID("unknown-marker",
        "the arm names a marker that this build cannot judge", "check the bench's arms"),

    [MGC_REASON_FRAME_COUNT] =
        INVALID("frame-count", "benchmark.json has not the frames of the workload",
            "check that trace and workload belong together"),
    [MGC_REASON_GEOMETRY] = INVALID("geometry", "the picture had another size than the workload's",
        "check that trace and workload belong together"),
    [MGC_REASON_BENCHMARK_FINISH] = INVALID("benchmark-finish",
        "glFinish per frame is not what the plan asked for: such runs never compare",
        "check the lane's benchmark_finish and the client's build"),
    [MGC_REASON_NO_FRAME_TIMES] = INVALID("no-frame-times",
        "benchmark.json has no mean frame time above 0", "see mobilegl.client.log"),

    [MGC_REASON_SESSION_NOT_REAPED] =
        INVALID("session-not-reaped", "no line says that the server's session was reaped",
            "see phone-logcat.txt and mgl.server.log"),
    [MGC_REASON_SERVER_SESSION_EXIT] = INVALID("server-session-exit",
        "the server's session ended with a code other than 0", "see mgl.server.log"),
    [MGC_REASON_SERVER_SESSION_SIGNAL] = FAILED("server-session-signal",
        "a signal ended the server's session", "see mgl.server.log and phone-logcat.txt"),
    [MGC_REASON_OTHER_SESSION] = INVALID("other-session",
        "the session that the server reaped is not proved to be the client's",
        "find out who else uses the phone's server"),
    [MGC_REASON_OTHER_SERVER_LOG] = INVALID("other-server-log",
        "mgl.server.log is not proved to be the log of this cell's server",
        "see whether the phone's app writes another file; an old one is removed before each start"),
    [MGC_REASON_CLOCK_STEPPED] = {"clock-stepped", MGC_VERDICT_INVALID, true,
        "a worker's monotonic clock jumped against the coordinator's during the cell",
        "find out what sets clocks or freezes that machine; the cell is run again"},
    [MGC_REASON_HOST_SLEPT] = {"host-slept", MGC_VERDICT_INVALID, true,
        "a worker's machine slept during the cell",
        "keep that machine awake during runs; the cell is run again"},
    [MGC_REASON_CLOCK_UNKNOWN] = {"clock-unknown", MGC_VERDICT_INVALID, true,
        "nobody saw how a worker's clock ran during the cell: its pings were not answered",
        "look at that worker's log and at the network; the cell is run again"},
    [MGC_REASON_START_SKEWED] = {"start-skewed", MGC_VERDICT_INVALID, true,
        "the members of the cell's common start did not begin within 250 ms, or did not say when",
        "find out what keeps that machine busy; the cell is run again"},
    [MGC_REASON_EVIDENCE_INCOMPLETE] = INVALID("evidence-incomplete",
        "a check is not OK although no other reason names it", "see the evidence in verdict.json"),
    [MGC_REASON_NOT_PROVABLE] = INCOMPLETE("not-provable",
        "a run of an old script: nothing speaks against it, but it kept too little",
        "measure it again with mgcoord run"),

    [MGC_REASON_PATH_UNCHECKED] =
        INCOMPLETE("path-unchecked", "the path to the phone was not checked",
            "see why the run was stopped, or the WSL worker's log"),
    [MGC_REASON_MIDDLEBOX] = FAILED("middlebox",
        "something between WSL and the phone ends TCP: nothing measured over it is the phone's",
        "check route.gateway and route.interface in site.yaml, and the proxy or VPN on the default "
        "route"),
    [MGC_REASON_PATH_UNCLEAR] =
        FAILED("path-unclear", "the path to the phone cannot be told apart from a broken one",
            "check that the phone is on the network, awake, and not behind a firewall"),
    [MGC_REASON_PATH_CHANGED] = INVALID("path-changed",
        "a middlebox was on the path to the phone at the next check after the cell",
        "mend the path (see the path check) and run it again"),
    [MGC_REASON_PATH_UNPROVED] = INCOMPLETE("path-unproved",
        "no good path check came after the cell: the path may have changed while it ran",
        "let a run come to its closing path check; see why this one did not"),
    [MGC_REASON_PATH_NOT_GOOD] = {"path-not-good", MGC_VERDICT_SKIPPED, false,
        "the look before its block found no good path, or its link test failed, so the block was "
        "not "
        "measured",
        "mend what that look names (its sentence, and `brackets`) and run it again"},

    [MGC_REASON_NOT_INSTALLED] = {"not-installed", MGC_VERDICT_SKIPPED, false,
        "the build of this arm is not on the phone, so the arm was not measured",
        "install its APK on the phone (adb install), or correct the arm's @TAG"},

    [MGC_REASON_LINK_MOVED] =
        INVALID("link-moved", "the link was another before and after the cell's block",
            "see `brackets` and link_band; a radio link wants a quiet channel, or a wider band"),
    [MGC_REASON_LINK_UNPROVED] =
        INVALID("link-unproved", "a link test before or after the cell's block is not proved",
            "see `brackets` for what was wrong with the test"),
    [MGC_REASON_LINK_RECONNECTED] =
        INVALID("link-reconnected", "the link test was not one session from begin to end",
            "see the facts of the sink step: somebody else may know the run's token"),
    [MGC_REASON_LINK_CUT_SHORT] = INVALID("link-cut-short",
        "the link was measured for a shorter time than was asked", "see the step netbench"),
    [MGC_REASON_LINK_COUNTS_DIFFER] = INVALID("link-counts-differ",
        "the two ends of the link test counted different bytes, or none",
        "look for what is between the ends; see netbench.csv"),
    [MGC_REASON_LINK_SILENT] =
        INVALID("link-silent", "nothing came through once the warm-up of the link test was over",
            "check the radio link: power saving, distance, another network"),
};

const struct mgc_reason_words *mgc_reason_words(enum mgc_reason reason)
{
    assert(reason < MGC_REASON_COUNT);
    return &words[reason];
}

const struct mgc_reason_words *mgc_reason_find(const char *name)
{
    for (size_t i = 0; i < MGC_REASON_COUNT; i++) {
        if (strcmp(words[i].name, name) == 0)
            return &words[i];
    }
    return NULL;
}

void mgc_reason_set(struct mgc_verdict *verdict, enum mgc_reason reason, const char *fmt, ...)
{
    if (mgc_verdict_is_named(verdict))
        return;
    char text[sizeof(verdict->text)];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    const struct mgc_reason_words *named = mgc_reason_words(reason);
    mgc_verdict_set(verdict, named->state, named->name, named->next_step, "%s", text);
    verdict->infrastructure = named->infrastructure;
}

void mgc_reason_rename(struct mgc_verdict *verdict, enum mgc_reason reason, const char *why)
{
    char before[sizeof(verdict->text)];
    assert(verdict->state != MGC_VERDICT_MEASURED);
    snprintf(before, sizeof(before), "%s", verdict->text);
    verdict->state = MGC_VERDICT_INCOMPLETE;
    verdict->reason[0] = '\0';
    mgc_reason_set(verdict, reason, "%s: %s", why, before);
}
