"""The link between gateway and phone: what was asked for is what packets meet. No exact times:
the machine is shared, so a delay is only known to be at least what was asked for."""

import json
import time

import pytest

import lablib

PHONE = "192.168.21.181"

# Small UDP packets at a pace from gw to the phone. Both hosts have one clock, so each delay is one
# way. Prints "ready", then a line of JSON with [sequence number, delay in ms] as they came in.
RECEIVER = """
import json, socket, sys, time
count, limit = int(sys.argv[1]), float(sys.argv[2])
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("0.0.0.0", 7000))
s.settimeout(limit)
print("ready", flush=True)
seen = []
try:
    while len(seen) < count:
        number, sent = map(int, s.recv(2000).split()[:2])
        seen.append([number, (time.monotonic_ns() - sent) / 1e6])
except TimeoutError:
    pass
print(json.dumps(seen))
"""
SENDER = """
import socket, sys, time
address, count, gap, size = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(count):
    s.sendto(b"%d %d " % (i, time.monotonic_ns()) + b"." * size, (address, 7000))
    time.sleep(gap)
"""

# As much TCP as passes: prints seconds from the first byte to the last, at the receiver.
SINK = """
import socket, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("0.0.0.0", 7001)); s.listen(); s.settimeout(60)
print("ready", flush=True)
c, _ = s.accept()
c.settimeout(60)
first, total = None, 0
while data := c.recv(1 << 16):
    first = first or time.monotonic()
    total += len(data)
print(time.monotonic() - first, total)
"""
SOURCE = """
import socket, sys
s = socket.create_connection((sys.argv[1], 7001), 60)
s.sendall(bytes(int(sys.argv[2])))
s.close()
"""


def beside(lab, host, code, *args):
    process = lab.popen(host, "/usr/bin/python3", "-c", code, *args,
                        stdout=lablib.subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def send_packets(lab, count=20, gap=0.005, size=50, limit=2, sender="gw", receiver="phone",
                 address=PHONE):
    """[[number, delay in ms], ...] of those that arrived, in the order of their arrival."""
    process = beside(lab, receiver, RECEIVER, count, limit)
    try:
        lab.python(sender, SENDER, address, count, gap, size)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait(30)
    return json.loads(out)


def seconds_for(lab, amount):
    """How long TCP from gw to the phone takes for so many bytes."""
    process = beside(lab, "phone", SINK)
    try:
        lab.python("gw", SOURCE, PHONE, amount)
        out, _ = process.communicate(timeout=90)
    finally:
        process.kill()
        process.wait(30)
    seconds, total = out.split()
    assert int(total) == amount
    return float(seconds)


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):
    one = lablib.Lab(tmp_path_factory.mktemp("lab") / "state")
    one.wait_up()
    yield one
    one.end()
    one.assert_gone()


@pytest.fixture
def linked(bench):
    """The file's lab with its link as it came: ethernet."""
    bench.clear_fault()
    yield bench
    bench.clear_fault()


def delays(packets):
    return [delay for _, delay in packets]


def numbers(packets):
    return [number for number, _ in packets]


def test_every_packet_is_delayed_as_asked_in_both_directions(linked):
    linked.fault("link-delay-ms=30")
    down = send_packets(linked)
    up = send_packets(linked, sender="phone", receiver="gw", address="192.168.21.1")
    for packets in (down, up):
        assert numbers(packets) == list(range(20))
        assert min(delays(packets)) >= 30
    assert min(delays(down)) < 300  # and by nothing else


def test_a_profile_can_be_switched_live(linked):
    assert min(delays(send_packets(linked))) < 40
    linked.fault("link-profile=wan40")
    assert min(delays(send_packets(linked))) >= 40
    linked.clear_fault("link-profile")
    assert min(delays(send_packets(linked))) < 40


def test_jitter_keeps_the_order(linked):
    """bad-wifi has 8 ms of it; packets are sent every 0.5 ms."""
    linked.fault("link-profile=bad-wifi")
    packets = send_packets(linked, count=1000, gap=0.0005)
    assert len(packets) > 900
    assert numbers(packets) == sorted(numbers(packets))
    assert max(delays(packets)) - min(delays(packets)) > 2


def test_nothing_passes_a_cut_link_and_it_comes_back(linked):
    linked.fault("link-cut")
    assert linked.faults() == {"link-cut": "forever"}
    assert send_packets(linked, limit=1) == []
    linked.clear_fault("link-cut")
    lablib.wait_until("packets pass again", lambda: send_packets(linked, count=3, limit=1), 30)


def test_a_cut_for_a_while_ends_by_itself(linked):
    began = time.monotonic()
    linked.fault("link-cut=1.5s")
    lablib.wait_until("the cut is over", lambda: linked.faults() == {}, 30)
    assert time.monotonic() - began >= 1.5
    lablib.wait_until("packets pass again", lambda: send_packets(linked, count=3, limit=1), 30)


def test_a_tcp_connection_survives_a_cut(linked):
    """What is in flight is lost, and sent again when the link is back."""
    linked.fault("link-rate-mbit=20")
    linked.fault("link-cut=500ms")
    assert seconds_for(linked, 1_000_000) < 60


def test_the_rate_is_about_what_was_asked(linked):
    linked.fault("link-rate-mbit=8")
    slow = seconds_for(linked, 1_000_000)  # 1 s and the headers
    assert 0.8 < slow < 10
    linked.fault("link-rate-mbit=400")
    assert seconds_for(linked, 1_000_000) < slow


def test_the_link_of_the_lab_takes_no_64_kb_frames(linked):
    """Segmentation offload is off at both ends, or one frame would take 52 ms at 10 Mbit/s."""
    linked.fault("link-rate-mbit=400")
    seconds_for(linked, 5_000_000)
    linked.kill("link", "TERM")  # it says then what it saw
    linked.wait_restarted("link", 1)
    lines = [line for line in linked.log("link").splitlines() if "too long" in line]
    assert len(lines) >= 2 and all(" 0 too long" in line for line in lines)


def test_a_killed_emulator_is_started_again_with_its_knobs(linked):
    linked.fault("link-delay-ms=30")
    before = linked.member("link")["restarts"]
    linked.kill("link")
    linked.wait_restarted("link", before + 1)
    packets = lablib.wait_until("packets pass", lambda: send_packets(linked, count=5, limit=1), 30)
    assert min(delays(packets)) >= 30


@pytest.mark.parametrize("text, word", [
    ("link-profile=wlan", "bad-wifi"), ("link-delay-ms=slow", "5000"),
    ("link-rate-mbit=0", "10000"), ("link-cut=maybe", "5s")])
def test_bad_values_are_refused_and_say_what_would_do(linked, text, word):
    done = linked.mglab("fault", text, check=False)
    assert done.returncode == 2 and word in done.stderr
    assert linked.faults() == {}


def test_a_dozing_phone_wakes_when_it_is_spoken_to(linked):
    """wifi: after 200 ms of silence a packet to the phone waits for a beacon, at most 102.4 ms."""
    linked.fault("link-profile=wifi")
    packets = send_packets(linked, count=8, gap=0.45, limit=5)
    assert numbers(packets) == list(range(8))
    assert max(delays(packets)) > 10  # of eight at odd moments not all meet a beacon


def test_knobs_from_the_start(lab):
    one = lab("--link", "wifi", "--fault", "link-delay-ms=25")
    assert min(delays(send_packets(one))) >= 25


def test_a_plain_cable_has_no_knobs(lab):
    one = lab("--link", "none")
    assert len(send_packets(one)) == 20
    assert "link" not in [member["name"] for member in one.status()["members"]]
    done = one.mglab("fault", "link-cut", check=False)
    assert done.returncode == 1 and "--link none" in done.stderr
    assert one.faults() == {}


def test_an_unknown_profile_is_a_usage_error(lab):
    one = lab("--link", "lte", wait=False)
    assert one.wait() == 2
    assert "bad-wifi" in one.err


# ---- wsl's own cable ----

def test_wsl_can_lose_its_cable_and_keeps_its_routes(linked):
    routes = linked.exec("wsl", "ip", "route").stdout
    assert linked.probe("wsl", "192.168.31.10", 1) == "refused"
    linked.fault("wsl-link-down")
    assert linked.probe("wsl", "192.168.31.10", 1, limit=1) in ("silent", "error 113")
    linked.clear_fault("wsl-link-down")
    lablib.wait_until("the cable carries again", lambda: linked.probe(
        "wsl", "192.168.31.10", 1, limit=2) == "refused", 30)
    assert linked.exec("wsl", "ip", "route").stdout == routes
