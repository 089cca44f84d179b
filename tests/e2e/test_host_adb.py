"""The host worker's adb side against Debian's adb and the lab phone, without a lab: mgadb, and each
task by itself.

The phone and the adb server are the test's own, on ports of their own on loopback.
"""

import hashlib
import os
import pathlib
import queue
import shutil
import socket
import subprocess
import threading
import time

import pytest

from lablib import wait_until

REPO = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("MGC_BUILD") or REPO / "build").resolve()
MGADB = BUILD / "worker-host/mgadb"
DRIVER = BUILD / "tests/e2e/host_task_driver"
PAIR = BUILD / "lab/replay"
PACKAGE = "top.mobilegl.plugin.trace"
SERVICE = f"{PACKAGE}/top.mobilegl.plugin.MobileGLServerService"
FILES = f"/data/user/0/{PACKAGE}/files"
TOKEN = "host-test-token-0123456789"
DEADLINE_S = 90


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Phone:
    def __init__(self, work):
        self.work = work
        self.port = free_port()
        self.serial = f"127.0.0.1:{self.port}"
        self.faults = work / "run/faults"
        self.faults.mkdir(parents=True)
        home = work / "home"
        home.mkdir()
        self.env = dict(os.environ, HOME=str(home), TMPDIR=str(home),
                        ANDROID_ADB_SERVER_PORT=str(free_port()), ANDROID_SERIAL=self.serial)
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [BUILD / "lab/phone/mgphone", "--data", self.work / "phone", "--listen", self.serial,
             "--app-lib", PAIR, "--run-dir", self.work / "run"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("ready"):
            text = self.process.stderr.read()
            self.process.wait(DEADLINE_S)
            pytest.skip(f"no lab phone here: {text.strip()}")

    def kill(self):
        self.process.kill()
        self.process.communicate(timeout=DEADLINE_S)

    def mgadb(self, *args, ok=True):
        done = subprocess.run([MGADB, *map(str, args)], env=self.env, capture_output=True,
                              timeout=DEADLINE_S)
        if ok:
            assert done.returncode == 0, done.stderr.decode()
        return done

    def shell(self, *words, ok=True):
        return self.mgadb("shell", "--", *words, ok=ok).stdout.decode()

    def servers(self):
        return self.shell("pidof", "libMobileGLServer.so", ok=False).split()

    def fault(self, name, value="1"):
        (self.faults / name).write_text(value)

    def end(self):
        self.kill()
        subprocess.run(["adb", "kill-server"], env=self.env, capture_output=True,
                       timeout=DEADLINE_S)


class Task:
    """One task under the driver."""

    def __init__(self, phone, kind, deadline_s=DEADLINE_S, state="state", **params):
        self.state = phone.work / state
        words = [f"{name}={value}" for name, value in params.items()]
        self.process = subprocess.Popen(
            [DRIVER, self.state, kind, str(int(deadline_s * 1000)), f"serial={phone.serial}",
             *words],
            env=phone.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        self.seen = []
        self.facts, self.artifacts = {}, {}
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n").split("\t"))
        self.lines.put(None)

    def line(self):
        found = self.lines.get(timeout=DEADLINE_S)
        assert found is not None, f"the driver ended: {self.seen}"
        self.seen.append(found)
        return found

    def ready(self):
        line = self.line()
        assert line[:2] == ["event", "ready"], self.drain(line)
        return dict(word.split("=", 1) for word in line[2:])

    def drain(self, line):
        while line and line[0] != "result":
            line = self.line()
        return self.seen

    def say(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def result(self):
        """(code, text) once it is over."""
        while True:
            line = self.line()
            if line[0] == "fact":
                self.facts[line[1]] = line[2]
            elif line[0] == "artifact":
                self.artifacts[line[1]] = pathlib.Path(line[2])
            elif line[0] == "journal":
                self.journal = int(line[1])
            elif line[0] == "result":
                self.process.stdin.close()
                self.process.wait(DEADLINE_S)
                self.reader.join()
                return line[1], line[2]


def server(phone, **params):
    given = {"package": PACKAGE, "listen": f"tcp://127.0.0.1:{free_port()}", "secret:token": TOKEN,
             "backend": "DirectGLES", "ready_timeout_ms": 30000, "reap_timeout_ms": 30000,
             "expect_session": "false"}
    given.update(params)
    return Task(phone, "host.server", **given), given["listen"]


@pytest.fixture(scope="module")
def shared_phone(tmp_path_factory):
    if not shutil.which("adb"):
        pytest.skip("no adb program")
    phone = Phone(tmp_path_factory.mktemp("phone"))
    yield phone
    phone.end()


@pytest.fixture
def phone(shared_phone):
    yield shared_phone
    for fault in shared_phone.faults.iterdir():
        fault.unlink()
    if shared_phone.process.poll() is not None:
        shared_phone.start()


@pytest.fixture
def helper(phone):
    """The phone, with the device program on it."""
    task = Task(phone, "host.helper", state="helper-state", packages=PACKAGE)
    task.ready()
    yield phone
    if phone.process.poll() is not None:
        phone.start()
    task.say("finish")
    assert task.result() == ("ok", "")


@pytest.fixture(params=["shell", "helper"])
def watch(request):
    """Who watches the server's process."""
    if request.param == "helper":
        request.getfixturevalue("helper")
    return request.param


# ---- mgadb -----------------------------------------------------------------------------------------


def test_starts_a_missing_server_and_lists_the_phone(phone):
    phone.shell("true")
    text = phone.mgadb("devices").stdout.decode()
    assert f"{phone.serial} online lab_phone" in text
    assert "protocol 41" in text


def test_words_arrive_as_they_are(phone):
    words = ["a b", "c;d", "it's", "$HOME", "*", "", "ä€", "line\nline"]
    got = phone.shell("printf", "%s|", *words)
    assert got == "".join(f"{word}|" for word in words)


def test_exit_code_and_streams(phone):
    done = phone.mgadb("shell", "sh", "-c", "echo out; echo err >&2; exit 7", ok=False)
    assert (done.returncode, done.stdout, done.stderr) == (7, b"out\n", b"err\n")


def test_push_and_pull(phone, tmp_path):
    data = os.urandom(3_000_001)
    (tmp_path / "a").write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    pushed = phone.mgadb("push", tmp_path / "a", "/data/local/tmp/a b").stdout.decode()
    pulled = phone.mgadb("pull", "/data/local/tmp/a b", tmp_path / "b").stdout.decode()
    assert digest in pushed and digest in pulled
    assert (tmp_path / "b").read_bytes() == data


def test_app_file_is_proved(phone, tmp_path):
    phone.shell("run-as", PACKAGE, "sh", "-c", f"echo hello > {FILES}/note")
    text = phone.mgadb("appfile", "-p", PACKAGE, f"{FILES}/note", tmp_path / "note").stdout
    assert b"proved by sha256" in text
    assert (tmp_path / "note").read_bytes() == b"hello\n"


def test_absent_is_not_data(phone, tmp_path):
    done = phone.mgadb("appfile", "-p", PACKAGE, f"{FILES}/none", tmp_path / "none", ok=False)
    assert (done.returncode, done.stdout) == (3, b"absent\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("package, path, word", [
    (PACKAGE, FILES, "not a regular file"),
    ("top.mobilegl.plugin.other", f"{FILES}/note", "unknown package"),
])
def test_app_file_refusals(phone, tmp_path, package, path, word):
    done = phone.mgadb("appfile", "-p", package, path, tmp_path / "x", ok=False)
    assert done.returncode == 1 and word in done.stderr.decode()
    assert list(tmp_path.iterdir()) == []


# ---- tasks -----------------------------------------------------------------------------------------


def test_device(phone):
    task = Task(phone, "host.device", package=PACKAGE)
    assert task.result()[0] == "ok"
    facts = task.facts
    assert facts["model"] == "lab phone" and facts["manufacturer"] == "mgcoord"
    assert facts["adb_version"] == "1.0.41" and "shell_v2" in facts["adb_features"]
    assert facts["app_uid"] == "10123" and facts["package_path"].startswith("/data/app/" + PACKAGE)
    assert {"boot_id", "battery_temp_dc", "battery_level", "power_source"} <= set(facts)


def test_device_connects_again_after_a_disconnect(phone):
    phone.shell("true")
    subprocess.run(["adb", "disconnect", phone.serial], env=phone.env, check=True,
                   capture_output=True, timeout=DEADLINE_S)
    task = Task(phone, "host.device", package=PACKAGE)
    assert task.result()[0] == "ok"


def test_pull(phone):
    phone.shell("run-as", PACKAGE, "sh", "-c", f"echo pulled > {FILES}/p")
    task = Task(phone, "host.pull", package=PACKAGE, path=f"{FILES}/p", name="p.txt")
    assert task.result()[0] == "ok"
    assert task.artifacts["p.txt"].read_bytes() == b"pulled\n"
    assert task.facts["sha256"] == hashlib.sha256(b"pulled\n").hexdigest()
    task = Task(phone, "host.pull", package=PACKAGE, path=f"{FILES}/none", name="p.txt")
    code, text = task.result()
    assert code == "not-found" and "absent" in text and not task.artifacts


def test_bad_parameters_are_refused(phone):
    for bad in ({"path": "relative"}, {"name": "a/b"}, {"package": "a;b"}):
        params = dict({"package": PACKAGE, "path": f"{FILES}/p", "name": "p"}, **bad)
        code, text = Task(phone, "host.pull", **params).result()
        assert code != "ok" and next(iter(bad)) in text


def test_logcat_holds_exactly_what_came_between(phone):
    phone.shell("log", "-t", "before", "x")
    task = Task(phone, "host.logcat")
    task.ready()
    for i in range(5):
        phone.shell("log", "-t", "during", f"line {i}")
    task.say("finish")
    assert task.result()[0] == "ok"
    phone.shell("log", "-t", "after", "x")
    text = task.artifacts["phone-logcat.txt"].read_text()
    assert [f"during  : line {i}" in text for i in range(5)] == [True] * 5
    assert "before" not in text and "after" not in text
    assert task.facts["gaps"] == "0" and task.facts["complete"] == "true"
    assert int(task.facts["lines"]) == len(text.splitlines())
    assert int(task.facts["bytes"]) == len(text.encode())


def test_logcat_goes_on_after_the_phone_came_back(phone):
    task = Task(phone, "host.logcat")
    task.ready()
    phone.kill()
    phone.start()
    # Only the reopened stream can bring this line.
    text = ""
    end = time.monotonic() + DEADLINE_S
    file = next((task.state / "results").glob("*/files/phone-logcat.txt"))
    while "ended here" not in text and time.monotonic() < end:
        text = file.read_text()
        time.sleep(0.05)
    assert "the log stream ended here: device" in text
    task.say("finish")
    code, why = task.result()
    assert (code, int(task.facts["gaps"]) >= 1) == ("ok", True), why


# Streams: the log, am, the watch, the stop; the log file comes over the helper's own.
STREAMS = {"helper": "4", "shell": "6"}


def test_server_from_start_to_proved_stop(phone, watch):
    phone.shell("run-as", PACKAGE, "sh", "-c", f"echo of an older server > {FILES}/mgl.server.log")
    task, listen = server(phone)
    ready = task.ready()
    assert ready["listen_line"].endswith(f"pid={ready['server_pid']} listening on {listen}")
    assert phone.servers() == [ready["server_pid"]]
    task.say("finish")
    code, text = task.result()
    assert code == "ok", text
    assert task.facts["stop_confirmed"] == "true" and task.journal == 0
    assert task.facts["watch"] == watch and task.facts["adb_streams"] == STREAMS[watch]
    assert ("host.helper brings it" in task.facts.get("watch_why", "")) == (watch == "shell")
    assert "session_reaped" not in task.facts
    assert phone.servers() == []
    assert set(task.artifacts) == {"server-start.txt", "server-logcat.txt", "mgl.server.log"}
    log = task.artifacts["mgl.server.log"].read_text()
    assert f"pid={ready['server_pid']} listening on {listen}" in log and "older" not in log
    assert "MOBILEGL_BACKEND_TYPE=DirectGLES" in task.artifacts["server-start.txt"].read_text()
    for file in task.state.rglob("*"):
        assert not file.is_file() or TOKEN.encode() not in file.read_bytes(), file


def replay(phone, tmp_path, listen, token=TOKEN, run=None):
    run = run or to_its_end
    subprocess.run([PAIR / "mglab-fixtures", "--frames-divisor", "20", tmp_path / "fx"], check=True,
                   timeout=DEADLINE_S)
    env = {"PATH": os.environ["PATH"], "MOBILEGL_TRANSPORT": "spawn",
           "MOBILEGL_IPC_CONTROL": listen, "MOBILEGL_IPC_DATA": "stream",
           "MOBILEGL_IPC_RUN_AHEAD": "1", "MOBILEGL_IPC_TOKEN": token}
    return run([PAIR / "mobilegl_trace_replay", "--trace", tmp_path / "fx/openra.trace", "--output",
                tmp_path / "out", "--benchmark", "--mobilegl-library", PAIR / "libMobileGL.so"],
               env=dict(env, MGLAB_RUN=str(phone.faults.parent)))


def to_its_end(command, env):
    return subprocess.run(command, env=env, capture_output=True, timeout=DEADLINE_S)


def in_background(command, env):
    return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_server_with_a_session(phone, tmp_path):
    task, listen = server(phone, expect_session="true", env="MOBILEGL_PIPE_STATS=1")
    task.ready()
    done = replay(phone, tmp_path, listen)
    assert done.returncode == 0, done.stderr.decode()
    task.say("finish")
    assert task.result()[0] == "ok"
    assert task.facts["session_reaped"] == "true" and task.facts["session_exit"] == "0"
    assert f"session pid={task.facts['session_pid']} reaped exit=0" in task.facts["reap_line"]
    assert "refused" not in task.facts


def test_server_that_is_busy_says_so_in_its_facts(phone, tmp_path):
    phone.fault("server-busy")
    # No session, so no reap line is waited for: the patience is longer than the test's.
    task, listen = server(phone, expect_session="true", reap_timeout_ms=600000)
    task.ready()
    assert replay(phone, tmp_path, listen).returncode != 0
    task.say("finish")
    assert task.result()[0] == "ok"
    assert int(task.facts["refused"]) >= 1 and task.facts["refuse_code"] == "Busy"
    assert task.facts["session_reaped"] == "false"


def test_session_that_ends_badly_is_a_fact(phone, tmp_path):
    phone.fault("server-bad-exit", "70")
    task, listen = server(phone, expect_session="true")
    task.ready()
    replay(phone, tmp_path, listen)
    task.say("finish")
    assert task.result()[0] == "ok"
    assert task.facts["session_exit"] == "70"


def test_session_that_is_killed_under_a_client_that_hangs(phone, tmp_path):
    phone.fault("client-hang", "3")
    task, listen = server(phone, expect_session="true")
    supervisor = task.ready()["server_pid"]
    client = replay(phone, tmp_path, listen, run=in_background)
    try:
        wait_until("a session process", lambda: len(phone.servers()) == 2, DEADLINE_S)
        wait_until("the ready line", lambda: "ready control" in phone.shell("logcat", "-d"),
                   DEADLINE_S)
        session, = set(phone.servers()) - {supervisor}
        phone.shell("run-as", PACKAGE, "kill", "-9", session)
        code, text = task.result()  # without a finish, and the client is still there
        assert client.poll() is None
    finally:
        client.kill()
        client.wait(DEADLINE_S)
    assert code == "failed", text
    assert f"the session (pid {session}) was ended by signal 9 while it was needed" in text
    assert task.facts["session_signal"] == "9" and task.facts["failure"] == "session-signal"
    assert task.facts["stop_confirmed"] == "true"


def test_server_that_never_listens(phone):
    phone.fault("server-never-listens")
    task, _ = server(phone, ready_timeout_ms=2000)
    code, text = task.result()
    assert code == "timeout" and "server did not listen within 2.0 s" in text
    assert "server processes: " in text and "none" not in text.split("server processes: ")[1]
    assert task.facts["stop_confirmed"] == "true" and phone.servers() == []


def test_server_that_cannot_listen_is_explained_by_its_words(phone):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        task, _ = server(phone, listen=f"tcp://127.0.0.1:{taken.getsockname()[1]}",
                         ready_timeout_ms=2000)
        code, text = task.result()
    assert code == "failed" and "the log says" in text, text
    assert "could not listen on" in text


def test_a_server_that_lives_is_replaced(phone):
    phone.shell("am", "start-foreground-service", "-n", SERVICE, "--es", "listen",
                f"tcp://127.0.0.1:{free_port()}", "--es", "token", "t", "--es", "env", "")
    end = time.monotonic() + DEADLINE_S
    while not phone.servers() and time.monotonic() < end:
        time.sleep(0.05)
    old = phone.servers()
    task, _ = server(phone)
    assert old and task.ready()["server_pid"] not in old
    task.say("finish")
    assert task.result()[0] == "ok"


def test_server_death_is_noticed_while_it_holds(phone, watch):
    task, _ = server(phone)
    ready = task.ready()
    phone.shell("run-as", PACKAGE, "kill", "-9", ready["server_pid"])
    code, text = task.result()
    assert code == "failed" and f"the server process {ready['server_pid']} ended" in text
    assert task.facts["failure"] == "ended"
    assert task.journal == 0
    assert "mgl.server.log" in task.artifacts
    assert task.facts["ended_line"] == "server ended: signal 9"
    assert "Force stopping" not in task.facts["system_lines"].split("Start proc")[-1]


def test_a_stop_from_somebody_else_is_told_from_a_kill(phone):
    task, _ = server(phone)
    task.ready()
    phone.shell("am", "force-stop", PACKAGE)
    assert task.result()[0] == "failed"
    assert f"Force stopping {PACKAGE}" in task.facts["system_lines"].split("Start proc")[-1]


def test_death_of_the_watcher_is_no_death_of_the_server(helper):
    task, _ = server(helper)
    task.ready()

    def watchers():
        return helper.shell("run-as", PACKAGE, "pgrep", "-f", "^./mgdevice-", ok=False).split()

    before = watchers()
    helper.shell("run-as", PACKAGE, "kill", "-9", *before)
    wait_until("it is watched again", lambda: set(watchers()) - set(before), DEADLINE_S)
    task.say("finish")
    assert task.result() == ("ok", "")
    assert task.facts["stop_confirmed"] == "true" and task.journal == 0
    assert "mgl.server.log" in task.artifacts


def test_stop_takes_the_server_away(phone, watch):
    task, _ = server(phone)
    task.ready()
    task.say("stop")
    code, text = task.result()
    assert (code, text) == ("cancelled", "told to stop")
    assert phone.servers() == [] and task.journal == 0
    assert "mgl.server.log" in task.artifacts


def test_a_lost_session_stops_the_server_of_a_healthy_phone(phone):
    task, _ = server(phone)
    task.ready()
    task.say("lose")
    code, text = task.result()
    assert (code, text) == ("lost", "session lost: silence")
    assert task.facts["stop_confirmed"] == "true"
    assert phone.servers() == [] and task.journal == 0
    assert "mgl.server.log" in task.artifacts


def undo(phone, task):
    """What a worker does at its next start."""
    done = subprocess.run([DRIVER, task.state, "undo"], env=phone.env, text=True,
                          capture_output=True, timeout=DEADLINE_S)
    assert done.stdout.splitlines()[0] == "journal\t0", done.stdout + done.stderr


def killed(task):
    task.process.kill()
    task.process.wait(DEADLINE_S)
    task.process.stdin.close()
    task.reader.join()


def test_a_server_left_by_a_crash_is_stopped(phone):
    task, _ = server(phone, state="crashed")
    task.ready()
    killed(task)
    assert phone.servers()
    undo(phone, task)
    assert phone.servers() == []


def test_an_undo_that_comes_late_stops_no_other_server(phone):
    task, _ = server(phone, state="crashed-too")
    task.ready()
    killed(task)
    phone.shell("am", "force-stop", PACKAGE)
    phone.shell("am", "start-foreground-service", "-n", SERVICE, "--es", "listen",
                f"tcp://127.0.0.1:{free_port()}", "--es", "token", "t", "--es", "env", "")
    wait_until("somebody's server", phone.servers, DEADLINE_S)
    theirs = phone.servers()
    undo(phone, task)
    assert phone.servers() == theirs
    phone.shell("am", "force-stop", PACKAGE)


@pytest.mark.parametrize("stale", [False, True])
def test_a_stop_that_was_given_up_is_ended_before_the_next_start(phone, stale):
    """As a frozen phone leaves it: an `am` of an earlier script that has yet to do its work. When the
    number went to another process meanwhile (stale), that one is left alone."""
    note = "/data/local/tmp/mgc-stop"
    left = phone.shell("sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 & echo $!").strip()
    ticks = phone.shell("cat", f"/proc/{left}/stat").rsplit(")", 1)[1].split()[19]
    phone.shell("sh", "-c", f"echo {left} {int(ticks) - stale} >{note}")
    task, _ = server(phone)
    task.ready()
    gone = phone.shell("cat", f"/proc/{left}/stat", ok=False)
    assert bool(gone) == stale
    if stale:
        phone.shell("kill", "-9", left)
    task.say("finish")
    assert task.result()[0] == "ok"
    assert phone.shell("ls", note, ok=False) == ""


def test_device_loss_is_its_own_outcome(phone, watch):
    task, _ = server(phone)
    task.ready()
    phone.kill()
    code, text = task.result()
    assert code == "lost", text
    assert f"device {phone.serial} went offline" in text or f"device {phone.serial} went gone" in text
    # The undo could not reach the phone: it stays in the journal for the next start.
    assert task.journal == 1 and task.facts["stop_confirmed"] == "false"
    shutil.rmtree(task.state)


def dropped(phone, value="once"):
    phone.fault("phone-adb-drop", value)
    if value == "once":
        wait_until("the drop", lambda: not (phone.faults / "phone-adb-drop").exists(), DEADLINE_S)


def test_a_device_that_comes_back_has_its_server_watched_again(phone, watch):
    """The server is the app's and does not notice; both streams are opened again."""
    task, _ = server(phone)
    pid = task.ready()["server_pid"]
    dropped(phone)
    wait_until("adb", lambda: phone.shell("true", ok=False) == "" and phone.servers() == [pid], DEADLINE_S)
    phone.shell("log", "-t", "MobileGLServer", "after the loss")
    log = next(task.state.glob("results/*/files/server-logcat.txt"))
    wait_until("the log goes on", lambda: "after the loss" in log.read_text(), DEADLINE_S)
    task.say("finish")
    assert task.result() == ("ok", "")
    assert task.facts["transport_losses"] == "1" and task.facts["stop_confirmed"] == "true"
    assert "the log stream ended here" in task.artifacts["server-logcat.txt"].read_text()
    assert phone.servers() == [] and task.journal == 0


def test_a_server_that_ends_while_the_device_is_away_has_ended(phone, watch):
    task, _ = server(phone)
    pid = task.ready()["server_pid"]
    phone.fault("app-kill", "once")
    dropped(phone, "1000")
    code, text = task.result()
    assert code == "failed" and f"the server process {pid} ended" in text, text
    assert task.facts["failure"] == "ended" and task.journal == 0


def test_a_device_that_reboots_has_lost_its_server(phone, watch):
    task, _ = server(phone)
    task.ready()
    phone.fault("phone-reboot", "500,once")
    code, text = task.result()
    assert code == "lost" and "has rebooted" in text and text.count("has rebooted") == 1, text
    assert task.facts["failure"] == "rebooted" and task.facts["stop_confirmed"] == "true"


# ---- host.helper -----------------------------------------------------------------------------------


DEVICE_DIR = "/data/local/tmp"


def device_programs(phone):
    """Where the phone has the device program: (shell's files, app's files)."""
    return ([name for name in phone.shell("ls", DEVICE_DIR).split() if name.startswith("mgdevice")],
            [name for name in phone.shell("run-as", PACKAGE, "ls", "-a").split() if name.startswith("mgdevice")])


def test_helper_is_brought_and_removed(phone):
    task = Task(phone, "host.helper", packages=PACKAGE)
    ready = task.ready()
    assert ready["pushed"] == "true" and ready["path"].startswith(f"{DEVICE_DIR}/mgdevice-{ready['sha256'][:12]}")
    name = ready["path"].rsplit("/", 1)[1]
    assert device_programs(phone) == ([name], [name])
    version = phone.shell("run-as", PACKAGE, f"./{name}", "--version")
    assert version.startswith("mgdevice ")
    task.say("finish")
    assert task.result() == ("ok", "")
    assert task.journal == 0
    assert device_programs(phone) == ([], [])
    assert int(task.facts["adb_streams"]) <= 3


def test_helper_that_is_there_already_stays(phone):
    first = Task(phone, "host.helper", packages=PACKAGE)
    name = first.ready()["path"].rsplit("/", 1)[1]
    first.say("finish")
    first.result()
    phone.mgadb("push", BUILD / "sampler" / f"mgdevice-{os.uname().machine}", f"{DEVICE_DIR}/{name}")
    phone.shell("chmod", "755", f"{DEVICE_DIR}/{name}")
    second = Task(phone, "host.helper", packages=PACKAGE)
    assert second.ready()["pushed"] == "false"
    second.say("finish")
    second.result()
    assert device_programs(phone) == ([name], [])
    phone.shell("rm", f"{DEVICE_DIR}/{name}")


@pytest.mark.parametrize("required", ["true", "false"])
def test_helper_that_this_host_does_not_have(phone, required, tmp_path, monkeypatch):
    monkeypatch.setitem(phone.env, "MGC_DEVICE_DIR", str(tmp_path))
    task = Task(phone, "host.helper", packages=PACKAGE, required=required)
    if required == "false":
        assert "mgdevice-" in task.ready()["unavailable"]
        task.say("finish")
    code, text = task.result()
    assert code == ("ok" if required == "false" else "not-found")
    assert required == "false" or "is not on this host" in text
    assert task.journal == 0


@pytest.fixture(params=["riscv64", "arm64-v8a"])
def other_abi(phone, request, tmp_path, monkeypatch):
    """A phone that this host has no program for: an ABI that none is made for, and one whose file is
    not here."""
    shutil.copy(BUILD / "sampler" / f"mgdevice-{os.uname().machine}", tmp_path)
    monkeypatch.setitem(phone.env, "MGC_DEVICE_DIR", str(tmp_path))
    phone.fault("phone-abi", request.param)
    wait_until("the ABI", lambda: phone.shell("getprop", "ro.product.cpu.abi").strip() == request.param,
               DEADLINE_S)
    yield request.param


@pytest.mark.parametrize("required", ["true", "false"])
def test_helper_for_a_phone_of_another_abi(phone, other_abi, required):
    task = Task(phone, "host.helper", packages=PACKAGE, required=required)
    words = {"riscv64": 'there is no mgdevice for a phone with the ABI "riscv64"',
             "arm64-v8a": "the file mgdevice-aarch64, which a phone with the ABI arm64-v8a needs"}[other_abi]
    if required == "false":
        assert words in task.ready()["unavailable"]
        watched, _ = server(phone, state="server-state")
        watched.ready()
        watched.say("finish")
        assert watched.result() == ("ok", "")
        assert watched.facts["watch"] == "shell" and "is not on the phone" in watched.facts["watch_why"]
        task.say("finish")
        assert task.result() == ("ok", "") and "failure" not in task.facts
    else:
        code, text = task.result()
        assert code == "not-found" and words in text and task.facts["failure"] == "no-helper"
    assert task.journal == 0 and device_programs(phone) == ([], [])


@pytest.mark.parametrize("kind, params", [
    ("host.helper", {"packages": f"{PACKAGE},top.mobilegl.plugin.nosuch.trace"}),
    ("host.helper", {"packages": "top.mobilegl.plugin.nosuch.trace", "required": "false"}),
    ("host.app", {"package": "top.mobilegl.plugin.nosuch.trace"}),
    ("host.knobs", {"knobs": "doze-exempt top.mobilegl.plugin.nosuch.trace"}),
    ("host.quiesce", {"packages": PACKAGE, "package": "top.mobilegl.plugin.nosuch.trace"}),
    ("host.server", {"package": "top.mobilegl.plugin.nosuch.trace", "listen": "tcp://127.0.0.1:40999",
                     "backend": "DirectGLES", "ready_timeout_ms": 3000, "reap_timeout_ms": 3000,
                     "expect_session": "false"}),
])
def test_an_app_that_is_not_installed(phone, kind, params):
    task = Task(phone, kind, **params)
    code, text = task.result()
    assert code == "not-found" and "the app top.mobilegl.plugin.nosuch.trace is not installed" in text
    assert task.facts["failure"] == "not-installed" and task.journal == 0
    assert device_programs(phone) == ([], [])


def test_helper_for_an_app_that_run_as_refuses(phone):
    task = Task(phone, "host.helper", packages=f"{PACKAGE},top.mobilegl.plugin.release.trace")
    code, text = task.result()
    assert code == "failed" and "package not debuggable" in text
    assert device_programs(phone) == ([], [])
