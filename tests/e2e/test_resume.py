"""`mgcoord run --resume RUN`: a run that was cut off ends as one that was not, in everything but
measured values; and it is refused when it would not be the same run."""

import json
import pathlib
import re
import signal
import sqlite3
import subprocess

import pytest

import benchlib
import breaklib
import lablib
from breaklib import broken  # noqa: F401  (fixtures)
from matrixlib import MatrixBench
from phonelib import PACKAGE

SHORT = ("--set", "retries_per_cell=1", "--set", "worker_timeout=20s")
MATRIX = ("matrix", "--workload", "openra", "--arm", "monolith,inproc", "--reps", "3", "--set",
          "lanes.matrix.ssim=false", "--set", "order=shuffle", *SHORT)
CROSSHOST = ("crosshost", "--workload", "openra", "--credit", "1,2,3", "--reps", "2", "--set",
             "lanes.crosshost.ssim=false", *SHORT)
NIGHTLY = ("nightly", "--workload", "openra", "--arm", "monolith,tcp", "--credit", "1", "--reps", "2",
           "--set", "lanes.matrix.ssim=false", "--set", "lanes.crosshost.ssim=false",
           "--set", "brackets=path", *SHORT)  # a lab on a busy machine has no steady link
# All arms of both workloads, and the pictures across hosts; one round.
FULL = ("nightly", "--reps", "1", "--set", "lanes.matrix.ssim=false", "--set", "brackets=path", "--set",
        "confirm=0", *SHORT)
PLANS = {"matrix": MATRIX, "crosshost": CROSSHOST, "nightly": NIGHTLY}
CELLS = 6
FULL_CELLS = 2 * (7 + 1)


class ResumeBench(MatrixBench):
    """Any command line of `mgcoord run`; left: as after any run, whatever its lane."""

    def command(self, *args):
        return (benchlib.MGCOORD, "run", "--site", self.site, *args)

    def runs(self):
        return sorted(path for path in (self.lab.state / "results").iterdir() if path.is_dir())


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):
    """One lab for the file, with short liveness."""
    lab = lablib.Lab(tmp_path_factory.mktemp("lab") / "state",
                     ("--frames-divisor", "8", *breaklib.SHORT_LIVENESS), workers=True, phone=True)
    lab.wait_up()
    made = ResumeBench(lab)
    made.connect()
    yield made
    lab.end()
    lab.assert_gone()


@pytest.fixture(scope="module")
def undisturbed(bench):
    """Plan -> a run of it that nothing happened to."""
    made = {}

    def run(name):
        if name not in made:
            made[name] = bench.run(*(FULL if name == "full" else PLANS[name]))
            assert made[name].code == 0, made[name]
        return made[name]
    return run


# ---- what is the same ----

ROW_KEYS = ("id", "lane", "workload", "arm", "rep", "mode", "verdict", "reason", "status",
            "next_step", "total_frames", "dir", "backend", "apk_sha256", "trace_sha256")
RUN_KEYS = ("schema", "plan", "build", "serial", "device_kind", "frames_reduced", "interrupted",
            "stopped", "exit_code", "workloads")
AGGREGATE_KEYS = ("workload", "arm", "backend", "n_ok", "credit", "cells", "not_counted")


def picked(row, keys):
    return {key: row.get(key) for key in keys}


def essence(summary):
    """All of a summary but measured values, times, and how often something was tried."""
    def settings():
        skip = ("seed",)
        return [row for row in summary["settings"] if row["key"] not in skip]
    return {
        **picked(summary, RUN_KEYS),
        # A shuffled order is the run's own: its cells are compared by id.
        "runs": sorted((picked(row, ROW_KEYS) | {
            "checks": [(item["check"], item["outcome"]) for item in row["evidence"]]}
            for row in summary["runs"]), key=lambda row: row["id"]),
        "brackets": [picked(row, ("id", "verdict", "reason")) for row in summary.get("brackets", [])],
        "aggregates": sorted((picked(row, AGGREGATE_KEYS) | {"cells": sorted(row["cells"])}
                              for row in summary["aggregates"]), key=lambda row: row["arm"]),
        "settings": settings(),
        "paths": [(summary[key] or {}).get("verdict") for key in ("path_before", "path_after")],
        "summary keys": sorted(key for key in summary if key != "resumed"),
    }


def assert_as_undisturbed(result, whole, resumed, cells=CELLS):
    assert result.code == whole.code == 0, result
    assert essence(result.summary) == essence(whole.summary)
    assert result.summary["resumed"] == resumed
    assert f"resumed {resumed} time" in result.out
    assert f"resumed {resumed} time" in result.report.read_text()
    ids = [row["id"] for row in result.summary["runs"]]
    assert len(ids) == len(set(ids)) == cells
    assert_order_of_record(result)
    breaklib.assert_superseded_are_not_measured(result)
    assert_all_attempts_have_a_verdict(result.dir)


def assert_order_of_record(result):
    record = json.loads((result.dir / "run.json").read_text())
    planned = [cell["id"] for cell in record["plan"]["cells"]
               if cell["kind"] == "measure" and not cell.get("confirm")]
    assert [row["id"] for row in result.summary["runs"]] == planned
    assert len(record["resumes"]) == result.summary["resumed"]


def assert_all_attempts_have_a_verdict(run):
    for attempt in (run / "attempts").rglob("a[0-9]*"):
        assert (attempt / "verdict.json").exists(), attempt


def assert_once_in_history(bench, result, count=CELLS):
    with sqlite3.connect(bench.lab.state / "results/mgcoord.db") as db:
        rows = db.execute("SELECT id FROM runs WHERE run_id = ?", (result.dir.name,)).fetchall()
        assert len(rows) == 1
        cells = db.execute("SELECT count(*) FROM cells WHERE run = ?", rows[0]).fetchone()
    assert cells == (count,)


# ---- cutting off ----


def wait_cell(run, number):
    """Until the attempt of the number-th cell of this session has begun."""
    def begun():
        lines = [line for line in run.lines if line and re.search(r"/\S+-r\d+: attempt \d+$", line)]
        return len(lines) >= number or run.process.poll() is not None
    lablib.wait_until(f"cell {number} begins", begun, 90)
    assert run.process.poll() is None, run.text()


def kill_at(bench, run, number):
    wait_cell(run, number)
    assert bench.processes.signal("coordinator", signal.SIGKILL)
    run.process.wait(30)


def restart_workers(bench):
    for name in ("mgworker-host", "mgworker-wsl"):
        restarts = bench.lab.member(name)["restarts"]
        bench.lab.kill(name)
        bench.lab.wait_restarted(name, restarts + 1)


def reboot_phone(bench):
    boot = bench.shell("cat /proc/sys/kernel/random/boot_id")
    bench.lab.fault("phone-reboot=1")

    def is_another():
        bench.connect()
        done = bench.adb("shell", "cat /proc/sys/kernel/random/boot_id", check=False)
        return done.returncode == 0 and done.stdout.strip() not in ("", boot)
    lablib.wait_until("the phone was started anew", is_another, 60)
    bench.lab.clear_fault()


BETWEEN = {"nothing": lambda bench: None, "workers restarted": restart_workers,
           "phone rebooted": reboot_phone}


def kept(result):
    """How many cells the last session did not measure anew."""
    return json.loads((result.dir / "run.json").read_text())["resumes"][-1]["cells_kept"]


@pytest.mark.parametrize("plan, between", [
    *((plan, between) for plan in ("matrix", "crosshost") for between in BETWEEN),
    ("nightly", "nothing")])
def test_killed_after_each_third(bench, broken, undisturbed, plan, between):
    """Cells on the phone are kept; one over the network only when its path was proved in time."""
    whole = undisturbed(plan)
    kill_at(bench, broken(*PLANS[plan]), CELLS // 3 + 1)
    name = bench.runs()[-1].name
    BETWEEN[between](bench)
    second = broken("--resume", name)
    kill_at(bench, second, CELLS // 3 + 1)
    BETWEEN[between](bench)
    result = bench.run("--resume", "last")
    assert_as_undisturbed(result, whole, 2)
    record = json.loads((result.dir / "run.json").read_text())
    kept_then = [row["cells_kept"] for row in record["resumes"]]
    if plan == "nightly":  # brackets prove their block's cells
        assert 1 <= kept_then[0] < kept_then[1], result
    if plan == "matrix":
        assert kept_then == [2, 4], result
        assert sorted(row["attempts"] for row in result.summary["runs"]) == [1, 1, 1, 1, 2, 2]
    assert_once_in_history(bench, result)
    bench.assert_nothing_left()


def test_full_night_killed_after_each_third(bench, broken, undisturbed):
    """Both workloads with all seven arms; the workers are started anew after the first kill, the phone after
    the second."""
    whole = undisturbed("full")
    for command, between in ((FULL, restart_workers), (("--resume", "last"), reboot_phone)):
        kill_at(bench, broken(*command), FULL_CELLS // 3 + 1)
        between(bench)
    result = bench.run("--resume", "last")
    assert_as_undisturbed(result, whole, 2, FULL_CELLS)
    resumes = json.loads((result.dir / "run.json").read_text())["resumes"]
    assert FULL_CELLS // 4 <= resumes[0]["cells_kept"] < resumes[1]["cells_kept"], result
    assert [merged_part(row) for row in result.summary["merged"]["arms"]] == [
        merged_part(row) for row in whole.summary["merged"]["arms"]]
    assert_once_in_history(bench, result, FULL_CELLS)
    bench.assert_nothing_left()


def test_killed_before_a_lost_cell_was_replaced(bench, broken):
    """In the reference's turn for its sake: both come after the resume, as they would have."""
    bench.lab.fault("client-slow=30")
    run = broken(*NIGHTLY, "--reps", "1")
    run.wait_line(r"openra/tcp-r1 server: ready")
    bench.lab.kill("mgworker-host")
    run.wait_line(r"openra/monolith-r1: attempt 2$")
    assert bench.processes.signal("coordinator", signal.SIGKILL)
    run.process.wait(30)
    bench.lab.clear_fault()
    result = bench.run("--resume", "last")
    assert result.code == 0, result
    rows = {row["id"]: row for row in result.summary["runs"]}
    assert {row["verdict"] for row in rows.values()} == {"measured"} and len(rows) == 3, result
    assert rows["openra/tcp-r1"]["beside"]["id"] == "openra/monolith-r1", rows
    assert kept(result) == 2, result
    bench.assert_nothing_left()


def merged_part(row):
    return picked(row, ("workload", "arm", "client", "n", "cells", "is_reference"))


# Progress lines, in the order in which a run comes to them: what is on disk then is half of something.
MOMENTS = (r"waiting for the worker|setup: attempt", r"setup knobs: ready", r"setup: steps done",
           r"-r1 logcat: ready", r"-r1 state: ready", r"-r1: steps done", r"-r1: measured",
           r"-r2: steps done", r"-r3: measured", r"close: (attempt|steps)")


def test_killed_at_every_moment(bench, broken, undisturbed):
    """One run that is killed ten times; what was finished once is never measured again."""
    whole = undisturbed("matrix")
    command = MATRIX
    for moment in MOMENTS:
        run = broken(*command)
        run.wait_line(moment)
        bench.processes.signal("coordinator", signal.SIGKILL)
        run.process.wait(30)
        command = ("--resume", bench.runs()[-1].name)
    result = bench.run(*command)
    if "is complete" not in result.out:  # the last moment may have come too late
        resumes = json.loads((result.dir / "run.json").read_text())["resumes"]
        kept_then = [row["cells_kept"] for row in resumes]
        assert kept_then == sorted(kept_then) and kept_then[-1] == CELLS, result
        assert_as_undisturbed(result, whole, len(resumes))
    bench.assert_nothing_left()


def test_a_cell_whose_path_was_proved_is_kept(bench, broken, undisturbed):
    """A lost worker makes the setup, with its path check, anew: that proves the cells before."""
    whole = undisturbed("crosshost")
    run = broken(*CROSSHOST)
    wait_cell(run, 3)
    bench.lab.kill("mgworker-wsl")
    run.wait_line(r"setup: attempt 2$", 60)
    wait_cell(run, 5)
    assert bench.processes.signal("coordinator", signal.SIGKILL)
    run.process.wait(30)
    result = bench.run("--resume", "last")
    assert_as_undisturbed(result, whole, 1)
    assert kept(result) == 2, result


@pytest.mark.parametrize("plan", PLANS)
def test_interrupted_and_resumed(bench, broken, undisturbed, plan):
    whole = undisturbed(plan)
    run = broken(*PLANS[plan])
    wait_cell(run, 3)
    bench.processes.signal("coordinator", signal.SIGINT)
    first = run.end()
    assert first.code == 4 and first.summary["interrupted"], first
    result = bench.run("--resume", first.dir)
    assert_as_undisturbed(result, whole, 1)
    assert json.loads((result.dir / "summary.before-1.json").read_text())["interrupted"]
    assert_once_in_history(bench, result)
    bench.assert_nothing_left()


def test_interrupted_again_before_anything(bench, broken):
    """Cells that were cut off before are named, not lost."""
    run = broken(*MATRIX)
    kill_at(bench, run, 3)
    again = broken("--resume", "last")
    again.wait_line(r"setup: attempt 2$")
    bench.processes.signal("coordinator", signal.SIGINT)
    result = again.end()
    assert result.code == 4, result
    assert [row["verdict"] for row in result.summary["runs"]].count("measured") == 2
    assert {row["reason"] for row in result.summary["runs"]} == {None, "run-stopped"}
    assert bench.run("--resume", "last").code == 0


def test_power_cut_in_a_lab_and_resumed_with_lab(labs_work, tmp_path):
    """Everything dies at once, journals and all; the lab is built again around the same files."""
    state = tmp_path / "state"
    first = lablib.Lab(state, ("--frames-divisor", "16"), (benchlib.MGCOORD, "run", *MATRIX),
                       workers=True, phone=True)
    for line in first.process.stderr:
        if re.search(rb"-r2: attempt 1$", line.strip()):
            break
    first.remember()
    first.kill9()
    first.assert_gone()
    done = subprocess.run(
        [benchlib.MGCOORD, "run", "--resume", "last", "--lab", "--lab-state", state,
         "--lab-frames-divisor", "16"], timeout=240, capture_output=True, text=True)
    assert done.returncode == 0, done
    assert "resumed 1 time" in done.stdout and "resumed: 2 of 6 cells are finished" in done.stderr, done
    other = subprocess.run(  # other traces are other measurements
        [benchlib.MGCOORD, "run", "--resume", "last", "--lab", "--lab-state", state], timeout=240,
        capture_output=True, text=True)
    assert other.returncode == 0 and "is complete" in other.stdout, other


# ---- nothing to do, or not now ----


def tree(folder):
    return {str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.stat().st_size)
            for path in folder.rglob("*") if not path.is_socket()}


def test_complete_run_says_so_and_is_left_alone(bench, undisturbed):
    whole = undisturbed("matrix")
    before = tree(whole.dir)
    for name in (whole.dir.name, whole.dir):
        result = bench.run("--resume", name)
        assert result.code == 0 and "is complete: nothing is left to do" in result.out, result
    assert tree(whole.dir) == before


def test_run_that_is_on_is_named(bench, broken):
    run = broken(*MATRIX)
    wait_cell(run, 1)
    pid, = bench.coordinator_pids()
    result = bench.run("--resume", "last")
    assert result.code == 3, result
    assert f"'{bench.runs()[-1].name}' (process {pid})" in result.err, result
    assert run.end().code == 0


@pytest.mark.parametrize("name", ["20200101T000000Z-matrix-none", "..", "/nowhere/at/all", "."])
def test_no_such_run(bench, name):
    result = bench.run("--resume", name)
    assert result.code == 2 and name in result.err, result


# ---- not the same run any more ----


@pytest.fixture
def cut_off(bench, broken):
    """The directory of a run of the matrix that was killed in its third cell."""
    kill_at(bench, broken(*MATRIX), 3)
    return bench.runs()[-1]


def assert_refused(bench, run, words, *args):
    result = bench.run("--resume", run, *args)
    assert result.code == 2, result
    assert re.search(words, result.err), result
    return result


def assert_can_still_be_resumed(bench, run):
    result = bench.run("--resume", run)
    assert result.code == 0 and kept(result) == 2, result
    assert {row["verdict"] for row in result.summary["runs"]} == {"measured"}


def test_changed_plan_and_site_are_refused(bench, cut_off, tmp_path):
    before = tree(cut_off)
    assert_refused(bench, cut_off.name, r"lanes\.matrix\.reps: stored 3 \(--reps\), present 2 \(--reps\)",
                   "--reps", "2")
    assert_refused(bench, cut_off.name, r"plan: stored \"matrix\" .*present \"crosshost\"", "crosshost")
    site = tmp_path / "site.yaml"
    site.write_text(bench.site.read_text().replace("port: 40613", "port: 40614"))
    result = bench.lab.exec("wsl", benchlib.MGCOORD, "run", "--resume", cut_off.name, "--site", site,
                            check=False)
    assert result.returncode == 2, result
    assert re.search(r"phone\.port: stored 40613 \(\S+site\.yaml:\d+\), present 40614 \(\S+:\d+\)",
                     result.stderr), result
    assert tree(cut_off) == before
    # What shapes no number may differ.
    result = bench.run("--resume", cut_off.name, "--set", "worker_timeout=25s")
    assert result.code == 0 and kept(result) == 2, result


def test_plan_file_that_was_changed(bench, broken, tmp_path):
    plan = tmp_path / "night.yaml"
    text = ("plan: night\nretries_per_cell: 1\nlanes:\n  matrix:\n    workloads: openra\n"
            "    arms: monolith, inproc\n    reps: 3\n    ssim: false\n")
    plan.write_text(text)
    kill_at(bench, broken(plan), 3)
    run = bench.runs()[-1]
    plan.write_text(text.replace("reps: 3", "reps: 4"))
    result = assert_refused(bench, run.name, r"lanes\.matrix\.reps: stored 3 \(\S+night\.yaml:7\), present 4")
    assert f"--resume {run.name} {run}/plan.yaml" in result.err
    plan.unlink()  # then the copy in the run's directory serves
    assert_can_still_be_resumed(bench, run.name)


def test_other_build_of_the_app(bench, cut_off):
    apk = bench.lab.state / f"phone/data/app/{PACKAGE}/base.apk"
    stock = apk.read_bytes()
    apk.write_bytes(stock + b"another build")
    try:
        assert_refused(bench, cut_off.name,
                       r"apk_sha256: stored [0-9a-f]{64}, present [0-9a-f]{64}")
        bench.assert_nothing_left()
    finally:
        apk.write_bytes(stock)
    record = json.loads((cut_off / "run.json").read_text())
    assert "apk_sha256" in record["resumes"][0]["refused"]
    assert not (cut_off / "summary.json").exists()
    assert_can_still_be_resumed(bench, cut_off.name)


def test_other_client_library(bench, broken, tmp_path):
    """Only the first cell that uses it tells: its attempt then does not count."""
    library = tmp_path / "libMobileGL.so"
    stock = pathlib.Path(re.search(r"library: '(.+)'", bench.site.read_text())[1]).read_bytes()
    library.write_bytes(stock)
    kill_at(bench, broken(*CROSSHOST, "--set", f"replay.library={library}"), 3)
    run = bench.runs()[-1]
    library.write_bytes(stock + b"another build")
    result = assert_refused(bench, run.name, r"crosshost\.library_sha256: stored [0-9a-f]{64}, present")
    bench.assert_nothing_left()
    attempts = [json.loads(path.read_text()) for path in (run / "attempts").rglob("verdict.json")]
    assert [doc["reason"] for doc in attempts].count("other-inputs") == 1, result
    assert not settled(run)
    library.write_bytes(stock)
    result = bench.run("--resume", run.name)
    assert result.code == 0 and result.summary["resumed"] == 1, result
    assert {row["verdict"] for row in result.summary["runs"]} == {"measured"}


# ---- damage ----


def settled(run):
    return sorted(path.parent for path in run.rglob("verdict.json") if "attempts" not in str(path))


@pytest.mark.parametrize("damage", ["verdict cut", "verdict gone", "file gone", "file changed",
                                    "manifest gone"])
def test_damaged_record_is_measured_again(bench, cut_off, damage):
    cell = settled(cut_off)[0]
    if damage == "verdict cut":
        text = (cell / "verdict.json").read_text()
        (cell / "verdict.json").write_text(text[:len(text) // 2])
    elif damage == "verdict gone":
        (cell / "verdict.json").unlink()
    elif damage == "file gone":
        (cell / "benchmark.json").unlink()
    elif damage == "file changed":
        data = bytearray((cell / "benchmark.json").read_bytes())
        data[len(data) // 2] ^= 1
        (cell / "benchmark.json").write_bytes(data)
    else:
        (cell / "manifest.json").unlink()
    result = bench.run("--resume", cut_off.name)
    assert result.code == 0 and kept(result) == 1, result
    row = result.cell(str(cell.relative_to(cut_off)))
    assert row["attempts"] == 2 and row["verdict"] == "measured", result
    old = json.loads((cut_off / "attempts" / row["id"] / "a1/verdict.json").read_text())
    assert old["verdict"] == "incomplete", old
    breaklib.assert_superseded_are_not_measured(result)


def test_judged_attempt_that_was_not_settled_yet_is_kept(bench, cut_off):
    """Killed between the verdict and the rename."""
    cell = settled(cut_off)[0]
    attempt = cut_off / "attempts" / cell.relative_to(cut_off) / "a1"
    attempt.parent.mkdir(parents=True, exist_ok=True)
    cell.rename(attempt)
    result = bench.run("--resume", cut_off.name)
    assert result.code == 0 and kept(result) == 2, result
    assert cell.exists() and result.cell(str(cell.relative_to(cut_off)))["attempts"] == 1


def test_disk_that_was_full(bench, broken):
    """The run stops in order; with room again it goes on."""
    results = bench.lab.state / "results"
    bench.lab.exec("wsl", "mount", "-t", "tmpfs", "-o", "size=8m", "none", results)
    try:
        run = broken(*MATRIX)
        wait_cell(run, 3)
        bench.lab.exec("wsl", "sh", "-c", 'cat /dev/zero >"$1/filler"', "sh", results, check=False)
        first = run.end()
        assert first.code == 3 and "No space left" in first.out, first
        bench.lab.exec("wsl", "rm", results / "filler")
        done = bench.lab.exec("wsl", *bench.command("--resume", "last"), timeout=240, check=False)
        assert done.returncode == 0, done
        assert re.search(r"resumed: [23] of 6 cells are finished", done.stderr), done
    finally:
        bench.lab.exec("wsl", "umount", "-l", results)
    bench.assert_nothing_left()
