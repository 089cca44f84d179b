"""Nights in a lab: `mgcoord run nightly`, small. Used by test_nightly*.py."""

import json

import pytest

import benchlib
import lablib
from benchlib import Result

PHONE_ARMS = ("monolith", "inproc", "shm", "tcp")
CROSS_ARMS = ("crosshost-c1", "crosshost-c2", "crosshost-c3")
SMALL = ("--workload", "openra", "--arm", "monolith", "--arm", "tcp", "--credit", "1", "--reps", "2",
         "--set", "lanes.matrix.ssim=false", "--set", "lanes.crosshost.ssim=false")


class Night(benchlib.Bench):
    def command(self, *args):
        """A lab on a busy machine has no steady link; test_nightly_link.py looks at what that does.
        The gate is what test_nightly_gate.py looks at."""
        return (benchlib.MGCOORD, "run", "nightly", "--site", self.site, "--set", "brackets=path",
                "--set", "confirm=0", *args)


def plan_of(result):
    return json.loads((result.dir / "run.json").read_text(encoding="utf-8"))["plan"]


def rows(result):
    return {row["id"]: row for row in result.summary["runs"]}


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):  # noqa: ARG001
    one = lablib.Lab(tmp_path_factory.mktemp("lab") / "state",
                     ("--frames-divisor", "8", "--heartbeat-ms", "300", "--silence-ms", "3000"),
                     workers=True, phone=True)
    one.wait_up()
    yield Night(one)
    one.end()
    one.assert_gone()


__all__ = ["CROSS_ARMS", "Night", "PHONE_ARMS", "Result", "SMALL", "bench", "plan_of", "rows"]
