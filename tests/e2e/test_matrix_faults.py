"""What goes wrong in a cell on the phone: every fault ends in its documented verdict and reason, the
sentence names the thing, and the plan goes on with the next cell."""

import json
import shutil

import pytest

import benchlib
from breaklib import broken  # noqa: F401
from matrixlib import (ONE_ROUND, ONE_SSIM, PACKAGE, RELEASE_PACKAGE, arms, bench, facts_of,  # noqa: F401
                       log_of, setting, states)

# A gate that is shut is not waited for; a server that does not come, not for long.
SHORT = (*setting("gate_timeout", "0s"), *setting("ready_timeout", "2s"),
         *setting("reap_timeout", "2s"))


@pytest.fixture
def fault(bench):
    def set_fault(text):
        bench.lab.fault(text)
    yield set_fault
    bench.lab.clear_fault()


def one_broken_cell(bench, arm, *args):
    """A round of `arm` and then monolith; the first one's row."""
    result = bench.run(*ONE_ROUND, *SHORT, *arms(arm, "monolith"), *args)
    assert result.code == 3, result
    first, second = result.summary["runs"]
    assert second["verdict"] == "measured", result
    assert first["text"] and first["text"] in result.out and first["next_step"], result
    assert first["reason"] in result.report.read_text()
    bench.assert_nothing_left()
    return result, first


# Knob, arm, verdict, reason, a word of the sentence. Each knob strikes once: the next cell is good.
FAULTS = [
    ("am-start-error=type3", "shm", "failed", "app-not-started", "Error type 3"),
    ("am-start-error=denied", "inproc", "failed", "app-not-started", "SecurityException"),
    ("app-dies-ms=200", "shm", "failed", "app-died", "0.2 s after its start"),
    ("client-not-passed", "shm", "failed", "result-not-passed", "planted by the lab"),
    ("client-frames-short=3", "inproc", "invalid", "frame-count", "totalFrames=5, expected 8"),
    ("client-no-transport-marker", "inproc", "invalid", "transport-marker-missing",
     "MOBILEGL_TRANSPORT"),
    ("client-no-link-marker", "shm", "invalid", "second-process-missing", "spawn ARMED"),
    ("client-no-link-marker", "tcp", "invalid", "session-marker-missing", "TCP session"),
    ("client-not-armed", "inproc", "invalid", "run-ahead-not-armed", "run-ahead ARMED"),
    ("client-monolith", "shm", "invalid", "transport-marker-missing", "MOBILEGL_TRANSPORT"),
    ("client-no-ipc-marker", "shm", "invalid", "credit-unknown", "present credit, expected 1"),
    ("client-no-credit", "shm", "invalid", "credit-differs", "was 2, expected 1"),
    ("client-no-backend-marker", "inproc", "invalid", "backend-unknown", "expected DirectGLES"),
    ("client-other-backend", "inproc", "invalid", "backend-differs", "DirectVulkan"),
    ("client-lockstep", "shm", "invalid", "lockstep", "mobilegl.client.log:"),
    ("client-disarmed", "inproc", "invalid", "run-ahead-disarmed", "mobilegl.client.log:"),
    ("client-fatal", "shm", "invalid", "fatal-in-log", "Fatal{"),
    ("server-fatal", "tcp", "invalid", "fatal-in-log", "Fatal"),
    ("server-bad-exit=70", "tcp", "invalid", "server-session-exit", "exit code 70"),
    ("server-session-signal", "tcp", "failed", "server-session-signal", "signal 9"),
    ("server-never-listens", "tcp", "failed", "server-not-listening", "did not listen within"),
    ("server-start-ignored", "tcp", "failed", "server-not-started", "already running"),
    ("server-other-token", "tcp", "failed", "refused-authentication", "Authentication"),
]


@pytest.mark.parametrize("knob, arm, verdict, reason, word", FAULTS,
                         ids=[f"{row[1]}-{row[0].split('=')[0]}" for row in FAULTS])
def test_fault_is_named_and_the_plan_goes_on(bench, fault, knob, arm, verdict, reason, word):
    fault(f"{knob},once" if "=" in knob else f"{knob}=once")
    result, row = one_broken_cell(bench, arm)
    assert (row["verdict"], row["reason"]) == (verdict, reason), result
    assert word in row["text"], row["text"]
    assert (result.dir / row["dir"] / "STATUS").read_text() != "finished\n"


def test_monolith_that_is_none(bench, fault):
    """The label of an arm is checked against the log, never taken from the request."""
    fault("client-split-marker=once")
    result = bench.run(*ONE_ROUND, *arms("monolith", "inproc"))
    assert states(result) == {"openra/monolith-r1": "other-arm", "openra/inproc-r1": "measured"}
    assert "mobilegl.client.log:" in result.cell("monolith")["text"]


@pytest.mark.parametrize("knob", ["server-session-signal=once"])
def test_forked_server_that_is_lost_is_tried_again(bench, fault, knob):
    fault(knob)
    result = bench.run(*ONE_ROUND, *arms("shm"))
    row = result.cell("shm")
    assert row["verdict"] == "measured" and row["attempts"] == 2, result
    first = json.loads((result.dir / "attempts" / row["id"] / "a1/verdict.json").read_text())
    assert first["reason"] == "gl-device-lost" and "DEVICE LOST" in first["text"]


@pytest.mark.parametrize("knob", ["server-busy=once", "server-stray-session=2000,once"])
def test_busy_server_is_tried_again(bench, fault, knob):
    fault(knob)
    result = bench.run(*ONE_ROUND, *SHORT, *arms("tcp"))
    row = result.cell("tcp")
    assert row["verdict"] == "measured" and row["attempts"] == 2, result
    assert any("Refuse{Busy}" in note for note in result.summary["notes"])
    bench.assert_nothing_left()


def test_ssim_below_threshold(bench, fault):
    fault("server-wrong-pixels")
    result = bench.run(*ONE_SSIM, *arms("monolith", "inproc", "shm", "tcp"))
    assert result.code == 1, result
    assert set(states(result).values()) == {"ssim-below-threshold"}, result
    for row in result.summary["runs"]:
        assert 0 < row["ssim"] < 0.99 and "threshold 0.99" in row["text"], row
        assert (result.dir / row["dir"] / "diff.png").stat().st_size > 0


# ---- the end of the app's run ----


def test_result_that_comes_in_two_halves_counts(bench, fault):
    """Half of it is there for a second; nothing is read before it is whole."""
    fault("client-result-pause=1000,once")
    result = bench.run(*ONE_ROUND, *arms("shm"))
    assert states(result) == {"openra/shm-r1": "measured"}, result
    assert json.loads(log_of(result, result.cell("shm"), "result.json"))["passed"] is True
    assert facts_of(result, result.cell("shm"), "replay")["app_ms"] >= 1000


def test_half_of_a_result_is_none(bench, fault):
    fault("client-result-half=once")
    """The app's log says that it is done: what is not whole soon after will not be, and its limit of
    15 minutes is not waited for."""
    result, row = one_broken_cell(bench, "shm")
    assert (row["verdict"], row["reason"]) == ("failed", "result-damaged"), result
    assert "result.json" in row["text"] and "disk's space" in row["next_step"], row
    assert facts_of(result, row, "replay")["end"] == "no-result"
    assert any(item["check"] == "result.json whole" and item["outcome"] == "bad"
               for item in row["evidence"]), row["evidence"]


def test_half_a_result_that_says_passed_before_the_first_frame(bench, fault):
    """It is not taken for the end of the run: the whole one came later, with all frames."""
    fault("client-result-early=once")
    result = bench.run(*ONE_ROUND, *arms("inproc"))
    assert states(result) == {"openra/inproc-r1": "measured"}, result
    assert result.cell("inproc")["total_frames"] == 8


def test_app_that_hangs_is_ended_at_its_limit(bench, fault):
    fault("client-hang=3,once")
    result, row = one_broken_cell(bench, "inproc", *setting("timeout", "2s"))
    assert row["reason"] == "client-timeout", result
    assert facts_of(result, row, "replay")["end"] == "timeout"
    assert (result.dir / row["dir"] / "STATUS").read_text() == "timeout\n"


def test_app_that_dies_late_is_noticed_when_it_dies(bench, fault):
    """Ten seconds into its run: by the death, not by a limit (which is 15 minutes)."""
    fault("client-hang=3,once")
    fault("app-dies-ms=10000,once")
    result, row = one_broken_cell(bench, "inproc")
    assert row["reason"] == "app-died" and "10.0 s after its start" in row["text"], result
    assert (result.dir / row["dir"] / "STATUS").read_text() == "process_died\n"


def test_fatal_line_ends_a_run_that_goes_on(bench, fault):
    fault("client-fatal=once")
    fault("client-slow=200")
    result, row = one_broken_cell(bench, "inproc")
    assert row["reason"] == "fatal-in-log" and "Fatal{BarrierTimeout" in row["text"], result
    assert facts_of(result, row, "replay")["end"] == "fatal"


# ---- the phone's state ----


@pytest.mark.parametrize("knob, reason, word", [
    ("phone-hot=480", "too-hot", "above the temperature band"),
    ("phone-hot=20", "too-cold", "below the temperature band"),
    ("phone-unplugged", "unplugged", "no external power"),
])
def test_cell_does_not_begin_behind_a_shut_gate(bench, fault, knob, reason, word):
    fault(knob)
    before = len(bench.journal("activity-start"))
    result = bench.run(*ONE_ROUND, *SHORT, *arms("monolith", "tcp"))
    assert result.code == 3, result
    for row in result.summary["runs"]:
        assert (row["verdict"], row["reason"]) == ("failed", reason), result
        assert word in row["text"]
        assert not (result.dir / row["dir"] / "STATUS").exists(), "no old word names this cause"
    assert len(bench.journal("activity-start")) == before, "the app was not even started"
    bench.assert_nothing_left()


def test_gate_is_waited_for(bench, fault, broken):
    """The phone cools down while the cell waits: it is measured then, and the wait is told."""
    fault("phone-hot=480")
    run = broken(*ONE_ROUND, *setting("gate_timeout", "60s"), *arms("monolith"))
    run.wait_line(r"monolith-r1 quiesce: waiting for 5\.0 to 38\.0 C, battery 48\.0 C, 60 s at most")
    bench.lab.clear_fault()
    result = run.end()
    assert states(result) == {"openra/monolith-r1": "measured"}, result
    row = result.cell("monolith")
    assert row["battery_temp_dc"] <= 380
    assert row["gate_waited_ms"] == facts_of(result, row, "quiesce")["gate_waited_ms"]


def test_phone_without_power_is_fine_where_the_plan_says_so(bench, fault):
    fault("phone-unplugged")
    result = bench.run(*ONE_ROUND, *SHORT, *setting("power", "any"), *arms("monolith"))
    assert states(result) == {"openra/monolith-r1": "measured"}, result


@pytest.mark.parametrize("policy, state", [("accept", "measured"), ("refuse", "device-state-missing")])
def test_unreadable_value_is_a_state_with_a_policy(bench, fault, policy, state):
    fault("phone-node-missing=/sys/class/power_supply/battery/temp")
    result = bench.run(*ONE_ROUND, *SHORT, *setting("unreadable", policy), *arms("monolith"))
    row = result.cell("monolith")
    assert (row["reason"] or row["verdict"]) == state, result
    told = next(x["seen"] for x in row["evidence"] if x["check"] == "battery temperature")
    assert told.startswith("not readable on this phone")
    assert ("which the plan accepts" in told) is (policy == "accept")
    assert "battery_temp_dc" in facts_of(result, row, "state")["nodes_unreadable"]


def test_throttling_in_the_window_voids_the_cell(bench, fault):
    fault("phone-throttled=300")
    fault("client-slow=200")
    result = bench.run(*ONE_ROUND, *arms("monolith"))
    row = result.cell("monolith")
    assert (row["verdict"], row["reason"]) == ("invalid", "throttled"), result
    assert "gpu_thermal_level" in row["text"] or "_max_khz" in row["text"], row["text"]


def test_throttling_in_a_run_of_a_moment_voids_the_cell(bench, fault):
    """From the activity's start to its end, a third of a second: no row that is due falls into it, unless
    by chance, and before and after it nothing is wrong."""
    fault("phone-throttled=0")
    result = bench.run(*ONE_ROUND, *SHORT, *arms("monolith", "inproc", "shm"))
    for row in result.summary["runs"]:
        assert (row["verdict"], row["reason"]) == ("invalid", "throttled"), result
        assert row["app_s"] < 1, row


def test_leaving_the_temperature_band_voids_the_cell(bench, fault, broken):
    fault("client-slow=350")
    run = broken(*ONE_ROUND, *SHORT, *arms("monolith"))
    run.wait_line(r"monolith-r1 state: ready")  # behind the gate
    fault("phone-warming=80")
    result = run.end()
    row = result.cell("monolith")
    assert (row["verdict"], row["reason"]) == ("invalid", "left-temperature-band"), result
    assert "5.0 to 38.0 C" in row["text"] and row["battery_temp_max_dc"] > 380


def test_losing_power_in_the_window_voids_the_cell(bench, fault, broken):
    fault("client-slow=250")
    run = broken(*ONE_ROUND, *arms("monolith"))
    run.wait_line(r"monolith-r1 state: ready")
    fault("phone-unplugged")
    result = run.end()
    row = result.cell("monolith")
    assert (row["verdict"], row["reason"]) == ("invalid", "power-lost"), result


# What the setup prepared and somebody changes while the only cell's app runs: no later cell looks.
MEANWHILE = [
    ("settings put global stay_on_while_plugged_in 0", "knob-lost",
     "no longer held after the app's run: setting global stay_on_while_plugged_in 7", "knobs held"),
    (f"su -c 'touch /data/app/{PACKAGE}/base.apk'", "app-changed", f"{PACKAGE} was installed anew",
     "same app after the run"),
]


@pytest.mark.parametrize("command, reason, word, check", MEANWHILE, ids=[row[1] for row in MEANWHILE])
def test_what_the_last_cell_loses_in_its_run_is_seen(bench, fault, broken, command, reason, word, check):
    fault("phone-rooted")
    fault("client-slow=250")
    run = broken(*ONE_ROUND, *arms("monolith"))
    run.wait_line(r"monolith-r1 state: ready")
    bench.shell(command)
    result = run.end()
    row = result.cell("monolith")
    assert (row["verdict"], row["reason"]) == ("invalid", reason), result
    assert word in row["text"], row["text"]
    bad = [item["check"] for item in row["evidence"] if item["outcome"] != "ok"]
    assert bad == [check], row["evidence"]
    assert row["adb_streams"] <= 10, row
    bench.assert_nothing_left()


# ---- logs, storage, transport ----


def test_flood_of_log_lines_hides_nothing(bench, fault):
    """30000 lines at full speed while the server starts: its listen line and the log's end are found."""
    fault("phone-log-flood=30000,once")
    result = bench.run(*ONE_ROUND, *arms("tcp"))
    assert states(result) == {"openra/tcp-r1": "measured"}, result
    logcat = facts_of(result, result.cell("tcp"), "logcat")
    assert logcat["complete"] is True


def test_flood_in_the_clients_log(bench, fault):
    fault("client-log-flood=20000,once")
    result = bench.run(*ONE_ROUND, *arms("shm"))
    assert states(result) == {"openra/shm-r1": "measured"}, result
    assert log_of(result, result.cell("shm")).count("dead doorbell") == 20000


def test_full_storage_at_the_setup_stops_the_run(bench, fault):
    fault("phone-disk-full")
    result = bench.run(*ONE_ROUND, *arms("monolith", "shm"))
    assert result.code == 3, result
    assert set(states(result).values()) == {"run-stopped"}
    assert "No space left on device" in result.out and "/data/local/tmp" in result.out, result
    assert "free space on the phone" in result.out, result
    bench.lab.clear_fault()
    bench.assert_nothing_left()


def test_full_storage_in_a_cell_is_named_and_the_plan_goes_on(bench, fault, broken):
    run = broken(*ONE_ROUND, *SHORT, *arms("tcp", "monolith"))
    run.wait_line(r"tcp-r1: attempt 1")
    bench.lab.fault("phone-disk-full")
    run.wait_line(r"openra/tcp-r1: (failed|invalid)")
    bench.lab.clear_fault()
    result = run.end()
    row = result.cell("tcp")
    assert row["verdict"] in ("failed", "invalid") and row["reason"], result
    assert result.cell("monolith")["verdict"] in ("measured", "failed"), result
    bench.assert_nothing_left()


def test_transport_that_is_back_within_the_budget_costs_nothing(bench, fault):
    """adb is away for a second while the app runs on; its result counts."""
    fault("phone-adb-drop-at=300+1000,once")
    fault("client-slow=250")
    result = bench.run(*ONE_ROUND, *arms("inproc"))
    row = result.cell("inproc")
    assert states(result) == {"openra/inproc-r1": "measured"}, result
    assert row["attempts"] == 1 and facts_of(result, row, "replay")["transport_losses"] == 1
    assert row["app_s"] >= 2, "the whole run: eight frames of 250 ms"
    bench.assert_nothing_left()


@pytest.mark.parametrize("drop", ["100+1000", "50+3000"])
def test_run_that_ends_while_adb_is_away_is_tried_again(bench, fault, drop):
    """Nobody saw when it ended: the first attempt is no measurement, and says why."""
    fault(f"phone-adb-drop-at={drop},once")
    result = bench.run(*ONE_ROUND, *SHORT, *setting("device_timeout", "60s"), *arms("shm"))
    row = result.cell("shm")
    assert row["verdict"] == "measured" and row["attempts"] == 2, result
    first = json.loads((result.dir / "attempts" / row["id"] / "a1/verdict.json").read_text())
    assert first["reason"] == "transport-lost" and "adb lost the phone 1 time" in first["text"], first
    bench.assert_nothing_left()


def test_transport_lost_beside_a_server_costs_nothing_either(bench, fault):
    """The server is the app's: it is watched again when adb is back, by the same pid."""
    fault("phone-adb-drop-at=300+500,once")
    fault("client-slow=250")
    result = bench.run(*ONE_ROUND, *arms("tcp"))
    row = result.cell("tcp")
    assert row["verdict"] == "measured" and row["attempts"] == 1, result
    server = facts_of(result, row, "server")
    assert server["transport_losses"] == 1 and server["session_reaped"] is True, server
    assert server["watch"] == "helper"
    bench.assert_nothing_left()


def test_transport_that_stays_away_is_a_lost_device(bench, fault):
    fault("phone-adb-drop-at=300+8000,once")
    fault("client-slow=250")
    result = bench.run(*ONE_ROUND, *setting("device_timeout", "2s"), *arms("monolith"), "--set",
                       "retries_per_cell=0")
    assert result.code == 3, result
    assert result.cell("monolith")["reason"] in ("device-lost", "setup-lost"), result
    assert "10.99.0.2:5555" in result.cell("monolith")["text"]
    bench.wait_phone()
    bench.assert_nothing_left()


def test_phone_that_reboots_is_named_and_the_cell_tried_again(bench, fault):
    """What the run has set on the phone is set anew after the restart."""
    fault("phone-reboot-at=300,once")
    fault("client-slow=100")
    result = bench.run(*ONE_ROUND, *SHORT, *arms("monolith", "inproc"))
    bench.wait_phone()
    row = result.cell("monolith")
    first = json.loads((result.dir / "attempts" / row["id"] / "a1/verdict.json").read_text())
    assert first["reason"] == "phone-rebooted" and "has rebooted" in first["text"], first
    assert states(result) == {"openra/monolith-r1": "measured", "openra/inproc-r1": "measured"}, result
    assert row["attempts"] == 2
    bench.assert_nothing_left()


def test_restart_that_is_first_seen_as_a_lost_phone(bench, broken):
    """Away for longer than a step waits for it: lost, as far as anybody knows. The next attempt finds another
    boot: the first one gets its right name, the setup is made again, and the cell has its retry."""
    bench.lab.fault("client-slow=200")
    run = broken(*ONE_ROUND, *SHORT, *setting("device_timeout", "8s"), *arms("monolith", "inproc"),
                 "--set", "retries_per_cell=1")
    run.wait_line(r"monolith-r1 state: ready")
    bench.lab.fault("phone-gone")
    run.wait_line(r"monolith-r1: attempt 2")
    bench.lab.clear_fault()
    bench.wait_phone()
    result = run.end()
    row = result.cell("monolith")
    assert states(result) == {"openra/monolith-r1": "measured", "openra/inproc-r1": "measured"}, result
    assert row["attempts"] == 3 and (result.dir / "attempts/setup/a2").is_dir(), result
    for number, word in ((1, "as its boot id says afterwards: step"), (2, "restarted since the setup")):
        path = result.dir / "attempts" / row["id"] / f"a{number}/verdict.json"
        verdict = json.loads(path.read_text())
        assert verdict["reason"] == "phone-rebooted" and word in verdict["text"], verdict
    assert any("attempt 1 lost the phone because it was restarted" in note
               for note in result.summary["notes"]), result.summary["notes"]
    bench.assert_nothing_left()


# ---- setup: fixtures, app, device program ----


def lfs_pointer(folder, trace):
    path = folder / "openra.trace"
    path.write_text("version https://git-lfs.github.com/spec/v1\n"
                    f"oid sha256:{'4d7a2146' * 8}\nsize 12345\n")
    return path


def archive(folder, trace):
    path = folder / "openra.tgz"
    shutil.copy(trace, path)
    return path


def empty(folder, trace):
    path = folder / "empty.trace"
    path.write_bytes(b"")
    return path


def missing(folder, trace):
    return folder / "nothing-here.trace"


def no_picture(folder, trace):
    path = folder / "golden.png"
    path.write_text("not a picture")
    return path


@pytest.mark.parametrize("key, make, word", [
    ("host_trace", lfs_pointer, "Git LFS pointer"),
    ("host_trace", archive, "archive"),
    ("host_trace", empty, "empty"),
    ("host_trace", missing, "No such file"),
    ("host_golden", no_picture, "no PNG"),
])
def test_bad_fixture_is_refused_by_name(bench, tmp_path, key, make, word):
    path = make(tmp_path, bench.lab.state / "fixtures/openra.trace")
    result = bench.run(*ONE_ROUND, *arms("monolith"), "--set", f"workloads.openra.{key}={path}")
    assert result.code == 3, result
    assert states(result) == {"openra/monolith-r1": "run-stopped"}
    assert str(path) in result.out and word in result.out, result
    bench.assert_nothing_left()


@pytest.mark.parametrize("package, word", [
    (RELEASE_PACKAGE, "not debuggable"),
    ("top.mobilegl.plugin.nosuch.trace", "is not installed; next: install its APK"),
])
def test_app_that_cannot_be_used_is_named(bench, package, word):
    result = bench.run(*ONE_ROUND, *arms("monolith"), "--set", f"phone.package={package}")
    assert result.code == 3, result
    assert states(result) == {"openra/monolith-r1": "run-stopped"}
    out = " ".join(result.out.split())
    assert word in out and package in out, result
    bench.assert_nothing_left()


def test_phone_of_another_abi_is_named(bench, fault):
    fault("phone-abi=riscv64")
    result = bench.run(*ONE_ROUND, *arms("monolith"))
    assert result.code == 3 and states(result) == {"openra/monolith-r1": "run-stopped"}, result
    out = " ".join(result.out.split())
    assert 'no mgdevice for a phone with the ABI "riscv64"; next: build it' in out, result
    bench.assert_nothing_left()


def test_arms_of_a_build_that_is_not_installed_are_left_out(bench):
    """The others go on; what to do about it is said."""
    result = bench.run(*ONE_ROUND, *arms("monolith", "tcp@nosuch", "inproc@nosuch"))
    assert result.code == 3, result
    assert states(result) == {"openra/monolith-r1": "measured",
                              "openra/tcp@nosuch-r1": "not-installed",
                              "openra/inproc@nosuch-r1": "not-installed"}
    out = " ".join(result.out.split())
    assert "the app top.mobilegl.plugin.nosuch.trace is not installed; next: install its APK" in \
        out, result
    assert "run was stopped" not in out, result
    again = bench.lab.exec("wsl", benchlib.MGCOORD, "report", result.dir, check=False)
    assert again.stdout.strip() == result.out.split("\nreport: ")[0].strip()
    bench.assert_nothing_left()
