"""host.replay against the lab phone's app: each way it ends, and what is left after it was cut off."""

import json
import subprocess

import pytest

from test_host_adb import (DEADLINE_S, PACKAGE, PAIR, Task, free_port, phone, server,  # noqa: F401
                           shared_phone)
from test_host_cell import fixtures, helper, helper_there, quiesce, undo_after_kill  # noqa: F401
from lablib import wait_until

OUTPUT = "trace-replay/output"
NAMES = ["result.json", "benchmark.json", "mobilegl.client.log", "mobilegl.server.log",
         "pipestats.client.json", "pipestats.server.json", "retrace.log"]
ARMS = {
    "monolith": "MOBILEGL_PIPE_STATS=1",
    "inproc": "MOBILEGL_TRANSPORT=inproc;MOBILEGL_IPC_RUN_AHEAD=1;MOBILEGL_PIPE_STATS=1",
    "shm": "MOBILEGL_TRANSPORT=spawn;MOBILEGL_IPC_CONTROL=fork;MOBILEGL_IPC_DATA=auto;"
           "MOBILEGL_IPC_RUN_AHEAD=1;MOBILEGL_PIPE_STATS=1",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """openra's trace and golden, fewer frames, and what is true of them."""
    folder = tmp_path_factory.mktemp("fixtures")
    subprocess.run([PAIR / "mglab-fixtures", "--frames-divisor", "8", folder], check=True,
                   timeout=DEADLINE_S)
    facts = json.loads((folder / "fixtures.json").read_text())["openra"]
    return folder, facts


@pytest.fixture
def ready(helper, made):
    """A phone at rest with helper and fixtures."""
    folder, facts = made
    done = fixtures(helper, dir="input", trace=folder / facts["trace"], golden=folder / facts["golden"])
    assert done.result() == ("ok", "")
    assert quiesce(helper).result()[0] == "ok"
    return helper, facts


def replay(ready, arm="monolith", **params):
    phone, facts = ready
    files = ",".join(f"{OUTPUT}/{name}={name}" for name in NAMES)
    env = ARMS.get(arm, arm)
    stats = f"/data/user/0/{PACKAGE}/files/{OUTPUT}/pipestats.json"
    given = {"package": PACKAGE, "dir": "input", "mode": "benchmark", "backend": "DirectGLES",
             "env": f"{env};MOBILEGL_PIPE_STATS_FILE={stats}", "width": facts["width"],
             "height": facts["height"], "target_call": facts["targetCall"], "timeout_ms": 60000,
             "files": files}
    given.update(params)
    return Task(phone, "host.replay", **given)


def app_pids(phone):
    return phone.shell("pidof", PACKAGE, ok=False).split()


def ours(phone):
    """Readers of the log and device programs on the phone."""
    return [line for line in phone.shell("ps", "-A", "-o", "ARGS").splitlines()
            if line.startswith(("logcat", "mgdevice"))]


@pytest.mark.parametrize("arm", ARMS)
def test_a_replay_ends_with_its_result(ready, arm):
    task = replay(ready, arm)
    assert task.result() == ("ok", ""), task.seen
    facts = task.facts
    assert facts["end"] == "result"
    assert facts["adb_streams"] == "2"
    assert facts["transport_losses"] == "0"
    assert "Starting" in facts["am_output"]
    assert int(facts["end_mono_ns"]) > int(facts["start_mono_ns"]) > 0
    assert int(facts["app_ms"]) > 0 and int(facts["launch_ms"]) >= 0
    assert len(facts["boot_id"]) == 36
    assert json.loads(task.artifacts["result.json"].read_text())["passed"] is True
    assert json.loads(task.artifacts["benchmark.json"].read_text())
    assert "mobilegl.client.log" in task.artifacts
    assert ("pipestats.server.json" in task.artifacts) == (arm == "shm")
    missing = set(facts.get("missing_files", "").split(",")) - {""}
    assert missing == set(NAMES) - set(task.artifacts)
    assert task.journal == 0
    assert "fatal_line" not in facts and "failure" not in facts
    wait_until("nothing of ours runs on the phone", lambda: ours(ready[0]) == [], DEADLINE_S)


def test_app_and_knobs_are_looked_at_once_more(ready, monkeypatch):
    """After the run, on the same streams: what was turned back while it was on shows."""
    phone, _ = ready
    phone.shell("settings", "put", "global", "mgc_test", "1")
    monkeypatch.setitem(phone.env, "HELD_SERIAL", phone.serial)
    monkeypatch.setitem(phone.env, "HELD_KNOBS", "setting global mgc_test 1\nstay-on true")
    phone.shell("svc", "power", "stayon", "true")
    held = replay(ready)
    assert held.result()[0] == "ok" and held.facts["knobs_lost"] == "", held.seen
    at_rest = quiesce(phone)
    assert at_rest.result()[0] == "ok" and held.facts["app_stamp"] == at_rest.facts["app_stamp"]
    phone.shell("settings", "put", "global", "mgc_test", "2")
    lost = replay(ready)
    assert lost.result()[0] == "ok" and lost.facts["knobs_lost"] == "setting global mgc_test 1", lost.seen
    assert lost.facts["adb_streams"] == held.facts["adb_streams"] == "2"
    phone.shell("settings", "delete", "global", "mgc_test")


def test_ssim(ready):
    task = replay(ready, mode="ssim")
    assert task.result()[0] == "ok"
    assert task.facts["end"] == "result"
    result = json.loads(task.artifacts["result.json"].read_text())
    assert result["passed"] is True and result["ssim"] > 0.99


def test_nothing_replays_on_a_phone_that_sleeps(ready):
    phone, _ = ready
    phone.shell("input", "keyevent", "KEYCODE_SLEEP")
    task = replay(ready, timeout_ms=3000)
    assert task.result()[0] == "ok"
    assert task.facts["end"] == "timeout"
    assert "pid" in task.facts
    assert "result.json" in task.facts["missing_files"].split(",")
    assert quiesce(phone).result()[0] == "ok"
    again = replay(ready)
    assert again.result()[0] == "ok"
    assert again.facts["end"] == "result"


def test_a_crash_is_noticed(ready):
    phone, _ = ready
    phone.fault("client-crash", "2")
    task = replay(ready)
    assert task.result()[0] == "ok"
    assert task.facts["end"] == "died"
    assert "end_mono_ns" in task.facts and "pid" in task.facts
    assert "result.json" in task.facts["missing_files"].split(",")
    assert task.journal == 0
    assert app_pids(phone) == []


def test_a_hang_ends_with_the_limit_and_is_stopped(ready):
    phone, _ = ready
    phone.fault("client-hang", "2")
    task = replay(ready, timeout_ms=4000)
    assert task.result()[0] == "ok"
    assert task.facts["end"] == "timeout"
    assert "end_mono_ns" not in task.facts
    assert "mobilegl.client.log" in task.artifacts
    wait_until("no app", lambda: app_pids(phone) == [], DEADLINE_S)


def test_a_fatal_line_ends_it(ready):
    phone, _ = ready
    phone.fault("client-fatal")
    phone.fault("client-slow", "100")
    task = replay(ready)
    assert task.result()[0] == "ok"
    assert task.facts["end"] == "fatal"
    assert "Fatal{" in task.facts["fatal_line"]
    wait_until("no app", lambda: app_pids(phone) == [], DEADLINE_S)


def test_half_a_result_is_no_end(ready):
    phone, _ = ready
    phone.fault("client-result-early")
    task = replay(ready)
    assert task.result()[0] == "ok"
    assert task.facts["end"] == "result"
    assert json.loads(task.artifacts["result.json"].read_text())["passed"] is True


def test_a_result_that_stays_half_after_the_apps_word_ends_it(ready):
    phone, _ = ready
    phone.fault("client-result-half")
    task = replay(ready, result_grace_ms=1000)
    assert task.result()[0] == "ok"
    assert task.facts["end"] == "no-result"
    wait_until("no app", lambda: app_pids(phone) == [], DEADLINE_S)


def test_a_result_that_stays_half_is_waited_for_to_the_limit(ready):
    phone, _ = ready
    phone.fault("client-result-half")
    task = replay(ready, timeout_ms=4000)
    assert task.result()[0] == "ok"
    assert task.facts["end"] in ("timeout", "died")
    with pytest.raises(ValueError):
        json.loads(task.artifacts["result.json"].read_text())


def test_a_result_in_two_writes_is_waited_for(ready):
    phone, _ = ready
    phone.fault("client-result-pause", "1000")
    task = replay(ready)
    assert task.result()[0] == "ok"
    assert task.facts["end"] == "result"
    assert json.loads(task.artifacts["result.json"].read_text())["passed"] is True


def test_a_package_that_is_not_there(ready):
    code, text = replay(ready, package="not.installed.app").result()
    assert code != "ok" and "not.installed.app" in text


@pytest.mark.parametrize("error", ["type3", "denied"])
def test_a_failed_am_start(ready, error):
    phone, _ = ready
    phone.fault("am-start-error", error)
    task = replay(ready)
    code, text = task.result()
    assert code == "failed" and "am start failed" in text
    assert task.facts["failure"] == "am-start"
    assert "am_output" in task.facts
    assert task.journal == 0


@pytest.mark.parametrize("ms", ["100", "900"])
def test_an_app_that_is_killed_soon(ready, ms):
    phone, _ = ready
    phone.fault("client-slow", "300")
    phone.fault("app-dies-ms", ms)
    task = replay(ready)
    assert task.result()[0] == "ok"
    assert task.facts["end"] == "died"
    assert int(task.facts["app_ms"]) < 30000  # not only at the limit


def test_a_missing_trace_is_in_the_result(ready):
    task = replay(ready, dir="no-such-dir")
    assert task.result()[0] == "ok"
    assert task.facts["end"] == "result"
    assert json.loads(task.artifacts["result.json"].read_text())["passed"] is False


def test_a_process_of_an_earlier_replay_is_in_the_way(ready):
    phone, _ = ready
    assert replay(ready).result()[0] == "ok"
    assert app_pids(phone)
    code, text = replay(ready).result()
    assert code == "busy" and "earlier replay" in text
    assert quiesce(phone).result()[0] == "ok"
    assert replay(ready).result()[0] == "ok"


def start_slow(ready, **params):
    """A replay that takes long enough to act in it, and is running."""
    phone, _ = ready
    phone.fault("client-slow", "300")
    task = replay(ready, **params)
    wait_until("the app", lambda: app_pids(phone), DEADLINE_S)
    return task


def test_a_cancelled_replay_leaves_nothing(ready):
    phone, _ = ready
    task = start_slow(ready)
    task.say("stop")
    assert task.result()[0] == "cancelled"
    assert task.journal == 0
    assert app_pids(phone) == []


def test_a_killed_worker_leaves_nothing(ready):
    phone, _ = ready
    task = start_slow(ready)
    wait_until("its log is read", lambda: len(ours(phone)) >= 2, DEADLINE_S)
    task.process.kill()
    task.process.wait(DEADLINE_S)
    assert app_pids(phone)
    assert undo_after_kill(phone) == 0
    assert app_pids(phone) == []
    wait_until("nothing of ours runs on the phone", lambda: ours(phone) == [], DEADLINE_S)


def test_a_lost_transport_is_survived(ready):
    phone, _ = ready
    task = start_slow(ready)
    phone.fault("phone-adb-drop", "once")
    (phone.faults / "client-slow").unlink()
    assert task.result() == ("ok", ""), task.seen
    assert task.facts["end"] == "result"
    assert int(task.facts["transport_losses"]) >= 1
    assert json.loads(task.artifacts["result.json"].read_text())["passed"] is True


def test_a_transport_that_is_away_when_it_ends(ready):
    phone, _ = ready
    task = start_slow(ready, device_timeout_ms=60000)
    phone.fault("phone-adb-drop", "5000")
    (phone.faults / "client-slow").unlink()
    assert task.result() == ("ok", ""), task.seen
    assert task.facts["end"] == "result"
    assert int(task.facts["transport_losses"]) >= 1


def test_a_reboot_is_told(ready):
    phone, _ = ready
    task = start_slow(ready, device_timeout_ms=60000)
    phone.fault("phone-reboot", "1000")
    code, text = task.result()
    assert code == "lost" and "rebooted" in text
    assert task.facts["failure"] == "rebooted"
    assert task.facts["boot_id_after"] != task.facts["boot_id"]


def test_a_phone_that_stays_away_is_lost(ready):
    phone, _ = ready
    task = start_slow(ready, device_timeout_ms=2000)
    phone.fault("phone-gone")
    code, text = task.result()
    assert code == "lost", text
    assert task.facts["transport_losses"] == "1"
    (phone.faults / "phone-gone").unlink()
    wait_until("the phone", lambda: phone.mgadb("shell", "true", ok=False).returncode == 0,
               DEADLINE_S)
    assert undo_after_kill(phone) == 0


def tcp_env(listen):
    return (f"MOBILEGL_TRANSPORT=spawn;MOBILEGL_IPC_CONTROL={listen};MOBILEGL_IPC_DATA=stream;"
            "MOBILEGL_IPC_RUN_AHEAD=1;MOBILEGL_PIPE_STATS=1")


def test_a_cell_of_the_tcp_arm(ready):
    """As a cell runs it: at most ten streams, and the server without a token, on loopback."""
    phone, _ = ready
    files = f"/data/user/0/{PACKAGE}/files"
    listen = f"tcp://127.0.0.1:{free_port()}"
    logcat = Task(phone, "host.logcat", state="logcat-state")
    logcat.ready()
    at_rest = quiesce(phone)
    assert at_rest.result()[0] == "ok"
    serving = Task(phone, "host.server", state="server-state", package=PACKAGE,
                   listen=listen, backend="DirectGLES", ready_timeout_ms=30000,
                   reap_timeout_ms=30000,
                   expect_session="true",
                   env=f"MOBILEGL_PIPE_STATS=1;MOBILEGL_PIPE_STATS_FILE={files}/pipestats.json",
                   files="pipestats.server.json=tcp-server-pipestats.json,no.such=no.such")
    serving.ready()
    state = Task(phone, "host.state", state="state-state", period_ms=1000)
    state.ready()
    task = replay(ready, tcp_env(listen))
    assert task.result() == ("ok", ""), task.seen
    assert task.facts["end"] == "result"
    assert json.loads(task.artifacts["result.json"].read_text())["passed"] is True
    for holding in (state, serving, logcat):
        holding.say("finish")
        assert holding.result() == ("ok", ""), holding.seen
    assert serving.facts["session_reaped"] == "true"
    assert serving.facts["session_exit"] == "0"
    assert serving.facts["missing_files"] == "no.such"
    assert serving.facts["watch"] == "helper"
    assert json.loads(serving.artifacts["tcp-server-pipestats.json"].read_text())
    assert serving.artifacts["mgl.server.log"].stat().st_size > 0
    streams = {kind: int(one.facts["adb_streams"]) for kind, one in (
        ("logcat", logcat), ("quiesce", at_rest), ("server", serving), ("state", state),
        ("replay", task))}
    print("adb streams", streams)
    assert sum(streams.values()) <= 10, streams


def test_the_files_of_a_server_without_the_helper(phone):
    """One stream each, by the shell."""
    serving, _ = server(phone, files="nothing.json=nothing.json")
    serving.ready()
    serving.say("finish")
    assert serving.result()[0] == "ok"
    assert serving.artifacts["mgl.server.log"].stat().st_size > 0
    assert serving.facts["missing_files"] == "nothing.json"
