"""The host worker's tasks of an on-phone cell, each by itself, through Debian's adb and the lab phone."""

import hashlib
import os
import subprocess
import time

import pytest

from test_host_adb import DEADLINE_S, DRIVER, FILES, PACKAGE, Task, phone, server, shared_phone  # noqa: F401
from lablib import wait_until


# ---- host.quiesce ------------------------------------------------------------------------------------


def quiesce(phone, **params):
    given = {"packages": PACKAGE, "package": PACKAGE, "gate_timeout_ms": 0}
    given.update(params)
    return Task(phone, "host.quiesce", **given)


def as_app(phone, script):
    return phone.shell("run-as", PACKAGE, "sh", "-c", script)


def test_quiesce_stops_and_removes_in_one_stream(phone):
    running, _ = server(phone, state="server-state")
    running.ready()
    as_app(phone, "mkdir -p files/trace-replay/output && cd files && echo x >mgl.client.log && "
           "echo x >trace-replay/output/result.json && echo x >trace-replay/output/.hidden && "
           "echo x >trace-replay/keep")
    task = quiesce(phone)
    assert task.result()[0] == "ok"
    assert task.facts["gate"] == "ok"
    assert task.facts["adb_streams"] == "1"
    assert int(task.facts["removed"]) >= 3
    assert int(task.facts["free_bytes"]) > 0
    assert task.facts["power_source"] == "usb"
    assert len(task.facts["boot_id"]) == 36
    assert task.facts["app_stamp"].startswith(f"package:/data/app/{PACKAGE}/base.apk lastUpdateTime=")
    assert phone.servers() == []
    left = as_app(phone, "ls -a files/trace-replay/output files/trace-replay files").split()
    assert "keep" in left and not {"result.json", ".hidden", "mgl.client.log"} & set(left)
    running.result()
    again = quiesce(phone)
    assert again.result()[0] == "ok"
    assert again.facts["removed"] in ("0", "1")  # the server's log, pulled by its own task


GATES = [
    ({"temp_max_dc": 400}, {"phone-hot": "480"}, "hot"),
    ({"temp_min_dc": 900}, {}, "cold"),
    ({"power": "plugged"}, {"phone-unplugged": "1"}, "unplugged"),
    ({"stay_awake": "99"}, {}, "stay-awake-off"),
    ({}, {"phone-screen-off": "1"}, "asleep"),
    ({"temp_max_dc": 400, "power": "plugged"}, {}, "ok"),
]


def test_quiesce_wakes_the_phone(phone):
    phone.shell("input", "keyevent", "KEYCODE_SLEEP")
    assert "mWakefulness=Asleep" in phone.shell("dumpsys", "power")
    task = quiesce(phone)
    assert task.result()[0] == "ok"
    assert task.facts["wakefulness"] == "Awake"
    assert "mWakefulness=Awake" in phone.shell("dumpsys", "power")


def test_quiesce_names_knobs_that_were_lost(phone, monkeypatch):
    assert "knobs_lost" not in quiet_facts(phone)
    phone.fault("phone-rooted", "1")
    cap = "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq"
    wait_until("root", lambda: phone.shell("su", "-c", "id", ok=False), DEADLINE_S)
    now = phone.shell("cat", cap).strip()
    good = f"sysfs {cap} {now}\nsetting global mgc_test 1"
    lost = f"sysfs {cap}.none 1\nsysfs {cap} 5"
    phone.shell("settings", "put", "global", "mgc_test", "1")
    monkeypatch.setitem(phone.env, "HELD_SERIAL", phone.serial)
    monkeypatch.setitem(phone.env, "HELD_KNOBS", good)
    assert quiet_facts(phone)["knobs_lost"] == ""
    phone.env["HELD_KNOBS"] = f"{good}\n{lost}"
    phone.shell("settings", "put", "global", "mgc_test", "2")
    facts = quiet_facts(phone)
    assert facts["knobs_lost"] == "; ".join(["setting global mgc_test 1", *lost.split("\n")])
    assert facts["adb_streams"] == "1"
    phone.shell("settings", "delete", "global", "mgc_test")


def quiet_facts(phone):
    task = quiesce(phone)
    assert task.result() == ("ok", "")
    return task.facts


@pytest.mark.parametrize("params,faults,gate", GATES, ids=[row[2] for row in GATES])
def test_quiesce_tells_the_gate(phone, params, faults, gate):
    for name, value in faults.items():
        phone.fault(name, value)
    # The phone sees its knobs a moment after they are set.
    wait_until(f"gate {gate}", lambda: run_gate(phone, params) == gate, DEADLINE_S)


def run_gate(phone, params):
    task = quiesce(phone, **params)
    code, text = task.result()
    gate = task.facts["gate"]
    assert code == ("ok" if gate == "ok" else "timeout"), text
    assert task.facts.get("failure", "ok") == gate
    return gate


def test_quiesce_waits_for_a_cool_battery(phone):
    phone.fault("phone-hot", "480")
    wait_until("a hot battery", lambda: run_gate(phone, {"temp_max_dc": 400}) == "hot", DEADLINE_S)
    task = quiesce(phone, temp_max_dc=400, gate_timeout_ms=60000)
    (phone.faults / "phone-hot").unlink()
    assert task.result()[0] == "ok"
    assert task.facts["gate"] == "ok"
    assert task.facts["adb_streams"] == "1"


def test_quiesce_says_what_it_waits_for(phone):
    """At once, and again when it has changed: the value, the band and the limit."""
    phone.fault("phone-hot", "480")
    wait_until("a hot battery", lambda: run_gate(phone, {"temp_max_dc": 400}) == "hot", DEADLINE_S)
    task = quiesce(phone, temp_min_dc=50, temp_max_dc=400, gate_timeout_ms=60000, gate_period_ms=100)
    said = "text=for 5.0 to 40.0 C, battery {} C, 60 s at most"
    assert task.line() == ["event", "waiting", said.format("48.0")]
    phone.fault("phone-hot", "451")
    assert task.line() == ["event", "waiting", said.format("45.1")]
    (phone.faults / "phone-hot").unlink()
    assert task.result()[0] == "ok"


def test_quiesce_ends_its_wait_when_told_to_stop(phone):
    phone.fault("phone-hot", "480")
    wait_until("a hot battery", lambda: run_gate(phone, {"temp_max_dc": 400}) == "hot", DEADLINE_S)
    task = quiesce(phone, temp_max_dc=400, gate_timeout_ms=3600000)
    task.say("stop")
    assert task.result()[0] == "cancelled"


def test_quiesce_refuses_what_survives(phone):
    running, _ = server(phone, state="server-state")
    running.ready()
    phone.fault("app-survives-stop")
    task = quiesce(phone)
    code, text = task.result()
    assert code == "busy" and "still there" in text
    (phone.faults / "app-survives-stop").unlink()
    running.say("finish")
    running.result()


# ---- host.knobs --------------------------------------------------------------------------------------


def knobs(phone, *lines):
    return Task(phone, "host.knobs", knobs="\n".join(lines))


def undo_after_kill(phone):
    """What the worker does when it is started again; how many entries are left."""
    done = subprocess.run([DRIVER, phone.work / "state", "undo"], env=phone.env, text=True,
                          capture_output=True, timeout=DEADLINE_S)
    assert done.returncode == 0, done.stdout + done.stderr
    return int(done.stdout.split("\n")[0].split("\t")[1])


def setting(phone, name):
    return phone.shell("settings", "get", "global", name).strip()


def whitelist(phone):
    return phone.shell("cmd", "deviceidle", "whitelist")


def ring(phone):
    return phone.shell("logcat", "-g").split(" (")[0]


ALL = ["setting global mgc_test_absent 5", "setting global mgc_test_there 6", "stay-on usb",
       f"doze-exempt {PACKAGE}", "log-buffer 3M"]


@pytest.fixture
def stock(phone):
    """A phone whose knobs are where the tests expect them."""
    phone.shell("settings", "delete", "global", "mgc_test_absent")
    phone.shell("settings", "put", "global", "mgc_test_there", "1")
    phone.shell("settings", "put", "global", "stay_on_while_plugged_in", "0")
    phone.shell("cmd", "deviceidle", "whitelist", f"-{PACKAGE}", ok=False)
    phone.shell("logcat", "-G", "2M")
    return phone


def check_applied(phone):
    assert setting(phone, "mgc_test_absent") == "5"
    assert setting(phone, "mgc_test_there") == "6"
    assert setting(phone, "stay_on_while_plugged_in") == "2"
    assert PACKAGE in whitelist(phone)
    assert ring(phone).endswith("3 MiB")


def check_stock(phone):
    assert setting(phone, "mgc_test_absent") == "null"
    assert setting(phone, "mgc_test_there") == "1"
    assert setting(phone, "stay_on_while_plugged_in") == "0"
    assert PACKAGE not in whitelist(phone)
    assert ring(phone).endswith("2 MiB")


def test_knobs_are_applied_and_put_back(stock):
    task = knobs(stock, *ALL)
    ready = task.ready()
    assert ready["knob.1"] == "applied 5 (was null)"
    assert ready["knob.1.what"].startswith("setting global ")
    check_applied(stock)
    task.say("finish")
    assert task.result() == ("ok", "")
    assert task.journal == 0
    assert task.facts["knob.4"] == "applied exempt (was not-exempt)"
    assert task.facts["knob.5"] == "applied main=3145728 (was main=2097152)"
    table = task.artifacts["knobs.txt"].read_text().splitlines()
    assert len(table) == 6 and all(line.endswith("\tyes") for line in table[1:])
    check_stock(stock)


def test_knobs_are_put_back_when_cancelled(stock):
    task = knobs(stock, *ALL)
    task.ready()
    task.say("stop")
    assert task.result()[0] == "cancelled"
    assert task.journal == 0
    check_stock(stock)


def test_knobs_are_put_back_after_a_kill(stock):
    task = knobs(stock, *ALL)
    task.ready()
    task.process.kill()
    task.process.wait(DEADLINE_S)
    check_applied(stock)
    assert undo_after_kill(stock) == 0
    check_stock(stock)
    assert undo_after_kill(stock) == 0


def test_a_knob_that_was_right_stays(stock):
    stock.shell("cmd", "deviceidle", "whitelist", f"+{PACKAGE}")
    task = knobs(stock, f"doze-exempt {PACKAGE}", "setting global mgc_test_there 1")
    task.ready()
    task.say("finish")
    assert task.result()[0] == "ok"
    assert PACKAGE in whitelist(stock)
    assert setting(stock, "mgc_test_there") == "1"


def test_a_knob_that_changes_meanwhile_is_told(stock):
    task = knobs(stock, "setting global mgc_test_there 6")
    task.ready()
    stock.shell("settings", "put", "global", "mgc_test_there", "9")
    task.say("finish")
    assert task.result()[0] == "ok"
    assert task.facts["knob.1"] == "applied 6 (was 1), at the end 9"
    assert setting(stock, "mgc_test_there") == "1"


def test_a_knob_that_is_not_there_fails_closed(stock):
    task = knobs(stock, "setting global mgc_test_there 6", "sysfs /sys/devices/no/such/node 1")
    code, text = task.result()
    assert code in ("not-found", "denied") and "/sys/devices/no/such/node" in text
    assert task.journal == 0
    assert setting(stock, "mgc_test_there") == "1"


def test_a_knob_that_the_phone_refuses_fails_closed(stock):
    task = knobs(stock, "setting global mgc_test_there 6", "doze-exempt not.installed.app")
    code, text = task.result()
    assert code in ("not-found", "denied", "failed") and "not.installed.app" in text
    assert task.journal == 0
    assert setting(stock, "mgc_test_there") == "1"


# ---- host.fixtures -----------------------------------------------------------------------------------

PNG = b"\x89PNG\r\n\x1a\n" + b"picture" + b"\0\0\0\0IEND\xaeB`\x82"


def fixtures(phone, **params):
    given = {"package": PACKAGE, "dir": "input-test"}
    given.update(params)
    return Task(phone, "host.fixtures", **given)


@pytest.fixture
def inputs(phone, tmp_path):
    as_app(phone, "rm -rf files/trace-replay/input-test")
    (tmp_path / "a.trace").write_bytes(b"MGLABTRC" + bytes(range(256)) * 8192)
    (tmp_path / "a.png").write_bytes(PNG)
    return tmp_path


def in_app(phone):
    return as_app(phone, "ls -a files/trace-replay/input-test 2>/dev/null; true").split()[2:]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_fixtures_are_pushed_once(helper, inputs):
    given = {"trace": inputs / "a.trace", "golden": inputs / "a.png"}
    first = fixtures(helper, **given)
    assert first.result() == ("ok", "")
    assert first.facts["trace_sha256"] == digest(inputs / "a.trace")
    assert first.facts["golden_bytes"] == str(len(PNG))
    assert (first.facts["trace_pushed"], first.facts["golden_pushed"]) == ("true", "true")
    assert first.journal == 0
    assert sorted(in_app(helper)) == ["golden.png", "trace.trace"]
    again = fixtures(helper, **given)
    assert again.result()[0] == "ok"
    assert (again.facts["trace_pushed"], again.facts["golden_pushed"]) == ("false", "false")
    assert again.facts["adb_streams"] == "1"
    (inputs / "a.trace").write_bytes(b"another one")
    changed = fixtures(helper, **given)
    assert changed.result()[0] == "ok"
    assert (changed.facts["trace_pushed"], changed.facts["golden_pushed"]) == ("true", "false")
    assert as_app(helper, "cat files/trace-replay/input-test/trace.trace") == "another one"


def test_fixtures_of_the_phone_are_looked_at(helper, inputs):
    none = fixtures(helper)
    assert none.result()[0] == "not-found"
    assert fixtures(helper, trace=inputs / "a.trace").result()[0] == "ok"
    there = fixtures(helper)
    assert there.result()[0] == "ok"
    assert there.facts["trace_sha256"] == digest(inputs / "a.trace")
    assert "golden_sha256" not in there.facts
    as_app(helper, "echo 'version https://git-lfs.github.com/spec/v1' "
           ">files/trace-replay/input-test/trace.trace")
    code, text = fixtures(helper).result()
    assert code == "config" and "LFS pointer" in text


WRONG = [("lfs", b"version https://git-lfs.github.com/spec/v1\noid\n", "LFS pointer"),
         ("empty", b"", "is empty"), ("cut", b"at\x09\0\0\0abc", "cut off")]


@pytest.mark.parametrize("name,data,words", WRONG, ids=[row[0] for row in WRONG])
def test_a_wrong_fixture_is_named_before_it_is_pushed(phone, inputs, name, data, words):
    path = inputs / "wrong.trace"
    path.write_bytes(data)
    task = fixtures(phone, trace=path)
    code, text = task.result()
    assert code == "config" and words in text and "wrong.trace" in text
    assert task.facts["adb_streams"] == "0"


def test_an_archive_is_refused(phone, inputs):
    path = inputs / "openra.tgz"
    path.write_bytes(b"\x1f\x8b")
    code, text = fixtures(phone, trace=path).result()
    assert code == "config" and "unpack it" in text


def test_a_fixture_that_finds_no_room(helper, inputs):
    (inputs / "big.trace").write_bytes(os.urandom(40_000_000))
    helper.fault("phone-disk-full")
    wait_until("a full disk", lambda: helper.mgadb("shell", "sh", "-c", "echo x >/data/local/tmp/x",
                                                  ok=False).returncode, DEADLINE_S)
    task = fixtures(helper, trace=inputs / "big.trace")
    code, text = task.result()
    assert code == "no-space", text
    assert in_app(helper) == []


def test_a_push_that_was_cut_off_is_gone_on_with(helper, inputs):
    big = inputs / "big.trace"
    with open(big, "wb") as file:
        file.write(os.urandom(1_000_000))
        file.truncate(200_000_000)  # takes a while
    task = fixtures(helper, trace=big)
    wait_until("a part", lambda: "trace.trace.part" in in_app(helper), DEADLINE_S)
    task.process.kill()
    task.process.wait(DEADLINE_S)
    assert in_app(helper) == ["trace.trace.part"]
    again = fixtures(helper, trace=big)
    assert again.result() == ("ok", "")
    assert 0 < int(again.facts["trace_resumed_bytes"]) <= 200_000_000
    assert again.facts["trace_sha256"] == digest(big)
    assert in_app(helper) == ["trace.trace"]
    as_app(helper, "rm -rf files/trace-replay/input-test")


def test_a_part_of_another_file_is_sent_anew(helper, inputs):
    as_app(helper, "mkdir -p files/trace-replay/input-test && "
           "echo other >files/trace-replay/input-test/trace.trace.part")
    task = fixtures(helper, trace=inputs / "a.trace")
    assert task.result() == ("ok", "")
    assert "trace_resumed_bytes" not in task.facts
    assert as_app(helper, "sha256sum <files/trace-replay/input-test/trace.trace").split()[0] == digest(
        inputs / "a.trace")
    assert in_app(helper) == ["trace.trace"]


# ---- host.app ----------------------------------------------------------------------------------------


def test_app_is_told_in_one_stream(phone):
    task = Task(phone, "host.app", package=PACKAGE)
    assert task.result() == ("ok", "")
    assert task.facts["debuggable"] == "true"
    assert task.facts["adb_streams"] == "1"
    assert task.facts["version"] == f"lab-{task.facts['version_code']}"
    assert len(task.facts["apk_sha256"]) == len(task.facts["library_sha256"]) == 64
    assert task.facts["library_path"].endswith("/libMobileGL.so")
    assert task.facts["pid_alive"] in ("true", "false")
    assert task.facts["library_in_apk"] == "false" and "split_sha256" not in task.facts
    again = quiesce(phone)
    assert again.result()[0] == "ok"
    assert task.facts["app_stamp"] == again.facts["app_stamp"]


def test_an_app_that_is_not_there(phone):
    task = Task(phone, "host.app", package="not.installed.app")
    code, text = task.result()
    assert code == "not-found" and "not.installed.app" in text


# ---- host.state --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def helper_there(shared_phone):
    """host.helper holds, with a state of its own: other tasks' journals stay theirs."""
    task = Task(shared_phone, "host.helper", deadline_s=3600, state="helper-state",
                packages=PACKAGE)
    task.ready()
    yield
    task.say("finish")
    task.result()


@pytest.fixture
def helper(phone, helper_there):
    return phone


def rows_of(task):
    lines = task.artifacts["device-state.csv"].read_text().splitlines()
    assert lines[0] == "# mgdevice state period_ms=100 clock=monotonic"
    names = lines[1].split(",")
    return [dict(zip(names, line.split(","), strict=True)) for line in lines[2:]]


def state(phone, **params):
    return Task(phone, "host.state", **{"period_ms": 100, **params})


def test_state_is_sampled_while_it_holds(helper):
    task = state(helper)
    task.ready()
    time.sleep(1)  # what it samples is time
    task.say("finish")
    assert task.result() == ("ok", "")
    rows = rows_of(task)
    assert len(rows) == int(task.facts["samples"]) >= 2
    assert rows[0]["t_ns"] == task.facts["start_mono_ns"]
    assert task.facts["adb_streams"] == "1"
    assert int(task.facts["sampler_cpu_ms"]) >= 0
    assert all(int(row["mem_available_kb"]) > 0 for row in rows)
    for name in task.facts["nodes_unreadable"].split(","):
        assert all(row[name] == "" for row in rows)


def test_state_is_sampled_when_a_run_begins_and_ends(helper):
    """However far the next row is: six closer and closer to the run's begin, one at its end."""
    task = state(helper, period_ms=60000)
    task.ready()
    task.say("begins")
    time.sleep(1.5)  # what it samples is time
    task.say("ends")
    task.say("finish")
    assert task.result() == ("ok", "")
    times = [int(line.split(",")[0]) for line in
             task.artifacts["device-state.csv"].read_text().splitlines()[2:]]
    assert len(times) == int(task.facts["samples"]) == 1 + 6 + 1
    assert task.facts["late"] == "0" and task.facts["adb_streams"] == "1"
    since_ms = [(at - times[1]) / 1e6 for at in times[1:7]]
    due_ms = [0, 40, 120, 280, 600, 1240]
    assert all(at >= due - 1 for at, due in zip(since_ms, due_ms, strict=True)), since_ms


def test_state_keeps_its_rows_when_cancelled(helper):
    task = state(helper)
    task.ready()
    time.sleep(0.5)
    task.say("stop")
    assert task.result()[0] == "cancelled"
    assert len(rows_of(task)) == int(task.facts["samples"]) >= 1


def test_state_goes_on_after_a_broken_stream(helper):
    task = state(helper)
    task.ready()
    helper.fault("phone-adb-drop", "once")
    wait_until("the drop", lambda: not (helper.faults / "phone-adb-drop").exists(), DEADLINE_S)
    wait_until("the phone", lambda: helper.mgadb("shell", "true", ok=False).returncode == 0,
               DEADLINE_S)
    time.sleep(1)
    task.say("finish")
    assert task.result()[0] == "ok"
    assert int(task.facts["adb_streams"]) >= 2
    assert len(rows_of(task)) >= 3


# ---- knobs that need root ----------------------------------------------------------------------------

POLICY = "/sys/devices/system/cpu/cpufreq/policy0"


def node(phone, path):
    return phone.shell("cat", path).strip()


@pytest.fixture
def rooted(phone):
    if phone.shell("id", "-u").strip() == "0":
        pytest.skip("the shell of this phone is root")
    phone.fault("phone-rooted")
    wait_until("su", lambda: phone.mgadb("shell", "sh", "-c", "su -c true", ok=False).returncode == 0,
               DEADLINE_S)
    return phone


def pins(phone):
    lowest = node(phone, f"{POLICY}/scaling_available_frequencies").split()[0]
    return lowest, [f"sysfs {POLICY}/scaling_max_freq {lowest}",
                    f"sysfs {POLICY}/scaling_governor performance", "service-stop thermal-engine"]


def test_a_leftover_clamp_is_cleared_and_put_back(rooted):
    cap = "/sys/kernel/msm_performance/parameters/cpu_max_freq"
    rooted.fault("phone-clamped", "1286400")
    wait_until("the clamp", lambda: "1286400" in node(rooted, cap), DEADLINE_S)
    before = node(rooted, cap)
    task = knobs(rooted, "clear-clamps")
    task.ready()
    assert "1286400" not in node(rooted, cap)
    task.say("finish")
    assert task.result() == ("ok", "")
    assert node(rooted, cap) == before


def test_a_limit_that_a_pin_cut_is_put_back(rooted):
    """The kernel cuts a lower limit to the upper one: what is read of it after the pin is not stock."""
    pin, second = node(rooted, f"{POLICY}/scaling_available_frequencies").split()[:2]
    low = f"{POLICY}/scaling_min_freq"
    stock = node(rooted, low)
    rooted.shell("su", "-c", f"echo {second} >{low}")
    assert node(rooted, low) == second
    task = knobs(rooted, f"sysfs {POLICY}/scaling_max_freq {pin}", f"sysfs {low} {pin}")
    task.ready()
    assert node(rooted, low) == pin
    task.say("finish")
    assert task.result() == ("ok", "")
    assert task.facts["knob.2"] == f"applied {pin} (was {second})"
    assert task.journal == 0
    assert node(rooted, low) == second
    rooted.shell("su", "-c", f"echo {stock} >{low}")


def test_left_knobs_are_put_back_before_the_next_task(phone):
    """Else a value that a killed worker pinned would be taken for what was there before."""
    phone.shell("settings", "put", "global", "mgc_left", "1")
    task = knobs(phone, "setting global mgc_left 2")
    task.ready()
    task.process.kill()
    task.process.wait(DEADLINE_S)
    assert phone.shell("settings", "get", "global", "mgc_left").strip() == "2"
    again = knobs(phone, "setting global mgc_left 3")
    again.ready()
    again.say("finish")
    assert again.result() == ("ok", "")
    assert again.facts["knob.1"] == "applied 3 (was 1)"
    assert phone.shell("settings", "get", "global", "mgc_left").strip() == "1"
    phone.shell("settings", "delete", "global", "mgc_left")


def stock_values(phone):
    return (node(phone, f"{POLICY}/scaling_max_freq"), node(phone, f"{POLICY}/scaling_governor"),
            phone.shell("getprop", "init.svc.thermal-engine").strip())


@pytest.mark.parametrize("how", ["finish", "stop", "kill"])
def test_root_knobs_are_applied_and_put_back(rooted, how):
    before = stock_values(rooted)
    lowest, lines = pins(rooted)
    task = knobs(rooted, *lines)
    task.ready()
    assert stock_values(rooted) == (lowest, "performance", "stopped")
    if how == "kill":
        task.process.kill()
        task.process.wait(DEADLINE_S)
        assert undo_after_kill(rooted) == 0
    else:
        task.say(how)
        assert task.result()[0] == ("ok" if how == "finish" else "cancelled")
        assert task.journal == 0
    assert stock_values(rooted) == before


def test_without_root_a_node_stays_as_it_was(phone):
    if phone.shell("id", "-u").strip() == "0":
        pytest.skip("the shell of this phone is root")
    before = stock_values(phone)
    _, lines = pins(phone)
    code, text = knobs(phone, *lines).result()
    assert code == "denied" and "root" in text
    assert stock_values(phone) == before


def test_a_value_that_does_not_stay_is_found(rooted):
    """The lab's phone cuts it a moment after the write: on a busy machine the knob has been read back
    by then, and it is what it reads at the end that tells."""
    before = stock_values(rooted)
    task = knobs(rooted, f"sysfs {POLICY}/scaling_max_freq 1")
    task.say("finish")
    code, text = task.result()
    if code == "ok":
        assert "at the end" in task.facts["knob.1"], task.facts
    else:
        assert code == "failed" and "the phone reads" in text
    assert stock_values(rooted) == before


def test_a_service_that_is_not_there(rooted):
    code, text = knobs(rooted, "service-stop no-such-service").result()
    assert code == "not-found" and "no-such-service" in text
