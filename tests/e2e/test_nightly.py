"""`mgcoord run nightly` in a lab: on-phone and cross-host arms in the same rounds, one result."""

import json

import pytest

from nightlylib import CROSS_ARMS, PHONE_ARMS, bench, plan_of, rows  # noqa: F401

WORKLOADS = ("openra", "rd12")
REPS = 3
PLACES = len(PHONE_ARMS) + len(CROSS_ARMS)


@pytest.fixture(scope="module")
def night(bench):  # noqa: F811
    result = bench.run("--reps", str(REPS))
    assert result.code == 0, result
    bench.wait_nothing_left()
    return result


def cells_of(night, kind):
    return [cell for cell in plan_of(night)["cells"] if cell["kind"] == kind]


def test_every_cell_of_every_lane_is_measured(night):
    seen = rows(night)
    for workload in WORKLOADS:
        for rep in range(1, REPS + 1):
            for arm in PHONE_ARMS:
                assert seen.pop(f"{workload}/{arm}-r{rep}")["verdict"] == "measured"
            for credit in (1, 2, 3):
                assert seen.pop(f"crosshost/bench-{workload}-c{credit}-r{rep}")["verdict"] == "measured"
        for arm in PHONE_ARMS:
            assert seen.pop(f"{workload}/{arm}-rssim")["ssim"] > 0.99
        assert seen.pop(f"crosshost/ssim-{workload}-r1")["ssim"] > 0.99
    assert not seen, seen.keys()


def test_each_round_has_every_arm_once_in_rotating_order(night):
    """Measured in the order of the plan, by the times of the files."""
    for workload in WORKLOADS:
        for number in range(1, REPS + 1):
            cells = [cell for cell in cells_of(night, "measure")
                     if cell["workload"] == workload and cell.get("round") == number]
            assert {cell["arm"] for cell in cells} == {*PHONE_ARMS, *CROSS_ARMS}
            crossing = [cell["crosses_hosts"] for cell in cells]
            first = crossing.index(True)
            assert crossing[first:first + 3] == [True] * 3, "the block is not torn apart"
            ended = [(night.dir / cell["id"] / "manifest.json").stat().st_mtime_ns for cell in cells]
            assert ended == sorted(ended)
    firsts = {next(cell["arm"] for cell in cells_of(night, "measure")
                   if cell["workload"] == "openra" and cell.get("round") == number)
              for number in range(1, REPS + 1)}
    assert len(firsts) == REPS, firsts


def test_every_block_stands_between_two_good_looks_at_the_path(night):
    brackets = cells_of(night, "bracket")
    assert len(brackets) == len(WORKLOADS) * REPS * 2
    for cell in brackets:
        path = night.dir / "attempts" / cell["id"] / "a1/verdict.json"
        verdict = json.loads(path.read_text(encoding="utf-8"))
        assert verdict["verdict"] == "measured", (cell["id"], verdict)
    order = [cell["id"] for cell in plan_of(night)["cells"]]
    for block in range(1, len(WORKLOADS) * REPS + 1):
        before, after = (order.index(cell["id"]) for cell in brackets if cell["block"] == block)
        inside = [cell for cell in cells_of(night, "measure") if cell.get("block") == block]
        assert [order.index(cell["id"]) for cell in inside] == list(range(before + 1, after))
        assert {cell["arm"] for cell in inside} == set(CROSS_ARMS)
