"""The link test against iperf3, on links of the lab that are made to a rate. Both measure the same link in the
same lab in turns, with the same congestion control, for as long, without as much of the begin."""

import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

PHONE = "192.168.21.181"
GATEWAY = "192.168.31.1"
# The profile wifi has moods of its own, which two tests one after the other do not share: no budget.
LINKS = (("20 Mbit/s, 10 ms", ("link-rate-mbit=20", "link-delay-ms=10"), True),
         ("100 Mbit/s, 3 ms", ("link-rate-mbit=100", "link-delay-ms=3"), True),
         ("400 Mbit/s, 3 ms", ("link-rate-mbit=400", "link-delay-ms=3"), True),
         ("profile wifi", ("link-profile=wifi",), False))
WINDOW_S, WARMUP_S, ROUNDS = 3, 1, 3
CONGESTION = "reno"  # of those that every user may choose, the one without moods of its own
TOLERANCE = 0.02
LIMIT_S = 120


class Lab:
    def __init__(self, state, build):
        self.state, self.build = state, build
        self.mglab = (build / "lab/world/mglab",)

    def call(self, *args, check=True):
        return subprocess.run([*self.mglab, *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=LIMIT_S, check=check, text=True).stdout

    def at(self, *args):
        return self.call(args[0], "--state", self.state, *args[1:])

    def execute(self, host, *command):
        return self.at("exec", host, "--", *command)

    def ours(self):
        """Mbit/s by direction, as summary.json has it."""
        before = set(self.state.glob("results/*/summary.json"))
        self.execute("wsl", self.build / "coordinator/mgcoord", "run", "netbench", "--quiet", "--site",
                     self.state / "site.yaml", "--reps", "1", "--set",
                     f"lanes.netbench.duration={WINDOW_S + WARMUP_S}s", "--set",
                     f"lanes.netbench.warmup={WARMUP_S}s", "--set",
                     f"lanes.netbench.congestion={CONGESTION}")
        new, = set(self.state.glob("results/*/summary.json")) - before
        cell, = json.loads(new.read_text(encoding="utf-8"))["runs"]
        return {"up": cell["up_mbit_s"], "down": cell["down_mbit_s"]}

    def iperf3(self):
        def rate(*options):
            text = self.execute("wsl", "iperf3", "-c", PHONE, "-J", "-C", CONGESTION, "-t",
                                str(WINDOW_S), "-O", str(WARMUP_S), *options)
            return json.loads(text)["end"]["sum_received"]["bits_per_second"] / 1e6
        return {"up": rate(), "down": rate("-R")}


def rows_of(lab, name, faults, steady, rounds):
    for fault in faults:
        lab.at("fault", fault)
    ours, control = {"up": [], "down": []}, {"up": [], "down": []}
    for _ in range(rounds):
        for into, rates in ((ours, lab.ours()), (control, lab.iperf3())):
            for way, rate in rates.items():
                into[way].append(rate)
    lab.at("fault", "--clear")
    rows = []
    for way in ("up", "down"):
        mine, theirs = statistics.median(ours[way]), statistics.median(control[way])
        ratio = mine / theirs
        rows.append({"what": f"link test against iperf3, {name}, {way}", "unit": "Mbit/s", "ours": mine,
                     "control": theirs, "ratio": ratio,
                     "budget": f"1 x +- {TOLERANCE:.0%}" if steady else "-",
                     "within": abs(ratio - 1) <= TOLERANCE if steady else None, "n": rounds,
                     "note": f"ours {min(ours[way]):.1f} to {max(ours[way]):.1f}, "
                             f"iperf3 {min(control[way]):.1f} to {max(control[way]):.1f}"})
    return rows


def run(build, scale, progress):
    """Rows, the last one about the machine; None when there can be no lab or no iperf3."""
    begin, load = time.monotonic(), os.getloadavg()[0]
    progress("link test against iperf3 ...")
    with tempfile.TemporaryDirectory(prefix="mgbench-") as directory:
        lab = Lab(pathlib.Path(directory), build)
        server = None
        try:
            lab.at("up", "--link", "ethernet")
            lab.execute("wsl", "ip", "route", "replace", f"{PHONE}/32", "via", GATEWAY, "dev", "eth0")
            server = subprocess.Popen([*lab.mglab, "exec", "--state", lab.state, "phone", "--", "iperf3",
                                       "-s"], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
            rounds = max(1, ROUNDS * scale // 100)
            rows = [row for link in LINKS for row in rows_of(lab, *link, rounds)]
        except (OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
            progress(f"link: {error}\n{getattr(error, 'output', None) or ''}")
            return None
        finally:
            lab.call("down", "--state", lab.state, check=False)
            if server:
                server.wait(LIMIT_S)
    return rows + [{"machine": "link", "load": load, "noisy": load > os.cpu_count(),
                    "others_cores": None, "took_s": time.monotonic() - begin}]
