"""A run that is on, from outside: who sees it, who ends it, who is refused beside it; and what
`mgcoord report` makes of its directory afterwards."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import time

import pytest

import lablib
from benchlib import FORMS, MGCOORD, ONE_BENCH, RUN_S, Bench, Result, end_of

LONG = ("--workload", "openra", "--credit", "1", "--reps", "3", "--set",
        "lanes.crosshost.ssim=false")


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):
    one = lablib.Lab(tmp_path_factory.mktemp("lab") / "state",
                     ("--frames-divisor", "4", "--heartbeat-ms", "300", "--silence-ms", "3000"),
                     workers=True, phone=True)
    one.wait_up()
    yield Bench(one)
    one.end()
    one.assert_gone()


def ask(bench, *args, **run):
    run.setdefault("check", False)
    return bench.lab.exec("wsl", MGCOORD, *args, "--site", bench.site, timeout=60, **run)


@pytest.fixture
def long_run(bench):
    """A run whose client waits in its first cell, so that there is time to look at it."""
    bench.lab.mglab("fault", "client-hang=4")
    run = bench.start(*LONG)
    lablib.wait_until("the client runs", bench.client_pids, 60)
    bench.lab.mglab("fault", "--clear")
    yield run
    bench.lab.mglab("fault", "--clear")
    bench.end_started()


def test_without_a_run(bench):
    for command in ("cancel", "watch"):
        done = ask(bench, command)
        assert done.returncode == 3 and "no run is on in" in done.stderr, done


def assert_holders_are_told(bench, table):
    """During a run: phone and route, for whom, since when; each once in the table."""
    pid, = bench.coordinator_pids()
    run_id = max((bench.lab.state / "results").glob("*-crosshost-*")).name
    for resource in ("phone:", "route:"):
        line, = [line for line in table.splitlines() if line.strip().startswith(resource)]
        assert re.search(rf"is held for run '{run_id}' of the coordinator on wsl, process {pid}, "
                         r"task 'crosshost/\S+ \w+ \(\S+\)', epoch \d+, since 20\S+Z$", line), line
    rows = json.loads(ask(bench, "hosts", "--json").stdout)
    held = [(row["worker"], lease["resource"].split(":")[0], lease["run"]) for row in rows
            for lease in row["leases"] if lease["state"] == "held"]
    assert sorted(held) == [("host", "phone", run_id), ("wsl", "route", run_id)], rows


def test_hosts_and_watch_reach_the_run(bench, long_run):
    hosts = ask(bench, "hosts")
    assert hosts.returncode == 0 and "is on; its workers:" in hosts.stdout, hosts
    assert hosts.stdout.count(" ready ") == 2, hosts
    assert_holders_are_told(bench, hosts.stdout)
    once = ask(bench, "watch", "--once")
    assert once.returncode == 0 and "cell 1/3 crosshost/bench-openra-c1-r1" in once.stdout, once
    watch = ask(bench, "watch", "--json")
    assert watch.returncode == 0, watch
    first, *events = [json.loads(line) for line in watch.stdout.splitlines()]
    assert first["ok"] and first["status"]["cells"] == 3
    assert events[-1]["event"] == "over" and os.path.isdir(events[-1]["dir"])
    assert {"begin", "step", "released", "end", "verdict"} <= {one["event"] for one in events}
    assert end_of(long_run).code == 0


def test_a_second_coordinator_is_refused_by_name(bench, long_run):
    same = bench.run(*ONE_BENCH)
    other_root = bench.lab.state / "other-results"
    port = bench.run(*ONE_BENCH, "--set", f"results={other_root}")
    run_id = json.loads(ask(bench, "watch", "--once", "--json").stdout)["run_id"]
    for refused in (same, port):
        assert refused.code == 3, refused
        assert f"run '{run_id}' (process " in refused.err and "mgcoord cancel" in refused.err
    assert str(bench.lab.state / "results") in same.err and "tcp://" in port.err
    assert list(other_root.glob("*crosshost*")) == [], "a refused run leaves no directory"
    assert end_of(long_run).code == 0


def test_cancel_is_ctrl_c(bench, long_run):
    done = ask(bench, "cancel")
    assert done.returncode == 0 and "cancels, undoes and reports" in done.stdout, done
    result = end_of(long_run)
    assert result.code == 4 and "cancelled from outside" in result.out, result
    assert "measured" not in {row["verdict"] for row in result.summary["runs"]}
    bench.wait_nothing_left()


def test_a_revoked_key_ends_the_session_at_once(bench):
    bench.lab.mglab("fault", "client-hang=20")
    keys = bench.lab.state / "keys/workers/wsl.key"
    before = keys.read_text()
    try:
        run = bench.start(*ONE_BENCH, "--set", "worker_timeout=8")
        lablib.wait_until("the client runs", bench.client_pids, 60)
        done = ask(bench, "keys", "revoke", "wsl")
        assert done.returncode == 0 and "took note and ended its session" in done.stdout, done
        result = end_of(run)
        assert result.code == 3 and "the key of worker 'wsl' is no longer accepted" in result.out
        assert "measured" not in {row["verdict"] for row in result.summary["runs"]}
        bench.wait_nothing_left()
        lablib.wait_until("the worker says so",
                          lambda: "no longer accepted" in bench.lab.log("mgworker-wsl"), 30)
    finally:
        keys.write_text(before)
        bench.lab.mglab("fault", "--clear")
        bench.end_started()
    assert bench.run(*ONE_BENCH).code == 0


# ---- on a terminal ----

def on_terminal(bench, *args, env=()):
    """Output of a run whose stderr and stdout are a terminal of 70 columns."""
    master, slave = pty.openpty()
    subprocess.run(["stty", "cols", "70", "rows", "24"], stdin=slave, check=True)
    run = bench.lab.popen("wsl", "env", "TERM=xterm", *env, *bench.command(*args), stdin=slave,
                          stdout=slave, stderr=slave, close_fds=True)
    os.close(slave)
    seen = b""
    end = time.monotonic() + RUN_S
    while time.monotonic() < end:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
    os.close(master)
    run.wait(RUN_S)
    return run.returncode, seen.decode()


def rendered(text):
    """Lines as a terminal shows them: a carriage return writes over what stands there."""
    lines = []
    for raw in text.replace("\r\n", "\n").split("\n"):
        line = []
        for part in raw.split("\r"):
            line[:len(part)] = part
        lines.append("".join(line).rstrip())
    return lines


def test_a_terminal_has_a_status_line_and_a_clean_table(bench):
    code, text = on_terminal(bench, *ONE_BENCH)
    lines = rendered(text)
    assert code == 0, text
    assert "cell 1/1" in text and "\033" not in text
    assert not any("cell 1/1" in line for line in lines), lines
    head = next(i for i, line in enumerate(lines) if line.startswith("cell  "))
    assert lines[head + 1].startswith("crosshost/bench-openra-c1-r1  measured"), lines
    assert all(len(line) <= 70 for line in lines[head:] if not line.startswith("report: ")), lines


def test_a_dumb_terminal_and_quiet_get_plain_or_nothing(bench):
    code, text = on_terminal(bench, *ONE_BENCH, env=("TERM=dumb",))
    assert code == 0 and "\r" not in text.replace("\r\n", "\n") and "server: ready" in text, text
    quiet = bench.run(*ONE_BENCH, "--quiet")
    assert quiet.code == 0 and quiet.err == "", quiet


# ---- report ----

def test_report_says_the_same_again(bench):
    result = bench.run(*ONE_BENCH)
    kept = {name: (result.dir / name).read_bytes() for name in FORMS}
    done = bench.lab.exec("wsl", MGCOORD, "report", result.dir)
    assert "bench-openra-c1-r1  measured" in done.stdout
    for name, data in kept.items():
        assert (result.dir / name).read_bytes() == data, name
    (result.dir / "REPORT.md").unlink()
    bench.lab.exec("wsl", MGCOORD, "report", result.dir)
    assert (result.dir / "REPORT.md").read_bytes() == kept["REPORT.md"]


def test_report_of_a_killed_run(bench, long_run):
    bench.signal(signal.SIGKILL, bench.coordinator_pids())
    long_run.communicate(timeout=30)
    newest = sorted(bench.lab.state.glob("results/*-crosshost-*"))[-1]
    assert not (newest / "summary.json").exists()
    done = bench.lab.exec("wsl", MGCOORD, "report", newest)
    assert "incomplete" in done.stdout and "ended without a word" in done.stdout, done
    rows = json.loads((newest / "summary.json").read_text())["runs"]
    assert [row["verdict"] for row in rows] == ["incomplete", "skipped", "skipped"]
    assert rows[0]["reason"] == "run-ended"
    bench.wait_nothing_left()
    assert ask(bench, "watch").returncode == 3
    assert bench.run(*ONE_BENCH).code == 0
    assert not (newest / "control.sock").exists()


def test_the_old_scripts_environment_and_report(bench, tmp_path):
    """RUNS, reps, token and results root by their old names; then the directory without what the
    old script did not keep."""
    root = bench.lab.state / "perf"
    serial = re.search(r"serial: *([^\s,}]+)", bench.site.read_text()).group(1).strip("'\"")
    run = bench.lab.exec(
        "wsl", "env", "RUNS=ssim:openra bench:openra:1", "OPENRA_REPS=2", f"PERF_WORK={root}",
        "TOKEN=crosshost-token-2026-09", f"SER={serial}", "PHONE=192.168.21.181",
        "GATEWAY=192.168.31.1", *bench.command(), timeout=RUN_S, check=False)
    result = Result(bench.lab, run)
    assert result.code == 0 and result.dir.parent == root, str(result)
    assert [row["id"] for row in result.summary["runs"]] == [
        "crosshost/ssim-openra-r1", "crosshost/bench-openra-c1-r1",
        "crosshost/bench-openra-c1-r2"]
    kept = (result.dir / "plan.yaml").read_text() + (result.dir / "site.yaml").read_text()
    assert "lanes:" in kept and "site: lab" in kept and "crosshost-token-2026-09" not in kept
    old = tmp_path / "crosshost"
    for name, new in (("ssim-openra", "ssim-openra-r1"), ("bench-openra-c1", "bench-openra-c1-r1")):
        shutil.copytree(result.dir / "crosshost" / new, old / name, ignore=shutil.ignore_patterns(
            "mgl.server.log", "verdict.json", "manifest.json", "server-*"))
        (old / name / "rc.txt").write_text("rc=0 secs=7\n")
    done = subprocess.run([MGCOORD, "report", tmp_path, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done
    picture, frames = json.loads(done.stdout)["runs"]
    assert (picture["verdict"], picture["reason"]) == ("incomplete", "not-provable")
    assert (frames["verdict"], frames["reason"]) == ("invalid", "frame-count"), "reduced traces"
    assert frames["wall_s"] == 7 and frames["steady_fps"] > 0 and frames["rc"] == 0
    absent = {one["check"] for one in picture["evidence"] if one["outcome"] == "absent"}
    assert {"server session", "log mgl.server.log"} <= absent
    assert sorted(os.listdir(tmp_path)) == ["crosshost"], "nothing is written there"
