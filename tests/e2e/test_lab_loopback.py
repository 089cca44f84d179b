"""A lab without namespaces: everything on 127.0.0.1, the phone under proot, no routes. Its ports are
the machine's, so where somebody uses them these tests are skipped."""

import os
import shutil
import signal
import socket
import subprocess

import pytest

import lablib
from lablib import MGLAB, copy_programs, wait_until
from phonelib import SERVER_NAME, SERVICE
from test_faults import PHONE
from test_world import WHOLE_LAB

RUN = ("run", "crosshost", "--workload", "openra", "--credit", "1", "--reps", "1")
PORTS = (5555, 15037, 40613, 40700)


def taken_port():
    for port in PORTS:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return port
    return None


@pytest.fixture(autouse=True)
def free_ports():
    if not shutil.which("proot"):
        pytest.skip("proot is not installed")
    if taken_port():
        pytest.skip(f"port {taken_port()} is in use")


def processes_naming(*texts):
    """Of this network only, and not of another pytest worker: labs and phones of others have
    processes of the same names."""
    found, ours = [], os.readlink("/proc/self/ns/net")
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
                line = file.read().replace("\0", " ")
            if os.readlink(f"/proc/{pid}/ns/net") != ours or lablib.is_zombie(int(pid)):
                continue
        except OSError:
            continue  # it has just ended
        if int(pid) != os.getpid() and any(text in line for text in texts) \
                and not lablib.is_of_other_worker(int(pid)):
            found.append(line)
    return found


def assert_gone(state):
    marks = (str(state), "--inside-fd", "adb -P 15037", "libMobileGLServer.so")
    wait_until("no process of the lab is left", lambda: not processes_naming(*marks), 20)
    assert lablib.sockets_below(state) == []


class Loopback:
    def __init__(self, state, prefix=(), program=MGLAB):
        self.state, self.prefix, self.program = state, tuple(prefix), program
        self.env = {k: v for k, v in os.environ.items() if k != "MGLAB_STATE"}

    def mglab(self, command, *args, check=True, timeout=120):
        done = subprocess.run(
            [*self.prefix, str(self.program), command, "--state", str(self.state),
             *map(str, args)], capture_output=True, text=True, timeout=timeout, env=self.env,
            stdin=subprocess.DEVNULL, cwd="/")
        if check and done.returncode == 125 and " in use" in done.stderr:
            pytest.skip(f"somebody took a port meanwhile: {done.stderr.strip()}")
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done


def assert_measured(out):
    assert out.count(" measured") == 2, out
    assert "lab phone" in out and "routes were not handled" in out
    assert "path before: end to end" in out


def test_a_whole_lab_measures_and_says_that_no_route_was_handled(tmp_path):
    lab = Loopback(tmp_path / "lab")
    lab.mglab("up", "--loopback", "--frames-divisor", "8")
    try:
        names = [line.split()[0] for line in lab.mglab("status").stdout.splitlines()[1:]]
        assert names == ["adb", "mgphone", "mgworker-host", "mgworker-wsl"]
        done = lab.mglab("exec", "wsl", "--", lablib.BUILD / "coordinator/mgcoord", *RUN)
        assert_measured(done.stdout)
        report = next((lab.state / "results").glob("*/REPORT.md")).read_text()
        assert "Routes were not handled" in report
        lab.mglab("fault", "client-crash=3")
        assert lab.mglab("fault", "--list").stdout == "client-crash 3\n"
        lab.mglab("fault", "--clear")
        for knob in ("link-cut", "proxy-mode=drop", "wsl-link-down"):
            refused = lab.mglab("fault", knob, check=False)
            assert refused.returncode == 1 and "no networks" in refused.stderr
        second = Loopback(tmp_path / "second")
        failed = second.mglab("up", "--loopback", "--frames-divisor", "8", check=False)
        assert failed.returncode == 125 and "in use" in failed.stderr, failed.stderr
        assert failed.stderr.startswith("mglab up: loopback: port ")
    finally:
        lab.mglab("down")
    assert not (lab.state / "lab.json").exists()
    assert_gone(tmp_path)


def test_a_lab_beside_it_keeps_its_server_and_does_not_disturb(lab, tmp_path):
    """Without namespaces the phone sees every process of the machine. Those of the trace app on
    another lab's phone are called the same: a force-stop must not end them, nor find them."""
    other, own = lab(phone=True), Loopback(tmp_path / "own")
    other.adb("connect", PHONE)
    other.adb("shell", f"am start-foreground-service -n {SERVICE} "
              "--es listen tcp://127.0.0.1:40613 --es token 0123456789abcdef")

    def server():
        return other.adb("shell", f"pidof {SERVER_NAME}", check=False).stdout

    wait_until("the other lab's server runs", server, 30)
    before = server()
    own.mglab("up", "--loopback", "--frames-divisor", "8")
    try:
        adb = ("exec", "winhost", "--", "adb", "-P", "15037")
        shell = (*adb, "-s", "127.0.0.1:5555", "shell")
        own.mglab(*adb, "connect", "127.0.0.1:5555")
        assert own.mglab(*shell, "pidof sh; :").stdout.split()
        seen = own.mglab(*shell, f"pidof {SERVER_NAME}", check=False)
        assert (seen.returncode, seen.stdout) == (1, "")
        done = own.mglab("exec", "wsl", "--", lablib.BUILD / "coordinator/mgcoord", *RUN)
        assert_measured(done.stdout)
        assert server() == before
    finally:
        own.mglab("down")
    assert not (own.state / "lab.json").exists()


def test_a_user_who_may_make_no_namespaces_can_measure(nobody):
    prefix, folder = nobody
    # A user namespace in which just one more may be made, and in it a user who wants another.
    outer = ("unshare", "--user", "--map-root-user", "sh", "-c",
             'echo 1 >/proc/sys/user/max_user_namespaces && exec "$@"', "sh")
    inner = ("unshare", "--user", "--map-user=1234", "--map-group=1234")
    probe = subprocess.run([*prefix, *outer, *inner, "id", "-u"], capture_output=True, text=True,
                           timeout=30, cwd="/")
    if probe.stdout != "1234\n":
        pytest.skip(f"cannot make the case: {probe.stderr.strip()}")
    programs = copy_programs(WHOLE_LAB, folder / "bin")
    lab = Loopback(folder / "lab", (*prefix, *outer, *inner), programs / "mglab")
    done = lab.mglab("run", "--no-workers", "--no-phone", "--", "true", check=False)
    assert done.returncode == 125 and "--loopback" in done.stderr, done.stderr
    done = lab.mglab("run", "--loopback", "--frames-divisor", "8", "--", programs / "mgcoord", *RUN)
    assert_measured(done.stdout)
    assert_gone(folder)


def test_kill_9_of_a_loopback_lab_ends_its_members(tmp_path):
    lab = Loopback(tmp_path / "lab")
    lab.mglab("up", "--loopback", "--frames-divisor", "8")
    os.kill(int((lab.state / "lab.lock").read_text()), signal.SIGKILL)
    wait_until("no process of the lab is left",
               lambda: not processes_naming(str(lab.state), "--inside-fd", "adb -P 15037"), 20)
    assert lab.mglab("down", check=False).returncode == 1
    wait_until("its ports are free", lambda: taken_port() is None, 20)
    again = lab.mglab("run", "--loopback", "--frames-divisor", "8", "--", "true")
    assert again.returncode == 0
    assert_gone(tmp_path)
