#!/usr/bin/python3
"""Run the benchmarks of a build and print one table of their rows.

Exit code 0 also when a budget is missed, since that is a result; 3 when a benchmark could not run.
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import link
import phones

PROGRAMS = ["barrier", "dispatch", "transfer", "report", "idle", "gate"]
LABS = ["lab", "phone", "phones", "nightly", "schedule", "link"]
LIMIT_S = 240  # of one run of a program or a lab
ALL_S = 1800  # after this no further benchmark begins
EXIT_CANNOT_RUN = 3


def progress(text):
    print(text, file=sys.stderr, flush=True)


def run_program(build, name, scale, scratch, lab=""):
    """Rows of one program, its last one about the machine; None when it could not run."""
    argv = [build / "bench" / f"mgbench-{name}", "--json", "--scale", str(scale)]
    env = dict(os.environ, MGBENCH_DIR=str(scratch), MGBENCH_LAB=str(lab))
    progress(f"mgbench-{name} ...")
    try:
        done = subprocess.run(argv, env=env, stdout=subprocess.PIPE, timeout=LIMIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        progress(f"mgbench-{name}: {error}")
        return None
    if done.returncode != 0:
        progress(f"mgbench-{name} ended with exit code {done.returncode}")
        return None
    return [json.loads(line) for line in done.stdout.splitlines()]


def row(what, unit, ours, n, note):
    return {"what": what, "unit": unit, "ours": ours, "control": None, "ratio": None, "budget": "-",
            "within": None, "n": n, "note": note}


def harness_times(summary):
    """What a cell took besides its client's own run, in seconds, of every measured benchmark cell."""
    return sorted(cell["duration_s"] - cell["wall_s"] for cell in summary["runs"]
                  if cell["verdict"] == "measured" and cell.get("wall_s") is not None)


def run_lab(build, latency):
    """Rows of a lab's run; None when there can be no lab, or nothing in it was measured."""
    with tempfile.TemporaryDirectory(prefix="mgbench-") as state:  # a lab has a /dev/shm of its own
        return run_lab_in(pathlib.Path(state), build, latency)


def run_lab_in(state, build, latency):
    begin, load = time.monotonic(), os.getloadavg()[0]
    argv = [build / "lab" / "world" / "mglab", "run", "--state", state, "--phone-latency", latency, "--",
            build / "coordinator" / "mgcoord", "run", "crosshost", "--quiet", "--reps", "1"]
    progress(f"lab, phone latency {latency} ...")
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=LIMIT_S, check=False, text=True)
    except (OSError, subprocess.TimeoutExpired) as error:
        progress(f"lab: {error}")
        return None
    summaries = list(state.glob("results/*/summary.json"))
    times = []
    if len(summaries) == 1:
        times = harness_times(json.loads(summaries[0].read_text(encoding="utf-8")))
    if done.returncode != 0:
        progress(f"lab: exit code {done.returncode}\n{done.stdout[-4000:]}")
    if not times:
        return None
    what = f"harness per cell, phone latency {latency}"
    middle = times[(len(times) - 1) // 2]
    machine = {"machine": "lab", "load": load, "noisy": load > os.cpu_count(), "others_cores": None,
               "took_s": time.monotonic() - begin}
    return [row(f"{what}, median", "s", middle, len(times), "cell wall time minus the client's run"),
            row(f"{what}, largest", "s", times[-1], len(times), None), machine]


# ---- cells on the phone: the app's own time is what the lab phone says, not what we measured ----

AM_START_S = 0.3  # what `am start` itself costs in the profile `usb`
PHONE_BUDGETS = {"plain": 0.5, "tcp": 0.8}
STREAMS_MAX = 10


def app_times(journal):
    """Seconds from the start of the app's process to its result.json closed, run by run, as the lab
    phone logged them."""
    times, start = [], None
    for line in journal.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["event"] == "app-start" and not event["process"]:
            start = event["mono_ms"]
        elif event["event"] == "result-closed" and start is not None:
            times.append((event["mono_ms"] - start) / 1000)
            start = None
    return times


def budget_row(what, unit, ours, budget, n, note):
    return dict(row(what, unit, ours, n, note), budget=f"<= {budget}", within=ours <= budget)


def phone_rows(state, latency):
    summary = json.loads(next(state.glob("results/*/summary.json")).read_text(encoding="utf-8"))
    runs = [run for run in summary["runs"] if run["verdict"] == "measured"]
    apps = app_times(state / "phone" / "journal.jsonl")
    if len(runs) != len(apps) or not runs:
        progress(f"lab phone: {len(runs)} cells measured, {len(apps)} runs in the phone's journal")
        return None
    rows = []
    for kind, budget in PHONE_BUDGETS.items():
        times = sorted(run["harness_s"] + run["app_s"] - app - AM_START_S for run, app in zip(runs, apps)
                       if (run["arm"] == "tcp") == (kind == "tcp"))
        if times:
            rows.append(budget_row(f"harness per phone cell, {kind} arm, latency {latency}, median", "s",
                                   times[(len(times) - 1) // 2], budget, len(times),
                                   f"beyond the profile's am start ({AM_START_S} s); largest {times[-1]:.2f}"))
    streams = [run["adb_streams"] for run in runs if run.get("adb_streams") is not None]
    if streams:
        rows.append(budget_row("adb streams per phone cell, largest", "", max(streams), STREAMS_MAX,
                               len(streams), None))
    return rows


def run_phone(build, latency):
    """Rows of a run of the matrix; None when there can be no lab, or cells were not measured."""
    with tempfile.TemporaryDirectory(prefix="mgbench-") as directory:
        state = pathlib.Path(directory)
        begin, load = time.monotonic(), os.getloadavg()[0]
        argv = [build / "lab" / "world" / "mglab", "run", "--state", state, "--phone-latency", latency,
                "--", build / "coordinator" / "mgcoord", "run", "matrix", "openra", "--quiet"]
        progress(f"lab, cells on the phone, phone latency {latency} ...")
        try:
            done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=LIMIT_S, check=False, text=True)
        except (OSError, subprocess.TimeoutExpired) as error:
            progress(f"lab: {error}")
            return None
        if done.returncode != 0:
            progress(f"lab: exit code {done.returncode}\n{done.stdout[-4000:]}")
            return None
        rows = phone_rows(state, latency)
        return rows and rows + [{"machine": "lab phone", "load": load, "noisy": load > os.cpu_count(),
                                 "others_cores": None, "took_s": time.monotonic() - begin}]


# ---- cells of both lanes in one night: what the harness adds to each ---------------------------

NIGHT = """plan: bench
interleave: round
order: rotate
brackets: path
lanes:
  matrix: {workloads: [openra, rd12], arms: [monolith, inproc, shm, tcp], reps: 1, ssim: false}
  crosshost: {workloads: [openra, rd12], credits: [1, 2], reps: 1, ssim: false}
"""


def run_night(build, state, latency):
    """The run's directory; None when there can be no lab, or not all was measured."""
    plan = state / "bench.yaml"
    plan.write_text(NIGHT, encoding="utf-8")
    argv = [build / "lab" / "world" / "mglab", "run", "--state", state, "--phone-latency", latency,
            "--frames-divisor", "8", "--", build / "coordinator" / "mgcoord", "run", plan, "--quiet"]
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=LIMIT_S, check=False, text=True)
    except (OSError, subprocess.TimeoutExpired) as error:
        progress(f"lab: {error}")
        return None
    if done.returncode != 0:
        progress(f"lab: exit code {done.returncode}\n{done.stdout[-4000:]}")
        return None
    return next(state.glob("results/*/summary.json")).parent


def middle(values):
    return sorted(values)[(len(values) - 1) // 2]


def night_rows(run, latency):
    """What a cell took beyond its client's or app's own run, of both lanes."""
    cells = json.loads((run / "summary.json").read_text(encoding="utf-8"))["runs"]
    across = [cell for cell in cells if cell["lane"] == "crosshost"]
    beside = [cell for cell in cells if cell["arm"] == "tcp"]
    what = f"harness per cross-host cell of a night, latency {latency}, median"
    harness = [cell["harness_s"] for cell in across]
    note = f"control: cells of the arm tcp in the same rounds; largest {max(harness):.2f}"
    ours, control = middle(harness), middle([cell["harness_s"] for cell in beside])
    rows = [dict(row(what, "s", ours, len(across), note), control=control, ratio=ours / control)]
    ours = max(cell["adb_streams"] for cell in across)
    control = max(cell["adb_streams"] for cell in beside)
    what = f"adb streams per cross-host cell, latency {latency}, largest"
    return rows + [dict(budget_row(what, "", ours, STREAMS_MAX, len(across), "control: as before"),
                        control=control, ratio=ours / control)]


def run_nights(build, scale, scratch, wanted):
    """Rows of a night without latency, of what the coordinator spent per cell of one like it, and
    of a night with a phone on USB."""
    groups = []
    for latency in ("none", "usb"):
        if latency == "usb" and "nightly" not in wanted:
            continue
        with tempfile.TemporaryDirectory(prefix="mgbench-") as directory:
            state = pathlib.Path(directory)
            begin, load = time.monotonic(), os.getloadavg()[0]
            progress(f"lab, a night of both lanes, phone latency {latency} ...")
            run = run_night(build, state, latency)
            took_s = time.monotonic() - begin
            if "nightly" in wanted:
                groups.append(run and night_rows(run, latency) + [
                    {"machine": f"lab night, {latency}", "load": load, "others_cores": None,
                     "noisy": load > os.cpu_count(), "took_s": took_s}])
            if "schedule" in wanted and latency == "none":
                groups.append(run and run_program(build, "schedule", scale, scratch, state))
    return groups


def figure(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def cells(result, noisy):
    within = {None: "-", True: "yes", False: "no"}[result["within"]]
    note = result.get("note") or ""
    if noisy:
        note = "noisy" + ("; " + note if note else "")
    return [result["what"], figure(result["ours"]), figure(result["control"]),
            figure(result["ratio"]), result["unit"], result["budget"], within, str(result["n"]), note]


def print_table(lines):
    head = ["what", "ours", "control", "ratio", "unit", "budget", "within", "n", "note"]
    widths = [max(len(line[i]) for line in [head] + lines) for i in range(len(head))]
    for line in [head] + lines:
        print(" | ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())


def print_all(groups):
    lines = []
    for rows in groups:
        lines += [cells(result, rows[-1]["noisy"]) for result in rows[:-1]]
    print_table(lines)
    print()
    for machine in (rows[-1] for rows in groups):
        others = machine["others_cores"]
        print(f"{machine['machine']}: load {machine['load']:.1f} at the begin"
              + (f", others used {others:.1f} cores meanwhile" if others is not None else "")
              + f", took {machine['took_s']:.0f} s")
    print(f"{machine_text()}. noisy: at the begin more wanted to run than there are cores; the"
          " benchmarks before count, too.")


def machine_text():
    """What this was measured on, for whoever compares it with a table of another day."""
    cpuinfo = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = next((line.split(":", 1)[1].strip() for line in cpuinfo.splitlines()
                  if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores ({model}), {memory:.0f} GiB, Linux {platform.release()}"


def run_all(build, scale, scratch, wanted):
    """Groups of rows; None in place of one that could not run, or was not begun in time."""
    begin = time.monotonic()
    todo = [(name, lambda name=name: [run_program(build, name, scale, scratch)]) for name in PROGRAMS]
    for latency in ("none", "usb"):
        todo.append(("lab", lambda latency=latency: [run_lab(build, latency)]))
        todo.append(("phone", lambda latency=latency: [run_phone(build, latency)]))
    todo += [("nightly schedule", lambda: run_nights(build, scale, scratch, wanted)),
             ("phones", lambda: [phones.run(build, scale, progress)]),
             ("link", lambda: [link.run(build, scale, progress)])]
    groups = []
    for names, run in todo:
        if not set(names.split()) & set(wanted):
            continue
        if time.monotonic() - begin > ALL_S:
            progress(f"{names}: not begun, since {ALL_S // 60} minutes are over")
            groups.append(None)
        else:
            groups += run()
    return groups


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build directory")
    parser.add_argument("--scale", type=int, default=100, help="percent of the usual samples")
    parser.add_argument("--json", action="store_true", help="print JSON lines instead of a table")
    parser.add_argument("names", nargs="*", help="only these: " + " ".join(PROGRAMS + LABS))
    args = parser.parse_args()
    wanted = args.names or PROGRAMS + LABS
    unknown = set(wanted) - set(PROGRAMS + LABS)
    if unknown:
        parser.error("no such benchmark: " + " ".join(sorted(unknown)))
    in_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="mgbench-", dir=in_memory) as scratch:
        scratch = pathlib.Path(scratch)
        groups = run_all(args.build.resolve(), args.scale, scratch, wanted)
    ran = [rows for rows in groups if rows is not None]
    if args.json:
        for rows in ran:
            print("\n".join(json.dumps(result) for result in rows))
    else:
        print_all(ran)
    return 0 if len(ran) == len(groups) else EXIT_CANNOT_RUN


if __name__ == "__main__":
    sys.exit(main())
