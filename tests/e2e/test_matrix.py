"""`mgcoord run matrix` in a lab: the whole matrix once, looked at from many sides; orders, builds and
backends; rounds that a rule leaves out."""

import json
import os
import re

import pytest

import benchlib
import lablib
from matrixlib import (ARMS, ONE_ROUND, arms, bench, facts_of, holders_of, log_of,  # noqa: F401
                       setting, states, steps_of)

WORKLOADS = ("openra", "rd12")
REPS = 2
SEEN_MS = 2000  # generous: the phone is busy, and so is the machine
STREAMS_MAX = 10  # adb streams that a cell may open


@pytest.fixture(scope="module")
def night(bench):  # noqa: F811
    """The whole matrix, and what the phone was asked and told meanwhile."""
    before = bench.settings()
    assert before["stay awake"] == "0" and before["doze"] == 0
    journal = len(bench.journal())
    result = bench.run("all", *setting("reps", REPS))
    assert result.code == 0, result
    result.journal = bench.journal()[journal:]
    bench.assert_nothing_left()
    assert bench.settings() == before
    return result


def benchmark_rows(night):
    return [row for row in night.summary["runs"] if row["mode"] == "benchmark"]


def row_of(night, workload, arm, rep="1"):
    return night.cell(f"{workload}/{arm}-r{rep}")


# ---- all of it ----


def test_every_cell_is_measured(night):
    expected = [f"{workload}/{arm}-r{rep}" for workload in WORKLOADS
                for rep in (*range(1, REPS + 1), "ssim") for arm in ARMS]
    assert [row["id"] for row in night.summary["runs"]] == expected
    for row in night.summary["runs"]:
        assert row["verdict"] == "measured" and row["status"] == "finished", row
        assert all(item["outcome"] == "ok" for item in row["evidence"]), row
        assert row["attempts"] == 1, row
        assert row["mode"] == "ssim" or row["total_frames"] == {"openra": 8, "rd12": 15}[row["workload"]]
        assert row["mode"] == "benchmark" or row["ssim"] > 0.99


def test_builds_are_in_every_result(night):
    for row in night.summary["runs"]:
        for name in ("apk_sha256", "library_sha256", "trace_sha256"):
            assert re.fullmatch("[0-9a-f]{64}", row[name]), (row["id"], name)
        assert row["mode"] == "benchmark" or re.fullmatch("[0-9a-f]{64}", row["golden_sha256"])


def moved(night, row):
    """What the client's library moved, by its own count: (transport, ring, shared, socket) bytes."""
    found = re.findall(r"mglab: transport=(\w+) moved ring=(\d+) shared=(\d+) socket=(\d+) bytes",
                       log_of(night, row))
    assert len(found) == 1, (row["id"], found)
    return found[0][0], *map(int, found[0][1:])


@pytest.mark.parametrize("workload", WORKLOADS)
def test_arms_differ_by_what_carried_the_records(night, workload):
    """By counters, not by time: nothing, a ring in the process, shared memory, a socket."""
    for arm in ARMS:
        for rep in ("1", "ssim"):
            transport, ring, shared, socket = moved(night, row_of(night, workload, arm, rep))
            assert transport == arm
            assert (ring > 0, shared > 0, socket > 0) == (
                arm == "inproc", arm == "shm", arm == "tcp"), (arm, rep)
    stage = {arm: row_of(night, workload, arm)["stage_mb"] * 1e6 for arm in ARMS if arm != "monolith"}
    assert len(set(stage.values())) == 1, "the same records in every arm"
    for arm, field in (("inproc", 1), ("shm", 2), ("tcp", 3)):
        assert moved(night, row_of(night, workload, arm))[field] > stage[arm]


def test_report_says_what_moved_the_bytes(night):
    """The same counters in the results, and a line per arm in the report."""
    report = night.report.read_text()
    assert report.count("#### What moved the bytes") == len(WORKLOADS)
    for workload in WORKLOADS:
        for arm in ARMS:
            row = row_of(night, workload, arm)
            assert row["processes"] == {"monolith": 1, "inproc": 1, "shm": 2, "tcp": 3}[arm], row["id"]
            told = tuple(row[f"moved_{way}_bytes"] for way in ("ring", "shared", "socket"))
            assert told == moved(night, row)[1:], row["id"]
    for arm, way in (("monolith", "calls in one process"), ("inproc", "ring in one process"),
                     ("shm", "shared memory"), ("tcp", "socket")):
        assert len(re.findall(rf"^\| {arm} \| \d+ \| {way} \|", report, re.M)) == len(WORKLOADS), arm


def test_arms_differ_by_pipe_stats(night):
    """Records are counted where there is a wire, the stage segment where there is one, and a second
    dump where there is a second process."""
    def of(arm, name):
        return row_of(night, "rd12", arm)[f"pipe_{name}"]
    assert [of(arm, "wire_records") > 0 for arm in ARMS] == [False, True, True, True]
    assert [of(arm, "stage_segment_bytes") > 0 for arm in ARMS] == [False, True, True, False]
    assert [of(arm, "dumps") for arm in ARMS] == [1, 1, 2, 2]
    assert len({of(arm, "draws") for arm in ARMS}) == 1, "the same work in every arm"
    assert len({of(arm, "frames") for arm in ARMS}) == 1
    with pytest.raises(KeyError):
        row_of(night, "rd12", "monolith")["lm_stage_bytes"]


def processes_of(night, row):
    """Processes that took part, by what they said of themselves."""
    pids = {facts_of(night, row, "replay")["pid"]}
    pids |= {int(pid) for pid in re.findall(r"spawn ARMED - the server role runs in pid (\d+)",
                                            log_of(night, row))}
    if "server" in steps_of(night, row):
        server = facts_of(night, row, "server")
        pids |= {server["server_pid"], server["session_pid"]}
    return pids


def test_arms_differ_by_number_of_processes(night):
    for row in night.summary["runs"]:
        expected = {"monolith": 1, "inproc": 1, "shm": 2, "tcp": 3}[row["arm"]]
        assert len(processes_of(night, row)) == expected, row["id"]


def test_app_is_started_anew_for_every_cell(night):
    pids = [facts_of(night, row, "replay")["pid"] for row in night.summary["runs"]]
    started = [x["pid"] for x in night.journal if x["event"] == "app-start" and not x["process"]]
    assert pids == started
    assert len(set(pids)) == len(pids)
    services = [x for x in night.journal if x["event"] == "app-start" and x["process"] == ":mglsrv"]
    assert len(services) == sum(row["arm"] == "tcp" for row in night.summary["runs"])


def test_app_time_is_the_phones_own(night):
    """From process start to result.json closed, as the phone wrote down by itself: what the harness
    does is not in it."""
    begin = [x["mono_ms"] for x in night.journal if x["event"] == "app-start" and not x["process"]]
    closed = [x["mono_ms"] for x in night.journal if x["event"] == "result-closed"]
    for row, start_ms, end_ms in zip(night.summary["runs"], begin, closed, strict=True):
        facts = facts_of(night, row, "replay")
        assert abs(facts["start_mono_ns"] / 1e6 - start_ms) < SEEN_MS, row["id"]
        assert abs(facts["end_mono_ns"] / 1e6 - end_ms) < SEEN_MS, row["id"]
        assert row["app_s"] == pytest.approx(facts["app_ms"] / 1e3, abs=2e-3)


# ---- what a cell costs ----


def test_adb_streams_are_counted_and_few(night):
    """By the phone's own journal: streams of all cells, of setup and of close are all there were."""
    told = 0
    for row in night.summary["runs"]:
        by_steps = sum(step["facts"].get("adb_streams", 0) for step in steps_of(night, row).values())
        assert row["adb_streams"] == by_steps, row["id"]
        assert 0 < row["adb_streams"] <= STREAMS_MAX, row["id"]
        told += by_steps
    for part in ("setup", "close"):
        told += sum(step["facts"].get("adb_streams", 0) for step in steps_of(night, part).values())
    holders = holders_of(night)
    assert list(holders) == ["helper", "knobs"], holders
    told += sum(step["facts"]["adb_streams"] for step in holders.values())
    assert any("at the end" in value or "applied" in value for name, value in
               holders["knobs"]["facts"].items() if name.startswith("knob.")), holders
    opened = sum(x["event"] == "adb-stream" for x in night.journal)
    # What an undo opens comes after its task's facts.
    undone = sum(step["undo_done"] for step in holders.values())
    assert told <= opened <= told + 2 * undone, (opened, told, undone)


def test_adb_streams_of_single_cells(bench, night):
    """Between two launches the phone sees one cell's streams, which all cells of an arm share."""
    launches = [i for i, x in enumerate(night.journal) if x["event"] == "activity-start"]
    rows = night.summary["runs"]
    for n, (begin, end) in enumerate(zip(launches, launches[1:])):
        seen = sum(x["event"] == "adb-stream" for x in night.journal[begin:end])
        assert seen <= STREAMS_MAX, (rows[n]["id"], seen)
    monolith = [row["adb_streams"] for row in rows if row["arm"] != "tcp"]
    tcp = [row["adb_streams"] for row in rows if row["arm"] == "tcp"]
    assert len(set(monolith)) == len(set(tcp)) == 1 and monolith[0] < tcp[0]
    plain = [i for i, row in enumerate(rows[:-1]) if row["arm"] != "tcp" and rows[i + 1]["arm"] != "tcp"]
    for n in plain:  # both sides of the launch belong to cells of the same shape
        seen = sum(x["event"] == "adb-stream" for x in night.journal[launches[n]:launches[n + 1]])
        assert seen == rows[n]["adb_streams"], rows[n]["id"]


def test_harness_time_is_in_every_result(night):
    report = night.report.read_text()
    for row in night.summary["runs"]:
        assert row["app_s"] > 0 and row["harness_s"] > 0, row["id"]
        assert row["app_s"] + row["harness_s"] == pytest.approx(row["cell_s"], abs=0.001), row["id"]
        verdict = json.loads((night.dir / row["dir"] / "verdict.json").read_text())
        for name in ("harness_s", "adb_streams", "app_s"):
            assert verdict["metrics"][name] == row[name]
    assert "harness s" in report and "adb streams" in report


# ---- files and forms ----


OLD_FILES = ("STATUS", "meta.txt", "verify.txt", "am-start.txt", "logcat.txt", "result.json",
             "retrace.log", "mobilegl.client.log", "pipestats-lines.txt", "linkmetrics-lines.txt",
             "all-marker-evidence.txt")
ARM_FILES = {
    "monolith": (),
    "inproc": (),
    "shm": ("mobilegl.server.log", "pipestats.server.json"),
    "tcp": ("mgl.server.log", "tcp-server-pipestats.json"),
}


def test_files_of_the_old_layout(night):
    for row in night.summary["runs"]:
        folder = night.dir / row["workload"] / f"{row['arm']}-r{row['rep']}"
        assert folder == night.dir / row["dir"]
        names = OLD_FILES + ARM_FILES[row["arm"]]
        if row["mode"] == "benchmark":
            names += ("benchmark.json", "pipestats.client.json")
        else:
            names += ("actual.png", "diff.png")
        for name in (*names, "device-state.csv", "manifest.json", "verdict.json"):
            assert (folder / name).exists(), (row["id"], name)
        assert (folder / "STATUS").read_text() == "finished\n"
        meta = (folder / "meta.txt").read_text().splitlines()[0]
        assert f"arm={row['arm']} rep={row['rep']} workload={row['workload']} duration_s=" in meta
        assert f"status=finished passed=true mode={row['mode']}" in meta


@pytest.mark.parametrize("arm, lines", [
    ("monolith", ["SPLIT_MARKER=absent (monolith:OK)", "FATAL_LINES=0"]),
    ("inproc", ["TRANSPORT_MARKER=inproc:OK", "RUN_AHEAD_ARMED=OK", "LOCKSTEP_WARNING=absent"]),
    ("shm", ["TRANSPORT_MARKER=spawn:OK", "SECOND_PROCESS_SPAWN_ARMED=OK", "DISARMED=absent"]),
    ("tcp", ["TRANSPORT_MARKER=spawn:OK", "TCP_SESSION=OK", "FATAL_LINES=0"]),
])
def test_verify_txt_says_what_proved_the_arm(night, arm, lines):
    text = log_of(night, row_of(night, "openra", arm), "verify.txt")
    assert text.startswith(f"arm={arm}\n")
    for line in lines:
        assert any(x.startswith(line) for x in text.splitlines()), (line, text)


def test_summary_and_table_show_all(night):
    summary = json.loads((night.dir / "summary.json").read_text())
    assert summary["schema"] == "mgcoord-summary-1" and summary["plan"] == "matrix"
    assert len(summary["aggregates"]) == len(WORKLOADS) * len(ARMS)
    for row in summary["aggregates"]:
        assert row["n_ok"] == REPS and row["best_mean_ms"] > 0, row
    report = night.report.read_text()
    for row in summary["aggregates"]:
        assert re.search(rf"^{row['workload']} +{row['arm']} +{REPS} ", night.out, re.M), night.out
    for row in summary["runs"]:
        assert row["id"] in report
        assert row["mode"] == "benchmark" or f"{row['arm']} {row['ssim']:.6f}" in night.out
    assert "lab phone" in night.out and "lab phone" in report and "reduced frame counts" in night.out
    assert "openra has 8 frames here, all of them skipped: no mean" in night.out


def test_report_command_makes_the_same_again(bench, night):
    before = night.report.read_bytes(), (night.dir / "summary.json").read_bytes()
    done = bench.lab.exec("wsl", benchlib.MGCOORD, "report", night.dir)
    assert (night.report.read_bytes(), (night.dir / "summary.json").read_bytes()) == before
    assert re.search(rf"^openra +tcp +{REPS} ", done.stdout, re.M), done.stdout


def test_settings_are_in_the_setup(night):
    """What was changed on the phone, read back when it was set, at the end, and when it was put back."""
    knobs = (night.dir / "attempts/setup/a1/knobs.txt").read_text().splitlines()
    assert knobs[0].split("\t") == ["knob", "before", "applied", "at the end", "put back"]
    rows = [line.split("\t") for line in knobs[1:]]
    assert [row[0].split()[0] for row in rows] == ["setting", "doze-exempt", "log-buffer"]
    for _, was, applied, at_end, back in rows:
        assert was != applied == at_end and back == "yes"


# ---- parts of it ----


def test_smoke_is_one_round_of_the_first_workload(bench):
    result = bench.run("smoke")
    assert result.code == 0, result
    assert list(states(result)) == [f"openra/{arm}-r1" for arm in ARMS]


def test_one_is_one_cell_by_the_old_scripts_variables(bench):
    done = bench.lab.exec("wsl", "env", "ONE=shm", "WL=rd12", "REP=7", *bench.command("one"))
    result = benchlib.Result(bench.lab, done)
    assert states(result) == {"rd12/shm-r7": "measured"}, result


def test_prep_brings_the_fixtures_and_measures_nothing(bench):
    bench.shell("run-as top.mobilegl.plugin.trace rm -rf files/trace-replay/input-rd12")
    result = bench.run("prep")
    assert result.summary["runs"] == []
    fixtures = facts_of(result, "setup", "fixtures-rd12-1")
    assert fixtures["trace_pushed"] and fixtures["golden_pushed"], fixtures
    second = bench.run("prep")
    again = facts_of(second, "setup", "fixtures-rd12-1")
    assert not again["trace_pushed"] and not again["golden_pushed"], again
    assert again["trace_sha256"] == fixtures["trace_sha256"]
    for run, how in ((result, "brought"), (second, "found right")):
        assert (f"input-rd12/trace.trace of top.mobilegl.plugin.trace: {how}, "
                f"{fixtures['trace_bytes']} bytes, sha256 {fixtures['trace_sha256']}\n") in run.out
        assert run.code == 0 and "verdict" not in run.out and "path before" not in run.out, run
        assert fixtures["trace_sha256"] in run.report.read_text()
        assert run.summary["setup"]["fixtures-rd12-1.trace_sha256"] == fixtures["trace_sha256"]
        said = run.report.read_text()
        shown = bench.lab.exec("wsl", benchlib.MGCOORD, "report", run.dir).stdout
        assert shown.strip() == run.out.split("\nreport: ")[0].strip()
        assert run.report.read_text() == said


# ---- orders, builds, backends ----


def order_of(result):
    return [row["id"] for row in result.summary["runs"]]


def test_order_rotates(bench):
    result = bench.run(*ONE_ROUND, *setting("reps", 2), "--set", "order=rotate",
                       *arms("monolith", "inproc"))
    assert result.code == 0, result
    assert order_of(result) == ["openra/monolith-r1", "openra/inproc-r1", "openra/inproc-r2",
                                "openra/monolith-r2"]
    assert json.loads((result.dir / "run.json").read_text())["plan"]["order"] == "rotate"


def plan_order(bench, *args):
    done = bench.lab.exec("wsl", benchlib.MGCOORD, "plan", "show", "matrix", "--site", bench.site, *args)
    return re.findall(r"openra/\w+-r\d", done.stdout)


def test_shuffled_order_is_recorded_and_can_be_had_again(bench):
    """A run without a seed says which one it made; with that one the order is the same."""
    args = (*ONE_ROUND, *setting("reps", 3), "--set", "order=shuffle", *arms("monolith", "inproc"))
    first = bench.run(*args)
    assert first.code == 0, first
    plan = json.loads((first.dir / "run.json").read_text())["plan"]
    assert plan["order"] == "shuffle" and str(plan["seed"]) in first.report.read_text()
    assert [cell["id"] for cell in plan["cells"] if cell["kind"] == "measure"] == order_of(first)
    assert sorted(order_of(first)) == sorted(f"openra/{arm}-r{rep}" for rep in (1, 2, 3)
                                             for arm in ("monolith", "inproc"))
    second = bench.run(*args, "--set", f"seed={plan['seed']}")
    assert order_of(second) == order_of(first)
    journal = [row["id"] for row in sorted(second.summary["runs"], key=lambda row: facts_of(
        second, row, "replay")["start_mono_ns"])]
    assert journal == order_of(second), "measured in the order that is written down"


def test_another_build_and_two_backends(bench):
    """`tcp@p14` is the arm of a second installed build, proved by its hash; a round has every arm with
    each backend, proved by the client's own line."""
    result = bench.run(*ONE_ROUND, *arms("monolith", "tcp@p14"),
                       *setting("backends", "DirectGLES,DirectVulkan"))
    assert result.code == 0, result
    assert list(states(result)) == [f"openra/{backend}/{arm}-r1" for arm in ("monolith", "tcp@p14")
                                    for backend in ("DirectGLES", "DirectVulkan")]
    apks = {row["arm"]: row["apk_sha256"] for row in result.summary["runs"]}
    assert apks["monolith"] != apks["tcp@p14"]
    for row in result.summary["runs"]:
        backend = row["id"].split("/")[1]
        assert any(item["check"] == "backend" and item["outcome"] == "ok" and backend in item["seen"]
                   for item in row["evidence"]), row
        assert backend in log_of(result, row)
    bench.assert_nothing_left()


# ---- rounds that are left out ----


def test_slow_workload_is_measured_in_fewer_rounds(bench):
    """The rule of rd12, with a limit that a slow client passes."""
    bench.lab.fault("client-slow=150")
    try:
        result = bench.run("openra", *setting("reps", 3), *setting("ssim", "false"),
                           *arms("monolith", "inproc"), *setting("shorten.openra.above", "1s"),
                           *setting("shorten.openra.reps", 1))
    finally:
        bench.lab.clear_fault()
    assert result.code == 0, result
    assert states(result) == {
        "openra/monolith-r1": "measured", "openra/inproc-r1": "measured",
        "openra/monolith-r2": "left-out", "openra/inproc-r2": "left-out",
        "openra/monolith-r3": "left-out", "openra/inproc-r3": "left-out"}
    for row in result.summary["runs"][2:]:
        assert row["verdict"] == "skipped" and "lanes.matrix.shorten" in row["next_step"], row
        assert row["text"] in result.report.read_text()


def test_quick_workload_keeps_its_rounds(bench):
    result = bench.run("openra", *setting("reps", 2), *setting("ssim", "false"), *arms("monolith"),
                       *setting("shorten.openra.above", "300s"), *setting("shorten.openra.reps", 1))
    assert list(states(result).values()) == ["measured", "measured"], result


def test_nothing_is_left_on_the_phone_and_at_the_hosts(bench):
    bench.assert_nothing_left()
    assert bench.shell("ls /data/local/tmp") == ""
    assert [path for path in os.listdir(bench.lab.state / "locks") if path.endswith(".tmp")] == []
    assert lablib.wait_until("adb forwards nothing", lambda: not bench.adb(
        "forward", "--list").stdout.strip(), 10)
