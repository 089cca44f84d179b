"""A lab of several phones and worker pairs: who is called what, who is found where, who is told
apart. What a plan makes of it is tested elsewhere."""

import os
import signal
import subprocess

import pytest

import lablib
from crewlib import ALONE, can_be_alone
from lablib import MGLAB, wait_until


@pytest.fixture(autouse=True)
def own_network():
    if not can_be_alone():
        pytest.skip("cannot make a network of its own")


def run_alone(state, options, script, timeout=120):
    """A script in a lab in loopback mode; its environment names mglab."""
    env = {k: v for k, v in os.environ.items() if k != "MGLAB_STATE"}
    return subprocess.run(
        [*ALONE, str(MGLAB), "run", "--loopback", "--state", str(state), *options, "--", "sh", "-ec",
         script], capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL,
        env=dict(env, MGLAB=str(MGLAB)))


EACH = """
for i in 1 2 3; do
    port=$((15037 + (i - 1) % 2))
    adb -P $port connect 127.0.1.$i:5555 >/dev/null
    adb -P $port -s 127.0.1.$i:5555 shell 'echo $(getprop ro.serialno) $(ls /run/mglab/faults)'
done
"""


def test_each_phone_is_told_apart(tmp_path):
    done = run_alone(tmp_path / "lab", ("--phones", "3", "--pairs", "2", "--frames-divisor", "16",
                                        "--fault", "p2.client-slow=7"), """
$MGLAB status | awk 'NR > 1 { print $1 }'
$MGLAB fault p3.phone-hot
$MGLAB fault --list
""" + EACH)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == [
        "adb1", "adb2", "mgphone-p1", "mgphone-p2", "mgphone-p3", "mgworker-host1", "mgworker-wsl1",
        "mgworker-host2", "mgworker-wsl2", "command", "p2.client-slow 7", "p3.phone-hot 1",
        "mglab0001", "mglab0002 client-slow", "mglab0003 phone-hot"]
    assert lablib.sockets_below(tmp_path) == []


def test_a_fault_without_a_phone_is_every_ones(tmp_path):
    done = run_alone(tmp_path / "lab", ("--phones", "2", "--no-workers"), """
$MGLAB fault client-hang=3
$MGLAB fault --list
$MGLAB fault --clear p1
$MGLAB fault --list
$MGLAB fault worker-restart-ms=5
$MGLAB fault --list
$MGLAB fault --clear
$MGLAB fault --list
! $MGLAB fault p3.client-hang
! $MGLAB fault p1.worker-restart-ms=5
! $MGLAB fault p1.link-cut
""")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == [
        "p1.client-hang 3", "p2.client-hang 3", "p2.client-hang 3", "worker-restart-ms 5",
        "p2.client-hang 3"]
    assert "there is no phone \"p3\"; this lab has p1 to p2" in done.stderr
    assert done.stderr.count("is the whole lab's and of no phone") == 2


def test_numbers_that_make_no_lab_are_refused(tmp_path):
    for options, says in ((("--phones", "65"), "expected 1 to 64"),
                          (("--pairs", "2"), "at most as many pairs as phones (1)")):
        done = run_alone(tmp_path / "lab", options, "true")
        assert done.returncode == 2 and says in done.stderr, done.stderr


def test_several_phones_where_no_namespaces_can_be_made(tmp_path):
    """A user namespace in which no further one of processes may be made."""
    inside = ("unshare", "--user", "--map-root-user", "sh", "-c",
              'echo 0 >/proc/sys/user/max_pid_namespaces && exec "$@"', "sh")
    if subprocess.run([*ALONE, *inside, "true"], capture_output=True, timeout=30).returncode != 0:
        pytest.skip("cannot make the case")
    done = subprocess.run(
        [*ALONE, *inside, str(MGLAB), "run", "--loopback", "--no-workers", "--phones", "2", "--state",
         str(tmp_path / "lab"), "--", "true"], capture_output=True, text=True, timeout=60,
        stdin=subprocess.DEVNULL)
    assert done.returncode == 125, done.stderr
    assert done.stderr.startswith("mglab run: phone: mgphone-p")
    assert "without which a lab can have one phone only (mglab --loopback)" in done.stderr


def test_kill_9_leaves_nothing(tmp_path):
    state = tmp_path / "lab"
    process = subprocess.Popen(
        [*ALONE, str(MGLAB), "run", "--loopback", "--state", str(state), "--phones", "3", "--pairs",
         "2", "--frames-divisor", "16", "--", *lablib.HOLDER], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"lab-is-up\n"
        net = {os.readlink(f"/proc/{process.pid}/ns/net")}
        file = lablib.pin(next(iter(net)), process.pid)
        assert len(lablib.processes_in(net)) > 12
        os.kill(process.pid, signal.SIGKILL)
        process.wait(30)
        wait_until("no process of the lab is left", lambda: not lablib.processes_in(net), 30)
        file.close()
    finally:
        process.kill()
        process.communicate(timeout=30)
    again = run_alone(state, ("--phones", "3", "--pairs", "2", "--frames-divisor", "16"), EACH)
    assert again.returncode == 0, again.stderr


def test_phones_share_the_link_of_a_lab_with_networks(lab):
    several = lab("--phones", "3", "--pairs", "1", phone=True)
    assert several.exec("wsl", "ip", "route", "get", "192.168.21.183").returncode == 0
    for i in (1, 2, 3):
        serial = f"10.99.0.{i + 1}:5555"
        several.adb("connect", serial)
        assert several.adb("-s", serial, "shell", "getprop ro.serialno").stdout == \
            f"mglab000{i}\n"
    several.mglab("fault", "p2.phone-gone")
    wait_until("p2 is off", lambda: several.adb(
        "-s", "10.99.0.3:5555", "shell", "true", check=False).returncode != 0, 30)
    assert several.adb("-s", "10.99.0.4:5555", "shell", "echo here").stdout == "here\n"
    several.mglab("fault", "proxy-mode=forge")
