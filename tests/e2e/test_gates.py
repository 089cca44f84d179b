"""Cells across hosts: phone and machines are gated before they begin, the phone is watched while they
run, and what happens to it then voids exactly that cell."""

import json

import pytest

import benchlib
import lablib
from benchlib import ONE_BENCH as ONE, end_of
from breaklib import BreakBench, SHORT_LIVENESS, broken  # noqa: F401
from matrixlib import facts_of, steps_of
from nightlylib import SMALL

TWO = ("--workload", "openra", "--set", "lanes.crosshost.credits=1,2", "--reps", "1", "--set",
       "lanes.crosshost.ssim=false")
ONE_NIGHT = (*SMALL, "--set", "lanes.matrix.reps=1", "--set", "lanes.crosshost.reps=1", "--set",
             "brackets=none", "--set", "confirm=0")
SOON_S = 60
STREAMS_MAX = 8


def gate(name, value):
    return ("--set", f"gates.{name}={value}")


class GateBench(BreakBench):
    def server_starts(self):
        lines = (self.lab.state / "phone/journal.jsonl").read_text().splitlines()
        return [line for line in map(json.loads, lines)
                if line["event"] == "app-start" and line["process"] == ":mglsrv"]


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):  # noqa: ARG001
    lab = lablib.Lab(tmp_path_factory.mktemp("lab") / "state",
                     ("--frames-divisor", "8", *SHORT_LIVENESS), workers=True, phone=True)
    lab.wait_up()
    yield GateBench(lab)
    lab.end()
    lab.assert_gone()


@pytest.fixture
def fault(bench):
    yield bench.lab.fault
    bench.lab.clear_fault()


def evidence(row):
    return {item["check"]: item for item in row["evidence"]}


# ---- what a good cell shows ----

def test_a_cell_is_gated_watched_and_proved(bench):
    result = bench.run(*ONE)
    assert result.code == 0, result
    row = result.cell("c1-r1")
    seen = evidence(row)
    for check in ("gate", "gate of host", "gate of wsl", "same boot", "same app",
                  "same app after the run", "device state", "battery temperature", "power",
                  "not throttled", "common start"):
        assert seen[check]["outcome"] == "ok", (check, seen.get(check))
    assert "load " in seen["gate of wsl"]["seen"] and "MB free" in seen["gate of host"]["seen"]
    assert seen["common start"]["seen"].startswith("2 members within ")
    assert row["start_skew_ms"] >= 0 and row["start_uncertainty_ms"] > 0
    assert row["adb_streams"] == sum(step["facts"].get("adb_streams", 0)
                                     for step in steps_of(result, row).values()) <= STREAMS_MAX
    assert 0 < row["harness_s"] < 60 and row["gate_waited_ms"] == 0


def test_the_run_is_the_one_between_release_and_reap(bench):
    """By the phone's own clock, and no longer than the client's own time."""
    result = bench.run(*ONE)
    row = result.cell("c1-r1")
    state = facts_of(result, row, "state")
    run_s = (state["run_to_mono_ns"] - state["run_from_mono_ns"]) / 1e9
    assert 0 < run_s < row["wall_s"] + 5, (run_s, row["wall_s"])
    lines = (result.dir / row["dir"] / "device-state.csv").read_text().splitlines()
    times = [int(line.split(",")[0]) for line in lines if line[:1].isdigit()]
    assert state["run_from_mono_ns"] in times and state["run_to_mono_ns"] in times


# ---- gates ----

LOAD = "0.10 0.10 0.10 1/100 1000\n"


@pytest.fixture
def load(bench, tmp_path):
    """What the kernel says of the load, on the machines of both workers."""
    file = tmp_path / "loadavg"
    file.write_text(LOAD)
    for host in ("wsl", "winhost"):
        bench.lab.exec(host, "mount", "--bind", file, "/proc/loadavg")
    yield file.write_text
    for host in ("wsl", "winhost"):
        bench.lab.exec(host, "umount", "/proc/loadavg")


GATES = [
    (("phone-hot=480",), (), "too-hot", r"battery, at 48.0 C, is above the temperature band"),
    (("phone-hot=20",), (), "too-cold", r"battery, at 2.0 C, is below the temperature band"),
    (("phone-unplugged",), (), "unplugged", "no external power"),
    ((), gate("host_free", 1000000), "disk-full", "MB free where results are kept, of at least"),
    ((), gate("phone_free", 1000000), "disk-full", "MB of room, of at least 1000000 MB"),
]


@pytest.mark.parametrize("faults, settings, reason, word", GATES)
def test_a_shut_gate_stops_the_cell_before_its_server(bench, fault, faults, settings, reason, word):
    for text in faults:
        fault(text)
    started = len(bench.server_starts())
    result = bench.run(*ONE, *gate("timeout", "0s"), *settings)
    assert result.code == 3, result
    row = result.cell("c1-r1")
    assert (row["verdict"], row["reason"]) == ("failed", reason), result
    assert word in row["text"] and row["next_step"], row["text"]
    assert len(bench.server_starts()) == started, "the server was not even started"
    bench.wait_nothing_left()


def test_a_machine_that_stays_busy_is_named(bench, load):
    load(LOAD.replace("0.10", "800.00", 1))
    result = bench.run(*ONE, *gate("host_load", 100), *gate("timeout", "0s"))
    row = result.cell("c1-r1")
    assert (row["verdict"], row["reason"]) == ("failed", "host-loaded"), result
    assert "load 800.00 on " in row["text"] and "per CPU of at most 1.00" in row["text"]


def test_lanes_of_the_phone_have_the_gates_of_the_machines_too(bench):
    done = bench.lab.exec("wsl", benchlib.MGCOORD, "run", "matrix", "smoke", "--site", bench.site,
                          "--set", "lanes.matrix.arms=monolith", *gate("host_free", 1000000),
                          check=False)
    assert done.returncode == 3 and "disk-full" in done.stdout, done.stdout


def test_a_gate_waits_and_the_cell_goes_on(bench, fault, broken):  # noqa: F811
    """The phone is too warm when the first cell has ended. The second waits until it has cooled to
    what the plan says, and its wait is no time of the harness."""
    run = broken(*TWO, *gate("timeout", "60s"), *gate("cool_to", 33))
    run.wait_line(r"bench-openra-c1-r1 server: ready")
    fault("phone-hot=480")
    run.wait_line(r"c2-r1 quiesce: waiting for 5\.0 to 33\.0 C, battery 48\.0 C, 60 s at most")
    fault("phone-hot=370")  # in the band, and not yet cool
    run.wait_line(r"c2-r1 quiesce: waiting for 5\.0 to 33\.0 C, battery 37\.0 C", 30)
    bench.lab.clear_fault()
    result = run.end()
    second = result.cell("c2-r1")
    assert second["verdict"] == "measured", result
    assert second["gate_waited_ms"] > 5000 and second["battery_temp_start_dc"] <= 330
    assert second["harness_s"] < second["duration_s"] - 5


def test_a_busy_machine_is_waited_for(bench, load, broken):  # noqa: F811
    load(LOAD.replace("0.10", "800.00", 1))
    run = broken(*ONE, *gate("host_load", 100), *gate("timeout", "60s"))
    run.wait_line(r"c1-r1 host-gate: waiting for an idle machine, load 800\.00 on \d+ CPU.* of at most "
                  r"1\.00, 60 s at most")
    load(LOAD)
    result = run.end()
    row = result.cell("c1-r1")
    assert row["verdict"] == "measured" and row["gate_waited_ms"] > 0, result
    assert evidence(row)["gate of wsl"]["seen"].startswith("ok: load 0.10 on ")


# ---- what happens to the phone meanwhile ----

def verdicts(run, part):
    """Of all attempts of a cell, the superseded ones first."""
    paths = [*run.glob(f"attempts/crosshost/*{part}/a*/verdict.json"),
             *run.glob(f"crosshost/*{part}/verdict.json")]
    docs = [json.loads(path.read_text()) for path in paths]
    return sorted(docs, key=lambda doc: doc["attempt"])


MEANWHILE = [
    ("phone-hot=480", "left-temperature-band"),
    ("phone-unplugged", "power-lost"),
    ("phone-throttled=0", "throttled"),
]


@pytest.mark.parametrize("text, reason", MEANWHILE)
def test_what_the_phone_does_meanwhile_voids_the_cell_and_it_goes_again(bench, fault, text, reason):
    fault("client-slow=100")  # so that there is time to act
    run = bench.start(*TWO, "--set", "replacements=2")
    lablib.wait_until("the first client runs", bench.client_pids, SOON_S)
    fault(text)
    newest = max((bench.lab.state / "results").glob("*-crosshost-*"), key=lambda run: run.name)
    lablib.wait_until("the first cell was judged", lambda: verdicts(newest, "c1-r1"), SOON_S)
    bench.lab.clear_fault()
    result = end_of(run)
    assert result.code == 0, result
    first, second = result.cell("c1-r1"), result.cell("c2-r1")
    assert (first["verdict"], first["attempts"]) == ("measured", 2), result
    assert (second["verdict"], second["attempts"]) == ("measured", 1), result
    assert [doc["reason"] or "" for doc in verdicts(result.dir, "c1-r1")] == [reason, ""]
    bench.wait_nothing_left()


def test_without_a_budget_a_voided_cell_stays_invalid(bench, fault):
    fault("phone-throttled=0")
    result = bench.run(*ONE)
    row = result.cell("c1-r1")
    assert (row["verdict"], row["reason"]) == ("invalid", "throttled"), result
    assert result.code == 3


# ---- in a night ----

def test_clocks_that_a_night_holds_are_proved_across_hosts_too(bench, fault):
    fault("phone-rooted")
    done = bench.lab.exec(
        "wsl", benchlib.MGCOORD, "run", "nightly", "--site", bench.site, *ONE_NIGHT,
        "--set", "lanes.matrix.clocks=sustained",
        "--set", "phone.clocks.big=/sys/devices/system/cpu/cpufreq/policy7",
        timeout=benchlib.RUN_S, check=False)
    result = benchlib.Result(bench.lab, done)
    assert result.code == 0, result
    row = result.cell("bench-openra-c1-r1")
    seen = evidence(row)
    for check in ("cpu7 held", "knobs hold", "knobs held"):
        assert seen[check]["outcome"] == "ok", (check, seen.get(check))
    assert row["pins"] == result.cell("openra/tcp-r1")["pins"]
    report = result.report.read_text()
    assert "## The phone during cells across hosts" in report and "are taken to be" not in report
