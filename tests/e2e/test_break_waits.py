"""What a person would wait for in vain: a client that never has a session, an interrupt at that
moment, a coordinator that talks to too many."""

import json
import signal

import pytest

import lablib
from benchlib import MGCOORD, ONE_BENCH, Bench, end_of

# Longer than a run of these tests may take: who waits for the reap line fails the test.
NO_REAP = ("--set", "lanes.crosshost.reap_timeout=10m")


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):
    one = lablib.Lab(tmp_path_factory.mktemp("lab") / "state",
                     ("--frames-divisor", "4", "--heartbeat-ms", "300", "--silence-ms", "3000"),
                     workers=True, phone=True)
    one.wait_up()
    yield Bench(one)
    one.end()
    one.assert_gone()


@pytest.fixture(autouse=True)
def clean(bench):
    yield
    bench.lab.mglab("fault", "--clear")
    bench.end_started()


def test_a_client_without_a_session_does_not_cost_the_reap_timeout(bench):
    result = bench.run(*ONE_BENCH, *NO_REAP, "--set", "replay.client=/bin/true")
    assert result.code == 3, result
    assert result.cell("bench")["verdict"] != "measured", result
    bench.wait_nothing_left()


def test_an_interrupt_before_the_session_ends_the_run(bench):
    run = bench.start(*ONE_BENCH, *NO_REAP)
    said = ""
    while "server: ready" not in said:
        said = run.stdout.readline()
        assert said, "the run ended"
    bench.signal(signal.SIGINT, bench.coordinator_pids())
    result = end_of(run)
    assert result.code == 4, result
    bench.wait_nothing_left()


def ask(bench, *args):
    return bench.lab.exec("wsl", MGCOORD, *args, "--site", bench.site, timeout=60, check=False)


def test_cancel_and_revoke_get_in_beside_many_watchers(bench):
    bench.lab.mglab("fault", "client-hang=4")
    run = bench.start(*ONE_BENCH)
    lablib.wait_until("the client runs", bench.client_pids, 60)
    watchers = [bench.lab.popen("wsl", MGCOORD, "watch", "--json", "--site", bench.site,
                                stdout=lablib.subprocess.PIPE, text=True) for _ in range(20)]
    heard = [watcher.stdout.readline() for watcher in watchers]
    assert 0 < sum(1 for line in heard if line) < len(heard)
    assert ask(bench, "hosts").returncode == 0
    done = ask(bench, "cancel")
    assert done.returncode == 0, done
    assert end_of(run).code == 4
    for watcher in watchers:
        watcher.communicate(timeout=60)
    bench.wait_nothing_left()


def test_revoke_says_that_the_run_was_not_told(bench):
    bench.lab.mglab("fault", "client-hang=4")
    keys = bench.lab.state / "keys/workers/wsl.key"
    before = keys.read_text()
    run = bench.start(*ONE_BENCH)
    lablib.wait_until("the client runs", bench.client_pids, 60)
    socket = next(bench.lab.state.glob("results/*/control.sock"))
    away = socket.rename(socket.parent / "away.sock")
    try:
        done = ask(bench, "keys", "revoke", "wsl")
        assert done.returncode == 3 and "revoked on disk" in done.stderr, done
        assert "was not told" in done.stderr, done
    finally:
        keys.write_text(before)
        away.rename(socket)
        bench.signal(signal.SIGINT, bench.coordinator_pids())
        end_of(run)


def test_a_short_outage_at_the_closing_check_costs_no_cell(bench):
    """The link is cut once the cell has been judged, so that the closing check meets the outage."""
    run = bench.start(*ONE_BENCH)
    said = ""
    while "bench-openra-c1-r1: measured" not in said:
        said = run.stdout.readline()
        assert said, "the run ended"
    bench.lab.mglab("fault", "link-cut=3500ms")
    result = end_of(run)
    assert result.code == 0, result
    assert result.cell("bench")["verdict"] == "measured", result


def test_a_port_in_use_on_the_phone_is_named_at_once(bench):
    """5555 is where the phone's adbd listens."""
    result = bench.run(*ONE_BENCH, "--set", "phone.port=5555", "--set",
                       "lanes.crosshost.ready_timeout=5m")
    row = result.cell("bench")
    assert (row["verdict"], row["reason"]) == ("failed", "server-ended"), result
    assert ":5555" in row["text"], row["text"]
    bench.wait_nothing_left()


def reported(bench, started, run):
    """The run ended in order: interrupted, with its report."""
    run.communicate(timeout=120)
    new = set(bench.lab.state.glob("results/*-crosshost-*")) - started
    assert len(new) == 1, new
    assert json.loads((new.pop() / "summary.json").read_text())["interrupted"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_to_mglab_exec_reaches_the_run(bench, number):
    before = set(bench.lab.state.glob("results/*-crosshost-*"))
    bench.lab.mglab("fault", "client-hang=4")
    run = bench.start(*ONE_BENCH)
    lablib.wait_until("the client runs", bench.client_pids, 60)
    run.send_signal(number)
    reported(bench, before, run)
    bench.wait_nothing_left()


def test_down_lets_a_run_report_first(tmp_path):
    one = lablib.Lab(tmp_path / "state", ("--frames-divisor", "4"), workers=True, phone=True)
    one.wait_up()
    bench = Bench(one)
    one.mglab("fault", "client-hang=4")
    run = bench.start(*ONE_BENCH)
    lablib.wait_until("the client runs", bench.client_pids, 60)
    one.mglab("down", timeout=120)
    reported(bench, set(), run)
    one.end()
    one.assert_gone()
