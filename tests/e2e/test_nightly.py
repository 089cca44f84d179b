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


def merged_arms(document):
    return {(row["workload"], row["arm"]): row for row in document["merged"]["arms"]}


def test_all_lanes_are_one_result(night):
    """Every arm of every lane in one table, held against one reference, with what it costs to cross hosts."""
    arms = merged_arms(night.summary)
    assert set(arms) == {(workload, arm) for workload in WORKLOADS for arm in (*PHONE_ARMS, *CROSS_ARMS)}
    for (_, arm), row in arms.items():
        assert row["n"] == row["cells"] == REPS
        assert row["client"] == ("host" if arm in CROSS_ARMS else "phone")
        assert 0 < row["best_ms"] <= row["mean_ms"] and row["p95_ms"] <= row["p99_ms"], row
        assert row["is_reference"] == (arm == "monolith")
    compared = {(row["workload"], row["arm"]): row for row in night.summary["comparisons"]}
    for workload in WORKLOADS:
        for arm in (*PHONE_ARMS[1:], *CROSS_ARMS):
            row = compared.pop((workload, arm))
            assert (row["comparable"], row["n"], row["reference"]) == ("yes", REPS, "monolith"), row
            assert row.get("client_cpu_differs", False) == (arm in CROSS_ARMS)
            means = arms[workload, arm]["mean_ms"] / arms[workload, "monolith"]["mean_ms"]
            assert row["ratio"] == pytest.approx(means)
    assert not compared
    penalties = [(row["workload"], row["arm"], row["reference"], row["comparable"], row["n"])
                 for row in night.summary["merged"]["penalties"]]
    assert sorted(penalties) == sorted((workload, "crosshost-c1", arm, "yes", REPS)
                                       for workload in WORKLOADS for arm in ("shm", "tcp"))


def test_the_report_says_what_changed_and_in_which_order(night):
    report = (night.dir / "REPORT.md").read_text(encoding="utf-8")
    heads = ("## Verdicts", "## All arms side by side", "## What it costs to cross hosts", "## Looks at the link",
             "## Pictures and proof of all lanes", "## What each verdict rests on")
    places = [report.index(head) for head in heads]
    assert places == sorted(places)
    assert "The client's CPU changed" in report
    assert night.out.count("link block ") == len(WORKLOADS) * REPS
    for workload in WORKLOADS:
        lines = [line for line in night.out.splitlines() if line.startswith(f"ssim {workload}:")]
        assert len(lines) == 1 and "monolith 1.0" in lines[0] and "crosshost-c1 " in lines[0]
    assert "the client ran on the WSL host's CPU" in night.out


def test_cells_say_when_they_ran(night):
    """A timeline can be made: cells in the order of the plan, none before the other ended."""
    seen = rows(night)
    order = [seen[cell["id"]] for cell in cells_of(night, "measure")]
    for row, after in zip(order, order[1:]):
        assert row["start_wall_s"] < row["end_wall_s"] <= after["end_wall_s"]
    assert night.summary["start_wall_s"] <= order[0]["start_wall_s"]
    assert order[-1]["end_wall_s"] <= night.summary["end_wall_s"]
    verdict = json.loads((night.dir / order[0]["dir"] / "verdict.json").read_text(encoding="utf-8"))
    assert verdict["start_wall_s"] == order[0]["start_wall_s"]
