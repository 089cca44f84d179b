"""How the old report scripts read a directory (contract sections 3.2 and 3.5): which files they open, which keys they need.

Written from the contract. A key that is not there is a KeyError here, as it would be there.
"""
import json
import re
import statistics

LABELS = {"monolith": "monolith", "inproc": "inproc", "shm": "spawn+shm", "tcp": "spawn+tcp-local"}
DUMPS = ("pipestats.client.json", "pipestats.server.json", "tcp-server-pipestats.json")


class Matrix:
    """make_report.py: summary.json, then each cell's dumps and linkmetrics-lines.txt."""

    def __init__(self, root):
        self.root = root
        summary = json.loads((root / "summary.json").read_text())
        self.runs, self.aggregates = summary["runs"], summary["aggregates"]

    def perf(self, workload):
        keys = ("rep", "arm", "status", "fps", "mean_ms", "median_ms", "p95_ms", "total_frames", "total_seconds", "duration_s",
                "battery_temp_dc")
        return [tuple(run[key] for key in keys) for run in self.runs if run["workload"] == workload and run["mode"] == "benchmark"]

    def best(self, workload):
        keys = ("arm", "n_ok", "best_fps", "best_mean_ms", "best_median_ms", "best_p95_ms", "median_of_mean_ms", "spread_mean_ms",
                "spread_pct")
        return [tuple(row[key] for key in keys) for row in self.aggregates if row["workload"] == workload]

    def pictures(self, workload):
        rows = []
        for run in self.runs:
            if run["workload"] == workload and run["rep"] == "ssim":
                ssim = "-" if run["ssim"] is None else f"{run['ssim']:.6f}"
                rows.append((run["arm"], run["status"], run["passed"], ssim, (run["message"] or "")[:90]))
        return rows

    def verification(self, workload):
        rows = []
        for run in self.runs:
            if run["workload"] != workload:
                continue
            verify = run["verify"]
            transport = verify.get("TRANSPORT_MARKER") or verify.get("SPLIT_MARKER") or "?"
            second = verify.get("SECOND_PROCESS_SPAWN_ARMED") or verify.get("TCP_SESSION") or "-"
            rows.append((run["rep"], run["arm"], transport, second[:2], verify.get("RUN_AHEAD_ARMED", "?")[:7],
                         verify.get("LOCKSTEP_WARNING", "?"), verify.get("DISARMED", "?"), verify.get("PIPESTATS_LINES"),
                         verify.get("FATAL_LINES")))
        return rows

    def counters(self, workload):
        """Arm, rep, frames, wire records, frames and waits of LinkMetrics; rounds 1 to 3 only."""
        rows = []
        for run in self.runs:
            if run["workload"] != workload or run["rep"] not in ("1", "2", "3"):
                continue
            cell = self.root / workload / f"{run['arm']}-r{run['rep']}"
            dumps = [json.loads((cell / name).read_text()) for name in DUMPS if (cell / name).exists()]
            frames = max((dump.get("frames", 0) for dump in dumps), default=0)
            records = sum(dump.get("calls", {}).get("wire-records", 0) for dump in dumps)
            rows.append((run["arm"], run["rep"], frames, records, *link_metrics(cell / "linkmetrics-lines.txt")))
        return rows


def link_metrics(path):
    seen = {}
    for line in path.read_text(errors="replace").splitlines() if path.exists() else []:
        if "kind=frame " in line:
            pairs = dict(re.findall(r"(\w+)=(\S+)", line))
            seen.setdefault(pairs["frame"], int(pairs["wait_replies"]))
    return len(seen), sum(seen.values())


def meta(path):
    """A cell's meta.txt: the first line's pairs; status and mode are not there after an early failure."""
    pairs = dict(re.findall(r"(\w+)=(\S*)", path.read_text().split("\n", 1)[0]))
    return {"status": None, "mode": "?", **pairs}


def verify(path):
    return dict(line.split("=", 1) for line in path.read_text(errors="replace").splitlines())


def crosshost(cell):
    """crosshost_report.py: one run's directory."""
    rc = re.search(r"rc=(\S+) secs=(\S+)", (cell / "rc.txt").read_text())
    row = {"run": cell.name, "rc": int(rc[1]), "wall_s": float(rc[2])}
    row["ssim"] = json.loads((cell / "result.json").read_text()).get("ssim")
    if (cell / "benchmark.json").exists():
        bench = json.loads((cell / "benchmark.json").read_text())
        times = bench["frameTimesMs"]
        row.update(frames=len(times), fps=bench["fps"], first_frame_s=times[0] / 1000,
                   steady_fps=1000 / statistics.median(times[1:]))
    for line in (cell / "mobilegl.client.log").read_text(errors="replace").splitlines():
        if "P65LinkMetrics kind=summary" in line:
            row["stage_mb"] = int(re.search(r"stage_bytes=(\d+)", line)[1]) / 1e6
    return row
