"""A bench in a lab for `mgcoord run matrix`: runs, what a cell left, what is on the phone. Used by the
test_matrix*.py files."""

import json
import re

import pytest

import benchlib
import breaklib
import lablib
from phonelib import PACKAGE

ARMS = ("monolith", "inproc", "shm", "tcp")
APP_FILES = f"/data/user/0/{PACKAGE}/files"
SIDE_PACKAGE = "top.mobilegl.plugin.p14.trace"
RELEASE_PACKAGE = "top.mobilegl.plugin.release.trace"

# One benchmark cell of openra; `arm` and `arm_then_monolith` say of which arm, and what follows it.
ONE_ROUND = ("--set", "lanes.matrix.workloads=openra", "--set", "lanes.matrix.reps=1", "--set",
             "lanes.matrix.ssim=false")
ONE_SSIM = ("ssimonly", "--set", "lanes.matrix.workloads=openra")


def arms(*names):
    return ("--set", "lanes.matrix.arms=" + ",".join(names))


def setting(name, value):
    return ("--set", f"lanes.matrix.{name}={value}")


class MatrixBench(breaklib.BreakBench):
    """Runs of the matrix; what they may leave is looked for on the phone and at the hosts."""

    def command(self, *args):
        return (benchlib.MGCOORD, "run", "matrix", *args, "--site", self.site)

    def connect(self):
        """So that adb in a test knows the phone as the host worker does."""
        serial = re.search(r'serial: "(.+)"', self.site.read_text())[1]
        self.lab.adb("connect", serial, check=False)

    def wait_phone(self):
        """Until adb has the phone again, after a restart or a loss."""
        def is_back():
            self.connect()
            return self.adb("shell", "echo there", check=False).stdout == "there\n"
        lablib.wait_until("the phone is back", is_back, 60)

    def shell(self, command):
        """What a command says on the phone, run over adb as a person would."""
        return self.adb("shell", command).stdout.strip()

    def adb(self, *args, check=True):
        serial = re.search(r'serial: "(.+)"', self.site.read_text())[1]
        return self.lab.adb("-s", serial, *args, check=check)

    def journal(self, event=None):
        """The phone's journal since its last start."""
        lines = (self.lab.state / "phone/journal.jsonl").read_text().splitlines()
        return [x for x in map(json.loads, lines) if event in (None, x["event"])]

    def settings(self):
        """What a run changes on the phone, as a person reads it."""
        return {
            "stay awake": self.shell("settings get global stay_on_while_plugged_in"),
            "doze": self.shell("dumpsys deviceidle whitelist").count(PACKAGE),
            "log buffer": re.sub(r"\(.*?\)", "", self.shell("logcat -g")),
        }

    def left(self):
        """BreakBench's, and the device program in the app's own directory."""
        found = super().left()
        found += map(str, (self.lab.state / "phone").glob("data/user/0/*/**/mgdevice*"))
        return found + [f"server {pid}" for pid in self.server_pids()]

    def assert_next_run_is_clean(self):
        result = self.run(*ONE_ROUND, *arms("monolith"))
        assert result.code == 0, result
        self.assert_nothing_left()


def make_bench(folder, *options):
    lab = lablib.Lab(folder / "state", ("--frames-divisor", "16", *breaklib.SHORT_LIVENESS,
                                        *options), workers=True, phone=True)
    lab.wait_up()
    made = MatrixBench(lab)
    made.connect()
    return made


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):
    """One lab for a file, with short liveness."""
    made = make_bench(tmp_path_factory.mktemp("lab"))
    yield made
    made.lab.end()
    made.lab.assert_gone()


def steps_of(result, row):
    """Step -> its outcome, from the verdict of a cell (or the attempt directory of setup or close)."""
    folder = row["dir"] if isinstance(row, dict) else f"attempts/{row}/a1"
    doc = json.loads((result.dir / folder / "verdict.json").read_text())
    return {step["step"]: step for step in doc["steps"]}


def holders_of(result):
    """Step of the setup that held for the whole run -> its outcome at its end."""
    doc = json.loads((result.dir / "attempts/setup/a1/verdict.json").read_text())
    return {step["step"]: step for step in doc["holders"]}


def facts_of(result, row, step):
    return steps_of(result, row)[step]["facts"]


def states(result):
    """Cell -> verdict, with the reason where there is one."""
    return {row["id"]: row["reason"] or row["verdict"] for row in result.summary["runs"]}


def log_of(result, row, name="mobilegl.client.log"):
    return (result.dir / row["dir"] / name).read_text()
