"""The world around a run changes: links, routes, the phone's transport, disks."""

import signal
import subprocess
import threading

import pytest

import benchlib
from breaklib import (assert_superseded_are_not_measured, bench, broken,  # noqa: F401  (fixtures)
                      fault)

DEFAULT_ROUTE = ("ip", "route", "replace", "default", "via", "192.168.31.2")


def in_wsl(bench, *command, **run):
    return bench.lab.exec("wsl", *command, **run)


@pytest.fixture
def put_right(bench):
    """The network of wsl as it was, whatever the test did."""
    yield
    in_wsl(bench, "ip", "link", "set", "eth0", "up")
    in_wsl(bench, *DEFAULT_ROUTE)
    in_wsl(bench, "ip", "route", "flush", "exact", f"{benchlib.PHONE_IP}/32")
    bench.add_user_route()


def hanging(bench, broken, fault, *args):
    fault("client-hang=5")
    run = broken(*args)
    run.wait_phase("client")
    bench.lab.mglab("fault", "--clear")
    return run


def link_down_for(bench, seconds):
    in_wsl(bench, "ip", "link", "set", "eth0", "down")
    try:
        in_wsl(bench, "sleep", "1000", timeout=seconds)
    except subprocess.TimeoutExpired:
        pass
    in_wsl(bench, "ip", "link", "set", "eth0", "up")
    in_wsl(bench, *DEFAULT_ROUTE)


def test_link_down_for_5_s_is_never_measured_over_another_path(bench, broken, fault, put_right):
    """The link takes the route with it; what follows must not go by the default route."""
    run = hanging(bench, broken, fault)
    link_down_for(bench, 5)
    result = run.end()
    row = result.cell("bench")
    assert_superseded_are_not_measured(result)
    if row["verdict"] == "measured":
        assert row["attempts"] == 2 and result.summary["path_after"]["verdict"] == "measured", result
    else:
        assert result.code == 3 and row["verdict"] in ("failed", "skipped"), result
    bench.assert_nothing_left()  # the kernel took the user's own route, too: it is back


def test_link_down_for_good(bench, broken, fault, put_right):
    run = hanging(bench, broken, fault, *benchlib.ONE_BENCH, "--set", "worker_timeout=6s")
    in_wsl(bench, "ip", "link", "set", "eth0", "down")
    result = run.end()
    assert result.code == 3, result
    assert result.cell("bench")["verdict"] in ("failed", "skipped"), result
    in_wsl(bench, "ip", "link", "set", "eth0", "up")  # what could not be undone now can
    in_wsl(bench, *DEFAULT_ROUTE)
    bench.assert_nothing_left()


@pytest.mark.parametrize("change", [
    ("route", "replace", f"{benchlib.PHONE_IP}/32", "via", "192.168.31.2", "dev", "eth0"),
    ("route", "del", f"{benchlib.PHONE_IP}/32", "metric", "0"),
])
def test_route_changed_by_somebody_else_ends_the_attempt(bench, broken, fault, put_right, change):
    run = hanging(bench, broken, fault)
    in_wsl(bench, "ip", *change)
    result = run.end()
    row = result.cell("bench")
    assert result.code == 0 and row["attempts"] == 2, result
    assert_superseded_are_not_measured(result)
    assert any("route was changed" in note for note in result.summary["notes"]), result
    assert result.summary["path_after"]["verdict"] == "measured"


def test_wsl_worker_out_of_disk(bench, broken, put_right):
    """No cell without its journal entry and its files; a run after that is clean again."""
    state = bench.lab.state / "wsl"
    in_wsl(bench, "mount", "-t", "tmpfs", "-o", "size=64k", "none", state / "journal")
    try:
        in_wsl(bench, "sh", "-c", f"dd if=/dev/zero of='{state}/journal/filler' bs=4k 2>/dev/null; :")
        result = broken().end()
        assert result.code == 3, result
        assert result.cell("bench")["verdict"] != "measured"
        assert "No space left" in result.out, result
    finally:
        in_wsl(bench, "umount", state / "journal")
    bench.assert_next_run_is_clean()


def test_results_read_only(bench):
    results = bench.lab.state / "results"
    in_wsl(bench, "sh", "-c", 'mkdir -p "$1" && mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"',
           "sh", results)
    try:
        result = bench.run(*benchlib.ONE_BENCH)
        assert result.code == 3, result
        assert "Read-only file system" in result.err and "another run" not in result.err, result
    finally:
        in_wsl(bench, "umount", results)


def test_results_disk_full(bench):
    """The table is printed all the same: it may be all that is left of hours."""
    results = bench.lab.state / "results"
    in_wsl(bench, "mount", "-t", "tmpfs", "-o", "size=64k", "none", results)
    try:
        done = in_wsl(bench, *bench.command(*benchlib.ONE_BENCH), timeout=benchlib.RUN_S,
                      check=False)
        assert done.returncode == 3, done
        assert "No space left" in done.stderr and "bench-openra-c1-r1" in done.stdout, done
        assert " measured" not in done.stdout.split("report:")[0].split("\n\n")[1], done.stdout
        # The run's directory is named in any case, the report only when it could be written.
        written = in_wsl(bench, "sh", "-c", 'ls "$1"/*/REPORT.md', "sh", results,
                         check=False).returncode == 0
        assert ("\nreport: " in done.stdout) == written, done
        assert str(results) in done.stdout, done
    finally:
        in_wsl(bench, "umount", results)
    bench.assert_nothing_left()


def test_results_directory_of_another_run(bench):
    results = bench.lab.state / "results"
    holder = bench.lab.popen("wsl", "flock", results / "mgcoord.lock", "sh", "-c",
                             "echo held; cat", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True)
    assert holder.stdout.readline() == "held\n"
    try:
        result = bench.run(*benchlib.ONE_BENCH)
        assert result.code == 3 and "another run uses results directory" in result.err, result
    finally:
        holder.communicate("", timeout=30)


@pytest.mark.parametrize("what", ["coordinator", "host worker", "wsl worker", "adb server", "mgphone",
                                  "server"])
def test_a_process_that_stands_still_for_2_s(bench, broken, fault, what):
    """Shorter than the silence that counts as lost: the run goes on, or repeats the cell."""
    fault("client-hang=5")
    run = broken()
    run.wait_phase("client")
    bench.lab.mglab("fault", "--clear")
    pids = bench.processes.signal(what, signal.SIGSTOP)
    assert pids
    timer = threading.Timer(2, lambda: bench.processes.resume(pids))
    timer.start()
    timer.join()
    bench.processes.signal("client", signal.SIGKILL)
    result = run.end()
    assert_superseded_are_not_measured(result)
    row = result.cell("bench")
    assert (result.code, row["reason"]) == (3, "client-crashed") or \
        (result.code == 0 and row["attempts"] == 2), result
    bench.assert_nothing_left()
