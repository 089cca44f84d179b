"""A night that tests the link around its cross-host cells: a link that moves voids the block."""

import json
import subprocess

import pytest

import benchlib
import lablib
from benchlib import end_of
from nightlylib import SMALL, bench, rows  # noqa: F401

SOON_S = 90
# 20 Mbit/s leave a busy machine time; a band of 50 % for one that is very busy.
LINK = (*SMALL, "--set", "brackets=link", "--set", "link_band=50", "--set", "order=fixed", "--set",
        "lanes.netbench.short_duration=1s", "--set", "lanes.matrix.arms=monolith")


def test_a_block_whose_link_moved_goes_again(bench):  # noqa: F811
    """20 Mbit/s before, 5 after: the cell itself could not tell."""
    bench.lab.fault("link-rate-mbit=20")
    bench.lab.fault("client-slow=60")
    run = bench.start(*LINK, "--reps", "1")
    try:
        lablib.wait_until("the cross-host client runs", bench.client_pids, SOON_S)
        bench.lab.fault("link-rate-mbit=5")
        result = end_of(run)
    finally:
        bench.lab.clear_fault()
    assert result.code == 0, result
    row = result.cell("crosshost/bench-openra-c1-r1")
    assert (row["verdict"], row["attempts"]) == ("measured", 2), row
    first = (result.dir / "attempts" / row["id"] / "a1/verdict.json").read_text(encoding="utf-8")
    assert '"link-moved"' in first and "Mbit/s before" in first
    assert row["beside"]["id"] == "openra/monolith-r1"
    for bracket in result.summary["brackets"]:
        assert bracket["verdict"] == "measured" and 3 < bracket["metrics"]["up_mbit_s"] < 7, bracket
        assert bracket["metrics"]["link_rtt_n"] > 0
    bench.wait_nothing_left()


@pytest.fixture(scope="module")
def steady(bench):  # noqa: F811
    bench.lab.fault("link-rate-mbit=20")
    try:
        return bench.run(*LINK, "--set",
                         "lanes.crosshost.extra_server_env=MOBILEGL_SERVER_FRAME_STATS=1")
    finally:
        bench.lab.clear_fault()


def test_a_steady_link_leaves_its_blocks_alone(steady):
    assert steady.code == 0, steady
    assert all(row["attempts"] == 1 for row in rows(steady).values()), rows(steady)
    assert len(steady.summary["brackets"]) == 4


def test_the_link_stands_beside_what_crosses_it(steady):
    """And a difference counts only beyond what its movement may have done."""
    arms = {row["arm"]: row for row in steady.summary["merged"]["arms"]}
    link = arms["crosshost-c1"]["link"]
    assert arms["monolith"]["link"] is None
    assert (link["cells"], link["tested_around"]) == (2, 2), link
    assert 10 < link["lowest"]["up_mbit_s"] <= link["highest"]["up_mbit_s"] < 25
    assert 0 < link["lowest"]["link_rtt_ms"] <= link["highest"]["link_rtt_ms"]
    assert link["mb_per_frame"] > 0 and link["round_trips_per_frame"] >= 1, link
    assert link["explains_ms"] == pytest.approx(link["throughput_ms"] + link["round_trips_ms"])
    moved = (8000 * link["mb_per_frame"] * (1 / link["lowest"]["up_mbit_s"] - 1 / link["highest"]["up_mbit_s"])
             + link["round_trips_per_frame"]
             * (link["highest"]["link_rtt_ms"] - link["lowest"]["link_rtt_ms"]))
    assert link["explains_ms"] == pytest.approx(moved, rel=1e-3, abs=1e-4)
    (row,) = [row for row in steady.summary["comparisons"] if row["arm"] == "crosshost-c1"]
    assert row["link_floor"] == pytest.approx(link["floor"])
    for cell in rows(steady).values():
        crosses = cell["lane"] == "crosshost"
        assert ("link" in cell) == crosses, cell["id"]
        if crosses:
            assert 10 < cell["link"]["before"]["up_mbit_s"] < 25 and cell["server_read_mb_s"] > 0
    assert link["server_read_mb_s"] > 0
    assert "## The link beside what crosses hosts" in steady.report.read_text(encoding="utf-8")
    assert "link beside openra crosshost-c1: up " in steady.out and link["text"] in " ".join(steady.out.split())
    before = steady.summary["merged"]
    done = subprocess.run([benchlib.MGCOORD, "report", steady.dir], capture_output=True, text=True,
                          timeout=60, check=True)
    assert "link beside openra crosshost-c1" in done.stdout
    assert json.loads((steady.dir / "summary.json").read_text(encoding="utf-8"))["merged"] == before
