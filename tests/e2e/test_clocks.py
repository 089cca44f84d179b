"""Clocks that are wrong on purpose (MGC_CLOCK_PLANT, common/base/clock.h) in one worker, against what the
coordinator says of them. All of the lab's processes share one true clock, so the planted truth is
known exactly."""

import time

import pytest

import lablib
from benchlib import ONE_BENCH, Bench, end_of
from clocklib import JOIN_S, Planted

PLANT_AFTER_S = 12


@pytest.fixture
def planted(lab, tmp_path):
    one = Planted(lab, tmp_path / "planted", Bench)
    yield one
    one.end()


def host_row(result, role):
    rows = [row for row in result.summary["hosts"] if row["role"] == role]
    assert len(rows) == 1, result.summary["hosts"]
    return rows[0]


def test_offset_and_drift_are_estimated_within_the_stated_uncertainty(planted):
    planted.start("host", "winhost")
    began = planted.start("wsl", "wsl", "offset_ms=250,drift_ppm=50")
    result = planted.bench.run(*ONE_BENCH)
    elapsed_s = time.monotonic() - began
    assert result.code == 0, result
    host, wsl = host_row(result, "host"), host_row(result, "wsl")
    assert abs(host["clock_offset_ms"]) <= host["clock_uncertainty_ms"]
    # The drift since the worker's start, known to lie between nothing and the whole time.
    least, most = 250.0, 250.0 + 0.050 * elapsed_s
    margin = wsl["clock_uncertainty_ms"]
    assert least - margin <= wsl["clock_offset_ms"] <= most + margin, wsl
    assert 0 < margin < 100
    release = result.cell("bench")["release"]
    assert release["reported"] == 2 and release["skew_ms"] is not None
    assert 0 < release["uncertainty_ms"] < 100
    assert "uncertainty" in result.report.read_text()


def test_barrier_in_wrong_clocks_still_starts_together(planted):
    """Two hours apart: an instant that was not converted would never come, or be long past."""
    planted.start("host", "winhost", "offset_ms=-3600000")
    planted.start("wsl", "wsl", "offset_ms=3600000")
    result = planted.bench.run(*ONE_BENCH)
    assert result.code == 0, result
    release = result.cell("bench")["release"]
    assert release["skew_ms"] < 1000


@pytest.mark.parametrize("plant, reason", [
    ("step_ms=2000", "clock-stepped"),
    ("sleep_ms=4000", "host-slept"),
])
def test_a_step_or_a_sleep_in_a_cell_takes_it_back(planted, plant, reason):
    """A slow link makes the cell last, and the clock goes wrong in the middle of it."""
    planted.lab.fault("link-rate-mbit=1")
    planted.start("host", "winhost")
    began = planted.start("wsl", "wsl", f"{plant},after_ms={PLANT_AFTER_S * 1000}")
    run = planted.bench.start(*ONE_BENCH, "--set", "retries_per_cell=0")
    lablib.wait_until("the client runs", planted.bench.client_pids, JOIN_S)
    assert time.monotonic() - began < PLANT_AFTER_S, "too slow a machine for this plant"
    lablib.wait_until("the clock went wrong", lambda: time.monotonic() > began + PLANT_AFTER_S + 1,
                      2 * PLANT_AFTER_S)
    assert planted.bench.client_pids(), "the cell has ended before"
    planted.lab.clear_fault("link-rate-mbit")
    result = end_of(run)
    assert result.code == 3, result
    row = result.cell("bench")
    assert (row["verdict"], row["reason"]) == ("invalid", reason), result
    bad = [item for item in row["evidence"] if item["outcome"] != "ok"]
    assert [(item["check"], item["source"]) for item in bad] == [("clock", "wsl")]
