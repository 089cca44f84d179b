"""Attacks on the coordinator's port while it waits for its workers and measures, and how soon workers
come that have been alone for a while."""

import os
import signal
import subprocess

import pytest

import benchlib
import lablib
from breaklib import bench, broken, fault  # noqa: F401  (fixtures)

# Each mode opens what it can, says so and holds it until its stdin is closed.
ATTACK = r'''
import os, socket, sys
def greeting(mechanism):
    return (b"\xff" + bytes(8) + b"\x7f\x03\x00" + mechanism.ljust(20, b"\0") + bytes(32))
HELLO = b"\x04\xc8\x05HELLO\x01\x00"
SENT = {
    "random": lambda: os.urandom(4096),
    "plain": lambda: greeting(b"NULL") + b"\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER",
    "curve-rubbish": lambda: greeting(b"CURVE") + HELLO + os.urandom(192),
    "curve-huge": lambda: greeting(b"CURVE") + b"\x06" + b"\xff" * 8,
    "half-open": lambda: b"",
    "half-greeting": lambda: greeting(b"CURVE")[:20],
}
data, count, kept = SENT[sys.argv[1]], int(sys.argv[2]), []
while len(kept) < count:
    s = socket.socket()
    s.settimeout(5)
    s.connect(("127.0.0.1", 40700))
    try:
        s.sendall(data())
    except OSError:
        pass  # thrown out already
    kept.append(s)
print("attacked", flush=True)
sys.stdin.read()
'''


@pytest.mark.parametrize("mode, count", [
    ("random", 200), ("plain", 100), ("curve-rubbish", 100), ("curve-huge", 50),
    ("half-open", 1000), ("half-greeting", 300),
])
def test_attack_on_the_port(bench, broken, fault, mode, count):
    """The run goes on as if nothing were there, and the coordinator does not grow."""
    fault("client-hang=5")
    run = broken()
    run.wait_phase("client")
    bench.lab.mglab("fault", "--clear")
    attack = bench.lab.popen("wsl", "sh", "-c", 'ulimit -n 4096; exec /usr/bin/python3 -c "$@"',
                             "sh", ATTACK, mode, count, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)
    try:
        assert attack.stdout.readline() == "attacked\n"
        bench.lab.mglab("kill", "-9", "mgworker-wsl")  # it must get in beside all that
        pid, = bench.processes.find("coordinator")
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            rss = [int(line.split()[1]) for line in file if line.startswith("VmRSS")]
        result = run.end()
    finally:
        attack.communicate("", timeout=30)
    assert result.code == 0, result
    assert result.cell("bench")["verdict"] == "measured" and result.cell("bench")["attempts"] == 2
    assert rss[0] < 64 * 1024, "KiB"
    bench.assert_nothing_left()


@pytest.mark.skipif(not os.environ.get("MGC_BREAK_ALL"),
                    reason="takes 45 s; MGC_BREAK_ALL=1 runs it")
def test_workers_that_were_alone_for_long_come_in_time(bench, broken):
    """Their pause between two attempts has grown to its longest; a run with what is built in waits
    longer than that."""
    for worker in ("host", "wsl"):
        lablib.wait_until(f"{worker} has tried in vain", lambda w=worker: bench.lab.log(
            f"mgworker-{w}").rstrip().endswith("refused"), 30)
    # 40 s take them past 1 + 2 + 4 + 8 + 10 s.
    with pytest.raises(subprocess.TimeoutExpired):
        bench.lab.exec("wsl", "sleep", "100", timeout=40)
    run = broken()
    result = run.end()
    assert result.code == 0, result


def test_hosts_while_a_run_goes_on_says_so(bench, broken, fault):
    fault("client-hang=5")
    run = broken()
    run.wait_phase("client")
    done = bench.lab.exec("wsl", benchlib.MGCOORD, "hosts", "--site", bench.site)
    assert "host" in done.stdout and "wsl" in done.stdout and "crosshost" in done.stdout, done
    bench.processes.signal("client", signal.SIGKILL)
    assert run.end().code == 3
    bench.assert_nothing_left()
