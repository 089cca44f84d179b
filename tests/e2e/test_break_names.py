"""A lab whose state directory has an awkward name: spaces, quotes, letters of other scripts, a format
string, a very long one. Every path of a run is below it."""

import subprocess

import pytest

import benchlib
import lablib

RUN_S = 120


def run_in_lab(*args):
    """`mgcoord run ...` with the options in front of the plan, which is as good as behind it."""
    return subprocess.run([benchlib.MGCOORD, "run", *map(str, args)], timeout=RUN_S, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)


@pytest.mark.parametrize("name", [
    "with spaces äöü 電話 🎮", "q'uo\"te $x;#&|", "trailing ", "%s%n%d", "-dash", "longname" * 28,
    "back\\slash", "colon:comma,=",
])
def test_awkward_state_directory(labs_work, tmp_path, name):
    state = tmp_path / name
    done = run_in_lab("--lab", "--lab-state", state, "--lab-frames-divisor", "8", "--workload",
                      "openra", "--credit", "1", "--reps", "1", "--set",
                      "lanes.crosshost.ssim=false", "crosshost")
    result = benchlib.Result(None, done)
    assert result.code == 0, result
    assert result.cell("bench")["verdict"] == "measured"
    assert result.report.is_relative_to(state)
    assert lablib.sockets_below(state) == []
