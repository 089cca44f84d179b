"""What a run sets on the phone: read back, held, and put back on every way out, also when coordinator or
worker are killed at any point."""

import signal

import pytest

import benchlib
import lablib
from breaklib import broken  # noqa: F401
from matrixlib import ONE_ROUND, PACKAGE, arms, bench, facts_of, setting, states  # noqa: F401

CPUFREQ = "/sys/devices/system/cpu/cpufreq"
GPU = "/sys/class/kgsl/kgsl-3d0/devfreq"
SITE_CLOCKS = ("--set", f"phone.clocks.big={CPUFREQ}/policy7,{CPUFREQ}/policy5,{CPUFREQ}/policy2",
               "--set", f"phone.clocks.little={CPUFREQ}/policy0", "--set", f"phone.clocks.gpu={GPU}")
PINNED = (*SITE_CLOCKS, *setting("clocks", "sustained"),
          *setting("stop_services", "thermal-engine,perf2-hal-1-0"))
BIG_KHZ, LITTLE_KHZ, GPU_HZ = "2035200", "1574400", "680000000"
SHORT = (*setting("gate_timeout", "0s"), *setting("device_timeout", "10s"))
AT_WORK = "client-slow=300"  # long enough for some samples of a GPU at work
ONE_CELL = (*ONE_ROUND, *SHORT, *arms("inproc"))

NODES = [f"{CPUFREQ}/policy{n}/scaling_{end}_freq" for n in (0, 2, 5, 7) for end in ("min", "max")] + [
    f"{GPU}/min_freq", f"{GPU}/max_freq"]
READ = "; ".join([
    "settings get global stay_on_while_plugged_in",
    f"dumpsys deviceidle whitelist | grep -c {PACKAGE}",
    "logcat -g | sed 's/ (.*consumed)//'",
    "getprop init.svc.thermal-engine", "getprop init.svc.perf2-hal-1-0",
    *(f"cat {node}" for node in NODES)])


@pytest.fixture
def rooted(bench):
    """A phone with su; everything a run can set is as it was before."""
    bench.lab.fault("phone-rooted")
    before = lablib.wait_until("everything can be read", lambda: all_settings(bench), 20)
    yield before
    bench.lab.clear_fault()


def all_settings(bench):
    lines = bench.adb("shell", READ, check=False).stdout.split("\n")
    return lines if len(lines) > len(NODES) + 5 else None


def assert_put_back(bench, before):
    lablib.wait_until("the host worker's journal is empty", lambda: not list(
        (bench.lab.state / "host/journal").iterdir()), 40)
    assert all_settings(bench) == before
    bench.assert_nothing_left()


def hang_in_a_cell(bench, broken, *args):
    """A run whose app hangs in its cell, with all settings in force."""
    bench.lab.fault("client-hang=3,once")
    run = broken(*ONE_CELL, *PINNED, *args)
    run.wait_line(r"inproc-r1 state: ready")
    lablib.wait_until("the app hangs", lambda: "client-hang" not in bench.lab.faults(), 30)
    return run


# ---- in force, and put back ----


def test_everything_is_set_held_and_put_back(bench, rooted, broken):
    run = hang_in_a_cell(bench, broken, *setting("timeout", "3s"))
    now = all_settings(bench)
    result = run.end()
    assert result.cell("inproc")["reason"] == "client-timeout", result  # a failure is a way out, too
    assert now[:2] == ["7", "1"] and rooted[:2] == ["0", "0"]
    assert "16 MiB" in now[2] and "16 MiB" not in rooted[2]
    assert now[3:5] == ["stopped", "stopped"] and rooted[3:5] == ["running", "running"]
    assert now[5:13] == [LITTLE_KHZ] * 2 + [BIG_KHZ] * 6
    assert now[13:15] == [GPU_HZ] * 2
    table = (result.dir / "attempts/setup/a1/knobs.txt").read_text().splitlines()[1:]
    rows = [line.split("\t") for line in table]
    assert len(rows) == 2 + 1 + 8 + 2 + 3, table
    for knob, was, applied, at_end, back in rows:
        assert applied == at_end and back == "yes", knob
        assert (was == applied) == (knob == "clear-clamps"), knob  # nothing was left over
    assert_put_back(bench, rooted)


def test_cell_with_its_pins_held_is_measured(bench, rooted):
    bench.lab.fault(AT_WORK)
    result = bench.run(*ONE_CELL, *PINNED)
    row = result.cell("inproc")
    assert row["verdict"] == "measured", result
    held = {item["check"]: item["outcome"] for item in row["evidence"] if item["check"].endswith("held")}
    whats = ("cpu0", "cpu2", "cpu5", "cpu7", "gpu", "knobs")
    assert held == {f"{what} held": "ok" for what in whats}
    assert_put_back(bench, rooted)


def test_pins_of_a_run_of_a_moment_are_proved(bench, rooted):
    """Samples are taken while it is at work, not only once a second."""
    result = bench.run(*ONE_ROUND, *SHORT, *PINNED, *arms("monolith", "inproc", "shm"))
    for row in result.summary["runs"]:
        assert row["verdict"] == "measured", (row["reason"], row["text"])
        assert row["app_s"] < 1, row
    assert_put_back(bench, rooted)


def test_pin_that_a_service_overrides_voids_the_cell(bench, rooted):
    """200 ms after it was set: found before the cell when asked for, or in the clocks of the run."""
    bench.lab.fault("phone-pin-override=200")
    bench.lab.fault(AT_WORK)
    result = bench.run(*ONE_CELL, *SITE_CLOCKS, *setting("clocks", "sustained"))
    row = result.cell("inproc")
    assert row["verdict"] == "invalid" and row["reason"] in ("pin-overridden", "knob-lost"), result
    assert "cpu" in row["text"], row["text"]
    assert any(item["outcome"] == "bad" and item["check"].endswith("held")
               for item in row["evidence"]), row["evidence"]
    bench.lab.clear_fault("phone-pin-override")
    assert_put_back(bench, rooted)


def test_service_that_overrides_pins_can_be_stopped(bench, rooted):
    bench.lab.fault("phone-pin-override=200")
    bench.lab.fault(AT_WORK)
    result = bench.run(*ONE_CELL, *PINNED)
    assert states(result) == {"openra/inproc-r1": "measured"}, result
    bench.lab.clear_fault("phone-pin-override")
    assert_put_back(bench, rooted)


def test_leftover_clamp_is_cleared_before_the_pins(bench, rooted):
    """A request that acts below a pin without showing in cpufreq's limits."""
    bench.lab.fault("phone-clamped=1017600")
    bench.lab.fault(AT_WORK)
    result = bench.run(*ONE_CELL, *PINNED)
    row = result.cell("inproc")
    assert row["verdict"] == "measured", (row["reason"], row["text"])
    bench.lab.clear_fault("phone-clamped")
    assert_put_back(bench, rooted)


def test_phone_without_su_refuses_clocks_by_name(bench):
    before = all_settings(bench)
    result = bench.run(*ONE_CELL, *PINNED)
    assert states(result) == {"openra/inproc-r1": "run-stopped"}
    assert "thermal-engine" in result.out or "scaling_max_freq" in result.out, result
    assert all_settings(bench) == before
    bench.assert_nothing_left()


def test_restart_of_the_phone_is_followed_by_a_new_setup(bench, rooted):
    """Clocks, sizes and services are stock after it: they are set again before the cell is tried again."""
    bench.lab.fault("phone-reboot-at=300,once")
    bench.lab.fault(AT_WORK)
    # adb itself may need 10 s to find the phone again; who does not wait sees a lost phone, no restart.
    result = bench.run(*ONE_CELL, *PINNED, *setting("device_timeout", "30s"))
    bench.wait_phone()
    row = result.cell("inproc")
    assert row["verdict"] == "measured" and row["attempts"] == 2, result
    assert (result.dir / "attempts/setup/a2/knobs.txt").exists()
    assert_put_back(bench, rooted)


# ---- every way out ----


def test_interrupt_puts_back(bench, rooted, broken):
    run = hang_in_a_cell(bench, broken)
    bench.processes.signal("coordinator", signal.SIGINT)
    result = run.end()
    assert result.code == 4 and result.cell("inproc")["reason"] == "interrupted", result
    assert_put_back(bench, rooted)


def test_cancel_puts_back(bench, rooted, broken):
    run = hang_in_a_cell(bench, broken)
    bench.lab.exec("wsl", benchlib.MGCOORD, "cancel", "--site", bench.site)
    result = run.end()
    assert result.code == 4 and result.cell("inproc")["reason"] == "interrupted", result
    assert_put_back(bench, rooted)


MOMENTS = {
    "setup": r"setup knobs: ready",
    "cell": None,
    "end": r"close: attempt 1",
}


def at_moment(bench, broken, moment):
    if moment == "cell":
        return hang_in_a_cell(bench, broken)
    run = broken(*ONE_CELL, *PINNED)
    run.wait_line(MOMENTS[moment])
    return run


@pytest.mark.parametrize("moment", MOMENTS)
def test_kill_of_the_coordinator_puts_back(bench, rooted, broken, moment):
    run = at_moment(bench, broken, moment)
    bench.processes.signal("coordinator", signal.SIGKILL)
    run.process.wait(60)
    assert_put_back(bench, rooted)


@pytest.mark.parametrize("moment", MOMENTS)
def test_kill_of_the_host_worker_puts_back(bench, rooted, broken, moment):
    """It is started again, undoes what its journal has, and the run goes on with a new setup."""
    bench.lab.fault(AT_WORK)
    run = at_moment(bench, broken, moment)
    bench.processes.signal("host worker", signal.SIGKILL)
    result = run.end()
    if moment == "cell":
        row = result.cell("inproc")
        assert row["verdict"] == "measured" and row["attempts"] == 2, result
    assert_put_back(bench, rooted)


def test_kill_of_both_puts_back_once_the_worker_is_there_again(bench, rooted, broken):
    run = hang_in_a_cell(bench, broken)
    bench.processes.signal("coordinator", signal.SIGKILL)
    bench.processes.signal("host worker", signal.SIGKILL)
    run.process.wait(60)
    assert_put_back(bench, rooted)
    bench.assert_next_run_is_clean()


def test_pins_without_root_say_what_to_do(bench):
    result = bench.run(*ONE_CELL, *SITE_CLOCKS, *setting("clocks", "sustained"))
    assert result.code == 3, result
    assert "no-root" in result.out or "root the phone" in result.out, result
    assert "clocks: free" in " ".join(result.out.split()), result
