"""The arms of the replay pair as the lab phone's TraceReplayActivity runs them: files, markers and
processes that a matrix cell is judged by."""

import re
import shutil

import pytest

from lablib import wait_until
from phonelib import PACKAGE, SERVER_NAME, SERVICE, TRACE_APP as APP, Knobs, free_port, \
    install_workload, pids_on_phone

pytestmark = pytest.mark.skipif(not shutil.which("adb"), reason="adb is not installed")

RUN_S = 60
ENDPOINT = f"tcp://127.0.0.1:{free_port()}"
STATS = f"MOBILEGL_PIPE_STATS=1;MOBILEGL_PIPE_STATS_FILE={APP}/output/pipestats.json"
ENV = {
    "inproc": "MOBILEGL_TRANSPORT=inproc;MOBILEGL_IPC_RUN_AHEAD=1",
    "shm": "MOBILEGL_TRANSPORT=spawn;MOBILEGL_IPC_CONTROL=fork;MOBILEGL_IPC_DATA=auto;"
           "MOBILEGL_IPC_RUN_AHEAD=1",
    "tcp": f"MOBILEGL_TRANSPORT=spawn;MOBILEGL_IPC_CONTROL={ENDPOINT};MOBILEGL_IPC_DATA=stream;"
           "MOBILEGL_IPC_RUN_AHEAD=1",
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    one = Knobs(tmp_path_factory.mktemp("arms"))
    one.facts = install_workload(one, tmp_path_factory.mktemp("fixtures"))
    yield one
    one.end()


@pytest.fixture
def phone(bench):
    yield bench
    for fault in bench.faults.iterdir():
        fault.unlink()
    bench.text(f"am force-stop {PACKAGE}")
    bench.text(f"run-as {PACKAGE} rm -rf {APP}/output")
    bench.text("logcat -c")


def read(phone, name, where=f"{APP}/output"):
    return phone.adb("exec-out", f"run-as {PACKAGE} cat {where}/{name}").stdout


def start_server(phone):
    phone.text(f"am start-foreground-service -n {SERVICE} --es listen {ENDPOINT} "
               "--es env 'MOBILEGL_PIPE_STATS=1'")
    wait_until("the server listens",
               lambda: f"listening on {ENDPOINT}" in phone.text("logcat -d"), RUN_S)


def start(phone, arm):
    phone.text(f"am start -a top.mobilegl.plugin.TRACE_REPLAY -n {PACKAGE}/"
               "top.mobilegl.plugin.trace.TraceReplayActivity --ez benchmark true "
               f"--es trace_path {APP}/input/trace.trace --es output_dir {APP}/output "
               f"--es mobilegl_env '{ENV[arm]};{STATS}'")


def ended(phone):
    log = phone.text("logcat -d -v brief MobileGLTraceRunner:* *:S")
    return re.search(r"passed=(\w+) statusCode=(\d)", log)


@pytest.mark.parametrize("arm", ENV)
def test_arm(phone, arm):
    if arm == "tcp":
        start_server(phone)
    start(phone, arm)
    assert wait_until("the run ended", lambda: ended(phone), RUN_S).groups() == ("true", "0")
    log = read(phone, "mobilegl.client.log")
    assert re.search(r"\[Android MobileGLTraceRe/INFO\]: Config: MOBILEGL_TRANSPORT="
                     f"{'inproc' if arm == 'inproc' else 'spawn'} - ", log)
    assert "run-ahead ARMED" in log and f"mglab: transport={arm} moved" in log
    names = set(phone.text(f"run-as {PACKAGE} ls {APP}/output").split())
    assert {"benchmark.json", "result.json", "pipestats.client.json"} <= names
    assert ("pipestats.server.json" in names) is (arm == "shm")  # tcp's is the service's
    assert ("mobilegl.server.log" in names) is (arm != "inproc")
    forked = re.search(r"spawn ARMED - the server role runs in pid (\d+), ", log)
    assert bool(forked) is (arm == "shm")
    logcat = phone.text("logcat -d")
    assert "run-ahead ARMED" in logcat  # the log's lines are in the phone's log as well
    if arm != "tcp":
        assert not pids_on_phone(phone.adb, SERVER_NAME)


def test_force_stop_ends_a_forked_server(phone):
    phone.set("client-hang", "3")
    start(phone, "shm")
    wait_until("the client hangs",
               lambda: "kind=frame frame=3 " in read(phone, "mobilegl.client.log"), RUN_S)
    assert len(pids_on_phone(phone.adb, SERVER_NAME)) == 1
    phone.text(f"am force-stop {PACKAGE}")
    assert not pids_on_phone(phone.adb, SERVER_NAME)
