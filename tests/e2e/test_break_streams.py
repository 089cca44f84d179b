"""A run whose standard streams, terminal and environment are not what a person has at a desk, and
signals at the wrong time."""

import signal
import time

import pytest

import benchlib
from breaklib import bench, broken, fault  # noqa: F401  (fixtures)


def shell(bench, script, *env):
    """A shell in wsl; "$@" in its script is the command of one run."""
    return bench.lab.exec("wsl", "env", *env, "sh", "-c", script, "sh",
                          *bench.command(*benchlib.ONE_BENCH), timeout=benchlib.RUN_S, check=False)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams_change_nothing(bench, closed):
    """No file of ours may take the number of a stream: what is printed would end up in it."""
    def runs():
        return set((bench.lab.state / "results").glob("*-crosshost-*"))

    before = runs()
    done = shell(bench, f'"$@" {closed}')
    assert done.returncode == 0, done
    new = runs() - before
    assert len(new) == 1
    summary = benchlib.json.loads((new.pop() / "summary.json").read_text())
    assert [row["verdict"] for row in summary["runs"]] == ["measured"]
    bench.assert_nothing_left()


def test_a_table_that_cannot_be_printed_is_said(bench):
    done = shell(bench, '"$@" >/dev/full')
    assert done.returncode == 3, done
    last = done.stderr.splitlines()[-1]
    assert "print the table" in last and "No space left" in last and "REPORT.md" in last
    bench.assert_nothing_left()


def test_a_reader_that_goes_away_does_not_end_the_run(bench):
    done = shell(bench, '{ "$@" 2>&1; echo "rc=$?" >&3; } 3>&2 | head -1')
    assert "rc=3" in done.stderr, done  # the table went nowhere; the run itself was whole
    bench.assert_nothing_left()


@pytest.mark.parametrize("env", [
    ("-u", "TERM", "LANG=C", "LC_ALL=C"), ("-i", "TZ=Nowhere/At_All", "LANG=xx_YY.nonsense"),
    ("TZ=Asia/Kathmandu", "TERM=dumb", "COLUMNS=0"), ("COLUMNS=99999999999", "NO_COLOR=1"),
])
def test_odd_environments(bench, env):
    done = shell(bench, '"$@"', *env)
    assert done.returncode == 0, done
    assert "measured" in done.stdout


def test_two_interrupts_give_up_and_the_workers_undo(bench, broken, fault):
    fault("client-hang=5")
    run = broken()
    run.wait_phase("client")
    bench.processes.signal("host worker", signal.SIGSTOP)  # so that it cannot end in good order
    try:
        bench.processes.signal("coordinator", signal.SIGINT)
        run.wait_line("interrupted: cancelling")
        time.sleep(0.4)  # sooner it would count as the same press
        bench.processes.signal("coordinator", signal.SIGINT)
        result = run.end()
    finally:
        bench.processes.signal("host worker", signal.SIGCONT)
    assert result.code == 128 + signal.SIGINT, result
    bench.lab.mglab("fault", "--clear")
    bench.assert_nothing_left()
    bench.assert_next_run_is_clean()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_being_told_to_end_undoes_and_says_so(bench, broken, fault, number):
    fault("client-hang=5")
    run = broken()
    run.wait_phase("client")
    bench.processes.signal("coordinator", number)
    result = run.end()
    assert result.code == 4, result
    assert result.cell("bench")["reason"] == "interrupted"
    bench.assert_nothing_left()


@pytest.mark.parametrize("phase", ["waiting", "setup", "logcat", "close"])
def test_interrupt_at_other_phases(bench, broken, phase):
    run = broken()
    run.wait_phase(phase)
    bench.processes.signal("coordinator", signal.SIGINT)
    result = run.end()
    assert result.code in ((0, 4) if phase == "close" else (4,)), result
    bench.assert_nothing_left()
