"""The lab's world: hosts, links, proxy, life and death. No phone program and no workers."""

import errno
import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import termios
import time

import pytest

from lablib import (MGLAB, REPO, Lab, copy_programs, lab_mounts, processes_in, wait_until)

PHONE = "192.168.21.181"
SERVICE = 40613

SINK = """
import hashlib, socket, sys
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("0.0.0.0", int(sys.argv[1])))
s.listen()
s.settimeout(30)
print("listening", flush=True)
c, peer = s.accept()
c.settimeout(30)
digest = hashlib.sha256()
while data := c.recv(1 << 16):
    digest.update(data)
c.sendall(digest.hexdigest().encode())
c.close()
print(peer[0], flush=True)
"""

SOURCE = """
import hashlib, socket, sys
data = bytes(range(256)) * 40000
s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 30)
s.sendall(data)
s.shutdown(socket.SHUT_WR)
answer = b""
while more := s.recv(1000):
    answer += more
print(answer.decode() == hashlib.sha256(data).hexdigest())
"""


def add_route(lab):
    lab.exec("wsl", "ip", "route", "replace", f"{PHONE}/32", "via", "192.168.31.1", "dev", "eth0")


def send_through(lab):
    """10 MB from wsl to a service on the phone and an answer after the half-close; the address
    that the phone saw."""
    sink = lab.popen("phone", "/usr/bin/python3", "-c", SINK, SERVICE, stdout=subprocess.PIPE)
    try:
        assert sink.stdout.readline() == b"listening\n"
        assert lab.python("wsl", SOURCE, PHONE, SERVICE).strip() == "True"
        out, _ = sink.communicate(timeout=30)
    finally:
        sink.kill()
        sink.wait(30)
    return out.decode().strip()


# ---- hosts and links ----

@pytest.fixture
def world(lab):
    return lab()


def addresses(lab, host):
    links = json.loads(lab.exec(host, "ip", "-j", "-4", "address").stdout)
    return {link["ifname"]: f"{link['addr_info'][0]['local']}/{link['addr_info'][0]['prefixlen']}"
            for link in links if link["addr_info"]}


def test_addresses_and_names(world):
    expected = {
        "winhost": {"eth0": "192.168.31.10/24", "usb0": "10.99.0.1/24"},
        "wsl": {"eth0": "192.168.31.20/24"},
        "gw": {"br0": "192.168.31.1/24", "wlan0": "192.168.21.1/24"},
        "proxy": {"eth0": "192.168.31.2/24"},
        "phone": {"wlan0": f"{PHONE}/24", "usb0": "10.99.0.2/24"},
    }
    for host, links in expected.items():
        assert addresses(world, host) == {"lo": "127.0.0.1/8", **links}
        assert world.exec(host, "hostname").stdout.strip() == host


def test_default_routes(world):
    expected = {"winhost": "192.168.31.1", "wsl": "192.168.31.2", "proxy": "192.168.31.1",
                "phone": "192.168.21.1", "gw": None}
    for host, gateway in expected.items():
        routes = json.loads(world.exec(host, "ip", "-j", "route", "show", "default").stdout)
        assert [route["gateway"] for route in routes] == ([gateway] if gateway else [])


def test_first_connection_is_not_delayed(world):
    """Links carry traffic when the lab is up: no ARP request is lost and retried after 1 s."""
    for source, target in (("wsl", "192.168.31.10"), ("winhost", "10.99.0.2"), ("winhost", PHONE)):
        assert world.probe(source, target, 1, limit=0.9) == "refused"


def test_nothing_outside_can_be_reached(world):
    unreachable = {f"error {errno.ENETUNREACH}", f"error {errno.EHOSTUNREACH}"}
    for host in ("winhost", "gw", "proxy", "phone"):
        assert world.probe(host, "203.0.113.1", 80) in unreachable
    assert world.probe("wsl", "203.0.113.1", 80) == "accepted reset"  # by the proxy
    look_up = ("import socket\ntry:\n  socket.getaddrinfo('example.org', 80)\n"
               "except OSError:\n  print('no')")
    assert world.python("gw", look_up).strip() == "no"


def test_the_machines_run_directory_is_hidden(world):
    assert sorted(world.exec("wsl", "ls", "/run").stdout.split()) == ["mglab", "netns"]


# ---- the proxy ----

def test_without_a_route_the_proxy_accepts_a_closed_port(world):
    assert world.probe("wsl", PHONE, 1) == "accepted reset"


def test_with_a_route_the_phone_itself_refuses(world):
    add_route(world)
    assert world.probe("wsl", PHONE, 1) == "refused"
    assert send_through(world) == "192.168.31.20"


def test_the_proxy_relays_a_service_and_its_half_close(world):
    assert send_through(world) == "192.168.31.2"


def test_many_connections_at_once(world):
    """More than the relay serves at a time: the rest waits and is served later."""
    code = f"""
import socket
socks = []
for i in range(700):
    s = socket.socket(); s.settimeout(30); s.connect(("{PHONE}", 1)); socks.append(s)
reset = 0
for s in socks:
    try:
        reset += s.recv(1) == b"?"
    except ConnectionResetError:
        reset += 1
print(reset)
"""
    assert world.python("wsl", code).strip() == "700"
    assert world.member("proxy")["restarts"] == 0


def test_proxy_modes_switch_while_the_lab_runs(world):
    world.fault("proxy-mode=forward")
    assert world.probe("wsl", PHONE, 1) == "refused"
    assert send_through(world) == "192.168.31.20"
    world.fault("proxy-mode=drop")
    assert world.probe("wsl", PHONE, 1, limit=1) == "silent"
    assert world.probe("wsl", "192.168.31.10", 1) == "refused"  # not through the proxy
    world.clear_fault("proxy-mode")
    assert world.probe("wsl", PHONE, 1) == "accepted reset"
    assert world.faults() == {}


def test_a_killed_proxy_is_started_again(world):
    first = world.member("proxy")["pid"]
    world.kill("proxy")
    again = world.wait_restarted("proxy", 1)
    assert again["pid"] != first
    assert world.probe("wsl", PHONE, 1) == "accepted reset"
    assert "signal 9" in world.log("mglab")


# ---- faults, status, commands inside ----

def test_faults_are_files_from_the_start(lab):
    one = lab("--fault", "client-crash=17", "--fault", "server-busy")
    assert one.faults() == {"client-crash": "17", "server-busy": "1"}
    assert one.exec("wsl", "cat", "/run/mglab/faults/client-crash").stdout == "17"
    one.clear_fault("client-crash")
    assert one.faults() == {"server-busy": "1"}
    one.clear_fault()
    assert one.faults() == {}


def test_unknown_names_are_refused(world):
    for args, code, word in ((("fault", "client-crsh"), 2, "client-crsh"),
                             (("fault", "proxy-mode=honest"), 2, "honest"),
                             (("exec", "moon", "--", "true"), 2, "moon"),
                             (("kill", "nobody"), 1, "nobody")):
        done = world.mglab(*args, check=False)
        assert done.returncode == code
        assert word in done.stderr and len(done.stderr.splitlines()) == 1


def test_the_documented_faults_are_the_known_ones(labs_work):
    table = (REPO / "docs/lab.md").read_text(encoding="utf-8").split("## Fault knobs")[1]
    cells = re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE)
    documented = re.findall(r"`([a-z-]+)`", " ".join(cells))
    shown = subprocess.run([MGLAB, "fault", "--help"], capture_output=True, text=True, timeout=30)
    known = re.findall(r"^  ([a-z-]+) ", shown.stdout.split("Faults:")[1], re.MULTILINE)
    assert documented and sorted(known) == sorted(documented)


def test_status_gives_pids_as_seen_from_outside(world):
    pid = world.member("proxy")["pid"]
    with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
        assert "mglab-proxy" in file.read()
    assert world.member("command")["host"] == "wsl"


def test_inside_a_lab_no_directory_is_needed(world):
    script = (f"cd / && {MGLAB} exec phone -- hostname && {MGLAB} fault client-hang=3 && "
              f"{MGLAB} fault --list && {MGLAB} status")
    out = world.exec("wsl", "sh", "-c", script).stdout
    assert out.startswith("phone\nclient-hang 3\nMEMBER ")


def test_command_runs_in_wsl_with_our_streams_and_directory(lab, tmp_path):
    script = 'hostname; pwd; echo "$MGLAB_STATE $MGLAB_SITE $MARK"; cat'
    one = lab(command=("sh", "-c", script), wait=False, cwd=tmp_path, env={"MARK": "mine"})
    one.process.stdin.write(b"through stdin\n")
    assert one.stop() == 0
    assert one.out.splitlines() == ["wsl", str(tmp_path),
                                    f"{one.state} {one.state}/site.yaml mine", "through stdin"]


# ---- exit codes ----

@pytest.mark.parametrize("command, code", [
    (("sh", "-c", "exit 7"), 7),
    (("sh", "-c", "kill -9 $$"), 137),
    (("no-such-program",), 127),
    (("/etc/passwd",), 126),
])
def test_exit_codes(lab, command, code):
    one = lab(command=command, wait=False)
    assert one.wait() == code
    assert one.err == "" if code < 126 or code == 137 else command[0] in one.err
    done = lab().exec("gw", *command, check=False)
    assert done.returncode == code


def test_bad_usage_is_2(labs_work):
    for args in ((), ("run",), ("run", "--fault", "nope", "true"), ("nope",)):
        assert subprocess.run([MGLAB, *args], capture_output=True, timeout=30).returncode == 2


def test_a_second_lab_on_the_same_directory_is_refused(lab):
    one = lab()
    second = lab(state=one.state, wait=False)
    assert second.wait() == 125
    assert str(one.state) in second.err and "another lab" in second.err
    assert one.probe("wsl", PHONE, 1) == "accepted reset"


# ---- death ----

def test_kill_9_of_mglab_run_leaves_nothing(lab):
    one = lab()
    daemon = "setsid sleep 1000 >/dev/null 2>&1 </dev/null & echo started"
    assert one.exec("winhost", "sh", "-c", daemon).stdout == "started\n"
    one.kill9()
    one.assert_gone()
    gone = one.mglab("status", check=False)
    assert gone.returncode == 1 and "no lab runs" in gone.stderr
    again = lab(state=one.state)  # what it left in the directory is in nobody's way
    assert again.probe("wsl", PHONE, 1) == "accepted reset"


def test_kill_9_while_starting_leaves_nothing(lab):
    """At ten moments of the start; the first finds it before the namespaces exist."""
    for step in range(10):
        one = lab(wait=False)
        time.sleep(step * 0.006)  # not a wait for anything: the moment is the parameter
        pid = one.process.pid
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            for child in file.read().split():
                one.remember_process(child)
        one.kill9()
        one.assert_gone()


def test_kill_9_of_the_first_process_is_told(lab):
    one = lab()
    os.kill(one.status()["pid"], signal.SIGKILL)
    assert one.wait() == 125
    assert "signal 9" in one.err
    one.assert_gone()


def test_a_command_in_a_host_dies_with_the_lab(lab):
    one = lab()
    sleeper = one.popen("phone", "sh", "-c", "echo running; exec sleep 1000",
                        stdout=subprocess.PIPE)
    assert sleeper.stdout.readline() == b"running\n"
    one.kill9()
    assert sleeper.wait(15) == 137


def test_kill_9_of_mglab_exec_ends_its_command(lab):
    one = lab()
    before = set(processes_in(one.namespaces))
    sleeper = one.popen("phone", "sh", "-c", "echo running; exec sleep 1000",
                        stdout=subprocess.PIPE)
    assert sleeper.stdout.readline() == b"running\n"
    sleeper.kill()
    sleeper.wait(15)
    wait_until("the command is gone", lambda: set(processes_in(one.namespaces)) <= before, 15)


@pytest.mark.parametrize("sig, code", [(signal.SIGTERM, 31), (signal.SIGINT, 32)])
def test_signals_reach_the_command_and_its_exit_code_counts(lab, sig, code):
    script = "trap 'exit 31' TERM; trap 'exit 32' INT; echo lab-is-up; while :; do read x; done"
    one = lab(command=("bash", "-c", script))
    one.process.send_signal(sig)
    assert one.wait() == code


def test_sigterm_ends_a_lab_whose_command_has_no_opinion(lab):
    one = lab()
    one.process.terminate()
    assert one.process.wait(30) == 143  # its stdin stays open


def test_ctrl_c_reaches_the_command_once(lab):
    """From a terminal, where the whole process group gets it."""
    master, slave = pty.openpty()
    script = ("n=0; trap 'n=$((n+1)); echo hit $n' INT; echo lab-is-up; read line; "
              "echo end $n; exit 9")
    one = lab(command=("bash", "-c", script), stdin=slave, start_new_session=True,
              preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(slave)
    os.write(master, b"\x03")
    assert one.process.stdout.readline() == b"hit 1\n"
    os.write(master, b"\n")
    assert one.wait() == 9
    assert one.out == "end 1\n"
    os.close(master)


def test_a_signal_to_the_whole_group_reaches_the_command_once(lab):
    """As `timeout -s INT`, a CI runner or `kill -INT -PGID` send it: to mglab and to the command."""
    script = ("n=0; trap 'n=$((n+1)); echo hit $n' INT; echo lab-is-up; read line; "
              "echo end $n; exit 9")
    one = lab(command=("bash", "-c", script), start_new_session=True)
    for number in (1, 2):
        os.killpg(one.process.pid, signal.SIGINT)
        assert one.process.stdout.readline() == f"hit {number}\n".encode()
    one.process.stdin.write(b"\n")
    one.process.stdin.flush()
    assert one.wait() == 9
    assert one.out == "end 2\n"


# ---- beside each other, and without rights ----

def test_two_labs_side_by_side(lab):
    one, two = lab(), lab()
    assert not one.namespaces & two.namespaces
    add_route(one)
    assert one.probe("wsl", PHONE, 1) == "refused"
    assert two.probe("wsl", PHONE, 1) == "accepted reset"
    one.kill9()
    one.assert_gone()
    assert two.probe("wsl", PHONE, 1) == "accepted reset"


def test_the_machine_itself_is_untouched(lab):
    def picture():
        with open("/proc/sys/net/ipv4/ip_forward", encoding="utf-8") as file:
            forward = file.read()
        named = os.listdir("/run/netns") if os.path.isdir("/run/netns") else []
        return forward, sorted(named), os.uname().nodename, lab_mounts()

    before = picture()
    lab()
    assert picture() == before


WORLD = ("lab/world/mglab", "lab/world/mglab-proxy", "lab/link/mglab-link")


def test_a_normal_user_can_have_a_lab(labs_work, nobody):
    prefix, folder = nobody
    programs = copy_programs(WORLD, folder / "bin")
    one = Lab(folder / "lab", prefix=prefix, program=programs / "mglab", cwd="/")
    try:
        one.wait_up()
        assert one.exec("gw", "id", "-u").stdout == "0\n"
        assert one.probe("wsl", PHONE, 1) == "accepted reset"
        add_route(one)
        assert one.probe("wsl", PHONE, 1) == "refused"
        assert send_through(one) == "192.168.31.20"
        one.fault("proxy-mode=forward")
        assert one.member("proxy")["pid"]
        if prefix:  # root may look into a user's lab
            assert one.mglab("exec", "phone", "--", "hostname", prefix=()).stdout == "phone\n"
        one.kill9()
    finally:
        one.end()
    one.assert_gone()


WHOLE_LAB = (
    *WORLD,
    "lab/phone/mgphone", "lab/phone/mgphone-cmd", "lab/phone/mgphone-app",
    "lab/replay/mglab-fixtures", "lab/replay/mobilegl_trace_replay",
    "lab/replay/libMobileGL.so", "lab/replay/libMobileGLServer.so",
    "coordinator/mgcoord", "worker-host/mgworker-host", "worker-wsl/mgworker-wsl",
)


def test_a_normal_user_can_measure_in_a_whole_lab(labs_work, nobody):
    prefix, folder = nobody
    programs = copy_programs(WHOLE_LAB, folder / "bin")
    run = ("--workload", "openra", "--credit", "1", "--reps", "1")
    one = Lab(folder / "lab", ("--frames-divisor", "8"), prefix=prefix, workers=True, phone=True,
              program=programs / "mglab", cwd="/",
              command=(programs / "mgcoord", "run", "crosshost", "--site",
                       folder / "lab/site.yaml", *run))
    assert one.wait(seconds=120) == 0, one.out + one.err
    assert one.out.count(" measured") == 2
    wait_until("no process of that directory is left",
               lambda: not processes_naming(str(folder)), 15)


def processes_naming(text):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
                if text in file.read():
                    found.append(pid)
        except OSError:
            pass  # it has just ended
    return found


def test_where_the_kernel_forbids_namespaces_the_reason_is_told(labs_work, nobody):
    prefix, folder = nobody
    programs = copy_programs(WORLD, folder / "bin")
    # A user namespace in which just one more may be made, and in it a user who wants another.
    outer = ("unshare", "--user", "--map-root-user", "sh", "-c",
             'echo 1 >/proc/sys/user/max_user_namespaces && exec "$@"', "sh")
    inner = ("unshare", "--user", "--map-user=1234", "--map-group=1234")
    probe = subprocess.run([*prefix, *outer, *inner, "id", "-u"], capture_output=True, text=True,
                           timeout=30, cwd="/")
    if probe.stdout != "1234\n":
        pytest.skip(f"cannot make the case: {probe.stderr.strip()}")
    one = Lab(folder / "lab", prefix=(*prefix, *outer, *inner), program=programs / "mglab", cwd="/")
    assert one.wait() == 125
    assert one.err.startswith("mglab run: namespaces: ")
    assert "user.max_user_namespaces" in one.err and "sudo" in one.err
    assert len(one.err.splitlines()) == 1


def test_missing_programs_are_named_with_their_layer(lab, tmp_path):
    empty = tmp_path / "bin"
    empty.mkdir()
    one = lab("--bin", empty, wait=False)
    assert one.wait() == 125
    assert one.err.startswith("mglab run: proxy: no mglab-proxy in ")
    two = lab("--bin", empty, wait=False, workers=True)
    assert two.wait() == 125
    assert two.err.startswith("mglab run: fixtures: no mglab-fixtures in ")
