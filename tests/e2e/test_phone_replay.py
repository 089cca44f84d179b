"""The trace app's TraceReplayActivity on the lab phone, started as people start it: adb and am."""

import json
import re
import shutil

import pytest

from lablib import wait_until
from phonelib import PACKAGE, TRACE_APP as APP, Knobs, install_workload, pids_on_phone

pytestmark = pytest.mark.skipif(not shutil.which("adb"), reason="adb is not installed")

ACTIVITY = "top.mobilegl.plugin.trace.TraceReplayActivity"
RUN_S = 60
STALE = "the retrace state of an earlier run"


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """A phone with the fixtures of one small workload in the app's directory."""
    one = Knobs(tmp_path_factory.mktemp("replay"))
    one.facts = install_workload(one, tmp_path_factory.mktemp("fixtures"))
    yield one
    one.end()


@pytest.fixture
def phone(bench):
    yield bench
    for fault in bench.faults.iterdir():
        fault.unlink()
    for package in (PACKAGE, "top.mobilegl.plugin.p14.trace"):
        bench.text(f"am force-stop {package}")
    bench.text(f"run-as {PACKAGE} rm -rf {APP}/output {APP}/result.json")
    bench.text("logcat -c")


def start(phone, *extras, package=PACKAGE, trace=f"{APP}/input/trace.trace", flags=""):
    words = ["am start", flags, "-a top.mobilegl.plugin.TRACE_REPLAY", f"-n {package}/{ACTIVITY}",
             f"--es trace_path {trace}", f"--es output_dir {APP}/output", *extras]
    return phone.adb.shell(" ".join(words))


def read(phone, name="result.json", where=f"{APP}/output"):
    done = phone.adb("exec-out", f"run-as {PACKAGE} cat {where}/{name}")
    try:
        return json.loads(done.stdout)
    except ValueError:
        return None


def result(phone, **kwargs):
    return wait_until("result.json is whole", lambda: read(phone, **kwargs), RUN_S)


def test_a_benchmark_of_the_monolith(phone):
    done = start(phone, "--ez benchmark true", "--ei width 640 --ei height 480",
                 "--es mobilegl_env 'MOBILEGL_PIPE_STATS=1;"
                 f"MOBILEGL_PIPE_STATS_FILE={APP}/output/pipestats.json'")
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout == ("Starting: Intent { act=top.mobilegl.plugin.TRACE_REPLAY cmp="
                           f"{PACKAGE}/.TraceReplayActivity (has extras) }}\n"), done.stdout
    found = result(phone)
    assert found["passed"] and found["benchmark"] and found["statusCode"] == 0
    assert (found["width"], found["height"], found["benchmarkFinish"]) == (640, 480, True)
    assert read(phone, "benchmark.json")["totalFrames"] == phone.facts["frames"]
    names = phone.text(f"run-as {PACKAGE} ls {APP}/output").split()
    assert {"benchmark.json", "mobilegl.client.log", "result.json", "retrace.log"} <= set(names)
    wait_until("the result is in the log", lambda: "passed=true statusCode=0" in phone.text(
        "logcat -d -v brief MobileGLTraceRunner:* *:S"), RUN_S)


def test_ssim_against_the_golden(phone):
    crop = phone.facts["crop"]
    start(phone, f"--es golden_path {APP}/input/golden.png",
          f"--el target_call {phone.facts['targetCall']}", "--es ssim_threshold 0.99",
          *(f"--ei crop_{name} {value}" for name, value in zip(("x", "y", "width", "height"), crop)))
    found = result(phone)
    assert found["passed"] and found["ssim"] > 0.99 and not found.get("benchmark"), found


def test_a_wrong_type_is_as_good_as_absent(phone):
    """target_call is a long, benchmark_finish a boolean; ssim_threshold no float."""
    start(phone, "--ez benchmark true", "--es benchmark_finish false", "--ei target_call 5",
          "--ef ssim_threshold 0.5", "--el width 320")
    found = result(phone)
    assert found["benchmarkFinish"] is True and found["targetCall"] == -1
    assert found["ssimThreshold"] == 0.99 and found["width"] != 320


def test_what_the_activity_refuses_is_in_its_result(phone):
    start(phone, "--ei target_call 5")
    found = result(phone)
    assert (found["passed"], found["statusCode"]) == (False, 1) and "target_call" in found["message"]


def test_the_process_lives_on_and_its_second_run_is_not_sound(phone):
    start(phone, "--ez benchmark true")
    assert result(phone)["passed"]
    pid = pids_on_phone(phone.adb, PACKAGE)
    assert len(pid) == 1
    assert phone.text(f"cat /proc/{pid[0]}/comm") == PACKAGE[-15:]
    wait_until("the activity has finished", lambda: phone.journal("activity-end"), RUN_S)
    done = start(phone, "--ez benchmark true", flags="-W")
    assert "LaunchState: WARM" in done.stdout and "Warning" not in done.stderr
    wait_until("the second run fails", lambda: STALE in (read(phone) or {}).get("message", ""), RUN_S)
    assert pids_on_phone(phone.adb, PACKAGE) == pid
    phone.text(f"am force-stop {PACKAGE}")
    assert not pids_on_phone(phone.adb, PACKAGE)
    done = start(phone, "--ez benchmark true", flags="-W")
    assert re.search(r"Status: ok\nLaunchState: COLD\nActivity: \S+\nTotalTime: \d+\nWaitTime: \d+\n"
                     "Complete", done.stdout), done.stdout
    wait_until("a sound run", lambda: (read(phone) or {}).get("passed"), RUN_S)


def test_a_start_while_it_runs_only_brings_it_to_the_front(phone):
    phone.set("client-hang", "2")
    start(phone, "--ez benchmark true")
    wait_until("the replay thread", lambda: "MobileGLTraceRe" in phone.adb.shell(
        f"cat /proc/$(pidof {PACKAGE})/task/*/comm").stdout, RUN_S)
    done = start(phone, "--ez benchmark true")
    assert "Warning: Activity not started, its current task has been brought to the front" \
        in done.stderr and done.returncode == 0
    done = start(phone, "--ez benchmark true", flags="-S")
    assert done.stdout.startswith(f"Stopping: {PACKAGE}\n") and "Warning" not in done.stderr


@pytest.mark.parametrize("where, code, words", [
    (f"{PACKAGE}/.NoSuchActivity", 1, ["Error type 3", "does not exist."]),
    (f"no.such.package/{ACTIVITY}", 1, ["Error type 3"]),
    (f"top.mobilegl.plugin/{ACTIVITY}", 255, ["java.lang.SecurityException", "not exported"]),
])
def test_starts_that_fail(phone, where, code, words):
    done = phone.adb.shell(f"am start -n {where} --ez benchmark true")
    assert done.returncode == code and all(word in done.stderr for word in words), done


@pytest.mark.parametrize("value, words", [("1,once", "Error type 3"), ("denied,once", "not exported")])
def test_am_start_error(phone, value, words):
    phone.set("am-start-error", value)
    assert words in start(phone, "--ez benchmark true").stderr
    assert not phone.is_set("am-start-error")
    assert start(phone, "--ez benchmark true").stderr == ""


def test_the_process_dies_some_time_after_its_start(phone):
    phone.set("app-dies-ms", "400,once")
    phone.set("client-hang", "2")
    start(phone, "--ez benchmark true")
    wait_until("the app is dead", lambda: not pids_on_phone(phone.adb, PACKAGE), RUN_S)
    born, died = phone.journal("app-start")[-1], phone.journal("app-end")[-1]
    assert born["pid"] == died["pid"] and died["mono_ms"] - born["mono_ms"] >= 400


def test_the_phone_restarts_some_time_after_the_start(phone):
    phone.set("phone-reboot-at", "300,once")
    phone.set("client-hang", "2")
    start(phone, "--ez benchmark true")
    wait_until("it was off", lambda: phone.journal("phone-on"), RUN_S)
    phone.clear("client-hang")
    phone.reconnect()
    off, started = phone.journal("phone-off")[-1], phone.journal("activity-start")[-1]
    assert off["mono_ms"] - started["mono_ms"] >= 300
    assert not pids_on_phone(phone.adb, PACKAGE)


def test_adb_breaks_some_time_after_the_start_and_the_app_goes_on(phone):
    phone.set("phone-adb-drop-at", "300+500,once")
    phone.set("client-slow", "200")
    start(phone, "--ez benchmark true")
    wait_until("adb breaks", lambda: phone.is_set("phone-adb-drop"), RUN_S)
    phone.wait_taken("phone-adb-drop")
    phone.reconnect()
    assert result(phone)["passed"]


def test_the_journal_times_a_run_and_counts_streams(phone):
    before = len(phone.journal("adb-stream"))
    start(phone, "--ez benchmark true")
    phone.text("true")
    assert len(phone.journal("adb-stream")) == before + 2
    assert phone.journal("adb-stream")[-2]["command"] == "am"
    result(phone)
    closed = wait_until("the result is noted", lambda: phone.journal("result-closed"), RUN_S)[-1]
    born = phone.journal("app-start")[-1]
    assert closed["pid"] == born["pid"] and closed["package"] == PACKAGE
    assert 0 < closed["mono_ms"] - born["mono_ms"] < RUN_S * 1000


def test_several_builds(phone):
    listed = phone.text("pm list packages top.mobilegl").split()
    assert {f"package:{PACKAGE}", "package:top.mobilegl.plugin.p14.trace",
            "package:top.mobilegl.plugin.p14dev.trace"} <= set(listed)
    side = "top.mobilegl.plugin.p14.trace"
    assert phone.text(f"pm path {side}") == f"package:/data/app/{side}/base.apk"
    hashes = {phone.text(f"sha256sum /data/app/{name}/base.apk").split()[0]
              for name in (PACKAGE, side)}
    assert len(hashes) == 2
    facts = phone.text(f"dumpsys package {side}")
    assert "versionCode=114" in facts and "versionName=lab-114" in facts and "DEBUGGABLE" in facts
    library = re.search(r"legacyNativeLibraryDir=(\S+)", facts)[1]
    assert re.match(r"[0-9a-f]{64}", phone.text(f"sha256sum {library}/libMobileGL.so"))
    done = phone.adb.shell("run-as top.mobilegl.plugin.release.trace true")
    assert done.returncode == 1 and \
        done.stderr == "run-as: package not debuggable: top.mobilegl.plugin.release.trace\n"
    assert "DEBUGGABLE" not in phone.text("dumpsys package top.mobilegl.plugin.release.trace")


def test_each_build_is_a_user_of_its_own(phone):
    if "uids=real" not in phone.phone.ready:
        pytest.skip("this lab has a single user id")
    side = "top.mobilegl.plugin.p14.trace"
    assert phone.text(f"run-as {PACKAGE} id -u") != phone.text(f"run-as {side} id -u")
    done = phone.adb.shell(f"run-as {side} cat {APP}/input/trace.trace")
    assert done.returncode != 0 and "Permission denied" in done.stderr
