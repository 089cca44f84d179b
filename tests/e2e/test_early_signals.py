"""Ctrl-C and SIGTERM in the first seconds of `mgcoord run --lab`, while fixtures, keys, namespaces,
links, phone and workers are still being made: the run always ends, with the exit code for that, and
leaves nothing.

The moments are files that the lab makes on its way, so that they are the same on a slow machine.
MGC_SIGNAL_SWEEP=N sends every signal in every way at N moments from 0 to 3 s instead.
"""

import fcntl
import os
import pty
import signal
import subprocess
import termios
import time

import pytest

import benchlib
import lablib
from benchlib import MGCOORD

ENDS_S = 60
INTERRUPTED = 4

# In the order in which they come: state directory, its parts, namespaces, world, members, run.
MOMENTS = ("", "log/fixtures.log", "log/keys-init.log", "enrol/done", "site.yaml", "lab.json",
           "log/mglab.log", "log/proxy.log", "log/link.log", "log/mgphone.log",
           "log/mgworker-host.log", "log/mgworker-wsl.log", "results/mgcoord.lock")


def to_group(number):
    return lambda run: os.killpg(run.process.pid, number)


def to_one(number):
    return lambda run: os.kill(run.process.pid, number)


def by_key(run):
    os.write(run.master, b"\x03")


WAYS = {"ctrl-c": by_key, "group-int": to_group(signal.SIGINT), "int": to_one(signal.SIGINT),
        "group-term": to_group(signal.SIGTERM), "term": to_one(signal.SIGTERM)}


class EarlyRun:
    """A run in a session and on a terminal of its own."""

    def __init__(self, state, nohup=False):
        self.state = state

        def settle():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            signal.signal(signal.SIGHUP, signal.SIG_IGN if nohup else signal.SIG_DFL)

        self.mounts = lablib.lab_mounts()
        self.master, slave = pty.openpty()
        env = {key: value for key, value in os.environ.items() if key != "MGLAB_STATE"}
        self.process = subprocess.Popen(
            [MGCOORD, "run", "crosshost", "--lab", "--lab-state", state, "--lab-frames-divisor",
             "8", *benchlib.ONE_BENCH], stdin=slave, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True, env=env, text=True,
            preexec_fn=settle)
        os.close(slave)

    def wait_for(self, name):
        """Often, since the next moment is a few milliseconds away."""
        path, end = self.state / name, time.monotonic() + lablib.START_S
        while not path.exists():
            assert self.process.poll() is None, self.process.communicate()[0]
            assert time.monotonic() < end, f"no {path}"
            time.sleep(0.0005)

    def end(self):
        try:
            self.out, _ = self.process.communicate(timeout=ENDS_S)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.communicate(timeout=ENDS_S)
            os.close(self.master)
        return self.process.returncode

    def processes(self):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as line, \
                        open(f"/proc/{pid}/environ", "rb") as env:
                    text = line.read() + env.read()
            except OSError:
                continue
            if os.fsencode(self.state) in text and not lablib.is_zombie(pid):
                found.append((pid, text[:200]))
        return found

    def assert_nothing_left(self):
        lablib.wait_until("no process is left", lambda: not self.processes(), lablib.GONE_S)
        assert lablib.lab_mounts() == self.mounts
        assert not (self.state / "lab.json").exists()
        assert lablib.sockets_below(self.state) == []
        assert [path for path in self.state.rglob("*") if ".tmp" in path.name] == []


def assert_interrupted(run, code, number):
    begun = run.state.exists()  # before, the signal ends mgcoord as it ends every program
    assert code == INTERRUPTED or (code == -number and not begun), (code, begun, run.out)
    run.assert_nothing_left()


def number_of(way):
    return signal.SIGTERM if "term" in way else signal.SIGINT


def cases():
    """Each moment with two ways, so that neighbours complete each other."""
    names = list(WAYS)
    return [(moment, names[(2 * i + k) % len(names)])
            for i, moment in enumerate(MOMENTS) for k in range(2)]


@pytest.mark.parametrize("moment, way", cases())
def test_a_signal_while_the_lab_is_made(labs_work, tmp_path, moment, way):
    run = EarlyRun(tmp_path / "lab")
    run.wait_for(moment)
    WAYS[way](run)
    assert_interrupted(run, run.end(), number_of(way))


def test_a_run_after_many_that_were_cut_short(labs_work, tmp_path):
    """In the same state directory: none of them left half of something that counts as whole."""
    for moment in ("log/fixtures.log", "log/keys-init.log", "lab.json"):
        run = EarlyRun(tmp_path / "lab")
        run.wait_for(moment)
        by_key(run)
        assert_interrupted(run, run.end(), signal.SIGINT)
    run = EarlyRun(tmp_path / "lab")
    assert run.end() == 0, run.out
    run.assert_nothing_left()


def test_a_run_under_nohup_outlives_its_terminal(labs_work, tmp_path):
    run = EarlyRun(tmp_path / "lab", nohup=True)
    for moment in ("log/keys-init.log", "log/mgphone.log", "results/mgcoord.lock"):
        run.wait_for(moment)
        to_group(signal.SIGHUP)(run)
    assert run.end() == 0, run.out
    run.assert_nothing_left()


SWEEP = int(os.environ.get("MGC_SIGNAL_SWEEP", "0"))


@pytest.mark.skipif(SWEEP == 0, reason="a sweep over time: MGC_SIGNAL_SWEEP=20")
@pytest.mark.parametrize("way", WAYS)
def test_a_signal_at_any_time(labs_work, tmp_path, way):
    for step in range(SWEEP):
        run = EarlyRun(tmp_path / f"lab{step % 2}")  # every other one finds what is there already
        time.sleep(3.0 * step / SWEEP)  # not a wait for anything: the moment is the parameter
        begun = run.process.poll() is None
        if begun:
            WAYS[way](run)
        code = run.end()
        if code == 0 and run.out.rstrip().endswith("REPORT.md"):
            run.assert_nothing_left()  # the signal came after all was measured
        else:
            assert_interrupted(run, code, number_of(way))
