"""What can go wrong in a cell, fault by fault: the verdict, its reason, what to do, and the plan
going on.

A run has two cells. The first one meets the fault, the second one follows without it, unless the
fault is one that stays. Faults of one stroke are knobs with "once"; those that must strike in the
middle of a session are set while a slow client is in its frames. docs/lab.md lists the knobs,
docs/results.md the reasons.
"""

import json
import re

import pytest

import lablib
from benchlib import Bench, ONE_BENCH, end_of
from matrixlib import facts_of

SOON_S = 60
PHONE = "10.99.0.2:5555"
PACKAGE = "top.mobilegl.plugin.trace"
SERVICE = f"{PACKAGE}/top.mobilegl.plugin.MobileGLServerService"
FLOOD_LINES = 100000

# Limits that some faults run into; short, so that a test of one is. Nothing depends on how short.
TIMES = ("--set", "lanes.crosshost.ready_timeout=4s", "--set", "lanes.crosshost.reap_timeout=4s",
         "--set", "lanes.crosshost.device_timeout=5s", "--set", "worker_timeout=12s", "--set",
         "workloads.openra.timeout=20s")


def cells(reps=2, retries=0):
    return ("--set", "lanes.crosshost.runs=bench:openra:1", "--reps", str(reps), "--set",
            f"retries_per_cell={retries}", *TIMES)


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):
    one = lablib.Lab(tmp_path_factory.mktemp("lab") / "state",
                     ("--frames-divisor", "8", "--heartbeat-ms", "300", "--silence-ms", "3000"),
                     workers=True, phone=True)
    one.wait_up()
    yield Bench(one)
    one.end()
    one.assert_gone()


@pytest.fixture(autouse=True)
def afterwards(bench):
    """Whatever a test did: no fault, no run and nothing on any machine is left of it."""
    yield
    bench.lab.clear_fault()
    bench.end_started()
    bench.wait_nothing_left()


def first_attempt(result, row):
    path = result.dir / "attempts" / row["id"] / "a1/verdict.json"
    return json.loads(path.read_text(encoding="utf-8"))


def check(row, verdict, reason, text="", step=""):
    assert (row["verdict"], row.get("reason")) == (verdict, reason), row
    assert re.search(text, row["text"]), row
    assert step in row["next_step"] and row["next_step"], row


def check_clean(row):
    assert row["verdict"] == "measured", (row.get("reason"), row.get("text"))


def in_session(bench, fault, *args):
    """Start a run and set a fault while its first session is in its frames."""
    bench.lab.fault("client-slow=2000")
    run = bench.start(*args)
    lablib.wait_until("the client runs", bench.client_pids, SOON_S)
    lablib.wait_until("its session runs", lambda: len(bench.server_pids()) >= 2, SOON_S)
    if callable(fault):
        fault()
    else:
        bench.lab.fault(fault)
    bench.lab.clear_fault("client-slow")
    return run


# ---- faults of one stroke that a program comes to by itself ----

STROKES = [  # faults, verdict, reason, what the sentence says, what the next step says
    ("server-never-listens=once", "failed", "server-not-listening",
     r"did not listen within 4\.0 s.*server processes: \d+", "ready_timeout"),
    ("server-start-ignored=once", "failed", "server-not-started",
     "already running.*server processes: none", "force-stop"),
    ("server-other-token=once", "failed", "refused-authentication", "Authentication", "server"),
    ("client-crash=5,once", "failed", "client-crashed", "signal 6", "mobilegl.client.log"),
    ("client-result-half=once", "failed", "result-damaged", "half-written", "disk"),
    ("client-result-early=once client-crash=5,once", "failed", "client-crashed", "signal 6",
     "mobilegl.client.log"),
    ("server-session-signal=11,once", "failed", "server-session-signal", "signal 11",
     "mgl.server.log"),
    ("server-bad-exit=70,once", "invalid", "server-session-exit", "code 70", "mgl.server.log"),
]


@pytest.mark.parametrize("row", STROKES, ids=lambda row: row[0])
def test_fault_is_named_and_the_next_cell_is_clean(bench, row):
    faults, *expected = row
    for fault in faults.split():
        bench.lab.fault(fault)
    result = bench.run(*cells())
    assert result.code == 3, result
    check(result.cell("c1-r1"), *expected)
    check_clean(result.cell("c1-r2"))
    assert bench.lab.faults() == {}, "every fault has struck"


def test_hanging_client_is_ended_and_no_early_result_counts(bench):
    """Its result.json says "passed" in its first bytes, as a script would look for it."""
    bench.lab.fault("client-result-early=once")
    bench.lab.fault("client-hang=5,once")
    result = bench.run(*cells(), "--set", "workloads.openra.timeout=3s")
    assert result.code == 3, result
    row = result.cell("c1-r1")
    check(row, "failed", "client-timeout", "within its time", "mobilegl.client.log")
    assert '"passed": true' in (result.dir / row["id"] / "result.json").read_text()
    check_clean(result.cell("c1-r2"))


def test_server_held_by_somebody_else_is_tried_again(bench):
    bench.lab.fault("server-stray-session=20000,once")
    result = bench.run(*cells(retries=1))
    assert result.code == 0, result
    row = result.cell("c1-r1")
    check_clean(row)
    assert row["attempts"] == 2
    check(first_attempt(result, row), "failed", "refused-busy", "Busy", "who else")
    check_clean(result.cell("c1-r2"))


def test_live_server_that_cannot_be_stopped(bench):
    """The start would be a no-op: the new token would be ignored, old and new logs would mix."""
    adb = bench.lab.adb
    adb("connect", PHONE)
    adb("-s", PHONE, "shell", f"am start-foreground-service -n {SERVICE} --es listen "
        "tcp://0.0.0.0:40613 --es token a-token-of-yesterday")
    lablib.wait_until("a server from before runs", bench.server_pids, SOON_S)
    bench.lab.fault("app-survives-stop")
    result = bench.run(*cells(reps=1))
    assert result.code == 3, result
    check(result.cell("c1-r1"), "failed", "server-left", r"still there after a force-stop: pid \d+",
          "restart the phone")
    bench.lab.clear_fault("app-survives-stop")
    adb("-s", PHONE, "shell", f"am force-stop {PACKAGE}")
    assert bench.run(*cells(reps=1)).code == 0


# ---- in the middle of a session ----

PASSING = [  # fault, reason, what the sentence says, what the next step says
    ("phone-reboot", "phone-rebooted", f"{PHONE} has rebooted", "restarted"),
    ("link-cut=5s", "gl-device-lost", "DEVICE LOST", "link"),
]


@pytest.mark.parametrize("case", PASSING, ids=lambda case: case[0])
def test_what_comes_back_is_tried_again(bench, case):
    fault, *expected = case
    result = end_of(in_session(bench, fault, *cells(retries=1)))
    row = result.cell("c1-r1")
    assert result.code == 0, result
    check_clean(row)
    assert row["attempts"] == 2, result
    check(first_attempt(result, row), "failed", *expected)
    assert any("attempt 1 is superseded" in note for note in result.summary["notes"])
    check_clean(result.cell("c1-r2"))


@pytest.mark.parametrize("fault", ["phone-adb-drop=once", "phone-adb-drop=1500"])
def test_adb_that_comes_back_costs_nothing(bench, fault):
    """The server is the app's and does not notice. Where the phone's state was not seen for too
    long meanwhile, the cell goes again."""
    result = end_of(in_session(bench, fault, *cells(retries=1)))
    assert result.code == 0, result
    row = result.cell("c1-r1")
    check_clean(row)
    check_clean(result.cell("c1-r2"))
    if row["attempts"] == 1:
        server = facts_of(result, row, "server")
    else:
        first = first_attempt(result, row)
        assert first["reason"] == "transport-lost", first
        server = next(step["facts"] for step in first["steps"] if step["step"] == "server")
    assert server["transport_losses"] >= 1


def test_killed_app_is_named_and_the_next_cell_is_clean(bench):
    result = end_of(in_session(bench, "app-kill", *cells()))
    assert result.code == 3, result
    check(result.cell("c1-r1"), "failed", "server-ended", "signal 9", "mgl.server.log")
    check_clean(result.cell("c1-r2"))


def test_phone_that_stays_away_is_named_in_every_cell(bench):
    result = end_of(in_session(bench, "phone-gone", *cells()))
    assert result.code == 3, result
    for part in ("c1-r1", "c1-r2"):
        check(result.cell(part), "failed", "device-lost", PHONE, "cable")
    bench.lab.clear_fault("phone-gone")
    bench.wait_nothing_left()
    assert bench.run(*cells(reps=1)).code == 0


def test_link_that_stays_cut_is_named_in_every_cell(bench):
    result = end_of(in_session(bench, "link-cut", *cells()))
    assert result.code == 3, result
    check(result.cell("c1-r1"), "failed", "gl-device-lost", "DEVICE LOST", "link")
    check(result.cell("c1-r2"), "failed", "no-session", "40613", "link")
    assert result.summary["path_after"]["verdict"] != "measured", "the run says that it ended so"


def test_bus_that_is_cut_for_a_while_is_a_lost_worker(bench):
    """wsl's cable carries the workers' sessions, too; the host worker comes back by itself."""
    result = end_of(in_session(bench, "wsl-link-down=5s", *cells(retries=1)))
    assert result.code == 0, result
    row = result.cell("c1-r1")
    assert row["attempts"] == 2, result
    check(first_attempt(result, row), "failed", "worker-lost", "no word from the other side",
          "power and network")
    check_clean(result.cell("c1-r2"))


@pytest.mark.parametrize("worker", ["host", "wsl"])
def test_worker_that_returns(bench, worker):
    result = end_of(in_session(bench, lambda: bench.lab.kill(f"mgworker-{worker}"),
                               *cells(retries=1)))
    assert result.code == 0, result
    row = result.cell("c1-r1")
    assert row["attempts"] == 2, result
    first = first_attempt(result, row)
    assert first["reason"] in ("worker-lost", "setup-lost") and first["next_step"], first
    check_clean(result.cell("c1-r2"))


def test_worker_that_does_not_return(bench):
    """Frozen, so that nothing tells the coordinator but its silence."""
    result = end_of(in_session(bench, lambda: bench.lab.kill("mgworker-host", "STOP"), *cells()))
    bench.lab.kill("mgworker-host", "CONT")
    assert result.code == 3, result
    check(result.cell("c1-r1"), "failed", "worker-lost", "no word from the other side", "network")
    # What it held for the whole run is lost with it, and cells() leaves no retry for another setup.
    check(result.cell("c1-r2"), "skipped", "run-stopped", "worker lost: no word from the other side",
          "stopped")
    bench.wait_nothing_left()
    assert bench.run(*cells(reps=1), "--set", "worker_timeout=30s").code == 0


# ---- floods and full disks ----

def peak_kib(bench, member):
    pid = bench.lab.member(member)["pid"]
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1))


def wait_flood_over(bench, lines):
    def is_over():
        last = bench.lab.adb("-s", PHONE, "shell", "logcat -d -s mglab-flood | tail -n 1").stdout
        return f"line {lines} of" in last
    lablib.wait_until("the flood is over", is_over, SOON_S)


def test_flood_of_the_phones_log(bench):
    bench.lab.adb("connect", PHONE)
    bench.lab.fault(f"phone-log-flood={FLOOD_LINES},once")
    result = end_of(in_session(bench, lambda: wait_flood_over(bench, FLOOD_LINES), *cells(),
                               "--set", "workloads.openra.timeout=60s"))
    assert result.code == 0, result
    row = result.cell("c1-r1")
    verdict = json.loads((result.dir / row["id"] / "verdict.json").read_text(encoding="utf-8"))
    logcat = next(step for step in verdict["steps"] if step["step"] == "logcat")["facts"]
    text = (result.dir / row["id"] / "phone-logcat.txt").read_text(encoding="utf-8")
    numbers = [int(number) for number in re.findall(r"flood line (\d+) of", text)]
    expired = sum(int(count) for count in re.findall(r" expire (\d+) lines", text))
    assert logcat["complete"] is True and logcat["lines"] == text.count("\n")
    assert numbers == sorted(set(numbers)) and numbers[-1] == FLOOD_LINES
    assert len(numbers) + expired >= FLOOD_LINES, "what is missing was counted"
    assert (logcat["gaps"] > 0) == (expired > 0)
    assert peak_kib(bench, "mgworker-host") < 96 * 1024
    check_clean(result.cell("c1-r2"))


def test_full_disk_on_the_phone(bench):
    bench.lab.fault("phone-disk-full")
    result = bench.run(*cells())
    assert result.code == 3, result
    for part in ("c1-r1", "c1-r2"):
        check(result.cell(part), "failed", "disk-full", f"{PHONE}: no room .*No space left",
              "free space")
    bench.lab.clear_fault("phone-disk-full")
    assert bench.run(*cells(reps=1)).code == 0


class SmallDisk:
    """A small file system over a directory of the lab, seen by the lab only."""

    def __init__(self, bench, path, size, copy=False):
        self.bench, self.path = bench, path
        keep = bench.lab.state / "keep"
        if copy:
            self.sh('mkdir "$2" && cp -a "$1/." "$2"', path, keep)
        self.sh(f'mount -t tmpfs -o size={size} tmpfs "$1"', path)
        if copy:
            self.sh('cp -a "$2/." "$1" && rm -r "$2"', path, keep)

    def sh(self, script, *args):
        self.bench.lab.exec("wsl", "sh", "-c", script, "sh", *args)

    def end(self):
        self.sh('umount -l "$1"', self.path)


def restart(bench, member):
    """What a worker keeps on its disk is read at its start."""
    restarts = bench.lab.member(member)["restarts"]
    bench.lab.kill(member, "TERM")
    bench.lab.wait_restarted(member, restarts + 1)


def test_full_disk_of_a_worker(bench):
    """The log of the phone does not fit into the worker's state directory: 14000 lines are some
    1.5 MB. What is left of them when the first cell has failed fits beside the second's files."""
    name = "mgworker-host"
    bench.lab.adb("connect", PHONE)
    disk = SmallDisk(bench, bench.lab.state / "host", "1M", copy=True)
    try:
        restart(bench, name)
        bench.lab.fault("phone-log-flood=14000,once")
        result = end_of(in_session(bench, lambda: wait_flood_over(bench, 14000), *cells(),
                                   "--set", "worker_timeout=30s", "--set", "gates.host_free=0"))
        assert result.code == 3, result
        check(result.cell("c1-r1"), "failed", "disk-full", r"phone-logcat\.txt.*No space left",
              "machine")
        check_clean(result.cell("c1-r2"))
        bench.wait_nothing_left()
    finally:
        disk.end()
        restart(bench, name)
    assert bench.run(*cells(reps=1), "--set", "worker_timeout=30s").code == 0


def test_full_disk_of_the_coordinator(bench):
    """Nothing more can be kept, so the run ends in order, and what it knows is printed."""
    disk = SmallDisk(bench, bench.lab.state / "results", "64k")
    try:
        done = bench.lab.exec("wsl", *bench.command(*cells()), timeout=240, check=False)
    finally:
        disk.end()
    assert done.returncode == 3, done
    assert "No space left" in done.stderr and "results" in done.stderr
    assert re.search(r"bench-openra-c1-r1 +failed", done.stdout), done.stdout
    assert "disk-full" in done.stdout and "free space" in done.stdout
    assert re.search(r"bench-openra-c1-r2 +skipped", done.stdout), done.stdout
    bench.wait_nothing_left()
    assert bench.run(*ONE_BENCH).code == 0
