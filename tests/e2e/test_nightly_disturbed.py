"""A night at which something happens to a cell: a hot battery, a phone plugged in anew, a person with adb, a
worker that came back, somebody's route, a clock that jumped, a host that slept. Each spoils exactly the cell
that it hit, by name; that one goes again right behind its round's reference, and the rest stands as it is."""

import json
import time

import pytest

import benchlib
import breaklib
import lablib
from breaklib import broken  # noqa: F401  (fixture)
from matrixlib import MatrixBench
from nightlylib import rows
from phonelib import PACKAGE, SERVICE

ACTIVITY = f"{PACKAGE}/top.mobilegl.plugin.trace.TraceReplayActivity"
VIA_PROXY = (f"{benchlib.PHONE_IP}/32", "via", "192.168.31.2")
NIGHT = ("--workload", "openra", "--arm", "monolith", "--arm", "tcp", "--credit", "1", "--set", "order=fixed",
         "--set", "lanes.matrix.ssim=false", "--set", "lanes.crosshost.ssim=false", "--set", "brackets=path",
         "--set", "confirm=0")
SOON_S = 60
FRAME_MS = 25    # so that a cell lasts long enough to be hit on a busy machine
HELD_MS = 1000   # while it is hit


class Night(MatrixBench):
    def command(self, *args):
        return (benchlib.MGCOORD, "run", "nightly", "--site", self.site, *args)

    def app_runs(self):
        """Whatever ended the one before: its activity, or its process."""
        runs = False
        for line in self.journal():
            if line["event"] == "activity-start":
                runs = True
            elif line["event"] == "activity-end" or (line["event"] == "app-end" and not line["process"]):
                runs = False
        return runs


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):
    lab = lablib.Lab(tmp_path_factory.mktemp("lab") / "state",
                     ("--frames-divisor", "8", *breaklib.SHORT_LIVENESS), workers=True, phone=True)
    lab.wait_up()
    made = Night(lab)
    made.connect()
    yield made
    lab.end()
    lab.assert_gone()


def phone_says(command):
    def do(bench):
        bench.adb("shell", command)
    return do


def restart_worker(bench):
    bench.lab.kill("mgworker-host")


def restore_proxy_route(bench):
    bench.lab.exec("wsl", "ip", "route", "replace", *VIA_PROXY)


def heat(bench):
    bench.lab.fault("phone-hot=480")


# What happens, in which cell, and how it is called, round by round. What adb loses is renewed or lost, as evidence
# came through or not.
MISHAPS = (
    ("openra/tcp-r1", heat, "left-temperature-band"),
    ("openra/tcp-r2", lambda bench: bench.lab.fault("phone-adb-drop=once"), "transport-"),
    ("openra/tcp-r3", phone_says(f"am force-stop {PACKAGE}"), "app-stopped"),
    ("openra/monolith-r4", phone_says(f"am start-foreground-service -n {SERVICE} "
                                      "--es listen tcp://0.0.0.0:40613"), "app-started-beside"),
    ("openra/tcp-r5", restart_worker, "worker-lost"),
    ("crosshost/bench-openra-c1-r6", restore_proxy_route, "setup-lost"),
    ("crosshost/bench-openra-c1-r7", phone_says(f"am start -n {ACTIVITY}"), "app-started-beside"),
    ("crosshost/bench-openra-c1-r8", phone_says(f"am force-stop {PACKAGE}"), "app-stopped"),
)


def strike(bench, run, cell, mishap):
    """In the middle of that cell's frames, which wait for it."""
    run.wait_line(rf"{cell}: attempt 1$", 2 * SOON_S)
    bench.lab.fault(f"client-slow={HELD_MS}")
    if cell.startswith("crosshost"):
        lablib.wait_until(f"the client of {cell} runs", bench.client_pids, SOON_S)
        run.wait_line(rf"{cell} replay: progress \d+ bytes", SOON_S)
    else:
        lablib.wait_until(f"the app of {cell} runs", bench.app_runs, SOON_S)
    mishap(bench)
    time.sleep(0.3 if mishap is heat else 0)  # for the phone's model to reach a sample of the run
    bench.lab.fault(f"client-slow={FRAME_MS}")
    run.wait_line(rf"{cell}: (invalid|failed): ", SOON_S)
    bench.lab.clear_fault("phone-hot")


@pytest.fixture(scope="module")
def night(bench):
    """One night with a mishap in each round."""
    bench.lab.fault(f"client-slow={FRAME_MS}")
    run = breaklib.BrokenRun(bench, *NIGHT, "--reps", str(len(MISHAPS)))
    try:
        for cell, mishap, _ in MISHAPS:
            strike(bench, run, cell, mishap)
        result = run.end()
    finally:
        bench.lab.clear_fault()
        if run.process.poll() is None:
            bench.processes.signal("coordinator", 9)
    assert result.code == 0, result
    return result


def attempts_of(result, cell):
    """Number -> verdict.json of the attempts that do not count."""
    found = (result.dir / "attempts" / cell).glob("a*/verdict.json")
    return {int(path.parent.name[1:]): json.loads(path.read_text(encoding="utf-8")) for path in found}


@pytest.mark.parametrize("cell, reason", [(cell, reason) for cell, _, reason in MISHAPS])
def test_a_mishap_spoils_its_cell_by_name(night, cell, reason):
    attempts = attempts_of(night, cell)
    row = rows(night)[cell]
    assert attempts[1]["reason"].startswith(reason) and attempts[1]["next_step"], attempts
    assert (row["verdict"], row["attempts"]) == ("measured", 2), row
    assert not any("for_the_sake_of" in verdict for verdict in attempts.values())


@pytest.mark.parametrize("cell", [cell for cell, _, _ in MISHAPS if "monolith" not in cell])
def test_it_goes_again_right_behind_its_rounds_reference(night, cell):
    beside = rows(night)[cell]["beside"]
    assert beside["id"] == f"openra/monolith-r{cell[-1]}", beside
    sake = attempts_of(night, beside["id"])[beside["attempt"]]
    assert sake["for_the_sake_of"] == cell and sake["verdict"] == "measured"
    assert rows(night)[beside["id"]]["attempts"] == 1, "the reference's own result stays"
    again = json.loads((night.dir / cell / "verdict.json").read_text(encoding="utf-8"))
    lines = [line for line in night.out.splitlines() if ": attempt " in line and "brackets" not in line
             and "setup" not in line]
    at = [i for i, line in enumerate(lines) if line.endswith(f" {cell}: attempt {again['attempt']}")]
    assert lines[at[0] - 1].split()[1] == f"{beside['id']}:", lines


def test_all_else_is_as_it_was(night):
    hit = {cell for cell, _, _ in MISHAPS}
    for cell, row in rows(night).items():
        assert row["verdict"] == "measured", row
        if cell not in hit:
            assert row["attempts"] == 1 and "beside" not in row, row
    for block, bracket in ((row["block"], row) for row in night.summary["brackets"]):
        assert bracket["verdict"] == "measured", (block, bracket)
    assert len(rows(night)) == 3 * len(MISHAPS)


def test_what_somebody_made_is_put_back_and_nothing_else_is_left(bench, night):  # noqa: ARG001
    """The route that the setup found when it was made again was somebody's own."""
    lablib.wait_until("the route is as it was found", lambda: VIA_PROXY[-1] in bench.route(), SOON_S)
    bench.lab.exec("wsl", "ip", "route", "del", VIA_PROXY[0])
    bench.assert_nothing_left()
