"""Workers that serve several phones at once: 4 lab phones on 2 worker pairs, tasks side by side."""

import pytest

import crewlib
from crewlib import Crew, PACKAGE
from lablib import wait_until

PHONES = (1, 2, 3, 4)


@pytest.fixture(scope="module")
def crew(tmp_path_factory):
    if not crewlib.can_be_alone():
        pytest.skip("cannot make a network of its own")
    with Crew(tmp_path_factory.mktemp("crew") / "lab", 4, 2) as made:
        yield made


def start_servers(crew, phones=PHONES, *params, **more):
    tasks = {i: crew.server(i, *params, **more) for i in phones}
    for i in phones:
        ready = crew.event(tasks[i])
        assert f":{21000 + i}" in ready["listen_line"], ready
    return tasks


def finish_servers(crew, tasks):
    for i, task in tasks.items():
        crew.finish(crew.host(i), task)
    for task in tasks.values():
        assert crew.result(task)[:2] == ("ok", "")


def device(crew, i):
    """Code and sentence of a question to the phone."""
    return crew.result(crew.on_host(i, "host.device", f"package={PACKAGE}",
                                    "device_timeout_ms:i=5000"))[:2]


def test_four_phones_are_measured_side_by_side(crew):
    helpers = {i: crew.on_host(i, "host.helper", f"packages={PACKAGE}") for i in PHONES}
    for task in helpers.values():
        crew.event(task)
    paths = [crew.task(crew.wsl(i), "wsl.pathcheck", f"address=127.0.1.{i}", "timeout_ms:i=2000")
             for i in PHONES]
    servers = start_servers(crew, session="true")
    for task in paths:
        code, text, facts = crew.result(task)
        assert (code, facts["verdict"]) == ("ok", "end-to-end"), (text, facts)
    replays = {i: crew.replay(i, "barrier=start") for i in PHONES}
    for task in replays.values():
        crew.arrived(task)  # all of them are prepared before one is let go
    for i, task in replays.items():
        crew.say("release", crew.wsl(i), task, "start")
    for i, task in replays.items():
        code, text, facts = crew.result(task)
        assert (code, facts.get("rc")) == ("ok", "0"), (i, text, facts)
    for i in PHONES:
        crew.finish(crew.host(i), servers[i])
    for task in servers.values():
        code, text, facts = crew.result(task)
        assert (code, facts["session_reaped"], facts["session_exit"]) == ("ok", "true", "0"), facts
        assert facts.get("refused", "0") == "0", facts
    finish_servers(crew, helpers)


def test_a_cancelled_phone_leaves_the_others_alone(crew):
    servers = start_servers(crew)
    crew.say("cancel", crew.host(1), servers[1])
    assert crew.result(servers.pop(1))[0] == "cancelled"
    assert crew.shell(1, "pidof libMobileGLServer.so") == ""
    for i in servers:
        assert crew.shell(i, "pidof libMobileGLServer.so") != ""
    again = start_servers(crew, (1,))
    finish_servers(crew, servers | again)


def test_a_phone_that_leaves_adb_leaves_the_others_alone(crew):
    servers = start_servers(crew, PHONES, "device_timeout_ms:i=1000")
    crew.mglab("fault", "p3.phone-gone")
    code, text, facts = crew.result(servers.pop(3))
    assert code == "lost" and "127.0.1.3:5555" in text, text
    # The same worker's other phone: still held, and takes new tasks at once.
    assert device(crew, 1) == ("ok", "")
    crew.mglab("fault", "--clear", "p3")
    finish_servers(crew, servers)
    wait_until("phone 3 is back", lambda: device(crew, 3)[0] == "ok", 60)
    finish_servers(crew, start_servers(crew, (3,)))


def test_a_killed_worker_undoes_on_both_of_its_phones(crew):
    phones = (1, 3)
    assert {crew.host(i) for i in phones} == {"host1"}
    before = {i: crew.shell(i, "settings get system screen_off_timeout") for i in phones}
    knobs = {i: crew.on_host(i, "host.knobs", f"knobs=setting system screen_off_timeout {777 + i}")
             for i in phones}
    servers = start_servers(crew)
    for i in phones:
        crew.event(knobs[i])
        assert crew.shell(i, "settings get system screen_off_timeout") == str(777 + i)
    since = crew.mark()
    crew.mglab("kill", "-KILL", "mgworker-host1")
    crew.until("host1 is lost", lambda l: l[:2] == ["lost", "host1"], since)
    assert crew.joined("host1", since) == 0
    for i in phones:
        assert crew.shell(i, "settings get system screen_off_timeout") == before[i]
        assert crew.shell(i, "pidof libMobileGLServer.so") == ""
        for task in (knobs[i], servers.pop(i)):
            code, _, facts = crew.result(task)
            assert (code, facts["interrupted"], facts["undo_failed"]) == ("lost", "true", 0), facts
    finish_servers(crew, servers)  # those of the other worker noticed nothing


def test_a_killed_worker_joins_though_one_of_its_phones_is_gone(crew):
    servers = start_servers(crew, (1, 3))
    since = crew.mark()
    crew.mglab("fault", "p3.phone-gone")
    crew.mglab("kill", "-KILL", "mgworker-host1")
    assert crew.joined("host1", since) == 1  # what it could not undo on phone 3
    assert crew.shell(1, "pidof libMobileGLServer.so") == ""
    finish_servers(crew, start_servers(crew, (1,)))
    assert crew.result(servers[1])[0] == "lost"
    crew.mglab("fault", "--clear", "p3")
    # A task there undoes first what was left.
    wait_until("phone 3 can be used", lambda: device(crew, 3)[0] == "ok", 60)
    assert crew.shell(3, "pidof libMobileGLServer.so") == ""
