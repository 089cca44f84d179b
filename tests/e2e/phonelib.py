"""A lab phone and an adb server of one's own, for tests.

Every wait has a deadline, generous because the machine is shared. Nothing is left behind: the phone
dies with its process, the adb server is ended by its pid.
"""

import json
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess

from lablib import BUILD, wait_until

MGPHONE = BUILD / "lab/phone/mgphone"
PACKAGE = "top.mobilegl.plugin.trace"
SERVICE = f"{PACKAGE}/top.mobilegl.plugin.MobileGLServerService"
SERVER_NAME = "libMobileGLServer.so"

START_S = 30
COMMAND_S = 60
SOON_S = 30


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Phone:
    """mgphone on a loopback port."""

    def __init__(self, folder, app_lib=None, port=None, prefix=(), run_dir=None,
                 program=MGPHONE):
        self.folder = pathlib.Path(folder)
        self.port = port or free_port()
        self.serial = f"127.0.0.1:{self.port}"
        self.command = [*prefix, program, "--data", self.folder, "--listen", self.serial]
        if app_lib:
            self.command += ["--app-lib", app_lib]
        if run_dir:
            self.command += ["--run-dir", run_dir]
        self.process = None
        self.ready = None

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        readable, _, _ = select.select([self.process.stdout], [], [], START_S)
        self.ready = self.process.stdout.readline() if readable else ""
        assert self.ready.startswith("ready "), f"mgphone said {self.ready!r}"
        return self

    def inner_pid(self):
        """The phone's PID 1 as seen from here."""
        path = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        return int(pathlib.Path(path).read_text().split()[0])

    def kill(self):
        """As when the lab is killed: no chance to tidy up."""
        self.process.kill()
        self.process.wait(START_S)
        self.process.stdout.close()
        self.process = None

    def end(self):
        if not self.process:
            return
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(START_S)
        self.process.stdout.close()
        self.process = None
        assert code == 0, f"mgphone ended with {code}"


class Adb:
    """Debian's adb with a server, a home and a temporary directory of its own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.env = dict(os.environ, ANDROID_ADB_SERVER_PORT=str(self.port), HOME=str(self.folder),
                        TMPDIR=str(self.folder))
        for name in ("ADB_SERVER_SOCKET", "ANDROID_SERIAL", "ADB_TRACE"):
            self.env.pop(name, None)
        self.server = None
        self.serial = None

    def start(self):
        self.server = subprocess.Popen([shutil.which("adb"), "server", "nodaemon"], env=self.env,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until("adb server answers", self._answers, START_S)
        return self

    def _answers(self):
        try:
            self.ask("host:version")
            return True
        except OSError:
            return False

    def end(self):
        if self.server:
            self.server.terminate()
            self.server.wait(START_S)
            self.server = None

    def connect(self, phone):
        self.serial = phone.serial
        done = self.host("connect", phone.serial)
        assert "connected to" in done.stdout, done
        return self

    def host(self, *args, **kwargs):
        kwargs.setdefault("timeout", COMMAND_S)
        kwargs.setdefault("text", True)
        return subprocess.run(["adb", *args], env=self.env, capture_output=True, **kwargs)

    def __call__(self, *args, **kwargs):
        return self.host("-s", self.serial, *args, **kwargs)

    def shell(self, command, **kwargs):
        return self("shell", command, **kwargs)

    def popen(self, *args):
        """Unbuffered, so that select() on its output tells the truth; output is bytes."""
        return subprocess.Popen(["adb", "-s", self.serial, *args], env=self.env, bufsize=0,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)

    def open(self, service):
        """A connection to the adb server that has accepted `service`."""
        s = socket.create_connection(("127.0.0.1", self.port), timeout=COMMAND_S)
        s.sendall(b"%04x%s" % (len(service), service.encode()))
        answer = receive(s, 4)
        if answer != b"OKAY":
            s.close()
            raise OSError(f"{service}: {answer!r}")
        return s

    def ask(self, service):
        with self.open(service) as s:
            return receive_text(s)


class Knobs:
    """A phone with a run directory of its own, and adb on it."""

    def __init__(self, folder, *options):
        self.run = folder / "run"
        self.faults = self.run / "faults"
        self.faults.mkdir(parents=True)
        self.faults.chmod(0o777)  # as in a lab: who strikes takes the file away
        self.phone = Phone(folder / "data", app_lib=BUILD / "lab/replay", run_dir=self.run)
        self.phone.command += options
        self.phone.start()
        self.adb = Adb(folder / "adb")
        self.adb.start()
        self.adb.connect(self.phone)

    def set(self, name, value="1"):
        """As mglab does it: whole or not at all."""
        draft = self.faults / f".{name}"
        draft.write_text(value)
        draft.rename(self.faults / name)

    def clear(self, name):
        (self.faults / name).unlink()

    def is_set(self, name):
        return (self.faults / name).exists()

    def wait_taken(self, name):
        wait_until(f"{name} has struck", lambda: not self.is_set(name), SOON_S)

    def state(self):
        return self.adb("get-state").stdout.strip()

    def reconnect(self):
        def again():
            self.adb.host("disconnect", self.phone.serial)
            # Connected is also who waits in the queue of a phone that is just about to hang up.
            return "connected to" in self.adb.host("connect", self.phone.serial).stdout \
                and self.adb("shell", "true").returncode == 0
        wait_until("adb connects again", again, SOON_S)

    def text(self, command):
        done = self.adb.shell(command)
        assert done.returncode == 0, done
        return done.stdout.strip()

    def journal(self, event=None, **keys):
        """The phone's journal, or what of it is `event` and has `keys`."""
        lines = (self.phone.folder / "journal.jsonl").read_text().splitlines()
        return [x for x in map(json.loads, lines) if event in (None, x["event"])
                and all(x.get(key) == value for key, value in keys.items())]

    def end(self):
        self.adb.end()
        self.phone.end()



TRACE_APP = f"/data/user/0/{PACKAGE}/files/trace-replay"


def install_workload(phone, folder, divisor=16):
    """A short openra in the app's directory, copied as its user; its facts (fixtures.json)."""
    subprocess.run([BUILD / "lab/replay/mglab-fixtures", "--frames-divisor", str(divisor), folder],
                   check=True, timeout=COMMAND_S)
    facts = json.loads((folder / "fixtures.json").read_text())["openra"]
    phone.text(f"run-as {PACKAGE} mkdir -p {TRACE_APP}/input")
    for name, file in (("trace.trace", "trace"), ("golden.png", "golden")):
        done = phone.adb("push", folder / facts[file], f"/data/local/tmp/{name}")
        assert done.returncode == 0, done
        phone.text(f"run-as {PACKAGE} cp /data/local/tmp/{name} {TRACE_APP}/input/{name}")
    return facts


def receive(s, size):
    data = b""
    while len(data) < size:
        got = s.recv(size - len(data))
        if not got:
            raise OSError("adb server closed the connection")
        data += got
    return data


def receive_text(s):
    """A text with its length in four hex digits before it."""
    return receive(s, int(receive(s, 4), 16)).decode()


def pids_on_phone(adb, name):
    """Of processes whose argv[0] ends in `name`."""
    return adb.shell(f"pidof {name}").stdout.split()


def read_line_with(stream, text, seconds):
    """The first line of an unbuffered stream that holds `text`; fails at the deadline."""
    seen = []

    def look():
        while select.select([stream], [], [], 0)[0]:
            line = stream.readline().decode()
            assert line, f"the stream ended without {text!r}: {seen}"
            seen.append(line)
            if text in line:
                return line
        return None

    return wait_until(f"a line with {text!r}", look, seconds)
