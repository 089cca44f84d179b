"""What stands between wsl and the phone, mode by mode: what a client meets, and what the path check
makes of it."""

import subprocess

import pytest

import lablib

PHONE = "192.168.21.181"
SERVICE = 40613
PATHCHECK = lablib.BUILD / "worker-wsl/pathcheck/mgpathcheck"

# Accepts, says from where, and answers one byte.
SERVER = f"""
import socket
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("0.0.0.0", {SERVICE})); s.listen()
print("ready", flush=True)
while True:
    c, peer = s.accept()
    print(peer[0], flush=True)
    c.recv(1); c.sendall(b"!"); c.close()
"""

WSL, PROXY = "192.168.31.20", "192.168.31.2"


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):
    one = lablib.Lab(tmp_path_factory.mktemp("lab") / "state", ("--link", "ethernet", "--fault",
                                                                "link-delay-ms=20"))
    one.wait_up()
    server = one.popen("phone", "/usr/bin/python3", "-c", SERVER, stdout=subprocess.PIPE, text=True)
    assert server.stdout.readline() == "ready\n"
    one.server = server
    yield one
    one.end()
    server.wait(30)
    one.assert_gone()


def who_came(lab):
    return lab.server.stdout.readline().strip()


def path_check(lab):
    return lab.exec("wsl", PATHCHECK, "--timeout", "1500ms", PHONE, check=False)


# mode, a closed port, the service's port, whom the phone saw there, exit codes of the path check
# (forge and service-port: what it says of them is its own tests' business)
TABLE = [
    ("accept-all", "accepted reset", "accepted open", PROXY, (1,)),
    ("service-port", "refused", "accepted open", PROXY, (0, 1, 2)),
    ("forge", "refused", "accepted open", PROXY, (0, 1, 2)),
    ("forward", "refused", "accepted open", WSL, (0,)),
    ("drop", "silent", "silent", None, (2,)),
    ("unreachable", "error 113", "error 113", None, (2,)),
    ("silence", "silent", "accepted open", WSL, (2,)),
]


@pytest.mark.parametrize("mode, closed, service, seen, codes", TABLE, ids=[r[0] for r in TABLE])
def test_what_a_client_meets(bench, mode, closed, service, seen, codes):
    bench.fault(f"proxy-mode={mode}")
    assert bench.probe("wsl", PHONE, 1, limit=2) == closed
    assert bench.probe("wsl", PHONE, SERVICE, limit=2) == service
    if seen:
        assert who_came(bench) == seen
    done = path_check(bench)
    assert done.returncode in codes, done.stdout + done.stderr


def test_a_route_of_its_own_leaves_the_proxy_aside(bench):
    """All but silence, which is wsl's own doing."""
    bench.exec("wsl", "ip", "route", "replace", f"{PHONE}/32", "via", "192.168.31.1", "dev", "eth0")
    try:
        for mode in ("accept-all", "forge", "drop", "unreachable"):
            bench.fault(f"proxy-mode={mode}")
            assert path_check(bench).returncode == 0, mode
        bench.fault("proxy-mode=silence")
        assert path_check(bench).returncode == 2
    finally:
        bench.clear_fault("proxy-mode")
        bench.exec("wsl", "ip", "route", "del", f"{PHONE}/32")


def test_a_forged_refusal_comes_too_soon(bench):
    """Sooner than the link's delay there and back, 40 ms, allows the phone to answer."""
    timed = ("import socket, sys, time\ns = socket.socket(); t = time.monotonic()\n"
             "assert s.connect_ex((sys.argv[1], 1)) == 111\nprint((time.monotonic() - t) * 1000)")

    def refusal_ms():
        return min(float(bench.python("wsl", timed, PHONE)) for _ in range(5))

    bench.fault("proxy-mode=forge")
    assert refusal_ms() < 40
    bench.fault("proxy-mode=forward")
    assert refusal_ms() >= 40
