"""The link test: `mgcoord run netbench` in a lab. What it says of a link is held against what the link was
made to be, never against how fast this machine is."""

import csv
import json
import signal
import time

import pytest

import benchlib
import lablib

SINK_PORT = 40614
SHORT = ("--short", "--set", "lanes.netbench.short_duration=1s", "--set", "lanes.netbench.warmup=200ms")
RATE_MBIT, DELAY_MS = 40, 10


class LinkBench(benchlib.Bench):
    def command(self, *args):
        return (benchlib.MGCOORD, "run", "netbench", "--site", self.site, *args)

    def devices(self):
        """Processes of the device program on the phone."""
        found = self.lab.exec("phone", "sh", "-c", "ps -e -o args | grep [m]gdevice- || true").stdout
        return found.splitlines()

    def listens(self):
        return self.lab.probe("phone", "127.0.0.1", SINK_PORT).startswith("accepted")

    def wait_nothing_left(self):
        super().wait_nothing_left()
        lablib.wait_until("the device program is gone", lambda: not self.devices(), benchlib.SETTLE_S)
        assert not self.listens()


@pytest.fixture(scope="module")
def lab_of_all(labs_work, tmp_path_factory):
    one = lablib.Lab(tmp_path_factory.mktemp("lab") / "state", ("--link", "ethernet"), workers=True,
                     phone=True)
    one.wait_up()
    yield one
    one.end()
    one.assert_gone()


@pytest.fixture
def bench(lab_of_all):
    one = LinkBench(lab_of_all)
    yield one
    one.end_started()
    lab_of_all.clear_fault()
    one.wait_nothing_left()


def only_cell(result):
    return result.cell("netbench/")


def check(cell, name):
    found = [item for item in cell["evidence"] if item["check"] == name]
    assert len(found) == 1, cell["evidence"]
    return found[0]


def steps_of(result, number=1):
    """Facts by step, of the attempt that counts."""
    text = (result.dir / f"netbench/link-r{number}/verdict.json").read_text()
    return {step["step"]: step["facts"] for step in json.loads(text)["steps"]}


def test_it_says_what_the_link_is(bench):
    bench.lab.fault(f"link-rate-mbit={RATE_MBIT}")
    bench.lab.fault(f"link-delay-ms={DELAY_MS}")
    result = bench.run(*SHORT)
    assert result.code == 0, result
    cell = only_cell(result)
    assert cell["verdict"] == "measured", result
    for way in ("up", "down"):
        assert 0 < cell[f"{way}_mbit_s"] < RATE_MBIT * 1.02, cell
        assert check(cell, f"{way} counts")["outcome"] == "ok"
        assert cell[f"{way}_rtt_ms"] >= 2 * DELAY_MS, cell
    assert cell["link_rtt_min_ms"] >= 2 * DELAY_MS, cell
    assert cell["link_rtt_n"] == 10
    facts = steps_of(result)["netbench"]
    assert facts["path"] == "end-to-end" and facts["own"] == facts["seen"], facts
    rows = list(csv.DictReader((result.dir / "netbench/link-r1/netbench.csv").open()))
    assert [row["way"] for row in rows] == ["up"] * 10 + ["down"] * 10
    in_window = [int(row["bytes"]) for row in rows if row["way"] == "up" and int(row["begin_ms"]) >= 200]
    assert sum(in_window) == facts["up_window_bytes"]
    assert "netbench/link-r1" in result.out and "up Mbit/s" in result.out
    assert "## The link (device: lab phone" in result.report.read_text()
    again = bench.lab.exec("wsl", benchlib.MGCOORD, "report", result.dir).stdout
    assert [line for line in again.splitlines() if line.startswith("netbench/link-r1")] == [
        line for line in result.out.splitlines() if line.startswith("netbench/link-r1")]


def test_one_direction_with_several_streams(bench):
    bench.lab.fault(f"link-rate-mbit={RATE_MBIT}")
    result = bench.run(*SHORT, "--set", "lanes.netbench.direction=down", "--set",
                       "lanes.netbench.streams=4")
    assert result.code == 0, result
    cell = only_cell(result)
    assert cell["streams"] == 4 and "up_mbit_s" not in cell
    assert 0 < cell["down_mbit_s"] < RATE_MBIT * 1.02
    assert steps_of(result)["sink"]["received_bytes"] == 0


def test_a_proxy_that_forges_refusals_is_seen_by_the_marks(bench):
    """The path check is fooled by this one; the phone's own view of the connection is not. (The proxy
    relays the render server's port only.)"""
    bench.lab.fault("proxy-mode=forge")
    result = bench.run(*SHORT, "--set", "route.mode=none", "--set", "phone.sink_port=40613", "--set",
                       "phone.port=40615")
    assert result.code == 3, result
    cell = only_cell(result)
    assert cell["reason"] == "middlebox", result
    assert check(cell, "marks")["outcome"] == "bad"
    assert steps_of(result)["netbench"]["seen"].split(":")[0] == "192.168.31.2"


def when_it_listens(bench, run):
    def ready():
        assert run.poll() is None, run.communicate()[0]
        return bench.listens()
    lablib.wait_until("the sink listens", ready, benchlib.SETTLE_S)


STRANGER = """
import socket, sys
s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 20)
s.sendall(bytes(50))
print(len(s.recv(100)))
"""


def test_strangers_are_turned_away_and_told_of(bench):
    """The probe that waits for the port is one, too: it says nothing."""
    run = bench.start("--set", "lanes.netbench.reps=1", "--set", "lanes.netbench.duration=5s")
    when_it_listens(bench, run)
    said = bench.lab.python("winhost", STRANGER, benchlib.PHONE_IP, str(SINK_PORT)).strip()
    assert said == "0"
    result = benchlib.end_of(run)
    assert result.code == 0, result
    cell = only_cell(result)
    assert cell["verdict"] == "measured" and cell["refused"] >= 2, result
    facts = steps_of(result)["sink"]
    assert facts["sessions"] == 1 and facts["refused_why"].startswith("garbage "), facts


def test_ctrl_c_leaves_nothing(bench):
    run = bench.start("--set", "lanes.netbench.duration=120s")
    when_it_listens(bench, run)
    bench.signal(signal.SIGINT, bench.coordinator_pids())
    begun = time.monotonic()
    result = benchlib.end_of(run)
    assert result.code == 4 and time.monotonic() - begun < 60, result
    assert only_cell_reason(result) == "interrupted"


def only_cell_reason(result):
    return [row["reason"] for row in result.summary["runs"] if row["attempts"]][0]


def test_a_sink_that_dies_is_a_lost_session_and_tried_again(bench):
    run = bench.start("--set", "lanes.netbench.reps=1", "--set", "lanes.netbench.duration=3s")
    when_it_listens(bench, run)
    bench.lab.exec("phone", "sh", "-c",
                   "kill -9 $(ps -e -o pid,args | grep [m]gdevice- | sed 's/^ *//' | cut -d' ' -f1)")
    result = benchlib.end_of(run)
    cell = only_cell(result)
    assert result.code == 0 and cell["verdict"] == "measured" and cell["attempts"] == 2, result


def test_a_busy_port_is_said(bench):
    blocker = bench.lab.popen("phone", "/usr/bin/python3", "-c", f"""
import socket, sys
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("0.0.0.0", {SINK_PORT})); s.listen(); print("ready", flush=True)
sys.stdin.read()
""", stdin=lablib.subprocess.PIPE, stdout=lablib.subprocess.PIPE, text=True)
    try:
        assert blocker.stdout.readline() == "ready\n"
        result = bench.run(*SHORT, "--set", "retries_per_cell=0")
    finally:
        blocker.communicate("", timeout=benchlib.SETTLE_S)
    cell = only_cell(result)
    assert result.code == 3 and cell["verdict"] == "failed", result
    assert f"listen on port {SINK_PORT}: Address already in use" in cell["text"], result


def test_short_belongs_to_the_link_test(bench):
    done = bench.lab.exec("wsl", benchlib.MGCOORD, "plan", "show", "crosshost", "--short", "--site",
                          bench.site, check=False)
    assert done.returncode == 2 and "no netbench lane" in done.stderr, done
