"""Why a worker is not connected: each reason is told on the side that can know it, in a sentence
that says what to do. Real programs on loopback; no lab."""

import contextlib
import os
import pathlib
import socket
import subprocess
import threading

import pytest

import lablib
from benchlib import MGCOORD

WORKER = lablib.BUILD / "worker-wsl/mgworker-wsl"
TOLD_S = 30

SITE = """
site: loopback
bind: tcp://127.0.0.1:{port}
keys: keys
results: results
workers:
  pc: {{role: host}}
  wsl: {{role: wsl}}
phone: {{serial: none, address: 127.0.0.1}}
route: {{gateway: 127.0.0.2}}
replay: {{client: /none, library: /none}}
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Worker:
    """A worker whose log is followed."""

    def __init__(self, folder, enrol, prefix=()):
        self.lines = []
        self.process = subprocess.Popen(
            [*prefix, WORKER, "--enrol", enrol, "--state", folder / "state",
             "--locks", folder / "locks", "--retry-max-ms", "200"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr))
        self.reader.start()

    def wait_told(self, *parts):
        """One line of the log that has all parts."""
        return lablib.wait_until(f"the worker says {parts}", lambda: next(
            (line for line in list(self.lines) if all(part in line for part in parts)), None),
            TOLD_S)

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(TOLD_S)
        finally:
            self.process.kill()
            self.process.wait()
            self.reader.join()
            self.process.stderr.close()


class Place:
    """A directory with a site, keys, and whoever was started there."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        (folder / "site.yaml").write_text(SITE.format(port=self.port))
        self.mgcoord("keys", "init")
        self.mgcoord("keys", "add", "wsl")
        self.enrol = folder / "wsl.enrol"
        self.stack = contextlib.ExitStack()

    def mgcoord(self, *args, code=0):
        env = {name: value for name, value in os.environ.items()
               if name not in ("MGCOORD_SITE", "PERF_WORK", "PHONE", "GATEWAY", "SER", "TOKEN")}
        done = subprocess.run([MGCOORD, *args], cwd=self.folder, env=env, capture_output=True,
                              text=True, timeout=120)
        assert code is None or done.returncode == code, (args, done)
        return done

    def hosts(self, wait, code):
        """What the coordinator says while it waits for its workers."""
        return self.mgcoord("hosts", "--wait", wait, code=code)

    def worker(self, enrol=None, prefix=()):
        one = Worker(self.folder, enrol or self.enrol, prefix)
        self.stack.callback(one.end)
        return one

    def wait_refused(self, *parts):
        """Open the endpoint until the coordinator has told of somebody whom it turned away."""
        def told():
            err = self.hosts("2s", None).stderr
            return next((line for line in err.splitlines() if all(p in line for p in parts)), None)
        return lablib.wait_until(f"the coordinator says {parts}", told, TOLD_S)


@pytest.fixture
def place(tmp_path):
    one = Place(tmp_path)
    with one.stack:
        yield one


def test_a_worker_that_is_in_order_is_let_in(place):
    place.worker()
    lablib.wait_until("the worker is there",
                      lambda: "ready" in place.hosts("2s", 3).stdout, TOLD_S)


def test_nobody_listens(place):
    worker = place.worker()
    worker.wait_told(f"127.0.0.1:{place.port}", "refused", "nobody listens there", "no run is on")


def test_a_key_that_the_coordinator_does_not_know(place):
    old = place.enrol.rename(place.folder / "old.enrol")
    (place.folder / "keys/workers/wsl.key").unlink()
    place.mgcoord("keys", "add", "wsl")
    worker = place.worker(old)
    place.wait_refused("turned away", "127.0.0.1", "key is unknown here", "mgcoord keys add")
    worker.wait_told("the coordinator refused this worker's key", "mgcoord keys add")


def test_a_revoked_key(place):
    place.mgcoord("keys", "revoke", "wsl")
    worker = place.worker()
    place.wait_refused("worker 'wsl' from 127.0.0.1", "key is revoked", "mgcoord keys add")
    worker.wait_told("the coordinator refused this worker's key", "revoked", "mgcoord keys list")


def test_a_coordinator_with_another_key(place):
    """Only the worker can know: the coordinator never learns what was meant for it."""
    other = place.folder / "other"
    other.mkdir()
    place.mgcoord("keys", "init", "--keys", other / "keys")
    place.mgcoord("keys", "add", "wsl", "--keys", other / "keys", "--role", "wsl", "--address",
                  f"tcp://127.0.0.1:{place.port}", "--out", other / "wsl.enrol")
    worker = place.worker(other / "wsl.enrol")
    lablib.wait_until("the worker meets it", lambda: place.hosts("1s", None) and any(
        "handshake" in line for line in worker.lines), TOLD_S)
    worker.wait_told("no handshake", "its own key changed", "compare this enrolment file")


def test_something_else_listens_there(place):
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", place.port))
        deaf.listen()
        worker = place.worker()
        worker.wait_told(f"127.0.0.1:{place.port}", "did not answer")
        err = place.hosts("1s", 3).stderr
        assert f"process {os.getpid()}" in err and "set another `bind`" in err


def test_no_route(place):
    """In a network namespace of its own a process reaches nothing."""
    prefix = ("unshare", "--net") if os.geteuid() == 0 else ("unshare", "--net", "--map-root-user")
    if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
        pytest.skip("this kernel makes no network namespace for us")
    place.mgcoord("keys", "add", "far", "--role", "wsl", "--address", "tcp://192.0.2.1:40700")
    worker = place.worker(place.folder / "far.enrol", prefix)
    worker.wait_told("192.0.2.1", "unreachable", "check this machine's network")


def test_a_key_file_that_others_can_read(place):
    place.enrol.chmod(0o644)
    worker = place.worker()
    worker.process.wait(TOLD_S)
    worker.wait_told("wsl.enrol", "expected mode 600")
    assert worker.process.returncode == 2


def test_a_key_directory_that_others_can_read(place):
    """What a person has to mend is no failure of the infrastructure."""
    key = place.folder / "keys" / "coordinator.key"
    key.chmod(0o644)
    assert "expected mode 600" in place.mgcoord("hosts", code=2).stderr
    key.chmod(0o600)
    key.write_text(key.read_text()[:-2])
    assert "its last line has no end" in place.mgcoord("hosts", code=2).stderr
