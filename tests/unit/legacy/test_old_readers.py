"""Are our directories readable as the old report scripts read theirs? test_old_readers.py WRITE_CELLS SUMMARY_JSON"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lib"))
import oldreaders  # noqa: E402

ARMS = ["monolith", "inproc", "shm", "tcp"]
NUMBER = (int, float)


def check_summary(matrix):
    perf = matrix.perf("openra")
    assert [(row[0], row[1]) for row in perf] == [(str(rep), arm) for rep in (1, 2, 3) for arm in ARMS], perf
    for row in perf:
        numbers = row[3:]
        assert all(isinstance(value, NUMBER) for value in numbers) == (row[2] not in ("app-died",)), row
    assert [row[0] for row in matrix.best("openra")] == ARMS
    for row in matrix.best("openra"):
        assert row[1] >= 1 and len(row[7]) == 2 and row[7][0] <= row[6] <= row[7][1], row
    finished = [run for run in matrix.runs if run["status"] == "finished" and run["mode"] == "benchmark" and run["mean_ms"] > 0]
    assert len(finished) == sum(row["n_ok"] for row in matrix.aggregates), "the old rule of what counts agrees with ours"
    pictures = matrix.pictures("openra")
    assert [row[:4] for row in pictures] == [(arm, "finished", True, "0.999999") for arm in ARMS], pictures
    assert all(row[4].startswith("lab phone") for row in pictures), "a lab's picture says so where the old report prints it"
    assert all(isinstance(run["rep"], str) for run in matrix.runs)


def check_cells(matrix, root):
    first = {row[1]: row for row in matrix.verification("openra") if row[0] == "1"}
    assert [first[arm][2] for arm in ARMS] == ["absent (monolith:OK)", "inproc:OK", "spawn:OK", "spawn:OK"]
    assert [first[arm][3] for arm in ARMS] == ["-", "-", "OK", "OK"]
    assert all(first[arm][8] == 0 for arm in ARMS)
    for row in (row for row in matrix.counters("openra") if row[1] == "1"):
        assert row[2:] == (4, 40, 2, 6), row
    for arm in ARMS:
        cell = root / "openra" / f"{arm}-r1"
        pairs = oldreaders.meta(cell / "meta.txt")
        assert (cell / "STATUS").read_text().split() == ["finished"]
        assert pairs == {"arm": arm, "rep": "1", "workload": "openra", "duration_s": "4", "battery_temp_dc": "311",
                         "status": "finished", "passed": "true", "mode": "benchmark"}, pairs
        lines = oldreaders.verify(cell / "verify.txt")
        assert lines["arm"] == arm and lines["FATAL_LINES"] == "0" and lines["LOCKSTEP_WARNING"] == "absent", lines


def check_crosshost(root):
    cell = root / "bench-openra-c1"
    cell.mkdir()
    (cell / "rc.txt").write_text("rc=0 secs=83\n")
    (cell / "result.json").write_text('{"passed": true, "ssim": -1}')
    (cell / "benchmark.json").write_text(json.dumps({"fps": 50, "frameTimesMs": [500, 20, 20, 40]}))
    (cell / "mobilegl.client.log").write_bytes(b"\xff\n[x] P65LinkMetrics kind=summary frame=4 stage_bytes=2000000\n")
    row = oldreaders.crosshost(cell)
    assert (row["rc"], row["wall_s"], row["frames"], row["steady_fps"], row["stage_mb"]) == (0, 83, 4, 50, 2), row


def main(write_cells, summary):
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        subprocess.run([write_cells, name], check=True)
        (root / "summary.json").write_bytes(pathlib.Path(summary).read_bytes())
        matrix = oldreaders.Matrix(root)
        check_summary(matrix)
        check_cells(matrix, root)
        check_crosshost(root)


if __name__ == "__main__":
    main(*sys.argv[1:])
