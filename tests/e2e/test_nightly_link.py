"""A night that tests the link around its cross-host cells: a link that moves voids the block."""

import lablib
from benchlib import end_of
from nightlylib import SMALL, bench, rows  # noqa: F401

SOON_S = 90
# 20 Mbit/s leave a busy machine time; a band of 50 % for one that is very busy.
LINK = (*SMALL, "--set", "brackets=link", "--set", "link_band=50", "--set", "order=fixed", "--set",
        "lanes.netbench.short_duration=1s", "--set", "lanes.matrix.arms=monolith")


def test_a_block_whose_link_moved_goes_again(bench):  # noqa: F811
    """20 Mbit/s before, 5 after: the cell itself could not tell."""
    bench.lab.fault("link-rate-mbit=20")
    bench.lab.fault("client-slow=60")
    run = bench.start(*LINK, "--reps", "1")
    try:
        lablib.wait_until("the cross-host client runs", bench.client_pids, SOON_S)
        bench.lab.fault("link-rate-mbit=5")
        result = end_of(run)
    finally:
        bench.lab.clear_fault()
    assert result.code == 0, result
    row = result.cell("crosshost/bench-openra-c1-r1")
    assert (row["verdict"], row["attempts"]) == ("measured", 2), row
    first = (result.dir / "attempts" / row["id"] / "a1/verdict.json").read_text(encoding="utf-8")
    assert '"link-moved"' in first and "Mbit/s before" in first
    assert row["beside"]["id"] == "openra/monolith-r1"
    for bracket in result.summary["brackets"]:
        assert bracket["verdict"] == "measured" and 3 < bracket["metrics"]["up_mbit_s"] < 7, bracket
        assert bracket["metrics"]["link_rtt_n"] > 0
    bench.wait_nothing_left()


def test_a_steady_link_leaves_its_blocks_alone(bench):  # noqa: F811
    bench.lab.fault("link-rate-mbit=20")
    try:
        result = bench.run(*LINK)
    finally:
        bench.lab.clear_fault()
    assert result.code == 0, result
    assert all(row["attempts"] == 1 for row in rows(result).values()), rows(result)
    assert len(result.summary["brackets"]) == 4
