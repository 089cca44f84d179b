"""A lab that stays: `mglab up`, `down`, `status`, `shell`; and who ends it when nobody does."""

import os
import pty
import select
import signal
import subprocess
import time

import pytest

import lablib
from lablib import MGLAB, copy_programs, processes_in, wait_until
from test_world import WORLD, add_route

PHONE = "192.168.21.181"


class Standing(lablib.Lab):
    """A lab of `mglab up`: there is no process of ours behind it, only the state directory."""

    def __init__(self, state, options=(), prefix=(), program=MGLAB, **run):
        self.state = state
        self.prefix = tuple(prefix)
        self.program = program
        self.env = self.exec_env = {k: v for k, v in os.environ.items() if k != "MGLAB_STATE"}
        self.namespaces, self.pins = set(), []
        self.mounts_before = lablib.lab_mounts()
        self.up = subprocess.run(
            [*self.prefix, str(program), "up", "--state", str(state), *map(str, options)],
            timeout=lablib.START_S, capture_output=True, text=True, stdin=subprocess.DEVNULL,
            env=self.env, **run)
        if self.up.returncode == 0:
            self.remember()

    def remember(self):
        super().remember()
        self.keeper = int((self.state / "lab.lock").read_text())

    def down(self, check=True):
        return self.mglab("down", check=check)

    def end(self):
        self.down(check=False)


BARE = ("--no-workers", "--no-phone")


@pytest.fixture
def standing(labs_work, tmp_path):
    made = []

    def start(*options, state=None, **kwargs):
        one = Standing(state or tmp_path / f"lab{len(made)}", options or BARE, **kwargs)
        made.append(one)
        return one

    yield start
    for one in made:
        one.end()
        one.assert_gone()


def test_up_leaves_a_lab_running_and_down_ends_it(standing):
    one = standing()
    assert one.up.returncode == 0, one.up.stderr
    assert str(one.state) in one.up.stdout and "mglab down" in one.up.stdout
    assert one.probe("wsl", PHONE, 1) == "accepted reset"
    add_route(one)
    assert one.probe("wsl", PHONE, 1) == "refused"
    one.down()
    assert not processes_in(one.namespaces)  # at once, without a wait
    assert not (one.state / "lab.json").exists()
    for command in ("status", "down"):
        gone = one.mglab(command, check=False)
        assert gone.returncode == 1 and "no lab runs" in gone.stderr
    again = standing(state=one.state)
    assert again.up.returncode == 0, again.up.stderr


def test_a_whole_lab_stays_and_measures(standing):
    one = standing("--frames-divisor", "8", "--link", "wifi")
    assert one.up.returncode == 0, one.up.stderr
    names = [member["name"] for member in one.status()["members"]]
    assert {"mgphone", "mgworker-host", "mgworker-wsl", "link"} <= set(names)
    done = one.exec("wsl", lablib.BUILD / "coordinator/mgcoord", "run", "crosshost", "--workload",
                    "openra", "--credit", "1", "--reps", "1", timeout=120)
    assert done.stdout.count(" measured") == 2, done.stdout


def test_a_second_up_on_the_same_directory_is_refused(standing):
    one = standing()
    second = standing(state=one.state)
    assert second.up.returncode == 125
    assert "another lab runs" in second.up.stderr and len(second.up.stderr.splitlines()) == 1
    assert one.status()["pid"]


def test_two_labs_side_by_side(standing):
    one, two = standing(), standing()
    assert one.namespaces and not one.namespaces & two.namespaces
    one.fault("link-cut")
    assert two.faults() == {}
    one.down()
    assert two.probe("wsl", PHONE, 1) == "accepted reset"


def test_up_that_fails_says_why_and_leaves_nothing(standing, tmp_path):
    empty = tmp_path / "bin"
    empty.mkdir()
    one = standing("--bin", empty)
    assert one.up.returncode == 125
    assert one.up.stderr.startswith("mglab up: fixtures: no mglab-fixtures in ")
    assert not (one.state / "lab.json").exists()


@pytest.mark.parametrize("victim", ["keeper", "first"])
def test_a_killed_lab_is_recognised_and_in_nobodys_way(standing, victim):
    one = standing()
    os.kill(one.keeper if victim == "keeper" else one.status()["pid"], signal.SIGKILL)
    one.assert_gone()
    gone = one.mglab("status", check=False)
    assert gone.returncode == 1 and "no lab runs" in gone.stderr
    if victim == "keeper":  # nobody was left to tidy up
        assert "killed" in gone.stderr
    again = standing(state=one.state)
    assert again.up.returncode == 0, again.up.stderr


def test_sigterm_to_the_mglab_behind_it_ends_it(standing):
    one = standing()
    os.kill(one.keeper, signal.SIGTERM)
    one.assert_gone()
    assert not (one.state / "lab.json").exists()


def test_down_ends_the_command_of_mglab_run_too(lab):
    one = lab()
    one.mglab("down")
    assert one.process.wait(30) == 143


def test_a_forgotten_lab_ends_by_itself(standing):
    one = standing(*BARE, "--idle-limit", "1s")
    visitor = one.popen("gw", "sleep", "2.5")
    assert visitor.wait(30) == 0  # whose command runs has not forgotten it
    assert one.namespaces
    one.assert_gone()
    assert "nobody used the lab" in one.log("mglab")


def test_a_lab_in_use_does_not_end(standing):
    one = standing(*BARE, "--idle-limit", "2s")
    end = time.monotonic() + 5
    while time.monotonic() < end:
        assert one.status()["pid"]
        time.sleep(0.2)  # the pace of the use, no wait for anything


# ---- shell ----

def read_until(fd, text, seconds=30):
    end, seen = time.monotonic() + seconds, ""
    while text not in seen:
        ready, _, _ = select.select([fd], [], [], max(0, end - time.monotonic()))
        assert ready, f"no {text!r} in {seen!r}"
        try:
            seen += os.read(fd, 4096).decode(errors="replace")
        except OSError as error:  # the terminal's other end is closed
            raise AssertionError(f"the shell ended after {seen!r}") from error
    return seen


@pytest.mark.parametrize("host, phone", [("wsl", False), ("phone", True)])
def test_shell_is_interactive(standing, host, phone):
    one = standing(*(("--no-workers",) if phone else BARE))
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(MGLAB, ["mglab", "shell", "--state", str(one.state), host],
                  {**one.exec_env, "SHELL": "/bin/sh"})
    try:
        read_until(terminal, "$ ")
        ask = b"getprop ro.product.model" if phone else b"hostname"
        os.write(terminal, b"echo [$(" + ask + b")$((1+1))]\n")
        read_until(terminal, "[lab phone2]" if phone else "[wsl2]")
        if not phone:
            os.write(terminal, b"sleep 1000\n")
            wait_until("it sleeps", lambda: "sleep" in one.exec(
                "wsl", "sh", "-c", "cat /proc/[0-9]*/comm").stdout, 20)
            os.write(terminal, b"\x03echo caught $((2+2))\n")
            read_until(terminal, "caught 4")
        os.write(terminal, b"exit 5\n")
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5
    finally:
        os.close(terminal)


def test_shell_of_no_host_and_no_lab(standing, tmp_path):
    for args, code, word in ((("moon",), 2, "moon"), (("wsl",), 125, "no lab runs")):
        done = subprocess.run([MGLAB, "shell", "--state", tmp_path / "none", *args],
                              capture_output=True, text=True, timeout=30)
        assert done.returncode == code and word in done.stderr


# ---- without rights ----

def test_a_normal_user_can_keep_a_lab(labs_work, nobody):
    prefix, folder = nobody
    programs = copy_programs(WORLD, folder / "bin")
    one = Standing(folder / "lab", BARE, prefix=prefix, program=programs / "mglab", cwd="/")
    try:
        assert one.up.returncode == 0, one.up.stderr
        one.fault("link-delay-ms=20")
        assert one.exec("gw", "id", "-u").stdout == "0\n"
        assert one.probe("wsl", PHONE, 1) == "accepted reset"
        one.down()
    finally:
        one.end()
    one.assert_gone()
