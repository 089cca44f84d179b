"""What happens around a cell of a night voids exactly that cell, or its block: it is measured again
together with its round's reference, and the rest of the night stands."""

import json
import subprocess

import benchlib
import lablib
from benchlib import PHONE_IP, end_of
from nightlylib import SMALL, bench, rows  # noqa: F401

SOON_S = 60
MIDDLEBOX = """
import socket
listener = socket.create_server(("0.0.0.0", 9999))
print("up", flush=True)
while True:
    listener.accept()[0].close()
"""


def verdict_of(result, cell, attempt):
    path = result.dir / "attempts" / cell / f"a{attempt}" / "verdict.json"
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_throttled_cell_goes_again_with_its_reference(bench):  # noqa: F811
    """The second cell of the first round; the reference's own result stays the one of the round."""
    bench.lab.fault("client-slow=40")  # so that the window is there to be hit
    run = bench.start(*SMALL, "--set", "order=fixed")
    try:
        results = bench.lab.state / "results"
        lablib.wait_until("the reference is measured",
                          lambda: any(results.glob("*/openra/monolith-r1/verdict.json")), SOON_S)
        bench.lab.fault("phone-throttled=0")
        lablib.wait_until("a cell was throttled", lambda: any(
            "throttled" in path.read_text(encoding="utf-8")
            for path in results.glob("*/openra/tcp-r*/verdict.json")), SOON_S)
        bench.lab.clear_fault("phone-throttled")
        result = end_of(run)
    finally:
        bench.lab.clear_fault()
    assert result.code == 0, result
    again = [row for row in rows(result).values() if row.get("beside")]
    assert len(again) == 1, [row["id"] for row in again]
    cell, beside = again[0]["id"], again[0]["beside"]
    assert (again[0]["verdict"], again[0]["attempts"]) == ("measured", 2)
    assert verdict_of(result, cell, 1)["reason"] == "throttled"
    assert beside["verdict"] == "measured" and beside["kept_mean_ms"] > 0
    sake = verdict_of(result, beside["id"], beside["attempt"])
    assert sake["for_the_sake_of"] == cell and sake["verdict"] == "measured"
    assert rows(result)[beside["id"]]["dir"] == beside["id"]
    others = [row for row in rows(result).values() if row["id"] not in (cell, beside["id"])]
    assert all(row["attempts"] == 1 and row["verdict"] == "measured" for row in others), others
    bench.wait_nothing_left()


class Middlebox:
    """On the gateway, for everything but the render server's own port: what is open goes on."""

    def __init__(self, bench):  # noqa: F811
        self.bench = bench

    def __enter__(self):
        self.listener = self.bench.lab.popen("gw", "/usr/bin/python3", "-c", MIDDLEBOX,
                                             stdout=lablib.subprocess.PIPE, text=True)
        assert self.listener.stdout.readline() == "up\n"
        self.bench.lab.exec("gw", "nft", "add table ip middle; add chain ip middle pre "
                            "{ type nat hook prerouting priority -100; }; add rule ip middle pre "
                            f"ip daddr {PHONE_IP} tcp dport != 40613 redirect to :9999")
        return self

    def __exit__(self, *_):
        self.bench.lab.exec("gw", "nft", "delete table ip middle", check=False)
        self.listener.kill()
        self.listener.communicate(timeout=SOON_S)


def night_of(bench):  # noqa: F811
    return max((bench.lab.state / "results").glob("*-nightly-*"),
               key=lambda path: path.stat().st_mtime_ns)


ONE_ROUND = (*SMALL, "--set", "order=fixed", "--set", "lanes.matrix.reps=1", "--set",
             "lanes.crosshost.reps=1")


def test_a_block_whose_path_changed_goes_again_between_new_brackets(bench):  # noqa: F811
    """A middlebox appears while the cross-host cell of the first round runs, and is gone when its
    block has its further turn."""
    bench.lab.fault("client-slow=100")
    run = bench.start(*ONE_ROUND)
    try:
        lablib.wait_until("the cross-host client runs", bench.client_pids, SOON_S)
        night = night_of(bench)
        with Middlebox(bench):
            lablib.wait_until("the bracket has been judged", lambda: (
                night / "attempts/brackets/openra-r1-after/a1/verdict.json").exists(), SOON_S)
        result = end_of(run)
    finally:
        bench.lab.clear_fault()
    assert result.code == 0, result
    row = result.cell("crosshost/bench-openra-c1-r1")
    assert (row["verdict"], row["attempts"]) == ("measured", 2), row
    assert verdict_of(result, row["id"], 1)["reason"] == "path-changed"
    assert row["beside"]["id"] == "openra/monolith-r1"
    assert verdict_of(result, "brackets/openra-r1-after", 1)["reason"] == "middlebox"
    brackets = {line["side"]: line["verdict"] for line in result.summary["brackets"]}
    assert brackets == {"before": "measured", "after": "measured"}
    for arm in ("monolith", "tcp"):
        assert rows(result)[f"openra/{arm}-r1"]["verdict"] == "measured"
        assert "beside" not in rows(result)[f"openra/{arm}-r1"]
    bench.wait_nothing_left()


def test_a_block_without_a_path_is_left_out_and_the_phone_goes_on(bench):  # noqa: F811
    """The path is bad when the first round's block has its turn, and good again for the second's."""
    bench.lab.fault("client-slow=100")
    run = bench.start(*SMALL, "--set", "order=fixed")
    try:
        lablib.wait_until("the last cell before the block runs", lambda: (
            night_of(bench) / "attempts/openra/tcp-r1/a1").exists(), SOON_S)
        night = night_of(bench)
        with Middlebox(bench):
            lablib.wait_until("the path was looked at twice", lambda: (
                night / "attempts/brackets/openra-r1-before/a2/verdict.json").exists(), SOON_S)
        result = end_of(run)
    finally:
        bench.lab.clear_fault()
    assert result.code == 3, result
    seen = {cell: (row["verdict"], row["reason"]) for cell, row in rows(result).items()}
    assert seen.pop("crosshost/bench-openra-c1-r1") == ("skipped", "path-not-good")
    assert set(seen.values()) == {("measured", None)}, seen
    again = subprocess.run([benchlib.MGCOORD, "report", result.dir], capture_output=True, text=True, timeout=60,
                           check=False)
    assert again.returncode in (0, 3), again
    summary = json.loads((result.dir / "summary.json").read_text(encoding="utf-8"))
    assert (summary["runs"], summary["exit_code"]) == (result.summary["runs"], 3), "told as the run told it"
    bench.wait_nothing_left()
