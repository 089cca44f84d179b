"""What a run leaves for others: junit.xml and cells.csv, the heartbeat, the notification command, old
runs that go, and the exit code that all of them repeat."""

import json
import pathlib
import signal
import sys

import pytest

import lablib
from benchlib import FORMS, MGCOORD, ONE_BENCH, ONE_SSIM, RUN_S, Bench, Result, end_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "unit/report"))

from check_forms import check_csv, check_junit  # noqa: E402

LONG = ("--workload", "openra", "--credit", "1", "--reps", "3", "--set", "lanes.crosshost.ssim=false")
NOTIFY = """#!/bin/sh
echo "told"
for name in MGC_RUN_ID MGC_RUN_DIR MGC_EXIT MGC_SUMMARY MGC_REPORT; do
    eval "echo \\"$name=\\$$name\\"" >> "$1"
done
exit "${2:-0}"
"""


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):
    one = lablib.Lab(tmp_path_factory.mktemp("lab") / "state",
                     ("--frames-divisor", "16", "--heartbeat-ms", "300", "--silence-ms", "3000"),
                     workers=True, phone=True)
    one.wait_up()
    yield Bench(one)
    one.end()
    one.assert_gone()


@pytest.fixture
def fault(bench):
    def set_fault(text):
        bench.lab.mglab("fault", text)
    yield set_fault
    bench.lab.mglab("fault", "--clear")
    bench.end_started()


@pytest.fixture
def notify(tmp_path):
    """(the --set option, what the command was told or None)"""
    script, told = tmp_path / "notify.sh", tmp_path / "told"
    script.write_text(NOTIFY)
    script.chmod(0o755)

    def read():
        return dict(line.split("=", 1) for line in told.read_text().splitlines()) if told.exists() else None
    return lambda code=0: ("--set", f"notify={script},{told},{code}"), read


def beat(bench, *args, name="heartbeat.json"):
    """(exit code, sentence) of `mgcoord heartbeat`, and the file."""
    path = bench.lab.state / "results" / name
    done = bench.lab.exec("wsl", MGCOORD, "heartbeat", *args, path, check=False)
    return done.returncode, done.stdout, json.loads(path.read_text())


def check_forms(result, ok=True):
    """Both files hold together, with each other and with the summary."""
    summary = result.summary
    root, rows = check_junit(result.dir / "junit.xml"), check_csv(result.dir / "cells.csv")
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert (int(root.get("failures")) + int(root.get("errors")) == 0) == ok, result
    assert [row["cell"] for row in rows] == [row["id"] for row in summary["runs"]]
    for row, cell in zip(rows, summary["runs"]):
        assert row["device_kind"] in ("lab phone", "") and row["run_id"] == summary["run_id"]
        assert (row["verdict"], row["reason"]) == (cell["verdict"], cell["reason"] or "")
        for name in ("fps", "throughput_fps", "ssim", "wall_s", "rtt_mean_ms", "rc"):
            assert float(row[name]) == cell[name] if cell.get(name) is not None else row[name] == "", name
        tags = [child.tag for child in cases[cell["id"]]]
        assert tags == {"measured": [], "skipped": ["skipped"]}.get(cell["verdict"], ["failure"])
    return cases, rows


def test_a_measured_run_in_every_form(bench, notify):
    option, told = notify
    result = bench.run("--workload", "openra", "--credit", "1", "--reps", "1", *option())
    assert result.code == 0, result
    cases, rows = check_forms(result)
    assert len(cases) == len(rows) == 2 and all(float(case.get("time")) > 0 for case in cases.values())
    code, sentence, file = beat(bench)
    assert code == 0 and sentence.startswith("ok: ") and "2 of 2 cells measured" in sentence, sentence
    assert (file["state"], file["exit_code"], file["cells"]) == ("done", 0, 2)
    assert file["run_id"] == result.summary["run_id"] and file["dir"] == str(result.dir)
    assert told() == {"MGC_RUN_ID": file["run_id"], "MGC_RUN_DIR": str(result.dir), "MGC_EXIT": "0",
                      "MGC_SUMMARY": file["summary"], "MGC_REPORT": str(result.report)}
    assert (result.dir / "notify.log").read_text() == "told\n"
    kept = {name: (result.dir / name).read_bytes() for name in FORMS}
    for flag, name in (("--junit", "junit.xml"), ("--csv", "cells.csv")):
        (result.dir / name).unlink()
        printed = bench.lab.exec("wsl", MGCOORD, "report", flag, result.dir, text=False).stdout
        assert printed == kept[name] and (result.dir / name).read_bytes() == kept[name], name


def test_a_failed_gate_is_code_1(bench, fault, notify):
    option, told = notify
    fault("server-wrong-pixels")
    result = bench.run(*ONE_SSIM, *option())
    assert result.code == 1 and result.summary["exit_code"] == 1, result
    cases, _ = check_forms(result, ok=False)
    failure = cases["crosshost/ssim-openra-r1"].find("failure")
    assert failure.get("type") == "failed" and failure.get("message").startswith("ssim-below-threshold: ")
    assert "next step: compare actual.png" in failure.text
    code, sentence, file = beat(bench)
    assert (code, file["exit_code"], told()["MGC_EXIT"]) == (1, 1, "1")
    assert "ended" in sentence and "with exit code 1: " in sentence and "ssim-below-threshold" in sentence


def test_a_cell_beyond_its_budget_is_code_3(bench, fault, notify):
    option, told = notify
    fault("server-busy")
    result = bench.run(*ONE_BENCH, "--set", "retries_per_cell=1", *option())
    assert result.code == 3 and result.cell("bench")["attempts"] == 2, result
    cases, _ = check_forms(result, ok=False)
    assert cases["crosshost/bench-openra-c1-r1"].find("failure").get("message").startswith("refused-busy")
    assert beat(bench)[0] == 1 and told()["MGC_EXIT"] == "3"


def test_an_interrupted_run_leaves_every_form(bench, fault, notify):
    option, told = notify
    fault("client-hang=4")
    run = bench.start(*LONG, *option())
    lablib.wait_until("the client runs", bench.client_pids, 60)
    code, sentence, file = beat(bench)
    assert code == 0 and "has been on for" in sentence, sentence
    assert (file["state"], file["exit_code"], file["cells"]) == ("running", None, 3)
    bench.signal(signal.SIGINT, bench.coordinator_pids())
    result = end_of(run)
    assert result.code == 4, result
    assert {(row["verdict"], row["reason"]) for row in result.summary["runs"][:1]} == {
        ("incomplete", "interrupted")}
    cases, _ = check_forms(result, ok=False)
    assert cases["run"].find("error").get("message").startswith("the run was interrupted")
    assert len(cases) == 1 + 3
    code, sentence, file = beat(bench)
    assert code == 1 and "was interrupted" in sentence and file["state"] == "interrupted", sentence
    assert told()["MGC_EXIT"] == "4" and told()["MGC_RUN_DIR"] == str(result.dir)
    bench.wait_nothing_left()


def test_a_stopped_run_is_not_green(bench):
    """Every cell is skipped; the run itself has the error."""
    result = bench.run(*ONE_BENCH, "--set", "route.gateway=192.168.31.2")
    assert result.code == 3, result
    cases, rows = check_forms(result, ok=False)
    assert "middlebox" in cases["run"].find("error").text and rows[0]["verdict"] == "skipped"
    assert rows[0]["cell_s"] == rows[0]["fps"] == "" and rows[0]["attempts"] == "0"


def test_the_command_changes_no_exit_code(bench, notify, tmp_path):
    option, told = notify
    result = bench.run(*ONE_BENCH, *option(7))
    assert result.code == 0 and "it ended with exit code 7" in result.err, result
    assert "it ended with exit code 7" in (result.dir / "notify.log").read_text() and told()["MGC_EXIT"] == "0"
    result = bench.run(*ONE_BENCH, "--set", "notify=sleep,600", "--set", "notify_timeout=1s")
    assert result.code == 0 and "took longer than 1 s" in result.err, result
    result = bench.run(*ONE_BENCH, "--set", f"notify={tmp_path}/absent")
    assert result.code == 0 and result.err.count(f"'{tmp_path}/absent'") >= 2, result


def test_a_run_that_cannot_begin_is_told(bench, fault, notify, tmp_path):
    """And the heartbeat of the run that is on stays its own."""
    option, told = notify
    fault("client-hang=4")
    first = bench.start(*LONG)
    lablib.wait_until("the client runs", bench.client_pids, 60)
    second = bench.run(*ONE_BENCH, *option())
    assert second.code == 3 and second.dir is None, second
    assert "mgcoord: run '" in second.err and "-crosshost-" in second.err, second
    assert "uses results directory" in second.err and "mgcoord cancel" in second.err, second
    assert told()["MGC_EXIT"] == "3" and told()["MGC_RUN_DIR"] == told()["MGC_REPORT"] == ""
    assert "was not carried out: run '" in told()["MGC_SUMMARY"]
    _, _, file = beat(bench)
    assert file["state"] == "running" and file["run_id"] != told()["MGC_RUN_ID"]
    wrong = bench.run(*ONE_BENCH, "--set", "notify=./notify.sh")
    assert wrong.code == 2 and "--set notify: notify: expected a program's name or an absolute path" in wrong.err
    bench.signal(signal.SIGINT, bench.coordinator_pids())
    assert end_of(first).code == 4
    bench.wait_nothing_left()


def test_the_heartbeat_of_a_killed_run_is_noticed(bench, fault):
    """It stays as it was; the free lock beside it is an alarm, and so are
    five minutes of silence. An own file for a plan."""
    path = bench.lab.state / "results/nightly.json"
    fault("client-hang=4")
    run = bench.start(*LONG, "--set", f"heartbeat={path}")
    lablib.wait_until("the client runs", bench.client_pids, 60)
    before = (bench.lab.state / "results/heartbeat.json").read_bytes()
    bench.signal(signal.SIGKILL, bench.coordinator_pids())
    run.communicate(timeout=30)
    code, sentence, file = beat(bench, "--plan", "crosshost", name="nightly.json")
    assert code == 1 and file["state"] == "running" and "was killed at cell" in sentence, sentence
    path.write_text(json.dumps(file | {"updated_wall_s": file["updated_wall_s"] - 400}))
    code, sentence, _ = beat(bench, name="nightly.json")
    assert code == 1 and "it hangs, or was killed" in sentence, sentence
    code, sentence, _ = beat(bench, "--plan", "nightly", name="nightly.json")
    assert code == 1 and "is of plan crosshost, not of nightly" in sentence, sentence
    assert (bench.lab.state / "results/heartbeat.json").read_bytes() == before
    bench.wait_nothing_left()


def test_a_resumed_run_has_every_cell_once(bench, fault, notify):
    option, told = notify
    fault("client-hang=4")
    run = bench.start(*LONG, *option())
    lablib.wait_until("the client runs", bench.client_pids, 60)
    _, _, killed = beat(bench)
    bench.signal(signal.SIGKILL, bench.coordinator_pids())
    run.communicate(timeout=30)
    bench.lab.mglab("fault", "--clear")
    bench.wait_nothing_left()
    done = bench.lab.exec("wsl", MGCOORD, "run", "--resume", killed["run_id"], "--site", bench.site, timeout=RUN_S,
                          check=False)
    result = Result(bench.lab, done)
    assert result.code == 0 and result.summary["run_id"] == killed["run_id"], result
    cases, rows = check_forms(result)
    assert len(cases) == len(rows) == 3
    _, _, file = beat(bench)
    assert (file["state"], file["exit_code"], file["run_id"]) == ("done", 0, killed["run_id"])
    assert file["start_wall_s"] > killed["start_wall_s"] and told()["MGC_EXIT"] == "0"


def test_old_runs_go(bench):
    """All but the newest two; one that is marked stays; the history keeps them all."""
    limit = ("--set", "retention.runs=2", "--set", f"results={bench.lab.state / 'few'}")
    results = [bench.run(*ONE_BENCH, *limit[2:]) for _ in range(3)]
    assert [result.code for result in results] == [0, 0, 0], results
    (results[1].dir / "keep").touch()
    show = bench.lab.exec("wsl", MGCOORD, "plan", "show", "crosshost", "--site", bench.site, *ONE_BENCH, *limit).stdout
    assert show.endswith("\nOld runs that would go after this one\n\n"
                         f"  {results[1].dir.name} stays: it is marked by its file 'keep'\n"
                         f"  {results[0].dir.name}\n"), show
    last = bench.run(*ONE_BENCH, *limit)
    assert last.code == 0, last
    there = [result.dir.is_dir() for result in (*results, last)]
    assert there == [False, True, True, True], last
    told = (last.dir / "retention.txt").read_text()
    assert told == (f"run '{results[1].dir.name}' stays although it is over the limit: it is marked by its file "
                    f"'keep'\nrun '{results[0].dir.name}' was removed\n")
    assert all(line in last.err for line in told.splitlines())
    assert list((bench.lab.state / "few/.trash").iterdir()) == []
    history = bench.lab.exec("wsl", MGCOORD, "history", "--results", bench.lab.state / "few").stdout
    assert all(result.dir.name in history for result in results), history


def test_an_interrupted_run_removes_nothing(bench, fault):
    few = bench.lab.state / "few"
    before = sorted(path.name for path in few.glob("*-crosshost-*"))
    fault("client-hang=4")
    run = bench.start(*LONG, "--set", "retention.runs=1", "--set", f"results={few}")
    lablib.wait_until("the client runs", bench.client_pids, 60)
    bench.signal(signal.SIGINT, bench.coordinator_pids())
    result = end_of(run)
    assert result.code == 4 and not (result.dir / "retention.txt").exists(), result
    assert set(before) < {path.name for path in few.glob("*-crosshost-*")}
    bench.wait_nothing_left()


def test_a_run_without_its_superseded_attempts_has_the_same_report(bench, fault):
    fault("server-busy=once")
    first = bench.run(*ONE_BENCH)
    assert first.code == 0 and first.cell("bench")["attempts"] == 2, first
    superseded = first.dir / "attempts/crosshost"
    assert superseded.is_dir()
    kept = {name: (first.dir / name).read_bytes() for name in FORMS}
    last = bench.run(*ONE_BENCH, "--set", "retention.attempts=drop")
    assert last.code == 0 and f"run '{first.dir.name}' lost its superseded attempts" in last.err, last
    assert not superseded.exists() and (first.dir / "attempts/setup").is_dir()
    bench.lab.exec("wsl", MGCOORD, "report", first.dir)
    for name, data in kept.items():
        assert (first.dir / name).read_bytes() == data, name
