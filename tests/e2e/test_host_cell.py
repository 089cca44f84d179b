"""The host worker's tasks of an on-phone cell, each by itself, through Debian's adb and the lab phone."""

import pytest

from test_host_adb import DEADLINE_S, FILES, PACKAGE, Task, phone, server, shared_phone  # noqa: F401
from lablib import wait_until


# ---- host.quiesce ------------------------------------------------------------------------------------


def quiesce(phone, **params):
    given = {"packages": PACKAGE, "package": PACKAGE, "gate_timeout_ms": 0}
    given.update(params)
    return Task(phone, "host.quiesce", **given)


def as_app(phone, script):
    return phone.shell("run-as", PACKAGE, "sh", "-c", script)


def test_quiesce_stops_and_removes_in_one_stream(phone):
    running, _ = server(phone)
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
    ({"temp_max_dc": 400, "power": "plugged"}, {}, "ok"),
]


@pytest.mark.parametrize("params,faults,gate", GATES, ids=[row[2] for row in GATES])
def test_quiesce_tells_the_gate(phone, params, faults, gate):
    for name, value in faults.items():
        phone.fault(name, value)
    # The phone sees its knobs a moment after they are set.
    wait_until(f"gate {gate}", lambda: run_gate(phone, params) == gate, DEADLINE_S)


def run_gate(phone, params):
    task = quiesce(phone, **params)
    assert task.result()[0] == "ok"
    return task.facts["gate"]


def test_quiesce_waits_for_a_cool_battery(phone):
    phone.fault("phone-hot", "480")
    wait_until("a hot battery", lambda: run_gate(phone, {"temp_max_dc": 400}) == "hot", DEADLINE_S)
    task = quiesce(phone, temp_max_dc=400, gate_timeout_ms=60000)
    (phone.faults / "phone-hot").unlink()
    assert task.result()[0] == "ok"
    assert task.facts["gate"] == "ok"
    assert task.facts["adb_streams"] == "1"


def test_quiesce_ends_its_wait_when_told_to_stop(phone):
    phone.fault("phone-hot", "480")
    wait_until("a hot battery", lambda: run_gate(phone, {"temp_max_dc": 400}) == "hot", DEADLINE_S)
    task = quiesce(phone, temp_max_dc=400, gate_timeout_ms=3600000)
    task.say("stop")
    assert task.result()[0] == "cancelled"


def test_quiesce_refuses_what_survives(phone):
    running, _ = server(phone)
    running.ready()
    phone.fault("app-survives-stop")
    task = quiesce(phone)
    code, text = task.result()
    assert code == "busy" and "still there" in text
    (phone.faults / "app-survives-stop").unlink()
    running.say("finish")
    running.result()
