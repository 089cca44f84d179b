"""What a run on the lab phone leaves for readers: the old scripts' keys and files, and our own report made again."""

import json
import pathlib
import sys

import pytest

import benchlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import oldreaders  # noqa: E402

ARMS = ["monolith", "inproc", "shm", "tcp"]


@pytest.fixture(scope="module")
def run(labs_work, tmp_path_factory):
    """Two rounds of openra on four arms, and the pictures, with few frames."""
    done = benchlib.lablib.subprocess.run(
        [benchlib.MGCOORD, "run", "matrix", "openra", "-q", "-r", "2", "--lab", "--lab-state", tmp_path_factory.mktemp("lab"),
         "--lab-frames-divisor", "8"], capture_output=True, text=True, timeout=benchlib.RUN_S)
    result = benchlib.Result(None, done)
    assert result.code == 0, result
    return result


def test_the_old_report_script_would_read_it(run):
    matrix = oldreaders.Matrix(run.dir)
    perf = matrix.perf("openra")
    assert [row[:3] for row in perf] == [(rep, arm, "finished") for rep in "12" for arm in ARMS]
    assert all(isinstance(value, (int, float)) for row in perf for value in row[3:]), perf
    assert [row[:2] for row in matrix.best("openra")] == [(arm, 2) for arm in ARMS]
    assert all(row[1] == "finished" and row[4].startswith("lab phone") for row in matrix.pictures("openra"))
    for row in matrix.verification("openra"):
        assert row[2] in ("absent (monolith:OK)", "inproc:OK", "spawn:OK") and row[5:7] == ("absent", "absent") and row[8] == 0, row
        assert row[3] == ("OK" if row[1] in ("shm", "tcp") else "-"), row
    for arm, _, frames, records, link_frames, _ in matrix.counters("openra"):
        assert frames == 16, arm
        assert (records > 0, link_frames) == ((False, 0) if arm == "monolith" else (True, 16)), arm


def test_the_old_files_of_a_cell(run):
    for row in run.summary["runs"]:
        cell = run.dir / row["id"]
        meta = oldreaders.meta(cell / "meta.txt")
        assert (cell / "STATUS").read_text() == "finished\n"
        assert (meta["arm"], meta["rep"], meta["mode"]) == (row["arm"], row["rep"], row["mode"])
        assert (cell / "am-start.txt").read_text().startswith("Starting: Intent")
        lines = oldreaders.verify(cell / "verify.txt")
        assert lines["FATAL_LINES"] == "0" and int(lines["PIPESTATS_LINES"]) == row["pipe_stats_lines"]
    # Client and server each write one at the end; the phone's log and the session repeat them.
    assert {row["arm"]: row["pipe_stats_lines"] for row in run.summary["runs"] if row["rep"] == "1"} == {
        "monolith": 1, "inproc": 1, "shm": 2, "tcp": 2}


def test_the_summary_says_under_which_conditions(run):
    summary = run.summary
    assert (summary["device_kind"], summary["order"], summary["reference"]) == ("lab phone", "fixed", "monolith")
    assert [(row["arm"], row["comparable"], row["n"]) for row in summary["comparisons"]] == [(arm, "yes", 2) for arm in ARMS[1:]]
    for row in summary["runs"]:
        assert row["app_s"] > 0 and row["harness_s"] > 0 and row["adb_streams"] > 0, row["id"]
        assert row["battery_temp_start_dc"] and row["apk_sha256"] and row["trace_sha256"], row["id"]
        assert row["verdict"] == "measured", row["id"]


def test_report_says_the_same_again(run):
    kept = {name: (run.dir / name).read_bytes() for name in benchlib.FORMS}
    done = benchlib.lablib.subprocess.run([benchlib.MGCOORD, "report", run.dir], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "(reference)" in done.stdout, done
    for name, data in kept.items():
        assert (run.dir / name).read_bytes() == data, name


def test_cells_without_the_rest_are_an_old_directory(run, tmp_path):
    """Of a directory that only has what the old script had, nothing is proved."""
    for cell in (run.dir / "openra").iterdir():
        copy = tmp_path / "openra" / cell.name
        copy.mkdir(parents=True)
        for name in cell.iterdir():
            if name.name not in ("verdict.json", "manifest.json", "device-state.csv"):
                (copy / name.name).write_bytes(name.read_bytes())
    done = benchlib.lablib.subprocess.run([benchlib.MGCOORD, "report", "--json", tmp_path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done
    rows = json.loads(done.stdout)["runs"]
    assert {row["verdict"] for row in rows} <= {"incomplete", "invalid"}
    assert {row["reason"] for row in rows if row["rep"] == "ssim"} == {"not-provable"}
    assert {row["reason"] for row in rows if row["rep"] != "ssim"} == {"frame-count"}, "the lab's traces are cut"
    assert not list(tmp_path.glob("*.json"))
