"""kill -9 of every process at every phase of a cell: nothing is left, a broken attempt is never
`measured`, and the next run is clean.

The CI share is one phase per process; MGC_BREAK_ALL=1 runs the full loop."""

import json
import os
import signal

import pytest

import benchlib
from breaklib import (PHASES, assert_superseded_are_not_measured, bench,  # noqa: F401  (fixtures)
                      broken, fault)

# What runs at a phase; killing something else at that phase has no meaning.
ALIVE = {
    "coordinator": PHASES,
    "host worker": PHASES,
    "wsl worker": PHASES,
    "adb server": PHASES,
    "mgphone": PHASES,
    "proxy": PHASES,
    "client": ("client",),
    "logcat": ("client",),
    "server": ("server", "client"),
    "session child": ("client",),
}
CI_SHARE = [("coordinator", "route"), ("coordinator", "client"), ("coordinator", "close"),
            ("host worker", "server"), ("wsl worker", "setup"), ("wsl worker", "client"),
            ("adb server", "client"), ("mgphone", "client"), ("client", "client"),
            ("server", "client"), ("session child", "client"), ("proxy", "client")]
FULL = [(what, phase) for what, phases in ALIVE.items() for phase in phases]


# What is named when the cell is not measured at all, beside what may also be lost.
# A client that does not hang yet notices the session child's end and says so before it is killed.
REASONS = {"client": {"client-crashed"},
           "session child": {"client-crashed", "result-not-passed", "server-session-signal"},
           "server": {"step-failed", "server-gone", "server-ended"}, "proxy": {"client-crashed"},
           "adb server": {"client-crashed"}}


def assert_told(result, what):
    """The right code and sentence, or a second attempt that is measured."""
    row = result.cell("bench")
    if row["verdict"] == "measured":
        assert result.summary["path_after"]["verdict"] == "measured" and result.code == 0, result
        return
    assert result.code == 3, result
    assert what != "client" or "signal 9" in row["text"], result
    assert row["text"] and " ".join(row["text"].split()) in " ".join(result.out.split()), result
    unproved = row["reason"] == "path-unproved"  # lost after the cell: nobody saw that its path held
    assert row["reason"] in REASONS.get(what, ()) or unproved, result
    assert not unproved or result.summary["path_after"]["verdict"] != "measured", result


def assert_only_proved_cells_are_measured(bench):
    """What a killed coordinator left on disk."""
    newest = sorted(bench.lab.state.glob("results/*-crosshost-*"))[-1]
    for path in newest.rglob("verdict.json"):
        verdict = json.loads(path.read_text())
        if "bench-" in str(path) and verdict["verdict"] == "measured":
            proofs = [(item["check"], item["outcome"]) for item in verdict["evidence"]]
            assert ("path after", "ok") in proofs, path


@pytest.mark.parametrize("what, phase", FULL if os.environ.get("MGC_BREAK_ALL") else CI_SHARE)
def test_kill(bench, broken, fault, what, phase):
    if phase == "client":
        fault("client-hang=5")
    run = broken()
    run.wait_phase(phase)
    if phase == "client":
        bench.lab.mglab("fault", "--clear")
    killed = bench.processes.signal(what, signal.SIGKILL)
    assert killed, f"no {what} at {phase}"
    # The client that hangs does not notice.
    if phase == "client" and what in ("proxy", "session child", "adb server"):
        bench.processes.signal("client", signal.SIGKILL)
    result = run.end()
    if what == "coordinator":
        assert result.code != 0 and result.report is None, result
        assert_only_proved_cells_are_measured(bench)
    else:
        assert_told(result, what)
        assert_superseded_are_not_measured(result)
        # A worker that is started again undoes what it left before it joins.
        assert "put back: not everything" not in result.out, result
    bench.assert_nothing_left()
    bench.assert_next_run_is_clean()
