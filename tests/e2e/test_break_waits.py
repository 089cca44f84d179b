"""What a person would wait for in vain: a client that never has a session, an interrupt at that
moment, a coordinator that talks to too many."""

import signal

import pytest

import lablib
from benchlib import ONE_BENCH, Bench, Result, end_of

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
