"""The lab phone's own fault knobs and latency profiles, seen through Debian's adb."""

import pathlib
import re
import shutil
import time

import pytest

import phonelib
from lablib import wait_until
from phonelib import SERVICE, SERVER_NAME, Knobs, free_port, pids_on_phone

pytestmark = pytest.mark.skipif(not shutil.which("adb"), reason="adb is not installed")

SOON_S = 30
START = f"am start-foreground-service -n {SERVICE} --es listen tcp://127.0.0.1:{free_port()}"


@pytest.fixture
def knobs(tmp_path_factory):
    made = []

    def make(*options):
        made.append(Knobs(tmp_path_factory.mktemp("knobs"), *options))
        return made[-1]

    yield make
    for one in made:
        one.end()


def test_one_drop_of_adb_is_back_at_once(knobs):
    one = knobs()
    boot = one.text("getprop ro.mglab.boot")
    one.set("phone-adb-drop", "once")
    one.wait_taken("phone-adb-drop")
    wait_until("adb has noticed", lambda: one.state() != "device", SOON_S)
    one.reconnect()
    assert one.text("getprop ro.mglab.boot") == boot


def test_adb_is_away_until_cleared(knobs):
    one = knobs()
    one.set("phone-adb-drop", "ever")
    wait_until("adb has noticed", lambda: one.state() != "device", SOON_S)
    one.adb.host("disconnect", one.phone.serial)
    assert "refused" in one.adb.host("connect", one.phone.serial).stdout
    assert one.is_set("phone-adb-drop")
    one.clear("phone-adb-drop")
    one.reconnect()


def test_adb_comes_back_by_itself_after_a_time(knobs):
    one = knobs()
    one.set("phone-adb-drop", "300")
    one.wait_taken("phone-adb-drop")
    one.reconnect()


def test_restart_forgets_what_a_phone_forgets(knobs):
    one = knobs()
    boot_id = one.text("cat /proc/sys/kernel/random/boot_id")
    boot = one.text("getprop ro.mglab.boot")
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", boot_id)
    assert boot_id != pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    one.text("setprop debug.mgl 7 && echo kept > /data/local/tmp/file && log -t before restart")
    one.text(START)
    wait_until("the server runs", lambda: pids_on_phone(one.adb, SERVER_NAME), SOON_S)
    one.set("phone-reboot", "200")
    one.wait_taken("phone-reboot")
    one.reconnect()
    assert one.text("cat /proc/sys/kernel/random/boot_id") != boot_id
    assert one.text("getprop ro.mglab.boot") != boot
    assert one.text("getprop debug.mgl") == ""
    assert one.text("cat /data/local/tmp/file") == "kept"
    assert pids_on_phone(one.adb, SERVER_NAME) == []
    assert "restart" not in one.text("logcat -d -s before")


def test_a_phone_that_is_off_boots_when_cleared(knobs):
    one = knobs()
    boot_id = one.text("cat /proc/sys/kernel/random/boot_id")
    one.set("phone-hot")
    one.set("phone-gone")
    wait_until("adb has noticed", lambda: one.state() != "device", SOON_S)
    one.clear("phone-gone")
    one.reconnect()
    assert one.text("cat /proc/sys/kernel/random/boot_id") != boot_id
    assert "temperature: 480" in one.text("dumpsys battery"), "what is set outlives a restart"


def test_power_and_heat_are_what_dumpsys_says(knobs):
    one = knobs()
    assert "USB powered: true" in one.text("dumpsys battery")
    for name in ("phone-unplugged", "phone-screen-off"):
        one.set(name)
    one.set("phone-hot", "455")
    wait_until("the battery is hot", lambda: "temperature: 455" in one.text("dumpsys battery"),
               SOON_S)
    assert "USB powered: false" in one.text("dumpsys battery")
    assert one.text("input keyevent KEYCODE_WAKEUP") == ""
    power = one.text("dumpsys power")
    assert "mWakefulness=Asleep" in power and "mIsPowered=false" in power
    for name in ("phone-unplugged", "phone-screen-off", "phone-hot"):
        one.clear(name)
    wait_until("all is as before", lambda: "mIsPowered=true" in one.text("dumpsys power") and
               "mWakefulness=Awake" in one.text("dumpsys power") and
               "temperature: 300" in one.text("dumpsys battery"), SOON_S)


def test_full_disk_and_back(knobs, tmp_path):
    one = knobs()
    one.text("echo old > /data/local/tmp/old")
    one.set("phone-disk-full")
    wait_until("the disk is full", lambda: one.adb.shell(
        "echo x > /data/local/tmp/new").returncode != 0, SOON_S)
    assert "No space left" in one.adb.shell("echo x > /data/local/tmp/new").stderr
    (tmp_path / "push").write_text("x")
    assert one.adb("push", tmp_path / "push", "/data/local/tmp/push").returncode != 0
    done = one.adb.shell(f"run-as {phonelib.PACKAGE} sh -c 'echo x > files/new'")
    assert done.returncode != 0 and "No space left" in done.stderr
    one.clear("phone-disk-full")
    wait_until("there is room again", lambda: one.adb.shell(
        "cat /data/local/tmp/old").stdout == "old\n", SOON_S)


def test_killed_app_and_one_that_cannot_be_stopped(knobs):
    one = knobs()
    one.text(START)
    wait_until("the server runs", lambda: pids_on_phone(one.adb, SERVER_NAME), SOON_S)
    one.set("app-kill")
    one.wait_taken("app-kill")
    wait_until("it is killed", lambda: not pids_on_phone(one.adb, SERVER_NAME), SOON_S)
    one.text(START)
    pids = wait_until("it runs again", lambda: pids_on_phone(one.adb, SERVER_NAME), SOON_S)
    one.set("app-survives-stop")
    one.text(f"am force-stop {phonelib.PACKAGE}")
    assert pids_on_phone(one.adb, SERVER_NAME) == pids
    one.clear("app-survives-stop")
    one.text(f"am force-stop {phonelib.PACKAGE}")
    assert pids_on_phone(one.adb, SERVER_NAME) == []
    one.set("server-start-ignored", "once")
    one.text(START)
    assert not one.is_set("server-start-ignored")
    assert pids_on_phone(one.adb, SERVER_NAME) == []
    assert "already running" in one.text("logcat -d -s MobileGLServer")


def test_flood_of_the_log_is_numbered(knobs):
    one = knobs()
    one.set("phone-log-flood", "3000,once")
    one.text(f"logcat -G 8M && {START}")
    wait_until("the last line is there",
               lambda: "flood line 3000 of 3000" in one.text("logcat -d -s mglab-flood"), SOON_S)
    lines = re.findall(r"flood line (\d+) of", one.text("logcat -d -s mglab-flood"))
    assert [int(number) for number in lines] == list(range(1, 3001))
    assert not one.is_set("phone-log-flood")


def test_profile_costs_what_it_says(knobs):
    """Lower bounds only: the machine may always be slower."""
    one = knobs("--latency", "usb")

    def seconds(work):
        begin = time.monotonic()
        work()
        return time.monotonic() - begin

    one.text("head -c 6000000 /dev/zero > /data/local/tmp/big")
    assert seconds(lambda: [one.text("true") for _ in range(5)]) >= 5 * 0.020
    assert seconds(lambda: one.text(START)) >= 0.300
    out = one.phone.folder / "big"
    assert seconds(lambda: one.adb("pull", "/data/local/tmp/big", str(out))) >= 0.18
    assert out.stat().st_size == 6000000
    one.set("phone-latency", "none")
    wait_until("the knob wins over the option", lambda: "phone-latency=none" in one.text(
        "logcat -d -s mgphone"), SOON_S)
    assert out.stat().st_size == 6000000


def test_stream_that_is_given_up_while_it_opens(knobs):
    """The host closes it, or the connection breaks, before the profile's time is over."""
    one = knobs("--latency", "wifi")
    for _ in range(5):
        one.adb.popen("shell", "true").kill()
    one.set("phone-adb-drop", "once")
    one.wait_taken("phone-adb-drop")
    one.reconnect()
    assert one.text("echo alive") == "alive"


def test_unknown_profile_is_refused(tmp_path):
    done = phonelib.subprocess.run(
        [phonelib.MGPHONE, "--data", tmp_path, "--latency", "usb3"], capture_output=True, text=True,
        timeout=SOON_S)
    assert done.returncode == 2 and "none, usb or wifi" in done.stderr

