"""Budgets of a night in a lab: what has no time left is left out in whole rounds, too many cells that come to nothing
stop the run, and what can never fit is refused before anything starts."""

import json

import pytest

import benchlib
from nightlylib import SMALL, bench, rows  # noqa: F401

ARMS = ("monolith", "tcp", "crosshost-c1")
ROUNDS = 5
NIGHT = (*SMALL, "--set", "order=fixed", "--reps", str(ROUNDS))


def mgcoord(bench, *args):  # noqa: F811
    return bench.lab.exec("wsl", benchlib.MGCOORD, *args, "--site", bench.site, timeout=60, check=False)


def plan(bench, command, *more):  # noqa: F811
    return mgcoord(bench, "plan", command, "nightly", "--set", "brackets=path", "--set", "confirm=0", *NIGHT, *more)


def estimate(bench, *more):  # noqa: F811
    done = plan(bench, "show", "--json", *more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["estimate"]


@pytest.fixture(scope="module")
def known(bench):  # noqa: F811
    """A first night, so that this device has a history; what the second one is estimated to take."""
    before = estimate(bench)
    assert {cell["source"] for cell in before["cells"] if cell["id"].startswith("openra/")} == {"published"}
    assert bench.run(*SMALL, "--reps", "1").code == 0
    return estimate(bench)


def cells_of(result, number):
    return {row["arm"]: row for row in rows(result).values() if row["rep"] == str(number)}


def test_plan_show_estimates_from_history(bench, known):  # noqa: F811
    cells = {cell["id"]: cell for cell in known["cells"]}
    for name in ("openra/monolith-r1", "openra/tcp-r5", "crosshost/bench-openra-c1-r2", "setup", "close"):
        assert cells[name]["source"] == "history" and cells[name]["n"] == 1 and cells[name]["ms"] > 0, cells[name]
    assert known["complete"] and "fits" not in known
    rounds = [part for part in known["parts"] if part["round"]]
    assert [part["cells"] for part in rounds] == [len(ARMS)] * ROUNDS
    parts = sum(part["ms"] for part in known["parts"])
    assert known["total_ms"] == parts + cells["setup"]["ms"] + cells["close"]["ms"]
    assert known["end_wall_s"] - known["begin_wall_s"] == pytest.approx(known["total_ms"] / 1000)
    text = plan(bench, "show").stdout
    assert " (history, n = 1), at most " in text and "local time.\n" in text
    assert "is the median of this device's history for 15 of 15 cells" in text


def limit_for(known, rounds):
    """A time that has room for so many rounds, in ms; the looks at the path take next to none of it."""
    cells = {cell["id"]: cell["ms"] for cell in known["cells"]}
    one = cells["openra/monolith-r1"] + cells["openra/tcp-r1"] + cells["crosshost/bench-openra-c1-r1"]
    return round(cells["setup"] + cells["close"] + 600 + rounds * one)


@pytest.fixture(scope="module")
def short(bench, known):  # noqa: F811
    limit = f"budget.wall_time={limit_for(known, 2.7)}ms"
    assert not estimate(bench, "--set", limit)["fits"]
    result = bench.run(*NIGHT, "--set", limit)
    assert result.code == 0, result
    bench.wait_nothing_left()
    return result


def test_whole_rounds_are_left_out_when_time_ends(short):
    measured = {number: {arm for arm, row in cells_of(short, number).items() if row["verdict"] == "measured"}
                for number in range(1, ROUNDS + 1)}
    done = [number for number, arms in measured.items() if arms]
    assert done == list(range(1, len(done) + 1)) and 1 <= len(done) < ROUNDS, measured
    assert all(measured[number] == set(ARMS) for number in done), "a round has all arms or none"
    report = short.report.read_text(encoding="utf-8")
    for number in range(len(done) + 1, ROUNDS + 1):
        for row in cells_of(short, number).values():
            assert (row["verdict"], row["reason"], row["attempts"]) == ("skipped", "no-time-left", 0), row
            assert row["text"].startswith(f"round {number} of openra is not begun: "), row["text"]
            assert "budget.wall_time" in row["text"]
        assert f"3 skipped: round {number} of openra is not begun: " in short.out
        assert f"**Left out for lack of time** (3 cells): round {number} of openra is not begun: " in report
    left_out = short.summary["left_out"]
    assert [len(part["cells"]) for part in left_out] == [len(ARMS)] * (ROUNDS - len(done))
    assert {arm["n"] for arm in short.summary["merged"]["arms"]} == {len(done)}
    looked = {row["id"] for row in short.summary["brackets"] if row["verdict"] == "measured"}
    assert looked == {f"brackets/openra-r{number}-{side}" for number in done for side in ("before", "after")}
    assert short.summary["path_after"]["verdict"] == "measured"


def test_the_report_made_again_says_the_same(bench, short):  # noqa: F811
    before = (short.dir / "summary.json").read_bytes()
    done = bench.lab.exec("wsl", benchlib.MGCOORD, "report", short.dir, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert (short.dir / "summary.json").read_bytes() == before


def test_what_was_left_out_is_measured_by_resuming(bench, short):  # noqa: F811
    kept = {name for name, row in rows(short).items() if row["verdict"] == "measured"}
    done = bench.lab.exec("wsl", benchlib.MGCOORD, "run", "--resume", short.dir, "--site", bench.site, "--set",
                          "budget.wall_time=10m", timeout=benchlib.RUN_S, check=False)
    result = benchlib.Result(bench.lab, done)
    assert result.code == 0, result
    assert f"resumed: {len(kept)} of {3 * ROUNDS} cells are finished" in result.err
    assert {row["verdict"] for row in rows(result).values()} == {"measured"}
    assert "left_out" not in result.summary
    assert "Left out for lack of time" not in result.report.read_text(encoding="utf-8")


def test_a_round_that_is_cut_off_is_no_success(bench, known):  # noqa: F811
    """It fits by the history; then each cell takes far longer, and nothing more begins once time is over."""
    bench.lab.fault("client-slow=300")
    try:
        result = bench.run(*NIGHT, "--set", f"budget.wall_time={limit_for(known, 1.2)}ms")
    finally:
        bench.lab.clear_fault()
    assert result.code == 3, result
    reasons = [(row["verdict"], row["reason"]) for row in rows(result).values()]
    assert reasons[0][0] == "measured", "the cell that was on is let finish"
    assert ("skipped", "time-over") in reasons and ("skipped", "no-time-left") in reasons, reasons
    assert "was over when its turn came" in result.out
    assert result.summary["path_after"]["verdict"] == "measured"
    bench.wait_nothing_left()


@pytest.mark.parametrize(("limit", "last"), [(2, "openra/tcp-r1"), (3, "crosshost/bench-openra-c1-r1")])
def test_too_many_cells_that_come_to_nothing_stop_the_run(bench, limit, last):  # noqa: F811
    bench.lab.fault("client-frames-short=3")
    try:
        result = bench.run(*NIGHT, "--set", f"budget.invalid_cells={limit}")
    finally:
        bench.lab.clear_fault()
    assert result.code == 3, result
    why = f"budget.invalid_cells is spent: {limit} cells came to nothing, of them {last} ("
    assert result.summary["stopped"].startswith(why), result.summary["stopped"]
    seen = list(rows(result).values())
    assert [row["verdict"] for row in seen].count("invalid") == limit
    assert {row["reason"] for row in seen[limit:]} == {"run-stopped"}
    assert f"stopped: {why}" in result.out
    assert result.summary["path_after"]["verdict"] == "measured", "the run ends in order"
    looked = [row["id"] for row in result.summary["brackets"] if row["verdict"] == "measured"]
    block = ["brackets/openra-r1-before", "brackets/openra-r1-after"]
    assert looked == (block if limit == 3 else []), "a block that was begun is closed"
    bench.wait_nothing_left()


def test_what_can_not_fit_is_refused_before_anything_starts(bench, known):  # noqa: F811
    runs = sorted((bench.lab.state / "results").iterdir())
    words = (": budget.wall_time: expected at least ", " take as a rule (by this device's history), got 1s")
    for done in (plan(bench, "check", "--set", "budget.wall_time=1s"),
                 bench.run(*NIGHT, "--set", "budget.wall_time=1s")):
        code = done.returncode if hasattr(done, "returncode") else done.code
        err = done.stderr if hasattr(done, "stderr") else done.err
        assert code == 2, err
        assert all(part in err for part in words), err
    assert sorted((bench.lab.state / "results").iterdir()) == runs
