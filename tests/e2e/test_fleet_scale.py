"""8 lab phones on 2 worker pairs, both lanes in one run, in loopback mode; and what becomes of it when
a worker of four phones is killed, and one phone leaves adb. What a run on several phones looks like
otherwise is in test_fleet.py; 64 phones on 8 pairs are a benchmark (bench/phones.py)."""

import json
import os
import re
import subprocess
import threading

import pytest

import crewlib
from lablib import BUILD, MGLAB

PHONES = [f"p{i}" for i in range(1, 9)]
OF_HOST1 = PHONES[0::2]
PLAN = ("nightly", "--workload", "openra", "--arm", "monolith,tcp", "--credit", "1", "--reps", "1",
        "--set", "brackets=path", "--set", "confirm=0", "--set", "lanes.matrix.ssim=false")
RUN_S = 180


@pytest.fixture(autouse=True)
def own_network():
    if not crewlib.can_be_alone():
        pytest.skip("cannot make a network of its own")


class Run:
    """mgcoord in a lab of its own, its lines as they come."""

    def __init__(self, state, *options, faults=()):
        self.state, self.lines, self.waiting = state, [], threading.Condition()
        faults = [word for fault in faults for word in ("--lab-fault", fault)]
        env = {k: v for k, v in os.environ.items() if k != "MGLAB_STATE"}
        self.process = subprocess.Popen(
            [*crewlib.ALONE, str(BUILD / "coordinator/mgcoord"), "run", *PLAN, "--lab",
             "--lab-loopback", "--lab-phones", "8", "--lab-pairs", "2", "--lab-state", str(state),
             "--lab-frames-divisor", "16", *faults, *options], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, env=env)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            with self.waiting:
                self.lines.append(line.rstrip("\n"))
                self.waiting.notify_all()

    def wait_line(self, pattern):
        with self.waiting:
            assert self.waiting.wait_for(
                lambda: any(re.search(pattern, line) for line in self.lines), RUN_S), self.lines

    def mglab(self, command, *args):
        subprocess.run([str(MGLAB), command, "--state", str(self.state), *args], check=True,
                       timeout=60, stdin=subprocess.DEVNULL)

    def end(self):
        """Exit code and what is said of each phone."""
        try:
            code = self.process.wait(RUN_S)
        finally:
            self.process.kill()
        self.reader.join()
        path, = self.state.glob("results/*/summary.json")
        self.summary = json.loads(path.read_text())
        self.rows = {row["phone"]: row for row in self.summary["phones"]}
        return code

    def runs(self, phone):
        path, = self.state.glob(f"results/*/phones/{phone}/summary.json")
        return json.loads(path.read_text())["runs"]

    def attempts(self, phone):
        return {run["id"]: run["attempts"] for run in self.runs(phone)}


def test_eight_phones_on_two_pairs_are_measured(tmp_path):
    run = Run(tmp_path / "lab")
    assert run.end() == 0, run.lines
    assert list(run.rows) == PHONES
    serials = set()
    for phone in PHONES:
        assert run.rows[phone]["measured"] == run.rows[phone]["cells"] == len(run.runs(phone)) > 0
        path, = run.state.glob(f"results/*/phones/{phone}/summary.json")
        serials.add(json.loads(path.read_text())["device"]["serialno"])
    assert len(serials) == len(PHONES)


def test_one_killed_worker_and_one_phone_away_cost_only_theirs(tmp_path):
    """host1 has p1, p3, p5, p7 and dies while they are measured; p2 leaves adb for good."""
    run = Run(tmp_path / "lab", "--set", "retries_per_cell=2", "--set",
              "lanes.matrix.device_timeout=2s", "--set", "lanes.crosshost.device_timeout=2s",
              faults=[f"{phone}.client-slow=40" for phone in OF_HOST1])
    run.wait_line(r"p1: \S*openra\S*: attempt 1")
    run.mglab("kill", "-KILL", "mgworker-host1")
    run.mglab("fault", "p2.phone-gone")
    assert run.end() == 3, run.lines
    assert run.rows["p2"]["exit_code"] == 3
    for phone in PHONES:
        if phone == "p2":
            continue
        assert run.rows[phone]["measured"] == run.rows[phone]["cells"], run.lines
    again = [phone for phone in OF_HOST1 if max(run.attempts(phone).values()) > 1]
    assert again, run.lines
    for phone in ("p4", "p6", "p8"):
        assert max(run.attempts(phone).values()) == 1, run.attempts(phone)
