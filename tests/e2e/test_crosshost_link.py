"""Cross-host runs over the emulated link: everything on Wi-Fi, and present credit against delay."""

import pytest

import lablib
from benchlib import Bench

WORKLOADS, CREDITS = ("openra", "rd12"), (1, 2, 3)


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):
    one = lablib.Lab(tmp_path_factory.mktemp("lab") / "state",
                     ("--frames-divisor", "4", "--link", "wifi"), workers=True, phone=True)
    one.wait_up()
    yield Bench(one)
    one.end()
    one.assert_gone()


def test_everything_is_measured_on_wifi(bench):
    result = bench.run("--reps", "1")
    assert result.code == 0, result
    cells = [f"ssim-{w}" for w in WORKLOADS]
    cells += [f"bench-{w}-c{c}" for w in WORKLOADS for c in CREDITS]
    for name in cells:
        assert result.cell(name)["verdict"] == "measured", result
    for workload in WORKLOADS:
        assert result.cell(f"ssim-{workload}")["ssim"] > 0.99


def test_credit_pays_when_the_phone_is_far_away(bench):
    """With 40 ms each way and no wait for the server at the end of a frame, a frame takes a round
    trip divided by the credit: 1, 1/2, 1/3. By half of each step is enough here. (With
    benchmark_finish every frame waits by design; rd12 moves more than a step's worth of bytes.)"""
    for fault in ("link-profile=ethernet", "link-delay-ms=40"):
        bench.lab.fault(fault)
    result = bench.run("--workload", "openra", "--reps", "1", "--set", "lanes.crosshost.ssim=false",
                       "--set", "lanes.crosshost.benchmark_finish=false")
    bench.lab.clear_fault()
    assert result.code == 0, result
    fps = [result.cell(f"bench-openra-c{credit}")["throughput_fps"] for credit in CREDITS]
    assert fps[0] < 1000 / 80 * 1.1, fps  # nothing is faster than the round trip
    assert fps[1] > 1.5 * fps[0] and fps[2] > 1.25 * fps[1], fps
