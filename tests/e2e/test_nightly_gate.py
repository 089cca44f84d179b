"""The regression gate in a run: what it flags is run again the same night, and what is confirmed fails
the run. Numbers of a shared machine scatter too much for a test of a few nights, so the nights before
are one real night, written into the history several times with small shifts."""

import contextlib
import json
import signal
import sqlite3
import subprocess
import xml.etree.ElementTree

import pytest

import benchlib
import lablib
from nightlylib import Night, plan_of, rows

NIGHTS = 12
ARMS = {"monolith", "tcp", "crosshost-c1"}
# The client holds every frame long enough for a shared machine's noise to be small beside it.
STEADY_MS, SLOW_MS = 20, 80
GATED = ("--workload", "openra", "--arm", "monolith,tcp", "--credit", "1", "--reps", "2", "--set",
         "lanes.matrix.ssim=false", "--set", "lanes.crosshost.ssim=false", "--set", "confirm=2")


class GatedNight(Night):
    def command(self, *args):
        if args[0] == "--resume":
            return (benchlib.MGCOORD, "run", "--site", self.site, *args)
        return super().command(*args)


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):  # noqa: ARG001
    one = lablib.Lab(tmp_path_factory.mktemp("lab") / "state",
                     ("--frames-divisor", "8", "--heartbeat-ms", "300", "--silence-ms", "3000"),
                     workers=True, phone=True)
    one.wait_up()
    one.fault(f"client-slow={STEADY_MS}")
    yield GatedNight(one)
    one.end()
    one.assert_gone()


def copied(db, table, where, key, **changes):
    """Rows of a table once more, with some columns changed; returns old row ids with the new ones."""
    columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    kept = [name for name in columns if name != "id" or key is None]
    ids = {}
    for row in db.execute(f"SELECT * FROM {table} WHERE {where}").fetchall():
        values = {**dict(zip(columns, row)), **changes}
        cursor = db.execute(f"INSERT INTO {table} ({', '.join(kept)}) VALUES "
                            f"({', '.join('?' * len(kept))})", [values[name] for name in kept])
        ids[row[0]] = cursor.lastrowid
    return ids


def multiply(results):
    """The last run becomes NIGHTS nights before it; each is off by up to 10 %."""
    with contextlib.closing(sqlite3.connect(results / "mgcoord.db")) as db, db:
        run, name, start = db.execute(
            "SELECT id, run_id, start_wall_ns FROM runs ORDER BY start_wall_ns DESC").fetchone()
        for night in range(NIGHTS):
            shift = 1 + 0.2 * ((night * 7) % NIGHTS / NIGHTS - 0.5)
            (new,) = copied(db, "runs", f"id = {run}", "id", run_id=f"{name}-{night}",
                            start_wall_ns=start - (night + 1) * 86400 * 10**9).values()
            copied(db, "run_facts", f"run = {run}", None, run=new)
            for old, cell in copied(db, "cells", f"run = {run}", "id", run=new).items():
                copied(db, "metrics", f"cell = {old}", None, cell=cell)
                copied(db, "facts", f"cell = {old}", None, cell=cell)
                copied(db, "links", f"cell = {old}", None, cell=cell)
                db.execute("UPDATE metrics SET value = value * ? WHERE cell = ? AND name = "
                           "'kept_mean_ms'", (shift, cell))


@pytest.fixture(scope="module")
def history(bench):
    """The first night has no nights before it: nothing is concluded, nothing run again."""
    result = bench.run(*GATED)
    assert result.code == 0, result
    assert {arm["decision"] for arm in result.summary["gate"]["arms"]} == {"no baseline"}
    multiply(bench.lab.state / "results")
    return result


def confirming(result):
    return {name for name in rows(result) if name.startswith("confirm/")}


def again(*args):
    return subprocess.run([benchlib.MGCOORD, *map(str, args)], capture_output=True, text=True,
                          timeout=120, check=False)


def test_a_night_without_changes_runs_nothing_again(bench, history):
    planned = [cell for cell in plan_of(history)["cells"] if cell.get("confirm")]
    assert len(planned) == 2 * (len(ARMS) + 2), "two rounds with brackets"
    result = bench.run(*GATED)
    gate = result.summary["gate"]
    assert result.code == 0, result
    assert not confirming(result) and len(rows(result)) == 2 * len(ARMS)
    assert {arm["arm"] for arm in gate["arms"]} == ARMS
    assert not gate["failed"] and not any(arm["flagged"] for arm in gate["arms"])
    assert gate["inputs_unchanged"] is True, "an A/A night is told as one"
    assert not [row for row in result.summary["brackets"] if row["id"].startswith("confirm/")]
    assert "confirm/" not in result.report.read_text(encoding="utf-8")
    assert "## Regression gate" in result.report.read_text(encoding="utf-8")
    assert "gate: " in result.out
    complete = again("run", "--resume", result.dir.name, "--site", bench.site)
    assert complete.returncode == 0 and "complete" in complete.stdout + complete.stderr, complete


def forget(bench, run):
    """So slow a night would be what nights are like, for the tests after it."""
    with contextlib.closing(sqlite3.connect(bench.lab.state / "results/mgcoord.db")) as db, db:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("DELETE FROM runs WHERE run_id = ?", (run,))


@pytest.fixture
def slow(bench, history):  # noqa: ARG001
    bench.lab.fault(f"client-slow={SLOW_MS}")
    before = set((bench.lab.state / "results").iterdir())
    yield
    bench.end_started()
    bench.lab.fault(f"client-slow={STEADY_MS}")
    for run in set((bench.lab.state / "results").iterdir()) - before:
        forget(bench, run.name)


def confirmed(results, before):
    """Confirming cells on the phone of the new run: those across hosts wait for their bracket."""
    return [path for run in set(results.iterdir()) - before
            for path in run.glob("confirm/openra/*/verdict.json")]


CONFIRMING = {f"confirm/{name}-r{number}" for number in (3, 4)
              for name in ("openra/monolith", "openra/tcp", "crosshost/bench-openra-c1")}


def test_a_run_that_was_killed_while_it_confirmed_goes_on(bench, slow):  # noqa: ARG001
    results = bench.lab.state / "results"
    before = set(results.iterdir())
    run = bench.start(*GATED)
    lablib.wait_until("a cell has been confirmed", lambda: confirmed(results, before), 60)
    (night,) = {path for path in set(results.iterdir()) - before if path.is_dir()}
    bench.signal(signal.SIGKILL, bench.coordinator_pids())
    run.communicate(timeout=30)
    result = bench.run("--resume", night.name)
    assert result.code == 1 and result.summary["resumed"] == 1, result
    assert confirming(result) == CONFIRMING
    assert {row["verdict"] for row in result.summary["runs"]} == {"measured"}
    assert {arm["decision"] for arm in result.summary["gate"]["arms"]} == {"regressed"}
    kept = json.loads((night / "run.json").read_text())["resumes"][-1]["cells_kept"]
    assert kept > 2 * len(ARMS), "regular rounds and what was confirmed are not measured again"


def test_a_slowdown_is_confirmed_the_same_night_and_fails_the_run(bench, slow):  # noqa: ARG001
    result = bench.run(*GATED)
    gate = result.summary["gate"]
    assert result.code == 1 and result.summary["exit_code"] == 1, result
    assert gate["failed"] is True
    for arm in gate["arms"]:
        assert (arm["decision"], arm["flagged"], arm["confirm_rounds"]) == ("regressed", True, 2), arm
    assert confirming(result) == CONFIRMING
    looked = [row["id"] for row in result.summary["brackets"] if row["id"].startswith("confirm/")]
    assert len(looked) == 4
    assert "tcp of openra" in result.report.read_text(encoding="utf-8")
    suites = xml.etree.ElementTree.parse(result.dir / "junit.xml").getroot()
    failures = suites.findall("./testsuite[@name='gate']/testcase/failure")
    assert len(failures) == 1 and "tcp of openra" in failures[0].get("message")
    for row in result.summary["aggregates"]:
        assert row["n_ok"] == 2, "confirming rounds are in no mean"
    assert again("run", "--resume", result.dir.name, "--site", bench.site).returncode == 1
    before = result.summary["gate"]
    assert again("report", result.dir).returncode == 0
    summary = json.loads((result.dir / "summary.json").read_text(encoding="utf-8"))
    assert summary["gate"] == before and summary["exit_code"] == 1


FAST_MBIT, SLOW_MBIT = 20, 5
OVER_LINK = (*GATED, "--set", "brackets=link", "--set", "link_band=60", "--set",
             "lanes.netbench.short_duration=1s")


@pytest.fixture
def link_nights(bench, history):  # noqa: ARG001
    """Nights over a link that was tested, and then one over a slower one."""
    try:
        bench.lab.fault(f"link-rate-mbit={FAST_MBIT}")
        assert bench.run(*OVER_LINK).code == 0
        multiply(bench.lab.state / "results")
        bench.lab.fault(f"link-rate-mbit={SLOW_MBIT}")
        yield bench.run(*OVER_LINK)
    finally:
        bench.lab.clear_fault("link-rate-mbit")


def test_a_night_over_a_slower_link_is_no_regression(bench, link_nights):
    """Last: it leaves nights over other links. What stays on the phone is judged as ever."""
    result = link_nights
    assert result.code == 0, result
    arms = {arm["arm"]: arm for arm in result.summary["gate"]["arms"]}
    crossing = arms.pop("crosshost-c1")
    assert (crossing["decision"], crossing["flagged"], crossing["other_link"]) == ("no baseline", False, True)
    assert crossing["left_out"] >= NIGHTS + 1 and crossing["inputs"] == "changed"
    assert crossing["why"].startswith("the link was different: "), crossing
    assert crossing["why"].endswith(" Mbit/s to the phone")
    was, now = (float(word) for word in crossing["why"].split() if word.replace(".", "").isdigit())
    assert SLOW_MBIT - 2 < now < SLOW_MBIT + 2 < FAST_MBIT / 2 < was
    for arm in arms.values():
        assert (arm["other_link"], arm["inputs"], arm["flagged"]) == (False, "unchanged", False), arm
        assert arm["nights"] >= NIGHTS
    assert crossing["why"] in result.report.read_text(encoding="utf-8") and crossing["why"] in result.out
    shown = again("history", "--results", bench.lab.state / "results", "--arm", "crosshost-c1", "--last", "1")
    assert "changed: " + crossing["why"] in shown.stdout, shown
    compared = again("compare", "--results", bench.lab.state / "results", "last-1", "last")
    assert "not compared: " + crossing["why"] in compared.stdout, compared
