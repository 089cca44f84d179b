"""What a cell costs the coordinator when it runs on many phones at once: 64 phones of the lab on 8 worker pairs
against 8 on one pair, both in loopback mode. Cells take turns nowhere, so that all of them are under way together."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

FLEETS = ((8, 1), (64, 8))  # phones, pairs; the first is the control of the second
BUDGET = 1.5
# Making files costs more than the coordinator, and more the more of them a disk has seen go.
IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
LIMIT_S = 240
# A lab in loopback mode has fixed ports: a network of its own keeps them free.
ALONE = ("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
UP_S = 20
# Runs a command and says what processor time it took, and before it since when the lab is there and what its idle
# phones take of memory.
CLOCK = """
import os, re, subprocess, sys, time
def is_phone(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return f"{os.path.dirname(sys.argv[1])}/phone/" in file.read()
    except OSError:
        return False
def pss_kib(pid):
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return int(re.search("^Pss: +([0-9]+)", file.read(), re.M)[1])
    except (OSError, TypeError):
        return 0
up_s = time.monotonic() - float(sys.argv[2])
memory = sum(pss_kib(pid) for pid in os.listdir("/proc") if pid.isdigit() and is_phone(pid))
open(sys.argv[1] + "-lab", "w").write(f"{up_s} {memory}")
code = subprocess.run(sys.argv[3:], stdout=subprocess.DEVNULL).returncode
times = os.times()
open(sys.argv[1], "w").write(f"{times.children_user + times.children_system}")
sys.exit(code)
"""


def run_fleet(build, phones, pairs, credits):
    """Processor seconds of the coordinator, attempts made, wall seconds, seconds until the lab was there, KiB of all
    its phones."""
    with tempfile.TemporaryDirectory(prefix="mgbench-", dir=IN_MEMORY) as directory:
        state = pathlib.Path(directory)
        free = [part for i in range(1, pairs + 1) for part in ("--set", f"workers.wsl{i}.parallel={phones}")]
        begin = time.monotonic()
        subprocess.run(
            [*ALONE, build / "lab/world/mglab", "run", "--loopback", "--state", state, "--phones",
             str(phones), "--pairs", str(pairs), "--frames-divisor", "16", "--", sys.executable, "-c",
             CLOCK, state / "cpu", str(begin), build / "coordinator/mgcoord", "run", "crosshost", "--quiet",
             "--workload", "openra", "--credit", credits, "--reps", "1", "--set",
             "lanes.crosshost.ssim=false", "--set", "retries_per_cell=5", *free],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S,
            check=True, text=True)
        took = time.monotonic() - begin
        attempts = len(list(state.glob("results/*/phones/**/verdict.json")))
        summary, = state.glob("results/*/summary.json")
        rows = json.loads(summary.read_text(encoding="utf-8"))["phones"]
        assert all(row["exit_code"] == 0 for row in rows)
        up_s, kib = map(float, (state / "cpu-lab").read_text().split())
        return float((state / "cpu").read_text()), attempts, took, up_s, kib


def run(build, scale, progress):
    """Rows, the last one about the machine; None when there can be no lab."""
    begin, load = time.monotonic(), os.getloadavg()[0]
    credits = ",".join(str(i + 1) for i in range(max(1, 3 * scale // 100)))
    figures = []
    try:
        for phones, pairs in FLEETS:
            progress(f"{phones} phones on {pairs} worker pairs ...")
            figures.append(run_fleet(build, phones, pairs, credits))
    except (OSError, subprocess.SubprocessError, ValueError, AssertionError) as error:
        progress(f"phones: {error}\n{getattr(error, 'output', None) or ''}")
        return None
    (few_s, few, few_took, few_up, few_kib), (many_s, many, many_took, many_up, many_kib) = figures
    ours, control = 1000 * many_s / many, 1000 * few_s / few
    return [{"what": f"coordinator's processor time per attempt, {FLEETS[1][0]} phones", "unit": "ms",
             "ours": ours, "control": control, "ratio": ours / control, "budget": f"<= {BUDGET} x",
             "within": ours <= BUDGET * control, "n": many,
             "note": f"control: {few} attempts on {FLEETS[0][0]} phones; whole runs {many_took:.0f} and "
                     f"{few_took:.0f} s"},
            {"what": f"lab of {FLEETS[1][0]} phones is there", "unit": "s", "ours": many_up, "control": few_up,
             "ratio": many_up / few_up, "budget": f"<= {UP_S} s", "within": many_up <= UP_S, "n": 1,
             "note": f"control: {FLEETS[0][0]} phones; with making traces and keys"},
            {"what": "memory of an idle lab phone", "unit": "MiB", "ours": many_kib / FLEETS[1][0] / 1024,
             "control": few_kib / FLEETS[0][0] / 1024, "ratio": None, "budget": "-", "within": None,
             "n": FLEETS[1][0], "note": None},
            {"machine": "phones", "load": load, "noisy": load > os.cpu_count(), "others_cores": None,
             "took_s": time.monotonic() - begin}]
