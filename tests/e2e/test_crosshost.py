"""`mgcoord run crosshost` in a lab: a cell that is measured, every reason not to count one, and what is
left when something is killed half-way."""

import hashlib
import json
import re

import pytest

import lablib
from benchlib import (MGCOORD, ONE_BENCH, ONE_SSIM, PHONE_IP, RUN_S, SETTLE_S, Bench, Result,
                      end_of)


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):
    """One lab for the whole file: with short liveness, so that a lost worker is noticed soon."""
    one = lablib.Lab(tmp_path_factory.mktemp("lab") / "state",
                     ("--frames-divisor", "4", "--heartbeat-ms", "300", "--silence-ms", "3000"),
                     workers=True, phone=True)
    one.wait_up()
    yield Bench(one)
    one.end()
    one.assert_gone()


@pytest.fixture
def fault(bench):
    """Set fault knobs for one test."""
    def set_fault(text):
        bench.lab.mglab("fault", text)
    yield set_fault
    bench.lab.mglab("fault", "--clear")
    bench.end_started()


@pytest.fixture(scope="module")
def measured(bench):
    result = bench.run("--workload", "openra", "--credit", "1", "--reps", "1")
    assert result.code == 0, result
    bench.wait_nothing_left()
    return result


def test_one_ssim_and_one_benchmark_cell_are_measured(measured):
    result = measured
    ssim, run = result.cell("ssim-openra"), result.cell("bench-openra-c1-r1")
    assert (ssim["verdict"], run["verdict"]) == ("measured", "measured")
    assert ssim["ssim"] > 0.99
    assert run["total_frames"] == 32 and run["fps"] > 0 and run["rep"] == "1"
    assert all(item["outcome"] == "ok" for item in ssim["evidence"] + run["evidence"])
    assert run["release"]["reported"] == 2
    assert result.summary["device"]["model"] == "lab phone"
    assert "lab phone" in result.out and "lab phone" in result.report.read_text()
    assert "reduced frame counts: openra 32 of 128" in result.out
    reps = [row for row in result.summary["settings"] if row["key"] == "lanes.crosshost.reps"]
    assert reps == [{"key": "lanes.crosshost.reps", "value": "1", "source": "--reps"}]
    assert result.summary["conditions"] == "link ethernet, no faults"
    for name in ("result.json", "benchmark.json", "mobilegl.client.log", "mobilegl.server.log",
                 "mobilegl.log", "rc.txt", "phone-logcat.txt", "mgl.server.log", "manifest.json",
                 "verdict.json"):
        assert (result.dir / "crosshost/bench-openra-c1-r1" / name).stat().st_size > 0, name


def test_a_fault_that_slows_is_named_beside_the_numbers(bench, fault):
    fault("client-slow=20")
    result = bench.run(*ONE_BENCH)
    assert result.code == 0, result
    assert result.summary["conditions"] == "link ethernet, faults client-slow=20"
    assert "client-slow=20" in result.out and "client-slow=20" in result.report.read_text()


def test_files_match_their_manifest(measured):
    folder = measured.dir / "crosshost/bench-openra-c1-r1"
    files = json.loads((folder / "manifest.json").read_text())["files"]
    assert len(files) >= 8
    for row in files:
        data = (folder / row["name"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == row["sha256"], row
        assert len(data) == row["size_bytes"]


def test_token_is_in_no_file_of_the_run(bench):
    """It is random per run; every process of the lab that needs it gets it, no file keeps it."""
    token = "canary0123456789canary0123456789"
    done = bench.lab.exec("wsl", "env", f"TOKEN={token}", *bench.command(*ONE_BENCH),
                          timeout=RUN_S, check=False)
    result = Result(bench.lab, done)
    assert result.code == 0, result
    assert token not in result.out + result.err
    for root in (result.dir, bench.lab.state / "log", bench.lab.state / "host",
                 bench.lab.state / "wsl"):
        for path in root.rglob("*"):
            if path.is_file():
                assert token.encode() not in path.read_bytes(), path


def yaml_value(path, key):
    """Value of the only line with that key in a flat enough YAML file."""
    found = re.findall(rf"^\s*{key}:\s*(\S+)\s*$", path.read_text(), re.M)
    assert len(found) == 1, (key, found)
    return found[0].strip("\"'")


LEAKY_CLIENT = """#!/bin/sh
# The real client, and then its token in a log, in a picture, and time for somebody to log it too.
{client} "$@"
code=$?
for word; do
    [ "$previous" != --output ] || output=$word
    previous=$word
done
echo "token=$MOBILEGL_IPC_TOKEN;"
[ ! -e "$output/actual.png" ] || printf %s "$MOBILEGL_IPC_TOKEN" >> "$output/actual.png"
touch {ran}
n=0
until [ -e {go_on} ] || [ $n -gt 600 ]; do n=$((n + 1)); sleep 0.1; done
exit $code
"""


def manifest_of(result, cell):
    doc = json.loads((result.dir / "crosshost" / cell / "manifest.json").read_text())
    return {row["name"]: row for row in doc["files"]}, doc


def test_secrets_are_masked_and_binaries_with_one_stay_back(bench, tmp_path):
    """A client and a phone that log the token, and a picture that holds it."""
    token = "canary0123456789canary0123456789"
    client = yaml_value(bench.site, "client")
    script, ran, go_on = tmp_path / "leaky-client", tmp_path / "ran", tmp_path / "go-on"
    script.write_text(LEAKY_CLIENT.format(client=client, ran=ran, go_on=go_on))
    script.chmod(0o755)
    run = bench.lab.popen("wsl", "env", f"TOKEN={token}", *bench.command(
        *ONE_SSIM, "--set", f"replay.client={script}"), stdin=lablib.subprocess.DEVNULL,
        stdout=lablib.subprocess.PIPE, stderr=lablib.subprocess.STDOUT, text=True)
    lablib.wait_until("the client ran", ran.exists, RUN_S)
    serial = yaml_value(bench.site, "serial")
    bench.lab.exec("winhost", "adb", "-s", serial, "shell", f"log -t canary 'say {token}.'")
    go_on.touch()
    result = end_of(run)
    assert token not in result.out
    cell = result.cell("ssim-openra")["id"].removeprefix("crosshost/")
    files, doc = manifest_of(result, cell)
    masked = "*" * len(token)
    for name, line in (("mobilegl.log", f"token={masked};"), ("phone-logcat.txt", f"say {masked}.")):
        text = (result.dir / "crosshost" / cell / name).read_text()
        assert line in text and token not in text
        assert files[name]["secrets_masked"] >= 1
        assert files[name]["sha256"] != files[name]["sha256_before_masking"]
    assert "actual.png" not in files
    assert [(row["names"], row["step"]) for row in doc["withheld"]] == [("actual.png", "replay")]
    assert any("actual.png" in note and "secret" in note for note in result.summary["notes"])
    evidence = result.cell("ssim-openra")["evidence"]
    assert any(item["check"] == "files kept back" and "actual.png" in item["seen"]
               for item in evidence), evidence
    for path in result.dir.rglob("*"):
        assert not path.is_file() or token.encode() not in path.read_bytes(), path
    bench.wait_nothing_left()


@pytest.mark.parametrize("knob, args, cell, verdict, reason", [
    ("client-no-transport-marker", ONE_BENCH, "bench", "invalid", "transport-marker-missing"),
    ("client-not-armed", ONE_BENCH, "bench", "invalid", "run-ahead-not-armed"),
    ("client-lockstep", ONE_BENCH, "bench", "invalid", "lockstep"),
    ("client-disarmed", ONE_BENCH, "bench", "invalid", "run-ahead-disarmed"),
    ("client-fatal", ONE_BENCH, "bench", "invalid", "fatal-in-log"),
    ("client-frames-short=3", ONE_BENCH, "bench", "invalid", "frame-count"),
    ("client-no-credit", ONE_BENCH, "bench", "invalid", "credit-differs"),
    ("client-crash=5", ONE_BENCH, "bench", "failed", "client-crashed"),
    ("client-result-half", ONE_BENCH, "bench", "failed", "result-damaged"),
    ("server-wrong-pixels", ONE_SSIM, "ssim", "failed", "ssim-below-threshold"),
    ("server-bad-exit=70", ONE_BENCH, "bench", "invalid", "server-session-exit"),
    ("server-busy", ONE_BENCH, "bench", "failed", "refused-busy"),
])
def test_without_proof_nothing_is_measured(bench, fault, knob, args, cell, verdict, reason):
    fault(knob)
    result = bench.run(*args)
    row = result.cell(cell)
    assert (row["verdict"], row["reason"]) == (verdict, reason), result
    assert result.code == (1 if reason == "ssim-below-threshold" else 3), result
    assert row["text"] and row["text"] in result.out
    bench.wait_nothing_left()


def test_path_check_stops_the_run_when_a_middlebox_ends_tcp(bench):
    """With a route that leads to the proxy, nothing is measured."""
    result = bench.run(*ONE_BENCH, "--set", "route.gateway=192.168.31.2")
    assert result.code == 3, result
    row = result.cell("bench")
    assert (row["verdict"], row["reason"]) == ("skipped", "run-stopped")
    assert result.summary["path_before"]["reason"] == "middlebox"
    assert "middlebox" in result.out and "route.gateway" in result.out
    assert not (result.dir / "crosshost").exists()
    bench.wait_nothing_left()


MIDDLEBOX = """
import socket
listener = socket.create_server(("0.0.0.0", 9999))
print("up", flush=True)
while True:
    listener.accept()[0].close()
"""


def test_cell_is_taken_back_when_the_path_changed_after_it_began(bench, fault):
    """A middlebox appears in the middle of a cell that the slow link makes last; its own session goes
    on, so everything but the closing path check looks well."""
    fault("link-rate-mbit=2")
    run = bench.start(*ONE_BENCH)
    lablib.wait_until("the client runs", bench.client_pids, 60)
    box = bench.lab.popen("gw", "/usr/bin/python3", "-c", MIDDLEBOX,
                          stdout=lablib.subprocess.PIPE, text=True)
    try:
        assert box.stdout.readline() == "up\n"
        bench.lab.exec("gw", "nft", "add table ip middle; add chain ip middle pre "
                       "{ type nat hook prerouting priority -100; }; add rule ip middle pre "
                       f"ip daddr {PHONE_IP} tcp dport != 40613 redirect to :9999")
        bench.lab.clear_fault("link-rate-mbit")
        result = end_of(run)
    finally:
        bench.lab.exec("gw", "nft", "delete table ip middle", check=False)
        box.kill()
        box.communicate(timeout=SETTLE_S)
    row = result.cell("bench")
    assert result.code == 3, result
    assert (row["verdict"], row["reason"]) == ("invalid", "path-changed"), result
    assert result.summary["path_after"]["reason"] == "middlebox"
    kept = json.loads((result.dir / row["dir"] / "verdict.json").read_text())
    assert (kept["verdict"], kept["reason"]) == ("invalid", "path-changed")
    assert kept["steps"], "the rest of the file stays"
    bench.wait_nothing_left()


def test_users_own_route_comes_back(bench):
    bench.lab.exec("wsl", "ip", "route", "add", f"{PHONE_IP}/32", "via", "192.168.31.1", "dev",
                   "eth0", "metric", "77")
    before = bench.route()
    try:
        result = bench.run(*ONE_BENCH)
        assert result.code == 0, result
        lablib.wait_until("the route is as it was", lambda: bench.route() == before, SETTLE_S)
    finally:
        bench.lab.exec("wsl", "ip", "route", "del", f"{PHONE_IP}/32", check=False)


def hang_in_a_cell(bench, fault):
    """A run whose client has stopped for ever in the middle of its cell."""
    fault("client-hang=5")
    run = bench.start(*ONE_BENCH)
    lablib.wait_until("the client runs", bench.client_pids, 60)
    lablib.wait_until("the server runs", bench.server_pids, 60)
    assert bench.route()
    return run


def assert_collected(result, cell, name):
    """The broken attempt has its files all the same: the worker brought them when it was back."""
    folder = result.dir / "attempts" / cell / "a1"
    rows = {row["name"]: row for row in json.loads((folder / "manifest.json").read_text())["files"]}
    assert name in rows and rows[name]["storage"] == "verified", (name, sorted(rows))
    data = (folder / name).read_bytes()
    assert data and hashlib.sha256(data).hexdigest() == rows[name]["sha256"]
    assert any("came after its attempt" in note for note in result.summary["notes"])


@pytest.mark.parametrize("worker", ["host", "wsl"])
def test_kill_of_a_worker_is_a_failed_attempt_and_then_a_clean_one(bench, fault, worker):
    run = hang_in_a_cell(bench, fault)
    bench.lab.mglab("fault", "--clear")
    bench.lab.mglab("kill", "-9", f"mgworker-{worker}")
    result = end_of(run)
    row = result.cell("bench")
    assert result.code == 0, result
    assert row["verdict"] == "measured" and row["attempts"] == 2, result
    first = json.loads((result.dir / "attempts" / row["id"] / "a1/verdict.json").read_text())
    assert first["verdict"] == "failed"
    assert first["reason"] in ("worker-lost", "setup-lost")
    assert any("worker lost" in note for note in result.summary["notes"])
    assert_collected(result, row["id"], "phone-logcat.txt" if worker == "host" else "mobilegl.client.log")
    bench.wait_nothing_left()


def test_hosts_shows_both_workers(bench):
    done = bench.lab.exec("wsl", MGCOORD, "hosts", "--site", bench.site)
    assert "host" in done.stdout and "wsl" in done.stdout


@pytest.mark.parametrize("moment", [0.05, 0.4, 0.8, 1.3])
def test_interrupt_at_any_moment_leaves_nothing(bench, moment):
    """From the first task to the last: whatever runs is cancelled, undone, and says how it ended."""
    run = bench.start(*ONE_BENCH)
    lablib.wait_until("the route is set", lambda: bench.route() or run.poll() is not None, 60)
    try:
        run.wait(timeout=moment)
    except lablib.subprocess.TimeoutExpired:
        for pid in bench.lab.exec("wsl", "sh", "-c", "pidof mgcoord || true").stdout.split():
            bench.lab.exec("wsl", "sh", "-c", f"kill -INT {pid} || true")
    result = end_of(run)
    assert result.code in (0, 4), (moment, result)
    for path in result.dir.rglob("verdict.json"):
        for step in json.loads(path.read_text())["steps"]:
            assert step["state"] in ("done", "failed", "skipped", "ready"), (moment, path, step)
            assert "no result from the worker" not in (step.get("error") or ""), (moment, path, step)
    bench.wait_nothing_left()
