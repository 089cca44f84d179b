"""Replay client and render server of the lab as processes, for tests: no namespaces, no phone."""

import json
import os
import pathlib
import queue
import re
import socket
import subprocess
import threading
import time

import pytest

REPO = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("MGC_BUILD") or REPO / "build").resolve()
PAIR = BUILD / "lab/replay"
TOKEN = "pair-test-token-0123456789"
DEADLINE_S = 60
OPENRA_CROP = ("--crop-x=1", "--crop-y=1", "--crop-width=638", "--crop-height=478")


class Server:
    """libMobileGLServer.so on a port of its own; its stderr is read line by line."""

    def __init__(self, work, listen="tcp://127.0.0.1:0", **env):
        self.log_base = work / "server/mgl.log"
        self.log_base.parent.mkdir(exist_ok=True)
        self.lines = []
        self.fresh = queue.Queue()
        self.process = subprocess.Popen(
            [PAIR / "libMobileGLServer.so", listen, "--serve"], stderr=subprocess.PIPE, text=True,
            env=clean_env(work, MOBILEGL_LOG_FILE_PATH=self.log_base, **env))
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line)
            self.fresh.put(line)
        self.fresh.put(None)

    def wait_line(self, pattern, seconds=DEADLINE_S):
        """The next line, not yet looked at, that matches."""
        end = time.monotonic() + seconds
        while True:
            line = self.fresh.get(timeout=max(0.01, end - time.monotonic()))
            assert line is not None, f"server ended without {pattern!r}: {self.lines}"
            found = re.search(pattern, line)
            if found:
                return found

    def port(self):
        return int(self.wait_line(r"pid=\d+ listening on tcp://[^ ]+:(\d+)$").group(1))

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(DEADLINE_S)
        self.reader.join(DEADLINE_S)
        self.process.stderr.close()
        return code


class Relay:
    """Forwards TCP with a delay each way: a link with a round trip time, and nothing else."""

    def __init__(self, port, delay_s):
        self.target, self.delay_s = port, delay_s
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.threads = [threading.Thread(target=self._accept, daemon=True)]
        self.threads[0].start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.target))
            for source, sink in ((near, far), (far, near)):
                due = queue.Queue()
                for work in ((self._take, source, due), (self._give, sink, due)):
                    threading.Thread(target=work[0], args=work[1:], daemon=True).start()

    def _take(self, source, due):
        source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        data = b"-"
        while data:
            try:
                data = source.recv(1 << 18)
            except OSError:
                data = b""
            due.put((time.monotonic() + self.delay_s, data))

    def _give(self, sink, due):
        while True:
            at, data = due.get()
            time.sleep(max(0, at - time.monotonic()))
            try:
                if not data:
                    sink.shutdown(socket.SHUT_WR)
                    return
                sink.sendall(data)
            except OSError:
                return

    def close(self):
        self.listener.close()


def clean_env(work, **env):
    base = {k: v for k, v in os.environ.items() if not k.startswith(("MOBILEGL_", "MGLAB_"))}
    base["MGLAB_RUN"] = str(work / "run")
    base.update({k: str(v) for k, v in env.items()})
    return base


def arms(image_dir):
    """The environment of the arms that need no server beforehand."""
    stats = {"MOBILEGL_PIPE_STATS": "1"}
    return {
        "monolith": stats,
        "inproc": {**stats, "MOBILEGL_TRANSPORT": "inproc", "MOBILEGL_IPC_RUN_AHEAD": "1"},
        "shm": {**stats, "MOBILEGL_TRANSPORT": "spawn", "MOBILEGL_IPC_CONTROL": "fork",
                "MOBILEGL_IPC_DATA": "auto", "MOBILEGL_IPC_RUN_AHEAD": "1",
                "MOBILEGL_IPC_SERVER_PATH": str(image_dir / "libMobileGLServer.so")},
    }


def wait_client_line(process, output, text):
    """Until the client's own log holds the text; returns the log's path."""
    log = output / "mobilegl.client.log"
    end = time.monotonic() + DEADLINE_S
    while not (log.exists() and text in log.read_text()):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.02)
    return log


class Pair:
    """One test's place: fixtures, fault knobs, and runs of the client."""

    def __init__(self, work, fixtures):
        self.work, self.fixtures = work, fixtures
        self.facts = json.loads((fixtures / "fixtures.json").read_text())
        (work / "run/faults").mkdir(parents=True)
        self.servers = []
        self.runs = 0

    def fault(self, name, value="1"):
        (self.work / "run/faults" / name).write_text(value + "\n")

    def server(self, **kwargs):
        one = Server(self.work, MOBILEGL_IPC_TOKEN=kwargs.pop("token", TOKEN), **kwargs)
        self.servers.append(one)
        return one

    def start(self, port, *args, workload="openra", output=None, **env):
        """The client as a process; port None runs monolith, a string is an arm without a port."""
        self.runs += 1
        output = output or self.work / f"out{self.runs}"
        tcp = {} if port is None else arms(PAIR)[port] if isinstance(port, str) else {
            "MOBILEGL_TRANSPORT": "spawn", "MOBILEGL_IPC_CONTROL": f"tcp://127.0.0.1:{port}",
            "MOBILEGL_IPC_DATA": "stream", "MOBILEGL_IPC_TOKEN": TOKEN,
            "MOBILEGL_IPC_RUN_AHEAD": "1", "MOBILEGL_PIPE_STATS": "1"}
        trace = self.fixtures / self.facts[workload]["trace"]
        process = subprocess.Popen(
            [PAIR / "mobilegl_trace_replay", f"--trace={trace}", "--output", output, *args],
            env=clean_env(self.work, **{**tcp, **env}), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return process, output

    def run(self, port, *args, **kwargs):
        process, output = self.start(port, *args, **kwargs)
        out, err = process.communicate(timeout=DEADLINE_S)
        return Run(process.returncode, output, out, err)

    def benchmark(self, port, *args, **kwargs):
        return self.run(port, "--benchmark", *args, **kwargs)

    def ssim(self, port, *args, workload="openra", **kwargs):
        facts = self.facts[workload]
        crop = OPENRA_CROP if workload == "openra" else ()
        return self.run(port, "--target-call", str(facts["targetCall"]), "--golden",
                        str(self.fixtures / facts["golden"]), *crop, *args, workload=workload,
                        **kwargs)


class Run:
    def __init__(self, rc, output, out, err):
        self.rc, self.output, self.out, self.err = rc, output, out, err

    def text(self, name):
        return (self.output / name).read_text()

    def json(self, name):
        return json.loads(self.text(name))

    @property
    def client_log(self):
        return self.text("mobilegl.client.log")


@pytest.fixture(scope="session")
def fixtures(tmp_path_factory):
    made = tmp_path_factory.mktemp("fixtures")
    subprocess.run([PAIR / "mglab-fixtures", "--frames-divisor", "8", made], check=True,
                   timeout=DEADLINE_S)
    return made


@pytest.fixture
def pair(tmp_path, fixtures):
    one = Pair(tmp_path, fixtures)
    yield one
    for server in one.servers:
        server.stop()
