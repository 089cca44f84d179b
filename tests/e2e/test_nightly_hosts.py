"""A night whose workers' clocks go wrong, and one that somebody else's coordinator meets."""

import json
import re
import time

import pytest

import benchlib
import breaklib
import lablib
from clocklib import JOIN_S, Planted
from nightlylib import SMALL, Night, rows

STEP_AFTER_S, SLEEP_AFTER_S = 12, 32  # from the workers' starts: within the first round, and the second
HELD_MS = 1000
NIGHT = (*SMALL, "--set", "order=fixed")


class HostsNight(Night):
    def __init__(self, lab):
        super().__init__(lab)
        self.processes = breaklib.Processes(lab)


@pytest.fixture(scope="module")
def planted(labs_work, tmp_path_factory):
    """Host worker: a clock that jumps; WSL worker: a machine that sleeps. Each once."""
    made = []

    def lab(*options, state, **kwargs):
        made.append(lablib.Lab(state, options, **kwargs))
        return made[-1].wait_up()

    one = Planted(lab, tmp_path_factory.mktemp("hosts") / "state", HostsNight)
    try:
        one.host_s = one.start("host", "winhost", f"step_ms=2000,after_ms={STEP_AFTER_S * 1000}")
        one.wsl_s = one.start("wsl", "wsl", f"sleep_ms=4000,after_ms={SLEEP_AFTER_S * 1000}")
        yield one
        one.end()
    finally:
        for lab in made:
            lab.end()
    for lab in made:
        lab.assert_gone()


def hold(planted, run, cell, until_s):
    """That cell's frames wait until the worker's clock has gone wrong and its pings have told."""
    run.wait_line(rf"{cell}: attempt 1$", 60)
    assert time.monotonic() < until_s, "too slow a machine for this plant"
    planted.lab.fault(f"client-slow={HELD_MS}")
    lablib.wait_until("the clock has gone wrong", lambda: time.monotonic() > until_s + 1, 60)
    planted.lab.clear_fault()


def first_of(result, cell):
    path = result.dir / "attempts" / cell / "a1/verdict.json"
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_jump_and_a_sleep_void_the_cells_that_they_hit(planted):
    planted.lab.fault("client-slow=25")
    run = breaklib.BrokenRun(planted.bench, *NIGHT)
    try:
        hold(planted, run, "openra/tcp-r1", planted.host_s + STEP_AFTER_S)
        hold(planted, run, "crosshost/bench-openra-c1-r2", planted.wsl_s + SLEEP_AFTER_S)
        result = run.end()
    finally:
        planted.lab.clear_fault()
        planted.bench.end_started()
    assert result.code == 0, result
    hit = {"openra/tcp-r1": ("clock-stepped", "host"),
           "crosshost/bench-openra-c1-r2": ("host-slept", "wsl")}
    for cell, (reason, role) in hit.items():
        first, row = first_of(result, cell), rows(result)[cell]
        assert (first["verdict"], first["reason"]) == ("invalid", reason), first
        assert f"worker '{role}'" in first["text"], first
        assert (row["verdict"], row["attempts"]) == ("measured", 2), row
        assert row["beside"]["id"] == f"openra/monolith-r{cell[-1]}", row
    others = [row for cell, row in rows(result).items() if cell not in hit]
    assert all(row["attempts"] == 1 and row["verdict"] == "measured" for row in others), others
    planted.bench.wait_nothing_left()


# ---- a second coordinator ----

PORT = 40711


@pytest.fixture
def second(planted):
    """Site, keys, results and workers of its own, on the same machines and for the same phone."""
    lab, state = planted.lab, planted.lab.state
    site = state / "second.yaml"
    text = planted.bench.site.read_text(encoding="utf-8")
    text = re.sub(r"results: .*", f"results: '{state}/second-results'", text)
    text = re.sub(r"bind: .*", f"bind: tcp://0.0.0.0:{PORT}", text)
    text = re.sub(r"keys: .*", f"keys: '{state}/second-keys'", text)
    text = text.replace("  host:\n", "  host-b:\n").replace("  wsl:\n", "  wsl-b:\n")
    site.write_text(text, encoding="utf-8")
    address = re.search(r"address = (tcp://[\d.]+):", (state / "enrol/host.enrol").read_text())[1]
    lab.exec("wsl", benchlib.MGCOORD, "keys", "init", "--keys", state / "second-keys")
    for role, host in (("host", "winhost"), ("wsl", "wsl")):
        lab.exec("wsl", benchlib.MGCOORD, "keys", "add", f"{role}-b", "--site", site, "--address",
                 f"{address}:{PORT}", "--out", state / f"enrol/{role}-b.enrol")
        planted.start(role, host, name=f"{role}-b")
    return site


def test_a_second_coordinator_cannot_come_between(planted, second):
    """Same results or same port: refused at once. Another port and workers of its own: refused by the
    lease, which names who has it. The night does not notice."""
    bench, lab = planted.bench, planted.lab
    lab.fault("client-slow=25")
    run = breaklib.BrokenRun(bench, *NIGHT, "--reps", "1")
    try:
        run.wait_line(r"openra/tcp-r1: attempt 1$", JOIN_S)
        lab.fault(f"client-slow={HELD_MS}")
        night = max((lab.state / "results").glob("*-nightly-*")).name
        pid, = bench.coordinator_pids()
        for more in ((), ("--set", f"results={lab.state / 'other-results'}")):
            refused = bench.run(*NIGHT, *more)
            assert refused.code == 3 and f"run '{night}' (process {pid})" in refused.err, refused
        hosts = lab.exec("wsl", benchlib.MGCOORD, "hosts", "--site", second, timeout=60).stdout
        assert re.search(rf"phone:\S+ is held by another worker of that machine for run '{night}' of the "
                         rf"coordinator on wsl, process {pid}, task '\S+ \w+ \(host\.\w+\)'", hosts), hosts
        done = lab.exec("wsl", benchlib.MGCOORD, "run", "crosshost", "--site", second,
                        *benchlib.ONE_BENCH, "--set", "retries_per_cell=0", check=False, timeout=120)
        lab.fault("client-slow=25")
        result = run.end()
    finally:
        lab.clear_fault()
        bench.end_started()
    assert done.returncode == 3, done
    assert re.search(rf"(phone|route):\S+ is held by another worker of this machine: run '{night}' "
                     rf"\(coordinator on wsl, process {pid}\)", done.stdout), done
    assert result.code == 0, result
    assert all((row["verdict"], row["attempts"]) == ("measured", 1) for row in rows(result).values())
    bench.wait_nothing_left()
    lablib.wait_until("nothing is held any more", lambda: "held" not in lab.exec(
        "wsl", benchlib.MGCOORD, "hosts", "--site", second, timeout=60).stdout, JOIN_S)
