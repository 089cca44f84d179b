"""What the test_break_*.py files share: the processes of a bench by what they are, the phases of a
cell by the progress lines that announce them, and a run that can be broken in one of them."""

import json
import os
import re
import signal
import threading
import time

import pytest

import benchlib
import lablib

LEFT_S = 15       # within this, nothing of a broken run may be left
RUN_END_S = 90    # a broken run has ended, one way or the other
SHORT_LIVENESS = ("--heartbeat-ms", "300", "--silence-ms", "3000")

# Phase -> the progress line that begins it. `client running` is seen by the client's process.
PHASES = {
    "waiting": r"waiting for the worker",
    "setup": r"setup: attempt 1$",
    "route": r"setup route: ready",
    "cell": r"bench-\S+: attempt 1$",
    "logcat": r"bench-\S+ logcat: ready",
    "server": r"bench-\S+ server: ready",
    "client": None,
    "collected": r"bench-\S+: steps done",
    "close": r"close: attempt 1$",
}


def read_file(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def read_link(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


def children_of(pid):
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []  # it has just ended
    return [int(child) for task in tasks
            for child in read_file(f"/proc/{pid}/task/{task}/children").split()]


class Processes:
    """Processes of one lab with their pids as seen from outside, looked up in /proc: that takes
    a few milliseconds, where a phase of a cell lasts fifty."""

    # What it is -> a word of its command line, and whether it is the outermost with that word.
    MARKS = {
        "coordinator": (b"mgcoord\0run\0", False),
        "host worker": (b"mgworker-host\0", False),
        "wsl worker": (b"mgworker-wsl\0", False),
        "client": (b"mobilegl_trace_replay\0", False),
        "server": (b"libMobileGLServer.so\0", True),
        "session child": (b"libMobileGLServer.so\0", None),
        "logcat": (b"logcat\0-v\0", False),
        "adb server": (b"fork-server\0", False),
        "mgphone": (b"mgphone\0--data", True),
        "proxy": (b"mglab-proxy\0", False),
    }

    def __init__(self, lab):
        self.lab = lab
        self.pid_ns = os.readlink(f"/proc/{lab.status()['pid']}/ns/pid")

    def everything(self):
        """(pid, command line) of all in the lab, those in a PID namespace below it as well."""
        inside = [int(name) for name in os.listdir("/proc") if name.isdigit() and
                  read_link(f"/proc/{name}/ns/pid") == self.pid_ns]
        found = set()
        while inside:
            pid = inside.pop()
            if pid not in found:
                found.add(pid)
                inside += children_of(pid)
        return [(pid, read_file(f"/proc/{pid}/cmdline")) for pid in sorted(found)]

    def find(self, what):
        mark, outermost = self.MARKS[what]
        pids = [pid for pid, line in self.everything()
                if mark in line and not lablib.is_zombie(pid) and not self.only_names_it(pid)]
        inner = [c for pid in pids for c in children_of(pid) if c in pids]
        if outermost is None:
            return inner
        return [pid for pid in pids if pid not in inner] if outermost else pids

    @staticmethod
    def only_names_it(pid):
        """Such as `mglab exec`, which has our program on its command line."""
        return read_file(f"/proc/{pid}/comm").strip() in (b"mglab", b"env", b"sh")

    def signal(self, what, number):
        pids = self.find(what)
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        return pids

    @staticmethod
    def resume(pids):
        for pid in pids:
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                pass


def assert_superseded_are_not_measured(result):
    for path in (result.dir / "attempts").rglob("verdict.json"):
        verdict = json.loads(path.read_text())
        if "bench-" in str(path):
            assert verdict["verdict"] != "measured", path


class BrokenRun:
    """A run whose progress lines are followed, so that a test can act at a phase."""

    def __init__(self, bench, *args):
        self.bench = bench
        self.process = bench.start(*(args or benchlib.ONE_BENCH))
        self.lines = []
        self.news = threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            with self.news:
                self.lines.append(line.rstrip("\n"))
                self.news.notify_all()
        with self.news:
            self.lines.append(None)
            self.news.notify_all()

    def wait_line(self, pattern, seconds=60):
        """The first line that matches; fails with all lines when the run ends without it."""
        end = time.monotonic() + seconds
        seen = 0
        with self.news:
            while True:
                for line in self.lines[seen:]:
                    if line is None:
                        raise AssertionError(f"the run ended without {pattern!r}: {self.text()}")
                    if re.search(pattern, line):
                        return line
                seen = len(self.lines)
                if time.monotonic() > end:
                    raise AssertionError(f"not within {seconds} s: {pattern!r}: {self.text()}")
                self.news.wait(0.5)

    def wait_phase(self, phase):
        if PHASES[phase]:
            self.wait_line(PHASES[phase])
        else:
            self.wait_line(PHASES["server"])
            self.wait_hanging_client()

    def wait_hanging_client(self):
        """With the fault client-hang: until the client has stopped at its frame."""
        def hangs():
            return [pid for pid in self.bench.processes.find("client")
                    if b"pause" in read_file(f"/proc/{pid}/wchan")
                    or read_file(f"/proc/{pid}/syscall").startswith(b"34 ")]
        lablib.wait_until("the client hangs", hangs, 30)
        assert self.bench.processes.find("session child")

    def text(self):
        return "\n".join(line for line in self.lines if line is not None)

    def end(self, seconds=RUN_END_S):
        try:
            self.process.wait(seconds)
        except lablib.subprocess.TimeoutExpired as error:
            self.bench.processes.signal("coordinator", signal.SIGKILL)
            raise AssertionError(f"the run did not end within {seconds} s: {self.text()}") from error
        self.reader.join(10)
        done = lablib.subprocess.CompletedProcess([], self.process.returncode, self.text(), "")
        return benchlib.Result(None, done)


class BreakBench(benchlib.Bench):
    """A bench with a user's own route to the phone, which every broken run must bring back."""

    USER_ROUTE = (f"{benchlib.PHONE_IP}/32", "via", "192.168.31.1", "dev", "eth0", "metric", "77")

    def __init__(self, lab):
        super().__init__(lab)
        self.processes = Processes(lab)
        self.own_route = ""

    def add_user_route(self):
        self.lab.exec("wsl", "ip", "route", "add", *self.USER_ROUTE)
        self.own_route = self.route()
        assert self.own_route

    def remove_user_route(self):
        self.own_route = ""
        self.lab.exec("wsl", "ip", "route", "del", f"{benchlib.PHONE_IP}/32", check=False)

    def left(self):
        """What a run has left behind, as a list of words; empty when the bench is as before."""
        found = []
        if self.route() != self.own_route:
            found.append(f"route {self.route()!r}")
        for what in ("server", "session child", "client", "logcat"):
            found += [f"{what} {pid}" for pid in self.processes.find(what)]
        for worker in ("host", "wsl"):
            found += map(str, (self.lab.state / worker / "journal").iterdir())
        found += map(str, (self.lab.state / "phone/data/local/tmp").iterdir())
        return found

    def assert_nothing_left(self):
        end = time.monotonic() + LEFT_S
        while self.left():
            assert time.monotonic() < end, f"left after {LEFT_S} s: {self.left()}"
            time.sleep(0.05)
        assert self.lab.adb("forward", "--list").stdout.strip() == ""

    def assert_next_run_is_clean(self):
        result = self.run(*benchlib.ONE_BENCH)
        assert result.code == 0, result
        assert result.cell("bench")["verdict"] == "measured", result
        self.assert_nothing_left()


def lab_for_breaking(folder, *options):
    one = lablib.Lab(folder / "state", ("--frames-divisor", "4", *SHORT_LIVENESS, *options),
                     workers=True, phone=True)
    one.wait_up()
    return one


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):
    """One lab for a file, with short liveness and a user's own route to the phone."""
    one = lab_for_breaking(tmp_path_factory.mktemp("lab"))
    made = BreakBench(one)
    made.add_user_route()
    yield made
    one.end()
    one.assert_gone()


@pytest.fixture
def fault(bench):
    def set_fault(text):
        bench.lab.mglab("fault", text)
    yield set_fault
    bench.lab.mglab("fault", "--clear")


@pytest.fixture
def broken(bench):
    """broken(*args) starts a run that the test may break; one that still goes on at the end of the
    test (the test failed) is killed, so that the next one finds a free bench."""
    started = []

    def start(*args):
        started.append(BrokenRun(bench, *args))
        return started[-1]

    yield start
    bench.lab.mglab("fault", "--clear")
    for run in started:
        if run.process.poll() is None:
            bench.processes.signal("coordinator", signal.SIGKILL)
            run.process.wait(30)
