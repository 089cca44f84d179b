"""A bench in a lab: runs of `mgcoord run crosshost`, what one of them left, and what must be gone
afterwards. Used by test_crosshost.py and the test_break_*.py files."""

import json
import pathlib

import lablib

MGCOORD = lablib.BUILD / "coordinator/mgcoord"
RUN_S = 240
SETTLE_S = 30

PHONE_IP = "192.168.21.181"
ONE_BENCH = ("--workload", "openra", "--credit", "1", "--reps", "1", "--set",
             "lanes.crosshost.ssim=false")
FORMS = ("REPORT.md", "summary.json", "junit.xml", "cells.csv")  # what a run's end writes
ONE_SSIM = ("--set", "lanes.crosshost.runs=ssim:openra")


class Bench:
    """A lab with phone and workers, and runs in it."""

    def __init__(self, lab):
        self.lab = lab
        self.site = lab.state / "site.yaml"
        self.started = []

    def command(self, *args):
        return (MGCOORD, "run", "crosshost", "--site", self.site, *args)

    def run(self, *args):
        done = self.lab.exec("wsl", *self.command(*args), timeout=RUN_S, check=False)
        return Result(self.lab, done)

    def start(self, *args):
        run = self.lab.popen("wsl", *self.command(*args), stdin=lablib.subprocess.DEVNULL,
                             stdout=lablib.subprocess.PIPE, stderr=lablib.subprocess.STDOUT,
                             text=True)
        self.started.append(run)
        return run

    def end_started(self):
        """A test that failed half-way leaves no run behind that the next one would meet."""
        for run in self.started:
            if run.poll() is None:
                run.kill()
                run.communicate(timeout=SETTLE_S)
                self.wait_nothing_left()
        self.started.clear()

    def signal(self, number, pids):
        """With the shell's own kill: the program of that name is no part of a minimal system."""
        self.lab.exec("wsl", "sh", "-c", 'kill "$@"', "sh", f"-{int(number)}", *pids)

    def coordinator_pids(self):
        return self.lab.exec("wsl", "sh", "-c", "pidof mgcoord").stdout.split()

    def route(self):
        """The /32 of the phone in wsl, empty when there is none."""
        return self.lab.exec("wsl", "ip", "-4", "route", "show", f"{PHONE_IP}/32").stdout.strip()

    def server_pids(self):
        return self.lab.exec("phone", "toybox", "pidof", "libMobileGLServer.so",
                             check=False).stdout.split()

    def client_pids(self):
        return self.lab.exec("wsl", "sh", "-c", "pidof mobilegl_trace_replay || true").stdout.split()

    def wait_nothing_left(self):
        lablib.wait_until("the route is gone", lambda: not self.route(), SETTLE_S)
        lablib.wait_until("the render server is gone", lambda: not self.server_pids(), SETTLE_S)
        lablib.wait_until("the replay client is gone", lambda: not self.client_pids(), SETTLE_S)
        for worker in ("host", "wsl"):
            lablib.wait_until(f"the {worker} worker's journal is empty", lambda w=worker: not list(
                (self.lab.state / w / "journal").iterdir()), SETTLE_S)


class Result:
    """What one run printed and wrote."""

    def __init__(self, lab, done):
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr or ""
        where = [line for line in self.out.splitlines() if line.startswith("report: ")]
        self.report = pathlib.Path(where[-1].removeprefix("report: ")) if where else None
        self.dir = self.report.parent if self.report else None
        self.summary = json.loads((self.dir / "summary.json").read_text()) if self.dir else None

    def cell(self, part):
        found = [row for row in self.summary["runs"] if part in row["id"]]
        assert len(found) == 1, (part, [row["id"] for row in self.summary["runs"]])
        return found[0]

    def __str__(self):
        return f"exit code {self.code}\n{self.out}\n{self.err}"


def end_of(run):
    out, _ = run.communicate(timeout=RUN_S)
    return Result(None, lablib.subprocess.CompletedProcess([], run.returncode, out, ""))
