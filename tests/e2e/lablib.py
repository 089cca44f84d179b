"""One running lab, driven from a test through mglab's own command line.

Every wait has a deadline. A lab remembers the namespaces that it consists of, so that
assert_gone() can look for survivors among all processes of the machine.
"""

import json
import os
import pathlib
import select
import shutil
import stat
import subprocess
import time

REPO = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("MGC_BUILD") or REPO / "build").resolve()
MGLAB = BUILD / "lab/world/mglab"

START_S = 120  # also fixtures, made once per state directory
STOP_S = 30
EXEC_S = 60
GONE_S = 60

NS_KINDS = ("pid", "net", "mnt", "uts", "ipc")

# Says that the lab is up, then lives until its stdin is closed.
HOLDER = ("sh", "-c", "echo lab-is-up; exec cat >/dev/null")


def wait_until(what, condition, seconds):
    """Call condition() until it is true; fail with `what` and its last value otherwise."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what} (last: {value!r})")
        time.sleep(0.02)


def is_zombie(pid):
    """Dead, and only waiting for whoever adopted it to take note; such a one holds nothing."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def parent_of(pid):
    """0 when it has just ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def is_of_other_worker(pid):
    """Do the tests run in several pytest workers, and did another one start it? Then that one looks
    after it."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return False
    controller = os.getppid()
    while pid > 1:
        parent = parent_of(pid)
        if parent == controller:
            return pid != os.getpid()
        pid = parent
    return False


def namespaces_of(pid):
    found = set()
    if is_zombie(pid):
        return found
    for kind in NS_KINDS:
        try:
            found.add(os.readlink(f"/proc/{pid}/ns/{kind}"))
        except OSError:
            pass  # it has just ended
    return found


def pin(namespace, pid):
    """A file that keeps the namespace: the number of one that is gone goes to the next that somebody
    makes, which may be another lab's. None when the process has just ended."""
    try:
        file = open(f"/proc/{pid}/ns/{namespace.partition(':')[0]}", "rb", buffering=0)
    except OSError:
        return None
    if f"[{os.fstat(file.fileno()).st_ino}]" in namespace:
        return file
    file.close()
    return None


def processes_in(namespaces):
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in pids if namespaces_of(pid) & namespaces]


def lab_mounts():
    """Mounts in our own mount namespace that only a lab would make."""
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        return sorted(line for line in file if "mglab" in line or " - nsfs " in line)


def sockets_below(path):
    found = []
    for folder, _, names in os.walk(path):
        for name in names:
            full = os.path.join(folder, name)
            try:
                if stat.S_ISSOCK(os.lstat(full).st_mode):
                    found.append(full)
            except FileNotFoundError:
                pass
    return found


class Lab:
    """Use through the `lab` fixture, which also checks that nothing is left of it."""

    def __init__(self, state, options=(), command=HOLDER, workers=False, phone=False, prefix=(),
                 program=MGLAB, env=None, **popen):
        self.state = pathlib.Path(state)
        self.prefix = tuple(prefix)  # in front of mglab, e.g. another user
        self.program = program
        self.env = dict(os.environ, **(env or {}))
        self.env.pop("MGLAB_STATE", None)
        # A leak check needs a helper thread, and a process that has turned to the lab's PID
        # namespace for its children can no longer make one: it would wait for ever.
        self.exec_env = dict(self.env, ASAN_OPTIONS="detect_leaks=0")
        self.namespaces, self.pins = set(), []
        self.mounts_before = lab_mounts()
        flags = [] if workers else ["--no-workers"]
        flags += [] if phone else ["--no-phone"]
        self.args = [*self.prefix, str(program), "run", "--state", str(state), *flags, *options,
                     "--", *map(str, command)]
        popen.setdefault("stdin", subprocess.PIPE)
        popen.setdefault("stdout", subprocess.PIPE)
        popen.setdefault("stderr", subprocess.PIPE)
        self.process = subprocess.Popen(self.args, env=self.env, **popen)

    # ---- life ----

    def wait_up(self):
        """Until the holder command says that it runs."""
        ready, _, _ = select.select([self.process.stdout], [], [], START_S)
        line = self.process.stdout.readline() if ready else b""
        if line != b"lab-is-up\n":
            self.process.kill()
            _, err = self.process.communicate(timeout=STOP_S)
            raise AssertionError(f"the lab did not come up: {line!r} {err.decode()}")
        self.remember()
        return self

    def remember(self):
        status = self.status()
        for pid in [status["pid"], *(m["pid"] for m in status["members"] if m["pid"])]:
            self.remember_process(pid)
        assert len(self.namespaces) >= 13, "pid, mnt and ipc, and net and uts of five hosts"

    def remember_process(self, pid):
        new = namespaces_of(pid) - namespaces_of("self") - self.namespaces
        self.pins += [pin(name, pid) for name in new]
        self.namespaces |= new

    def stop(self):
        """End the holder, and with it the lab; the exit code of mglab run."""
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        return self.wait()

    def wait(self, seconds=STOP_S):
        """Exit code of mglab run; its output is in self.out and self.err afterwards."""
        try:
            self.process.stdin = None if self.closed_stdin() else self.process.stdin
            self.out, self.err = (data.decode() if data is not None else ""
                                  for data in self.process.communicate(timeout=seconds))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate(timeout=STOP_S)
            raise
        return self.process.returncode

    def closed_stdin(self):
        return self.process.stdin is None or self.process.stdin.closed

    def kill9(self):
        self.process.kill()
        self.process.wait(STOP_S)

    def assert_gone(self):
        wait_until(f"every process of the lab on {self.state} is gone",
                   lambda: not processes_in(self.namespaces), GONE_S)
        for file in filter(None, self.pins):
            file.close()
        self.namespaces, self.pins = set(), []  # of a lab that is gone, whoever asks again
        assert lab_mounts() == self.mounts_before
        # A coordinator that was killed leaves its control socket to the next one.
        assert [path for path in sockets_below(self.state)
                if not path.endswith("/control.sock")] == []

    def end(self):
        """For teardown: end it whatever its state is."""
        if self.process.poll() is None:
            try:
                self.stop()
            except subprocess.TimeoutExpired:
                pass
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()

    # ---- commands ----

    def mglab(self, *args, timeout=EXEC_S, check=True, prefix=None, text=True, **run):
        """A subcommand of mglab on this lab."""
        prefix = self.prefix if prefix is None else prefix
        command, *rest = map(str, args)
        run.setdefault("env", self.exec_env)
        if "input" not in run:
            run.setdefault("stdin", subprocess.DEVNULL)
        done = subprocess.run([*prefix, str(self.program), command, "--state", str(self.state),
                               *rest], timeout=timeout, capture_output=True, text=text, **run)
        if check and done.returncode != 0:
            raise AssertionError(f"mglab {args}: exit code {done.returncode}\n{done.stdout}\n"
                                 f"{done.stderr}")
        return done

    def exec(self, host, *command, **run):
        return self.mglab("exec", host, "--", *command, **run)

    def popen(self, host, *command, **popen):
        """A command in a host that runs beside the test; the caller waits for it."""
        popen.setdefault("env", self.exec_env)
        return subprocess.Popen([*self.prefix, str(self.program), "exec", "--state",
                                 str(self.state), host, "--", *map(str, command)], **popen)

    def python(self, host, code, *args, **run):
        """A Python script in a host; what it prints."""
        return self.exec(host, "/usr/bin/python3", "-c", code, *args, **run).stdout

    def adb(self, *args, **run):
        """adb in winhost, with a home in the state directory; a server that it starts dies with
        the lab."""
        home = self.state / "home"
        return self.exec("winhost", "env", f"HOME={home}", f"TMPDIR={home}/tmp", "adb", *args,
                         **run)

    def fault(self, text):
        self.mglab("fault", text)

    def clear_fault(self, *name):
        self.mglab("fault", "--clear", *name)

    def faults(self):
        lines = self.mglab("fault", "--list").stdout.splitlines()
        return dict(line.split(" ", 1) for line in lines)

    def status(self):
        return json.loads(self.mglab("status", "--json").stdout)

    def member(self, name):
        return next(m for m in self.status()["members"] if m["name"] == name)

    def kill(self, name, sig="KILL"):
        self.mglab("kill", f"-{sig}", name)

    def wait_restarted(self, name, times):
        """Until a member runs that was started again at least so often."""
        def running():
            member = self.member(name)
            return member if member["pid"] and member["restarts"] >= times else None
        return wait_until(f"{name} runs after {times} restarts", running, 20)

    def log(self, name):
        path = self.state / "log" / f"{name}.log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    # ---- network ----

    PROBE = """
import socket, sys
host, port, limit = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
s = socket.socket()
s.settimeout(limit)
try:
    s.connect((host, port))
except ConnectionRefusedError:
    print("refused")
except TimeoutError:
    print("silent")
except OSError as error:
    print("error", error.errno)
else:
    try:
        s.sendall(b"x")
        print("accepted", "open" if s.recv(1) else "closed")
    except ConnectionResetError:
        print("accepted reset")
    except TimeoutError:
        print("accepted silent")
"""

    def probe(self, host, address, port, limit=5):
        """What a TCP connection from a host meets: refused, silent, accepted reset, ..."""
        return self.python(host, self.PROBE, address, port, limit).strip()


def copy_programs(names, folder):
    """Programs for a user who may not look into our build directory; the folder serves as --bin."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        shutil.copy2(BUILD / name, folder / pathlib.Path(name).name)
    return folder
