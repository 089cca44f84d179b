"""Clocks, temperatures, power and services of the lab phone, and who may see and change them."""

import re
import select
import shutil

import pytest

from lablib import wait_until
from phonelib import PACKAGE, SOON_S, TRACE_APP, Knobs, install_workload

pytestmark = pytest.mark.skipif(not shutil.which("adb"), reason="adb is not installed")

POLICY = "/sys/devices/system/cpu/cpufreq/policy7"
KGSL = "/sys/class/kgsl/kgsl-3d0"
BATTERY = "/sys/class/power_supply/battery"
BOOST = "/sys/kernel/msm_performance/parameters/cpu_max_freq"
ACTIVITY = f"{PACKAGE}/top.mobilegl.plugin.trace.TraceReplayActivity"


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    one = Knobs(tmp_path_factory.mktemp("state"))
    install_workload(one, tmp_path_factory.mktemp("fixtures"))
    yield one
    one.end()


@pytest.fixture
def phone(bench):
    yield bench
    bench.text(f"am force-stop {PACKAGE}")
    for fault in bench.faults.iterdir():
        fault.unlink()


def number(phone, path):
    return int(phone.text(f"cat {path}").split()[0])


def await_number(phone, path, wanted):
    wait_until(f"{path} says {wanted}", lambda: number(phone, path) == wanted, SOON_S)


def be_busy(phone):
    """A replay that stops at its second frame and stays."""
    phone.set("client-hang", "2")
    phone.text(f"am start -n {ACTIVITY} --es trace_path {TRACE_APP}/input/trace.trace "
               "--ez benchmark true")


def root(phone, command):
    done = phone.adb.shell(f"su -c '{command}'")
    assert done.returncode == 0, done
    return done.stdout.strip()


def test_nodes_are_where_a_phone_has_them(phone):
    types = phone.text("cat /sys/class/thermal/thermal_zone*/type").split()
    assert {"battery", "skin-therm", "gpuss-0", "cpu-1-4-0"} <= set(types)
    assert number(phone, f"{BATTERY}/temp") == 300
    assert phone.text(f"cat {BATTERY}/status") == "Charging"
    low, high = (number(phone, f"{POLICY}/cpuinfo_{end}_freq") for end in ("min", "max"))
    steps = phone.text(f"cat {POLICY}/scaling_available_frequencies").split()
    assert (int(steps[0]), int(steps[-1])) == (low, high)
    assert number(phone, f"{POLICY}/scaling_cur_freq") == low
    assert phone.text("cat /sys/devices/system/cpu/cpu7/cpufreq/scaling_governor") == "walt"
    assert number(phone, f"{KGSL}/gpuclk") == 231000000
    assert phone.text(f"cat {KGSL}/gpu_busy_percentage") == "0 %"


def test_an_unrooted_phone_hides_and_protects(phone):
    if "uids=real" not in phone.phone.ready:
        pytest.skip("this lab has a single user id")
    for path in (f"{POLICY}/cpuinfo_cur_freq", f"{KGSL}/gpu_clock_stats", f"{BATTERY}/current_now",
                 "/sys/class/thermal/thermal_zone6/temp"):
        done = phone.adb.shell(f"cat {path}")
        assert done.returncode == 1 and "Permission denied" in done.stderr, done
    done = phone.adb.shell(f"echo 1 > {POLICY}/scaling_max_freq")
    assert done.returncode != 0 and "Permission denied" in done.stderr
    assert phone.adb.shell("su -c id").returncode == 127
    assert "Must be root" in phone.adb.shell("stop thermal-engine").stderr
    assert phone.adb.shell("setprop ctl.stop thermal-engine").returncode == 1


def test_root_sees_pins_and_restores(phone):
    phone.set("phone-rooted")
    wait_until("su is there", lambda: phone.adb.shell("su 0 true").returncode == 0, SOON_S)
    assert root(phone, "id -u") == "0" and phone.text("su 0 id -u") == "0"
    assert phone.text("su shell -c id -u") == phone.text("id -u")
    assert int(root(phone, f"cat {POLICY}/cpuinfo_cur_freq")) > 0
    high = number(phone, f"{POLICY}/cpuinfo_max_freq")
    root(phone, f"echo 2035200 > {POLICY}/scaling_min_freq")
    root(phone, f"echo 2035200 > {POLICY}/scaling_max_freq")
    await_number(phone, f"{POLICY}/scaling_cur_freq", 2035200)
    root(phone, f"echo 9999999 > {POLICY}/scaling_max_freq")
    await_number(phone, f"{POLICY}/scaling_max_freq", high)  # the hardware's limit
    root(phone, f"echo 1 > {POLICY}/scaling_min_freq")
    await_number(phone, f"{POLICY}/scaling_min_freq", number(phone, f"{POLICY}/cpuinfo_min_freq"))
    root(phone, f"echo 680000000 > {KGSL}/max_gpuclk")
    await_number(phone, f"{KGSL}/thermal_pwrlevel", 1)  # as kgsl does
    root(phone, f"echo 903000000 > {KGSL}/max_gpuclk")
    await_number(phone, f"{KGSL}/thermal_pwrlevel", 0)
    phone.clear("phone-rooted")
    wait_until("su is gone", lambda: phone.adb.shell("su 0 true").returncode == 127, SOON_S)


def test_services_of_init(phone):
    phone.set("phone-rooted")
    wait_until("su is there", lambda: phone.adb.shell("su 0 true").returncode == 0, SOON_S)
    assert phone.text("getprop init.svc.thermal-engine") == "running"
    root(phone, "stop thermal-engine")
    assert phone.text("getprop init.svc.thermal-engine") == "stopped"
    root(phone, "setprop ctl.start thermal-engine")
    assert phone.text("getprop init.svc.thermal-engine") == "running"
    done = phone.adb.shell("su 0 stop hyperschedule_hal_service")
    assert done.returncode == 1 and "Unable to stop" in done.stderr


def test_a_vendors_service_takes_pins_back(phone):
    phone.set("phone-rooted")
    phone.set("phone-pin-override")
    wait_until("su is there", lambda: phone.adb.shell("su 0 true").returncode == 0, SOON_S)
    high = number(phone, f"{POLICY}/cpuinfo_max_freq")
    root(phone, f"echo 2035200 > {POLICY}/scaling_max_freq")
    wait_until("the service has struck", lambda: "clock limits are back" in phone.text(
        "logcat -d -s perf2-hal-1-0"), SOON_S)
    assert number(phone, f"{POLICY}/scaling_max_freq") == high
    root(phone, "stop perf2-hal-1-0")
    root(phone, f"echo 2035200 > {POLICY}/scaling_max_freq; sleep 1")
    assert number(phone, f"{POLICY}/scaling_max_freq") == 2035200
    root(phone, f"start perf2-hal-1-0; echo {high} > {POLICY}/scaling_max_freq")


def test_a_leftover_request_clamps_behind_a_good_pin(phone):
    phone.set("phone-rooted")
    phone.set("phone-clamped", "787200")
    wait_until("su is there", lambda: phone.adb.shell("su 0 true").returncode == 0, SOON_S)
    root(phone, f"echo performance > {POLICY}/scaling_governor")
    await_number(phone, f"{POLICY}/scaling_cur_freq", 787200)
    assert number(phone, f"{POLICY}/scaling_max_freq") > 787200
    assert "7:787200 " in phone.text(f"cat {BOOST}") + " "
    root(phone, f"echo 7:4294967295 > {BOOST}")
    await_number(phone, f"{POLICY}/scaling_cur_freq", number(phone, f"{POLICY}/scaling_max_freq"))
    root(phone, f"echo walt > {POLICY}/scaling_governor")


def test_clocks_follow_load_and_throttling(phone):
    be_busy(phone)
    await_number(phone, f"{POLICY}/scaling_cur_freq", number(phone, f"{POLICY}/cpuinfo_max_freq"))
    await_number(phone, f"{KGSL}/gpuclk", 903000000)
    phone.set("phone-throttled", "300")
    wait_until("throttled", lambda: number(phone, f"{POLICY}/scaling_max_freq") == 1286400, SOON_S)
    assert number(phone, f"{KGSL}/thermal_pwrlevel") == 3
    assert number(phone, f"{KGSL}/throttling") == 1
    assert "Thermal Status: 3" in phone.text("dumpsys thermalservice")
    phone.text(f"am force-stop {PACKAGE}")
    await_number(phone, f"{POLICY}/scaling_max_freq", number(phone, f"{POLICY}/cpuinfo_max_freq"))
    assert "Thermal Status: 0" in phone.text("dumpsys thermalservice")


def test_heat_and_power_agree_everywhere(phone):
    phone.set("phone-hot", "471")
    await_number(phone, f"{BATTERY}/temp", 471)
    assert "  temperature: 471\n" in phone.adb.shell("dumpsys battery").stdout
    assert "mValue=47.1, mType=2, mName=battery" in phone.text("dumpsys thermalservice")
    phone.set("phone-unplugged")
    wait_until("unplugged", lambda: phone.text(f"cat {BATTERY}/status") == "Discharging", SOON_S)
    assert number(phone, "/sys/class/power_supply/usb/online") == 0
    assert "USB powered: false" in phone.text("dumpsys battery")
    phone.clear("phone-hot")
    phone.clear("phone-unplugged")
    wait_until("cool", lambda: number(phone, f"{BATTERY}/temp") < 471, SOON_S)


def test_it_gets_warmer(phone):
    before = number(phone, f"{BATTERY}/temp")
    phone.set("phone-warming", "50")
    wait_until("a degree more", lambda: number(phone, f"{BATTERY}/temp") >= before + 10, SOON_S)
    phone.clear("phone-warming")
    wait_until("as before", lambda: number(phone, f"{BATTERY}/temp") < before + 10, SOON_S)


def test_nodes_missing_and_unreadable(phone):
    link = f"{KGSL}/gpu_busy_percentage"
    phone.set("phone-node-missing", link)
    wait_until("gone", lambda: "No such file" in phone.adb.shell(f"cat {link}").stderr, SOON_S)
    phone.set("phone-node-missing", KGSL)
    wait_until("all of it gone", lambda: phone.adb.shell(f"ls {KGSL}").returncode != 0, SOON_S)
    phone.clear("phone-node-missing")
    wait_until("back", lambda: phone.text(f"cat {link} 2>/dev/null || true") == "0 %", SOON_S)
    if "uids=real" in phone.phone.ready:
        phone.set("phone-node-unreadable", f"{BATTERY}/temp")
        wait_until("locked", lambda: "Permission denied" in
                   phone.adb.shell(f"cat {BATTERY}/temp").stderr, SOON_S)


def test_thermal_status_can_be_overridden(phone):
    phone.text("cmd thermalservice override-status 2")
    assert re.search(r"IsStatusOverride: true\n(.*\n)*Thermal Status: 2",
                     phone.text("dumpsys thermalservice"))
    phone.text("cmd thermalservice reset")
    assert "IsStatusOverride: false" in phone.text("dumpsys thermalservice")


def test_a_boot_forgets_pins(phone):
    phone.set("phone-rooted")
    wait_until("su is there", lambda: phone.adb.shell("su 0 true").returncode == 0, SOON_S)
    root(phone, f"echo 2035200 > {POLICY}/scaling_max_freq; stop thermal-engine")
    phone.set("phone-reboot", "100")
    phone.wait_taken("phone-reboot")
    phone.reconnect()
    assert number(phone, f"{POLICY}/scaling_max_freq") == number(phone,
                                                                 f"{POLICY}/cpuinfo_max_freq")
    assert phone.text("getprop init.svc.thermal-engine") == "running"
    assert [x["event"] for x in phone.journal() if x["event"].startswith("phone-")][-2:] == \
        ["phone-off", "phone-on"]


# --- a static helper, as the host worker brings one -------------------------------------------

def test_a_static_program_runs_as_the_shell_and_as_the_app(phone):
    static = shutil.which("mksh-static")
    assert phone.adb("push", static, "/data/local/tmp/helper").returncode == 0
    phone.text("chmod 755 /data/local/tmp/helper")
    assert phone.text("/data/local/tmp/helper -c 'echo $((6*7))'") == "42"
    phone.text(f"run-as {PACKAGE} cp /data/local/tmp/helper files/helper")
    phone.text(f"run-as {PACKAGE} chmod 700 files/helper")
    assert phone.text(f"run-as {PACKAGE} files/helper -c 'echo $((6*7))'") == "42"


def test_processes_as_the_app_and_as_the_shell_see_them(phone):
    if "uids=real" not in phone.phone.ready:
        pytest.skip("this lab has a single user id")
    be_busy(phone)
    pid = wait_until("the app", lambda: phone.adb.shell(f"pidof {PACKAGE}").stdout.split(), SOON_S)[0]
    assert "1" in phone.text("ls /proc").split()
    seen = [x for x in phone.text(f"run-as {PACKAGE} ls /proc").split() if x.isdigit()]
    assert pid in seen and "1" not in seen
    assert phone.text(f"run-as {PACKAGE} cat /proc/{pid}/task/{pid}/schedstat")
    side = "top.mobilegl.plugin.p14.trace"
    assert pid not in phone.text(f"run-as {side} ls /proc").split()


def test_the_app_user_can_watch_the_apps_files(phone):
    watch = phone.adb.popen("shell", f"run-as {PACKAGE} inotifyd - files:nd")
    try:
        def seen():
            phone.text(f"run-as {PACKAGE} sh -c 'rm -f files/watched; echo x > files/watched'")
            return select.select([watch.stdout], [], [], 0)[0]
        wait_until("the watcher has seen a file", seen, SOON_S)
        assert b"watched" in watch.stdout.readline()
    finally:
        watch.kill()
        watch.wait(SOON_S)
