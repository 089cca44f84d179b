"""The history of real runs: two matrix runs in a lab, then `mgcoord history` and `compare`; and disks
that are full or cannot be written to."""

import json
import os
import shutil
import sqlite3
import subprocess

import pytest

import benchlib

ARMS = ["monolith", "inproc", "shm", "tcp"]


def mgcoord(*args, code=0):
    done = subprocess.run([benchlib.MGCOORD, *map(str, args)], capture_output=True, text=True,
                          timeout=benchlib.RUN_S, stdin=subprocess.DEVNULL)
    assert done.returncode == code, (args, done.returncode, done.stdout, done.stderr)
    return done


def run_matrix(state, plan="matrix", *args):
    done = subprocess.run(
        [benchlib.MGCOORD, "run", plan, "-w", "openra", "-q", "-r", "2", *args, "--lab", "--lab-state", state,
         "--lab-frames-divisor", "8"],
        capture_output=True, text=True, timeout=benchlib.RUN_S, stdin=subprocess.DEVNULL)
    result = benchlib.Result(None, done)
    assert result.code == 0, result
    return result


@pytest.fixture(scope="module")
def runs(labs_work, tmp_path_factory):
    """Two runs, one after the other, in labs with one state directory."""
    state = tmp_path_factory.mktemp("lab")
    return [run_matrix(state) for _ in range(2)]


@pytest.fixture(scope="module")
def root(runs):
    assert runs[0].dir.parent == runs[1].dir.parent
    return runs[0].dir.parent


def ask(path, sql):
    with sqlite3.connect(path) as db:
        return db.execute(sql).fetchall()


def test_each_run_is_in_the_history_with_every_cell(runs, root):
    for run in runs:
        assert not [note for note in run.summary["notes"] if "history" in note]
        rows = ask(root / "mgcoord.db",
                   "SELECT c.cell, c.verdict FROM cells c JOIN runs r ON r.id = c.run "
                   f"WHERE r.run_id = '{run.dir.name}' AND r.origin = 'run' ORDER BY c.id")
        assert rows == [(row["id"], row["verdict"]) for row in run.summary["runs"]]
        values = dict(ask(root / "mgcoord.db",
                          "SELECT c.cell, m.value FROM metrics m JOIN cells c ON c.id = m.cell JOIN runs r "
                          f"ON r.id = c.run WHERE m.name = 'kept_mean_ms' AND r.run_id = '{run.dir.name}'"))
        assert values == {row["id"]: pytest.approx(row["kept_mean_ms"]) for row in run.summary["runs"]
                          if row["mode"] == "benchmark"}
    assert ask(root / "mgcoord.db", "SELECT model, lab FROM devices") == [("lab phone", 1)]


def test_history_shows_both_nights_with_unchanged_inputs(runs, root):
    doc = json.loads(mgcoord("history", "--results", root, "--json").stdout)
    assert [arm["arm"] for arm in doc["arms"]] == ARMS
    for arm in doc["arms"]:
        assert [night["run_id"] for night in arm["nights"]] == [run.dir.name for run in runs]
        assert [night["inputs"] for night in arm["nights"]] == ["first", "unchanged"]
        for night in arm["nights"]:
            assert (night["n"], night["cells"]) == (2, 2)
            assert night["min"] <= night["median"] <= night["max"]
            assert night["device"]["lab"] and len(night["facts"]["client_build"]) == 64
        assert (arm["gate"]["decision"], arm["gate"]["nights"]) == ("no baseline", 1)
        assert (arm["gate"]["inputs"], arm["gate"]["left_out"]) == ("unchanged", 0)
    text = mgcoord("history", "--results", root, "--arm", "tcp", "--last", "1").stdout
    assert "gate, the last against those before: no baseline (1 of 5 nights)" in text
    assert "lab phone" in text and "says nothing about a real one" in text
    assert runs[1].dir.name in text and runs[0].dir.name not in text and "openra shm" not in text


def test_compare_by_name_id_and_directory(runs, root):
    a, b = (run.dir for run in runs)
    by_name = mgcoord("compare", "--results", root, "last-1", "last").stdout
    assert by_name == mgcoord("compare", "--results", root, a.name, b.name).stdout
    doc = json.loads(mgcoord("compare", "--json", a, b).stdout)
    assert [doc[side]["run_id"] for side in "ab"] == [a.name, b.name]
    assert [arm["arm"] for arm in doc["arms"]] == ARMS
    for arm in doc["arms"]:
        assert arm["comparable"] == "yes" and arm["n"] == 2, arm
        assert arm["conclusion"] == "no conclusion" and arm["numbers"] in by_name
        assert (arm["floor"], arm["floor_nights"], arm["floor_nights_needed"]) == (None, 0, 5)
    assert "Rounds are paired by their number." in by_name


def test_runs_across_hosts_alone_know_their_builds(labs_work, tmp_path_factory):  # noqa: ARG001
    """The server's is the app's on the phone, the client's its own; so two such runs can be compared."""
    state = tmp_path_factory.mktemp("lab")
    two = [run_matrix(state, "crosshost", "--credit", "1") for _ in range(2)]
    for run in two:
        setup = run.summary["setup"]
        assert len(setup["app-1.apk_sha256"]) == len(setup["app-1.library_sha256"]) == 64
        assert setup["app-1.version_code"] > 0
        assert setup["app-1.apk_sha256"] in run.report.read_text(encoding="utf-8")
    doc = json.loads(mgcoord("compare", "--json", *(run.dir for run in two)).stdout)
    assert [(arm["arm"], arm["comparable"], arm["n"]) for arm in doc["arms"]] == [("crosshost-c1", "yes", 2)]
    history = json.loads(mgcoord("history", "--results", two[0].dir.parent, "--json").stdout)
    (arm,) = history["arms"]
    assert [night["inputs"] for night in arm["nights"]] == ["first", "unchanged"]
    for night in arm["nights"]:
        builds = {len(night["facts"][name]) for name in ("client_build", "library_build", "server_build")}
        assert builds == {64}


def test_compare_of_what_is_not_there(root):
    err = mgcoord("compare", "--results", root, "last", "last-9", code=2).stderr
    assert "'last-9': there is no such run" in err and err.count("\n") == 1


def test_import_makes_the_same_history_again(runs, root, tmp_path):
    dirs = [run.dir for run in runs]
    mgcoord("history", "import", "--results", tmp_path, *dirs)
    mgcoord("history", "import", "--results", tmp_path, *dirs)
    sql = ("SELECT r.run_id, c.cell, m.name, m.value FROM metrics m JOIN cells c ON c.id = m.cell JOIN runs r "
           "ON r.id = c.run ORDER BY 1, 2, 3")
    assert len(ask(tmp_path / "mgcoord.db", sql)) == len(ask(root / "mgcoord.db", sql)) > 0
    facts = ("SELECT r.run_id, c.cell, f.fact, f.applies, f.value FROM facts f JOIN cells c ON c.id = f.cell "
             "JOIN runs r ON r.id = c.run ORDER BY 1, 2, 3")
    assert ask(tmp_path / "mgcoord.db", facts) == ask(root / "mgcoord.db", facts)
    again = mgcoord("history", "import", "--results", root, dirs[0]).stdout
    assert "was there already, from the run itself" in again


def test_a_directory_that_is_no_run_keeps_no_other_out(runs, tmp_path):
    done = mgcoord("history", "import", "--results", tmp_path / "r", tmp_path, runs[0].dir, code=2)
    assert "is no run's directory" in done.stderr and "is in the history now" in done.stdout


def test_directories_of_the_old_scripts(tmp_path):
    """They have no id: the same numbers are the same run, wherever it lies."""
    for name, secs in (("one", 12), ("moved", 12), ("another", 13)):
        cell = tmp_path / name / "bench-openra-c1"
        cell.mkdir(parents=True)
        (cell / "rc.txt").write_text(f"rc=0 secs={secs}\n")
    dirs = [tmp_path / name for name in ("one", "moved", "another")]
    out = mgcoord("history", "import", "--results", tmp_path, *dirs).stdout
    assert out.count("as a directory of the old scripts") == 3
    assert ask(tmp_path / "mgcoord.db", "SELECT origin, device, start_wall_ns FROM runs") == [("old", None, None)] * 2
    assert "an unknown device" in mgcoord("history", "--results", tmp_path).stdout
    text = mgcoord("compare", dirs[0], dirs[2]).stdout
    assert "neither run measured it" in text


def on_small_disk(size, script, *args):
    """In a mount namespace of its own, with a file system of that size at /mnt."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        pytest.skip("needs root and unshare for a small file system")
    return ("unshare", "--mount", "--propagation", "private", "sh", "-ec",
            f'mount -t tmpfs -o size={size} none /mnt; {script}', "sh", *map(str, args))


def test_a_full_disk_is_one_sentence_and_nothing_half(runs):
    script = ('if "$1" history import --results /mnt "$2"; then exit 9; else echo "code $?"; fi; '
              'ls /mnt')
    done = subprocess.run(on_small_disk("64k", script, benchlib.MGCOORD, runs[0].dir),
                          capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 0 and "code 3" in done.stdout, (done.stdout, done.stderr)
    assert "full" in done.stderr and "history '/mnt/mgcoord.db'" in done.stderr
    assert "damaged" not in done.stdout and "-journal" not in done.stdout


def test_a_disk_that_is_read_only(runs):
    script = ('"$1" history import --results /mnt "$2"; mount -o remount,ro /mnt; '
              'if "$1" history import --results /mnt "$3"; then exit 9; else echo "code $?"; fi; '
              '"$1" history --results /mnt')
    done = subprocess.run(
        on_small_disk("4m", script, benchlib.MGCOORD, *(run.dir for run in runs)),
        capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 0 and "code 3" in done.stdout, (done.stdout, done.stderr)
    assert "cannot be opened or written to" in done.stderr
    shown = done.stdout.split("code 3")[1]
    assert runs[0].dir.name in shown and runs[1].dir.name not in shown  # reading goes on


def test_a_damaged_history_is_a_note_and_the_run_goes_on(runs, root):
    """Last: it takes the history of the other tests away."""
    (root / "mgcoord.db").write_bytes(b"\xa5" * 20000)
    err = mgcoord("history", "--results", root, code=3).stderr
    assert "is damaged" in err and err.count("\n") == 1
    state = root.parent
    run = run_matrix(state)
    notes = [note for note in run.summary["notes"] if "history" in note]
    assert all("is damaged" in note for note in notes), notes
    (kept,) = [note for note in notes if "it is kept as" in note]  # the estimate missed it, too
    assert kept in run.report.read_text()
    assert len(list(root.glob("mgcoord.db.damaged-*"))) == 1
    assert ask(root / "mgcoord.db", "SELECT run_id FROM runs") == [(run.dir.name,)]
