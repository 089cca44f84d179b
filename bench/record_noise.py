#!/usr/bin/python3
"""Record how a lab's numbers scatter when nothing changes, for mgbench-gate and its test.

Runs so many nights of the same plans in a lab: the workload's four arms on the phone, then its three
cross-host arms, so many rounds each. Prints a noise file (bench/lib/gate_sim.h). With --from nothing
is run; the runs of a results root, two for each night, are read.

The lab runs as a real-time process (chrt -r 1, which needs root), so that what else this machine does
is not what is recorded; --plain leaves that out.
"""

import argparse
import contextlib
import os
import pathlib
import platform
import sqlite3
import subprocess
import sys
import tempfile

ARMS = ["monolith", "inproc", "shm", "tcp", "crosshost-c1", "crosshost-c2", "crosshost-c3"]
QUERY = """SELECT c.arm, c.rep, m.value FROM cells c JOIN metrics m ON m.cell = c.id
    AND m.name = 'kept_mean_ms'
    WHERE c.run = ? AND c.mode = 'benchmark' AND c.verdict = 'measured' AND c.workload = ?"""


def run_night(args, state):
    mgcoord = args.build / "coordinator" / "mgcoord"
    common = f"--quiet --workload {args.workload} --reps {args.rounds}"
    script = (f"{mgcoord} run matrix {common} --set order=rotate --set lanes.matrix.ssim=false && "
              f"{mgcoord} run crosshost {common} --set lanes.crosshost.ssim=false")
    argv = [*([] if args.plain else ["chrt", "-r", "1"]), args.build / "lab" / "world" / "mglab", "run",
            "--state", state, "--fault", f"client-slow={args.frame_ms}", "--", "sh", "-c", script]
    subprocess.run(argv, stdout=sys.stderr, check=True)


def read_nights(results, workload):
    """Per night a dictionary of (arm, round) to ms per frame."""
    with contextlib.closing(sqlite3.connect(results / "mgcoord.db")) as db:
        runs = [row[0] for row in db.execute("SELECT id FROM runs ORDER BY start_wall_ns")]
        for first, second in zip(runs[::2], runs[1::2]):
            night = {}
            for run in (first, second):
                night.update({(arm, rep): ms for arm, rep, ms in db.execute(QUERY, (run, workload))})
            yield night


def print_file(args, nights):
    print(f"# Recorded by bench/record_noise.py in mgcoord's lab (link ethernet, phone latency none), "
          f"workload {args.workload},")
    print(f"# every frame {args.frame_ms} ms longer (knob client-slow), "
          f"{'' if args.plain else 'as a real-time process '}on {os.cpu_count()} cores, "
          f"{platform.system()} {platform.machine()}.")
    if args.note:
        print(f"# {args.note}")
    print("# Says nothing about a real phone. Columns: night, round, ms per frame of each arm:")
    print("# " + " ".join(ARMS))
    for number, night in enumerate(nights, 1):
        for rep in range(1, args.rounds + 1):
            values = (night.get((arm, rep)) for arm in ARMS)
            print(number, rep, *("-" if ms is None else f"{ms:.4f}" for ms in values))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, help="build directory")
    parser.add_argument("--from", dest="results", type=pathlib.Path, help="results root with such runs")
    parser.add_argument("--nights", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--frame-ms", type=int, default=3, help="what every frame takes longer")
    parser.add_argument("--workload", default="openra")
    parser.add_argument("--plain", action="store_true", help="no real-time process")
    parser.add_argument("--note", help="one more line for the file's head")
    args = parser.parse_args()
    if not args.build and not args.results:
        parser.error("--build or --from is needed")
    if args.results:
        print_file(args, read_nights(args.results, args.workload))
        return
    with tempfile.TemporaryDirectory(prefix="mgnoise-") as state:
        for _ in range(args.nights):
            run_night(args, pathlib.Path(state))
        print_file(args, read_nights(pathlib.Path(state) / "results", args.workload))


if __name__ == "__main__":
    main()
