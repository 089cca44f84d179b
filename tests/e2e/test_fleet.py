"""Several phones in one run: side by side, each with a run of its own, and what they share told as
one. The lab's phones p1 to p4 belong to two worker pairs."""

import json
import re
import signal
import sqlite3
import subprocess

import pytest

import benchlib
import breaklib
import lablib
from breaklib import broken  # noqa: F401  (fixture)
from test_lab_several import ALONE

PHONES = ("p1", "p2", "p3", "p4")
PAIR = {"p1": "1", "p2": "2", "p3": "1", "p4": "2"}
SHORT = ("--set", "retries_per_cell=1", "--set", "worker_timeout=20s")
CROSSHOST = ("crosshost", "--workload", "openra", "--credit", "1,2", "--reps", "1", "--set",
             "lanes.crosshost.ssim=false", *SHORT)
BOTH_LANES = ("nightly", "--workload", "openra", "--arm", "monolith,tcp", "--credit", "1", "--reps",
              "1", "--set", "lanes.matrix.ssim=false", "--set", "lanes.crosshost.ssim=false", "--set",
              "brackets=path", "--set", "confirm=0", *SHORT)


class FleetBench(breaklib.BreakBench):
    """Runs of any plan on all phones of the lab."""

    def command(self, *args):
        return (benchlib.MGCOORD, "run", "--site", self.site, *args)

    def left(self):
        """Routes, servers, clients, journals that a run would have to put back, as text."""
        routes = self.lab.exec("wsl", "ip", "-4", "route", "show").stdout
        found = [line for line in routes.splitlines() if line.startswith("192.168.21.18")]
        found += [f"server {pid}" for pid in self.processes.find("server")]
        found += [f"client {pid}" for pid in self.processes.find("client")]
        for journal in sorted(self.lab.state.glob("*/journal")):
            found += [str(path) for path in journal.iterdir()]
        return found

    def assert_nothing_left(self):
        lablib.wait_until("all is put back", lambda: not self.left(), benchlib.SETTLE_S)

    def mgcoord(self, *args, check=True):
        return self.lab.exec("wsl", benchlib.MGCOORD, *args, check=check)


@pytest.fixture(scope="module")
def bench(labs_work, tmp_path_factory):
    lab = lablib.Lab(tmp_path_factory.mktemp("lab") / "state",
                     ("--frames-divisor", "8", "--phones", "4", "--pairs", "2",
                      *breaklib.SHORT_LIVENESS), workers=True, phone=True)
    lab.wait_up()
    yield FleetBench(lab)
    lab.end()
    lab.assert_gone()


def phone_summary(result, phone):
    return json.loads((result.dir / "phones" / phone / "summary.json").read_text())


def row(result, phone):
    found = [one for one in result.summary["phones"] if one["phone"] == phone]
    assert len(found) == 1, (phone, result)
    return found[0]


def assert_whole(result, phone, cells):
    """A run as it would be alone, in a directory of its own."""
    one = row(result, phone)
    assert (one["exit_code"], one["cells"], one["measured"]) == (0, cells, cells), result
    assert one["reason"] is None and one["reference"][0]["fps"] > 0
    summary = phone_summary(result, phone)
    ids = [cell["id"] for cell in summary["runs"]]
    assert len(set(ids)) == len(ids) == cells
    assert [cell["verdict"] for cell in summary["runs"]] == ["measured"] * cells
    assert summary["run_id"] == f"{result.dir.name}-{phone}"
    hosts = {host["worker"] for host in summary["hosts"]}
    assert hosts == {"host" + PAIR[phone], "wsl" + PAIR[phone]}
    for name in benchlib.FORMS:
        assert (result.dir / "phones" / phone / name).exists(), name


def spans(result, phone, of_wsl):
    """When the cells of a phone were measured."""
    return [(cell["start_wall_s"], cell["end_wall_s"]) for cell in phone_summary(result, phone)["runs"]
            if (cell["lane"] == "crosshost") == of_wsl]


def overlap(one, other):
    return any(a < d and c < b for a, b in one for c, d in other)


def test_side_by_side_and_one_that_is_gone_ends_alone(bench):
    bench.lab.fault("p3.phone-gone")
    result = bench.run(*BOTH_LANES, "--set", "lanes.matrix.device_timeout=2s", "--set",
                       "lanes.crosshost.device_timeout=2s")
    bench.lab.clear_fault("p3")
    assert result.code == 3, result
    for phone in ("p1", "p2", "p4"):
        assert_whole(result, phone, 3)
    gone = row(result, "p3")
    assert (gone["exit_code"], gone["measured"], gone["skipped"]) == (3, 0, 3), result
    assert "is gone" in gone["reason"]
    assert (result.dir / "phones/p3/REPORT.md").exists()
    # the table names what is wrong first, and all phones
    assert result.out.index("p3: nightly on unknown device") < result.out.index("phones/p1")
    assert re.search(r"^p3 +3 +3 +0 ", result.out, re.M), result
    assert re.search(r"p3: over: .*is gone", result.err), result
    # p2 and p4 share a WSL worker: their cells take turns there, but not on the phones
    assert not overlap(spans(result, "p2", True), spans(result, "p4", True)), result
    assert overlap(spans(result, "p1", False) + spans(result, "p1", True),
                   spans(result, "p2", False) + spans(result, "p4", False)), result
    with sqlite3.connect(bench.lab.state / "results/mgcoord.db") as db:
        known = {name for name, in db.execute("SELECT run_id FROM runs WHERE run_id LIKE ?",
                                              (result.dir.name + "-%",))}
    assert known == {f"{result.dir.name}-{phone}" for phone in PHONES}
    bench.assert_nothing_left()


def test_some_of_the_phones(bench):
    result = bench.run(*CROSSHOST, "--phone", "p4,p1")
    assert result.code == 0, result
    assert [one["phone"] for one in result.summary["phones"]] == ["p1", "p4"]
    assert not (result.dir / "phones/p2").exists()
    refused = bench.run(*CROSSHOST, "--phone", "p9")
    assert refused.code == 2 and "phone 'p9': expected one of the site's phones: p1, p2" in refused.err


def test_report_reads_all_of_them_back(bench):
    result = bench.run(*CROSSHOST, "--phone", "p1,p2")
    before = (result.dir / "summary.json").read_text()
    for name in ("summary.json", "REPORT.md", "junit.xml", "phones/p2/REPORT.md"):
        (result.dir / name).unlink()
    done = bench.mgcoord("report", result.dir)
    assert "crosshost on 2 phones: 4 of 4 cells measured" in done.stdout
    assert (result.dir / "summary.json").read_text() == before
    assert (result.dir / "phones/p2/REPORT.md").exists() and (result.dir / "junit.xml").exists()
    shown = bench.mgcoord("report", "--markdown", result.dir).stdout
    assert "[phones/p2](phones/p2/REPORT.md)" in shown
    assert bench.mgcoord("report", result.dir / "phones/p1").returncode == 0
    wrong = bench.mgcoord("compare", result.dir, result.dir, check=False)
    assert wrong.returncode == 2 and "is a run on several phones" in wrong.stderr


def test_watch_and_cancel_reach_all_of_them(bench, broken):
    bench.lab.fault("client-slow=400")
    run = broken(*CROSSHOST)
    for phone in ("p1", "p2"):
        run.wait_line(phone + r": setup: steps done|" + phone + r": crosshost/")
    run.wait_line(r"p[13]: crosshost/bench-openra-c1-r1: waiting for worker 'wsl1', which measures with")
    told = bench.mgcoord("watch", "--once", "--site", bench.site).stdout
    assert "4 of 4 phones" in told
    for phone in PHONES:
        assert re.search(rf"^{phone}: ", told, re.M), told
    hosts = bench.mgcoord("hosts", "--site", bench.site, "--json", check=False).stdout
    for name in ("host1", "host2", "wsl1", "wsl2"):
        assert name in hosts
    bench.mgcoord("cancel", "--site", bench.site)
    result = run.end()
    bench.lab.clear_fault()
    assert result.code == 4, result
    for phone in PHONES:
        assert phone_summary(result, phone)["interrupted"]
    bench.assert_nothing_left()


def test_interrupt_puts_all_back_and_can_be_resumed(bench, broken):
    bench.lab.fault("client-slow=100")
    run = broken(*BOTH_LANES)
    for phone in PHONES:
        run.wait_line(phone + r": \S+: attempt 1$", 60)
    run.wait_line(r"server: ready")
    bench.processes.signal("coordinator", signal.SIGINT)
    result = run.end()
    bench.lab.clear_fault()
    assert result.code == 4, result
    bench.assert_nothing_left()
    again = bench.run("--resume", result.dir)
    assert again.code == 0, again
    for phone in PHONES:
        assert_whole(again, phone, 3)


def test_killed_and_resumed_leaves_what_is_done(bench, broken):
    """p1 is done when the coordinator dies, the others are in the middle."""
    for phone in ("p2", "p3", "p4"):
        bench.lab.fault(f"{phone}.client-slow=150")
    run = broken(*CROSSHOST, "--set", "workers.wsl1.parallel=2")
    run.wait_line(r"p1: over: crosshost on .*: 2 of 2 cells measured", 60)
    bench.processes.signal("coordinator", signal.SIGKILL)
    run.process.wait(30)
    bench.lab.clear_fault()
    name = sorted(path.name for path in (bench.lab.state / "results").iterdir() if path.is_dir())[-1]
    killed = bench.lab.state / "results" / name
    done_at = (killed / "phones/p1/summary.json").stat().st_mtime_ns
    assert not (killed / "summary.json").exists()
    table = bench.mgcoord("report", "--dry", killed).stdout
    assert re.search(r"^p1 +0 +2 +2 ", table, re.M), table
    result = bench.run("--resume", "last")
    assert result.code == 0, result
    assert result.dir == killed
    for phone in PHONES:
        assert_whole(result, phone, 2)
    assert (killed / "phones/p1/summary.json").stat().st_mtime_ns == done_at
    assert phone_summary(result, "p1").get("resumed", 0) == 0
    assert phone_summary(result, "p2")["resumed"] == 1
    again = bench.run("--resume", name)
    assert again.code == 0 and "is complete: nothing is left to do" in again.out, again
    refused = bench.run("--resume", name, "--phone", "p1")
    assert refused.code == 2 and "--phone: a run that is resumed goes on" in refused.err
    bench.assert_nothing_left()


def test_a_worker_that_never_comes_ends_its_phones_alone(bench):
    """host2 serves p2 and p4, and is kept away by a revoked key of its name in the site."""
    site = bench.lab.state / "site-without.yaml"
    text = bench.site.read_text()
    site.write_text(text.replace("host: host2", "host: host3").replace(
        "  host2:", "  host3: {role: host}\n  host2:", 1))
    done = bench.lab.exec("wsl", benchlib.MGCOORD, "run", "--site", site, *CROSSHOST, "--set",
                          "worker_timeout=3s", timeout=benchlib.RUN_S, check=False)
    result = benchlib.Result(bench.lab, done)
    assert result.code == 3, result
    for phone in ("p1", "p3"):
        assert_whole(result, phone, 2)
    for phone in ("p2", "p4"):
        assert "no worker 'host3' (host) joined within 3 s" in row(result, phone)["reason"], result
    assert "worker 'host2' joined, but no phone of this run is served by it" in result.err


def test_64_phones_on_8_worker_pairs(tmp_path):
    """In loopback mode; all of a worker's phones at once, since nothing is learned from their numbers."""
    if subprocess.run([*ALONE, "true"], capture_output=True, timeout=30).returncode != 0:
        pytest.skip("cannot make a network of its own")
    free = [part for i in range(1, 9) for part in ("--set", f"workers.wsl{i}.parallel=8")]
    done = subprocess.run(
        [*ALONE, str(lablib.MGLAB), "run", "--loopback", "--state", str(tmp_path / "lab"), "--phones",
         "64", "--pairs", "8", "--frames-divisor", "16", "--", str(benchlib.MGCOORD), "run", "crosshost",
         *benchlib.ONE_BENCH, "--quiet", "--set", "retries_per_cell=5", "--set", "worker_timeout=120s",
         *free], capture_output=True, text=True, timeout=benchlib.RUN_S, stdin=subprocess.DEVNULL)
    if done.returncode == 125 and "max_user_instances" in done.stderr:
        pytest.skip("other labs of this user leave too few inotify instances for 64 phones")
    result = benchlib.Result(None, done)
    assert result.code == 0, str(result)
    assert [row["phone"] for row in result.summary["phones"]] == [f"p{i}" for i in range(1, 65)]
    assert {(row["cells"], row["measured"]) for row in result.summary["phones"]} == {(1, 1)}
    for i in (1, 8, 9, 64):
        hosts = {host["worker"] for host in phone_summary(result, f"p{i}")["hosts"]}
        assert hosts == {f"host{(i - 1) % 8 + 1}", f"wsl{(i - 1) % 8 + 1}"}
