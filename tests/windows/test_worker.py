"""mgworker-host.exe under wine beside a coordinator on Linux: one session between the two systems.

scripts/build-windows runs this where the Linux programs are built too, with wine prepared (its
WINEPREFIX and locale in the environment), MGC_BUILD and MGC_WIN_BUILD set.
"""

import os
import pathlib
import re
import signal
import socket
import subprocess

import pytest

MGCOORD = pathlib.Path(os.environ["MGC_BUILD"]) / "coordinator/mgcoord"
WORKER = pathlib.Path(os.environ["MGC_WIN_BUILD"]) / "worker-host/mgworker-host.exe"
LONG_S = 120

SITE = """
site: bench-a
bind: tcp://127.0.0.1:{port}
keys: {folder}/keys
workers:
  pc: {{role: host}}
  ubuntu: {{role: wsl}}
phone: {{serial: 2f7cbe2e, address: 192.168.21.181}}
route: {{gateway: 192.168.31.1}}
replay: {{client: /opt/client, library: /opt/library.so}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def mgcoord(*words):
    return subprocess.run([MGCOORD, *map(str, words)], capture_output=True, text=True, timeout=LONG_S)


@pytest.fixture
def bench(tmp_path):
    """A site with a key for worker pc, in a folder whose name Windows must get right."""
    folder = tmp_path / "bänch 测试"
    folder.mkdir()
    port = free_port()
    (folder / "site.yaml").write_text(SITE.format(port=port, folder=folder), encoding="utf-8")
    for words in (("keys", "init", "-k", folder / "keys"),
                  ("keys", "add", "-k", folder / "keys", "-r", "host", "-a",
                   f"tcp://127.0.0.1:{port}", "-o", folder / "pc.enrol", "pc")):
        done = mgcoord(*words)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def worker(bench):
    """The worker, with a log below the bench; killed at the end if it still runs."""
    def on_windows(path):
        return "Z:" + str(path).replace("/", "\\")

    with open(bench / "worker.log", "wb") as log:
        process = subprocess.Popen(
            ["wine", WORKER, "--enrol", on_windows(bench / "pc.enrol"), "--state",
             on_windows(bench / "state"), "--retry-max-ms", "500"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env={**os.environ, "MGC_ADB": "no-adb-here"})
    yield process
    process.kill()
    process.wait()


def test_joins_a_coordinator_on_linux_and_stops_when_asked(bench, worker):
    done = mgcoord("hosts", "-s", bench / "site.yaml", "-w", "15s")
    log = bench / "worker.log"
    row = re.search(r"^pc +host +(\S+) +\S+ +(Windows 10\.\S+) ", done.stdout, re.M)
    assert row, done.stdout + done.stderr + log.read_text()
    assert row[1] == "ready"
    assert (bench / "state/leases/epoch").exists()

    worker.send_signal(signal.SIGINT)  # wine makes it the console's Ctrl-C
    assert worker.wait(LONG_S) == 0, log.read_text()
    text = log.read_text()
    assert "joined the coordinator as 'pc'" in text
    assert "told to stop" in text
