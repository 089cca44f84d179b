"""The common start of a cross-host cell, whose members are the server's step (host worker) and the client's
(WSL worker): one that dies before it arrives, while it waits and after the release, and one that arrives when
the time is over. Each ends with the member's name, soon, and leaves nothing."""

import json
import re
import signal

import pytest

import lablib
from breaklib import bench, broken  # noqa: F401  (fixtures)

CELLS = ("--workload", "openra", "--credit", "1", "--reps", "2", "--set", "lanes.crosshost.ssim=false",
         "--set", "worker_timeout=20s")
C1, C2 = "crosshost/bench-openra-c1-r1", "crosshost/bench-openra-c1-r2"


@pytest.fixture
def gathering(bench, broken):  # noqa: F811
    """gathering(*args): a run whose server waits at the barrier for a client's worker that is frozen."""
    frozen = []

    def start(*args):
        bench.lab.fault("phone-latency=usb")  # the server takes a while, so that the freeze comes before
        run = broken(*CELLS, *args)
        run.wait_line(rf"{C1} state: ready")
        frozen.extend(bench.processes.signal("wsl worker", signal.SIGSTOP))
        assert frozen
        run.wait_line(rf"{C1} server: ready")
        bench.lab.clear_fault()
        return run

    yield start
    bench.processes.resume(frozen)


def first_of(result, settled=False):
    path = result.dir / (C1 if settled else f"attempts/{C1}/a1") / "verdict.json"
    return json.loads(path.read_text(encoding="utf-8"))


def assert_tried_again(result, reason, words):
    """The first attempt by that name; then measured, and so is the next cell."""
    assert result.code == 0, result
    first = first_of(result)
    assert first["reason"] == reason and re.search(words, first["text"]) and first["next_step"], first
    assert [(row["verdict"], row["attempts"]) for row in result.summary["runs"]] == [
        ("measured", 2), ("measured", 1)], result
    assert not (first.get("release") or {}).get("released"), first


def test_a_member_that_dies_before_it_arrives(bench, gathering):  # noqa: F811
    run = gathering()
    bench.processes.signal("wsl worker", signal.SIGKILL)
    result = run.end()
    assert_tried_again(result, "worker-lost", r"step 'replay' \(wsl\.replay\): worker lost")
    bench.assert_nothing_left()


def test_a_member_that_dies_while_it_waits(bench, gathering):  # noqa: F811
    run = gathering()
    bench.processes.signal("host worker", signal.SIGKILL)
    run.wait_line(r"worker 'host' \(host\) lost")
    bench.processes.signal("wsl worker", signal.SIGCONT)
    result = run.end()
    assert_tried_again(result, "worker-lost", r"\(host\.\w+\): worker lost")
    told = {step["step"]: step for step in first_of(result)["steps"]}
    assert told["server"]["state"] == "failed" and "worker lost" in told["server"]["error"], told
    bench.assert_nothing_left()


def test_a_member_that_dies_after_the_release(bench, broken):  # noqa: F811
    bench.lab.fault("client-hang=4")
    run = broken(*CELLS)
    run.wait_line(rf"{C1} server: ready")
    run.wait_hanging_client()
    bench.lab.clear_fault()
    bench.processes.signal("wsl worker", signal.SIGKILL)
    result = run.end()
    assert result.code == 0, result
    first = first_of(result)
    assert first["reason"] in ("worker-lost", "setup-lost") and "wsl" in first["text"], first
    assert [row["attempts"] for row in result.summary["runs"]] == [2, 1], result
    bench.assert_nothing_left()


def test_a_member_that_arrives_when_the_time_is_over(bench, gathering):  # noqa: F811
    """Not tried again: who is slow once may be slow each time, and the plan says how long to wait."""
    run = gathering("--set", "barrier_timeout=1s")
    run.wait_line(rf"{C1}: failed: ")
    bench.processes.signal("wsl worker", signal.SIGCONT)
    result = run.end()
    verdict = first_of(result, settled=True)
    assert (verdict["verdict"], verdict["reason"]) == ("failed", "timeout"), verdict
    assert verdict["text"] == "barrier 'start': replay did not arrive within 1 s", verdict
    rows = {row["id"]: row for row in result.summary["runs"]}
    assert (rows[C1]["attempts"], rows[C2]["verdict"]) == (1, "measured"), result
    bench.assert_nothing_left()
