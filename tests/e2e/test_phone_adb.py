"""Debian's own adb against the lab phone."""

import hashlib
import os
import pathlib
import re
import shutil
import socket
import stat
import subprocess
import threading

import pytest

from lablib import copy_programs, pin, wait_until
from phonelib import (MGPHONE, PACKAGE, SERVER_NAME, SERVICE, Adb, Phone, free_port, pids_on_phone,
                      read_line_with, receive, receive_text)

pytestmark = pytest.mark.skipif(not shutil.which("adb"), reason="adb is not installed")

BIG = 100 * 1000 * 1000

# A server that logs as the real one does, and whose child leaves its session (double fork).
FAKE_SERVER = """#!/system/bin/sh
log -t MobileGL "[00:00:00] [Android main/I]: MG_Remote server: pid=$$ listening on $1"
echo "args $1 $2 in $PWD"
echo "role $MOBILEGL_IPC_ROLE token $MOBILEGL_IPC_TOKEN extra $EXTRA"
echo "complaint" >&2
(setsid sh -c 'exec sleep 7654' </dev/null >/dev/null 2>&1 &)
echo "server log" > "${MOBILEGL_LOG_FILE_PATH%.log}.server.log"
exec sleep 8765
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Not below pytest's own directories, which only their owner may enter."""
    return tmp_path_factory.mktemp("phone")


@pytest.fixture(scope="module")
def app_lib(folder):
    lib = folder / "lib"
    lib.mkdir()
    lib.chmod(0o755)
    server = lib / SERVER_NAME
    server.write_text(FAKE_SERVER)
    server.chmod(0o755)
    return lib


@pytest.fixture(scope="module")
def phone(folder, app_lib):
    assert MGPHONE.exists(), f"{MGPHONE} is not built"
    one = Phone(folder / "state", app_lib).start()
    yield one
    one.end()


@pytest.fixture(scope="module")
def adb_server(folder):
    one = Adb(folder / "adb").start()
    yield one
    one.end()


@pytest.fixture
def adb(adb_server, phone):
    if phone.serial not in adb_server.host("devices").stdout:
        adb_server.connect(phone)
    adb_server.serial = phone.serial
    yield adb_server
    adb_server.shell(f"am force-stop {PACKAGE}")


@pytest.fixture(scope="module")
def real_uids(phone):
    if "uids=real" not in phone.ready:
        pytest.skip("this user has a single uid: the phone's uids are not real")


@pytest.fixture(scope="module")
def big(folder):
    path = folder / "big"
    path.write_bytes(os.urandom(1 << 20) * (BIG >> 20) + os.urandom(BIG & ((1 << 20) - 1)))
    return path


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


# --- connection -------------------------------------------------------------------------------

def test_devices_names_the_lab(adb):
    line = next(x for x in adb.host("devices", "-l").stdout.splitlines() if adb.serial in x)
    assert re.search(r"\bdevice\b.*product:labphone model:lab_phone device:labphone", line), line
    assert adb.shell("getprop ro.product.model").stdout == "lab phone\n"
    assert adb.shell("getprop ro.product.manufacturer").stdout == "mgcoord\n"


def test_unknown_services_are_closed(adb):
    done = adb("reverse", "tcp:6100", "tcp:7100")
    assert done.returncode != 0 and "closed" in done.stderr
    with adb.open(f"host:transport:{adb.serial}") as s:
        s.sendall(b"0008nonsense")
        assert receive(s, 4) == b"FAIL" and receive_text(s) == "closed"
    assert adb.shell("true").returncode == 0


# --- shell ------------------------------------------------------------------------------------

@pytest.mark.parametrize("command, code", [("true", 0), ("exit 7", 7), ("kill -9 $$", 137),
                                           ("no-such-program", 127)])
def test_exit_codes(adb, command, code):
    assert adb.shell(command).returncode == code


def test_stdout_and_stderr_are_apart(adb):
    done = adb.shell("echo out; echo err >&2")
    assert (done.stdout, done.stderr) == ("out\n", "err\n")


def test_stdin_is_passed_and_closed(adb):
    data = os.urandom(3_000_000)
    done = adb("shell", "cat", input=data, text=False)
    assert done.returncode == 0 and done.stdout == data


def test_output_after_the_reader_of_stdin_has_gone(adb):
    done = adb("shell", "exec <&-; echo still here", input=b"x" * 500_000, text=False)
    assert (done.returncode, done.stdout) == (0, b"still here\n")


def test_exec_out_is_binary_safe(adb, phone):
    data = bytes(range(256)) * 5000
    path = phone.folder / "data/local/tmp/binary"
    path.write_bytes(data)
    assert adb("exec-out", "cat /data/local/tmp/binary", text=False).stdout == data


def test_terminal_when_asked_for(adb):
    assert adb("shell", "-tt", "tty", stdin=subprocess.DEVNULL).stdout.startswith("/dev/pts/")
    assert "not a tty" in adb.shell("tty").stdout


def test_userland_is_a_phones(adb):
    assert adb.shell("echo $PATH").stdout == "/system/bin:/system/xbin\n"
    assert adb.shell("ls /usr/bin /tmp").returncode != 0
    assert "Read-only file system" in adb.shell("mkdir /x").stderr
    # mksh, not bash: arrays of bash's associative kind do not exist
    assert adb.shell("declare -A x").returncode != 0
    assert adb.shell("readlink /system/bin/ls").stdout == "toybox\n"


def test_the_shell_sees_only_the_phones_processes(adb):
    lines = adb.shell("ps -A -o PID=,NAME=").stdout.splitlines()
    assert any(line.split()[:1] == ["1"] for line in lines)
    assert len(lines) < 10, lines


def test_closing_the_stream_ends_the_device_process(adb):
    client = adb.popen("shell", "echo started; exec sleep 4321")
    read_line_with(client.stdout, "started", 30)
    assert pids_on_phone(adb, "sleep")
    client.kill()
    client.wait(30)
    client.stdout.close()
    wait_until("sleep is gone", lambda: not pids_on_phone(adb, "sleep"), 30)


def test_many_streams_at_once(adb):
    clients = [adb.popen("shell", f"cat; echo {i}; exit {i}") for i in range(20)]
    for i, client in enumerate(clients):
        out, _ = client.communicate(timeout=60)
        assert (out, client.returncode) == (b"%d\n" % i, i)


# --- files ------------------------------------------------------------------------------------

def test_push_and_pull_of_100_mb(adb, big, folder):
    remote = "/data/local/tmp/new/folder/big"
    back = folder / "back"
    assert adb("push", big, remote).returncode == 0
    assert adb.shell(f"sha256sum {remote}").stdout.split()[0] == sha256(big)
    assert adb("pull", remote, back).returncode == 0
    assert sha256(back) == sha256(big)
    back.unlink()
    adb.shell("rm -r /data/local/tmp/new")


def test_directories(adb, folder):
    tree = folder / "tree"
    (tree / "a/b").mkdir(parents=True)
    (tree / "a/one").write_text("1")
    (tree / "a/b/two").write_text("2" * 70000)
    (tree / "a/b/empty").write_text("")
    assert adb("push", tree, "/data/local/tmp/").returncode == 0
    assert adb("pull", "/data/local/tmp/tree", folder / "again").returncode == 0
    for name in ("a/one", "a/b/two", "a/b/empty"):
        assert (folder / "again" / name).read_text() == (tree / name).read_text()


def test_push_keeps_mode_and_time(adb, folder, phone):
    source = folder / "script"
    source.write_text("#!/system/bin/sh\nexit 5\n")
    source.chmod(0o755)
    os.utime(source, (1700000000, 1700000000))
    assert adb("push", source, "/data/local/tmp/script").returncode == 0
    landed = (phone.folder / "data/local/tmp/script").stat()
    assert stat.S_IMODE(landed.st_mode) == 0o775 and landed.st_mtime == 1700000000
    assert adb.shell("/data/local/tmp/script").returncode == 5


def test_missing_file_and_forbidden_place(adb, folder, real_uids):
    done = adb("pull", "/data/local/tmp/nothing", folder / "x")
    assert done.returncode == 1 and "does not exist" in done.stderr + done.stdout
    done = adb("push", __file__, f"/data/user/0/{PACKAGE}/files/x")
    assert done.returncode == 1 and "Permission denied" in done.stderr + done.stdout
    assert adb.shell("true").returncode == 0


# --- log --------------------------------------------------------------------------------------

def test_logcat_dump_filter_and_clear(adb):
    adb("logcat", "-c")
    adb.shell("log -t Alpha -p w first; log -t Beta second; log -t Alpha -p d third")
    full = adb("logcat", "-d", "-v", "threadtime").stdout
    assert re.search(r"^\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +\d+ +\d+ W Alpha   : first$", full, re.M)
    assert re.findall(r": (\w+)$", adb("logcat", "-d", "-s", "Alpha:I").stdout, re.M) == ["first"]
    assert re.findall(r": (\w+)$", adb("logcat", "-d", "Alpha:D", "*:S").stdout,
                      re.M) == ["first", "third"]
    assert "first" not in adb("logcat", "-d", "-t", "1").stdout
    adb("logcat", "-c")
    assert "first" not in adb("logcat", "-d").stdout


def test_logcat_streams(adb):
    adb("logcat", "-c")
    client = adb.popen("logcat", "-v", "brief", "-s", "Stream")
    adb.shell("log -t Stream one")
    read_line_with(client.stdout, "one", 30)
    adb.shell("log -t Other two; log -t Stream three")
    assert "three" in read_line_with(client.stdout, "t", 30)
    client.kill()
    client.wait(30)
    client.stdout.close()
    wait_until("logcat on the phone is gone", lambda: not pids_on_phone(adb, "logcat"), 30)


def test_log_size(adb):
    assert adb("logcat", "-G", "1M").returncode == 0
    assert "ring buffer is 1 MiB" in adb("logcat", "-g").stdout
    assert adb("logcat", "-G", "256K").returncode == 0
    assert adb("logcat", "-G", "1K").returncode == 1


# --- forward and device events ----------------------------------------------------------------

def test_forward(adb):
    """The target is a socket of this test: the phone shares our loopback here."""
    data, arrived = os.urandom(5_000_000), bytearray()

    def receive_all(listener):
        conn, _ = listener.accept()
        with conn:
            conn.settimeout(60)
            while piece := conn.recv(1 << 16):
                arrived.extend(piece)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        target = threading.Thread(target=receive_all, args=[listener])
        target.start()
        port = int(adb("forward", "tcp:0", f"tcp:{listener.getsockname()[1]}").stdout)
        with socket.create_connection(("127.0.0.1", port), timeout=60) as s:
            s.sendall(data)
        target.join(60)
        assert bytes(arrived) == data
    assert str(port) in adb("forward", "--list").stdout
    adb("forward", "--remove-all")


def test_forward_answers(adb):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        port = int(adb("forward", "tcp:0", f"tcp:{listener.getsockname()[1]}").stdout)
        with socket.create_connection(("127.0.0.1", port), timeout=60) as s:
            s.sendall(b"question")
            conn, _ = listener.accept()
            with conn:
                assert receive(conn, 8) == b"question"
                conn.sendall(b"answer")
            assert receive(s, 6) == b"answer"
            assert s.recv(1) == b""  # the target closed: so does the stream
    adb("forward", "--remove-all")


def test_track_devices_on_loss_and_return(adb_server, tmp_path):
    """The adb server says nothing when a TCP device goes; it retries every 10 s."""
    one = Phone(tmp_path / "tracked").start()
    adb_server.connect(one)
    try:
        with adb_server.open("host:track-devices") as events:
            assert f"{one.serial}\tdevice" in receive_text(events)
            one.kill()
            wait_until("offline in the list",
                       lambda: f"{one.serial}\toffline" in adb_server.ask("host:devices"), 60)
            one.start()
            events.settimeout(90)
            seen = []
            while not seen or f"{one.serial}\tdevice" not in seen[-1]:
                seen.append(receive_text(events))
                assert len(seen) < 20, seen
        assert adb_server.host("-s", one.serial, "shell", "exit 3").returncode == 3
    finally:
        adb_server.host("disconnect", one.serial)
        one.end()


# --- the app ----------------------------------------------------------------------------------

def start_server(adb, *extras):
    done = adb("shell", "am", "start-foreground-service", "-n", SERVICE, *extras)
    assert done.returncode == 0, done
    assert done.stdout.startswith("Starting service: Intent { cmp="), done
    return done


def server_log(adb):
    return adb("logcat", "-d", "-v", "brief", "-s", "MobileGL", "MobileGLServer").stdout


def await_log(adb, text):
    wait_until(f"{text!r} in the log", lambda: text in server_log(adb), 30)


def test_server_service_follows_the_contract(adb):
    adb("logcat", "-c")
    start_server(adb, "--es", "listen", "tcp://0.0.0.0:40613", "--es", "token", "0123456789abcdef",
                 "--es", "env", "'EXTRA=a=b;MOBILEGL_IPC_ROLE=client'")
    await_log(adb, "complaint")
    log = server_log(adb)
    assert re.search(r"^I/MobileGL *\(.*listening on tcp://0\.0\.0\.0:40613$", log, re.M), log
    assert f"args tcp://0.0.0.0:40613 --serve in /data/user/0/{PACKAGE}/files" in log
    assert "role server token 0123456789abcdef extra a=b" in log
    wait_until("the server's log file", lambda: adb.shell(
        f"run-as {PACKAGE} cat files/mgl.server.log").stdout == "server log\n", 30)


def test_second_start_is_a_no_op_with_a_warning(adb):
    adb("logcat", "-c")
    start_server(adb)
    await_log(adb, "complaint")
    keeper = pids_on_phone(adb, f"{PACKAGE}:mglsrv")
    start_server(adb, "--es", "listen", "tcp://0.0.0.0:50000")
    await_log(adb, "already running")
    assert "50000" not in server_log(adb)
    assert pids_on_phone(adb, f"{PACKAGE}:mglsrv") == keeper


def test_force_stop_finds_everything(adb):
    adb("logcat", "-c")
    start_server(adb)
    await_log(adb, "complaint")
    wait_until("the double fork", lambda: len(pids_on_phone(adb, "sleep")) == 2, 30)
    assert adb.shell(f"am force-stop {PACKAGE}").returncode == 0
    assert pids_on_phone(adb, "sleep") == []
    assert pids_on_phone(adb, f"{PACKAGE}:mglsrv") == []
    adb("logcat", "-c")
    start_server(adb)  # not taken for a second start
    await_log(adb, "complaint")


def test_the_service_ends_with_its_server(adb):
    adb("logcat", "-c")
    start_server(adb)
    await_log(adb, "complaint")
    (keeper,) = pids_on_phone(adb, f"{PACKAGE}:mglsrv")
    server = adb.shell(f"ps -A -o PID=,PPID=,ARGS= | grep 'sleep 8765'").stdout.split()
    assert server[1] == keeper
    assert adb.shell(f"run-as {PACKAGE} kill -9 {server[0]}").returncode == 0
    await_log(adb, "server ended: signal 9")
    wait_until("the process is gone", lambda: not pids_on_phone(adb, f"{PACKAGE}:mglsrv"), 30)


def test_run_as_and_private_files(adb, real_uids):
    home = f"/data/user/0/{PACKAGE}"
    assert adb.shell(f"run-as {PACKAGE} sh -c 'echo secret > files/s'").returncode == 0
    assert adb.shell(f"run-as {PACKAGE} pwd").stdout == f"{home}\n"
    assert adb.shell(f"run-as {PACKAGE} cat files/s").stdout == "secret\n"
    assert adb.shell(f"run-as {PACKAGE} id -u").stdout == "10123\n"
    assert adb.shell("id -u").stdout == "2000\n"
    done = adb.shell(f"cat {home}/files/s")
    assert done.returncode == 1 and "Permission denied" in done.stderr


def test_run_as_refuses_in_androids_words(adb):
    done = adb.shell("run-as no.such.package true")
    assert (done.returncode, done.stderr) == (1, "run-as: unknown package: no.such.package\n")
    done = adb.shell("run-as com.android.settings true")
    assert done.returncode == 1 and "package not debuggable: com.android.settings" in done.stderr


@pytest.mark.parametrize("command, words", [
    (f"am start -n {PACKAGE}/.NoSuchActivity", "Error type 3"),
    (f"am start-foreground-service -n {PACKAGE}/.NoSuchService", "Not found; no service started"),
    ("am broadcast -a some.ACTION", "Permission Denial"),
    ("am nonsense", "Unknown command: nonsense"),
    ("cmd nonsense", "Can't find service: nonsense"),
    ("setprop ro.serialno other", "Failed to set property"),
    ("input keyevent KEYCODE_NONSENSE", "Unknown keycode"),
    ("screencap -p", "no display"),
])
def test_refusals(adb, command, words):
    done = adb.shell(command)
    assert done.returncode != 0 and words in done.stderr, done


def test_state_commands_read_back(adb):
    adb.shell("svc power stayon usb")
    assert adb.shell("settings get global stay_on_while_plugged_in").stdout == "2\n"
    assert "mStayOn=true" in adb.shell("dumpsys power").stdout
    adb.shell("svc power stayon false")
    assert adb.shell("settings get global no_such_key").stdout == "null\n"
    adb.shell(f"cmd deviceidle whitelist +{PACKAGE}")
    assert f"user,{PACKAGE},10123" in adb.shell("dumpsys deviceidle whitelist").stdout
    adb.shell(f"cmd deviceidle whitelist -{PACKAGE}")
    assert PACKAGE not in adb.shell("cmd deviceidle whitelist").stdout
    assert re.search(r"^  temperature: \d+$", adb.shell("dumpsys battery").stdout, re.M)
    assert "DEBUGGABLE" in adb.shell(f"dumpsys package {PACKAGE}").stdout
    adb.shell("setprop debug.mobilegl.backend DirectGLES")
    assert adb.shell("getprop debug.mobilegl.backend").stdout == "DirectGLES\n"


# --- life and death ---------------------------------------------------------------------------

def mounts():
    return pathlib.Path("/proc/self/mounts").read_text()


@pytest.mark.parametrize("how", ["kill", "end"])
def test_everything_ends_with_mgphone(adb_server, tmp_path, app_lib, how):
    before = mounts()
    one = Phone(tmp_path / "mortal", app_lib).start()
    adb_server.connect(one)
    adb_server("logcat", "-c")
    start_server(adb_server)
    await_log(adb_server, "complaint")
    namespace = os.readlink(f"/proc/{one.inner_pid()}/ns/pid")
    assert mounts() == before

    def left():
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and os.readlink(entry / "ns/pid") == namespace:
                    found.append(entry.name)
            except OSError:
                continue
        return found

    with pin(namespace, one.inner_pid()):
        adb_server.host("disconnect", one.serial)
        getattr(one, how)()
        wait_until("no process of the phone is left", lambda: not left(), 30)
    assert mounts() == before


def test_a_normal_user_gets_a_phone_without_real_uids(adb_server, nobody, app_lib):
    prefix, home = nobody
    if subprocess.run([*prefix, "unshare", "--user", "true"], capture_output=True).returncode != 0:
        pytest.skip("this kernel lets a normal user make no namespaces")
    programs = copy_programs([f"lab/phone/{name}" for name in
                              ("mgphone", "mgphone-cmd", "mgphone-app")], home / "bin")
    one = Phone(home / "state", prefix=prefix, program=programs / "mgphone").start()
    try:
        assert "uids=none" in one.ready
        adb_server.connect(one)
        assert adb_server.shell("getprop ro.mglab.uids").stdout == "none\n"
        assert adb_server.shell("id -u; exit 4").returncode == 4
        assert adb_server.shell(f"run-as {PACKAGE} pwd").stdout == f"/data/user/0/{PACKAGE}\n"
    finally:
        adb_server.host("disconnect", one.serial)
        one.end()


def test_lab_faults_are_visible_on_the_phone(adb_server, tmp_path):
    run = tmp_path / "run"
    (run / "faults").mkdir(parents=True)
    (run / "faults/server-busy").write_text("1")
    one = Phone(tmp_path / "state", run_dir=run).start()
    try:
        adb_server.connect(one)
        assert adb_server.shell("cat /run/mglab/faults/server-busy").stdout == "1"
        (run / "faults/server-busy").unlink()
        assert adb_server.shell("ls /run/mglab/faults").stdout == ""
    finally:
        adb_server.host("disconnect", one.serial)
        one.end()


def test_bad_command_lines(tmp_path):
    done = subprocess.run([MGPHONE], capture_output=True, text=True, timeout=30)
    assert done.returncode == 2 and "--data" in done.stderr
    done = subprocess.run([MGPHONE, "--data", tmp_path, "--listen", "nonsense"],
                          capture_output=True, text=True, timeout=30)
    assert done.returncode == 2 and "ADDR:PORT" in done.stderr
    done = subprocess.run([MGPHONE, "--data", tmp_path / "d", "--tools", tmp_path, "--listen",
                           f"127.0.0.1:{free_port()}"], capture_output=True, text=True, timeout=30)
    assert done.returncode == 1 and "mgphone-app" in done.stderr
