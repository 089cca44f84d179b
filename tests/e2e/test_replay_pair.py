"""The miniature replay pair over loopback: files, log lines, exit codes, and every fault knob.

No namespaces: client and server are started directly. MGC_BUILD names the build directory.
"""

import json
import os
import queue
import re
import resource
import signal
import socket
import statistics
import subprocess

import pytest

from pairlib import clean_env, DEADLINE_S, fixtures, PAIR, pair, Relay, TOKEN, wait_client_line  # noqa: F401


def test_fixtures_are_the_same_bytes_again(fixtures, tmp_path):
    subprocess.run([PAIR / "mglab-fixtures", "--frames-divisor=8", tmp_path / "again"], check=True,
                   timeout=DEADLINE_S)
    names = sorted(os.listdir(fixtures))
    assert sorted(os.listdir(tmp_path / "again")) == names
    for name in names:
        assert (tmp_path / "again" / name).read_bytes() == (fixtures / name).read_bytes()


@pytest.mark.parametrize("workload", ["openra", "rd12"])
def test_ssim_over_tcp(pair, workload):
    server = pair.server()
    port = server.port()
    run = pair.ssim(port, "--diff", str(pair.work / "diff.png"), workload=workload)
    assert run.rc == 0, run.err
    result = run.json("result.json")
    assert result["passed"] is True and result["statusCode"] == 0
    assert result["ssim"] == 1.0 and result["mismatchPixels"] == 0
    assert "benchmark" not in result
    call = pair.facts[workload]["targetCall"]
    names = {"result.json", "retrace.log", "mobilegl.client.log", "mobilegl.server.log",
             "actual.png", f"actual.{call:010d}.png"}
    assert set(os.listdir(run.output)) == names
    assert (pair.work / "diff.png").exists()
    log = run.client_log
    for line in ("Config: MOBILEGL_TRANSPORT=spawn - the MGPipe record stream crosses a real ring "
                 "to an apply thread in ANOTHER PROCESS",
                 "present-credit=1 ", "Config: Active backend type set to DirectGLES",
                 f"control=tcp data=stream server=127.0.0.1:{port} pid=", "run-ahead ARMED"):
        assert line in log
    for line in ("running lockstep", "DISARMED", "Fatal{", "DEVICE LOST"):
        assert line not in log
    frame = re.compile(r"^\[\d\d:\d\d:\d\d\] \[Linux mobilegl_trace_/(INFO|WARN|ERROR)\]: ")
    assert all(frame.match(line) for line in log.splitlines())
    pid = re.search(r"pid=(\d+) dial=connect", log).group(1)
    assert f"pid={pid} transport=spawn role=server ready control=tcp data=stream" in \
        run.text("mobilegl.server.log")
    assert TOKEN not in log + run.text("mobilegl.server.log") + run.text("result.json")
    ended = server.wait_line(r"session pid=(\d+) reaped exit=0 sessionsFaulted=0")
    assert ended.group(1) == pid


@pytest.mark.parametrize("finish", ["0", "1"])
def test_benchmark_over_tcp(pair, finish):
    server = pair.server()
    run = pair.benchmark(server.port(), "--backend=DirectVulkan", f"--benchmark-finish={finish}",
                         workload="rd12", MOBILEGL_IPC_PRESENT_CREDIT="3")
    assert run.rc == 0, run.err
    frames = pair.facts["rd12"]["frames"]
    bench, result = run.json("benchmark.json"), run.json("result.json")
    assert bench["totalFrames"] == frames == len(bench["frameTimesMs"])
    assert len(bench["frameCpuTimesMs"]) == frames
    assert bench["benchmarkFinish"] is result["benchmarkFinish"] is (finish == "1")
    assert bench["width"] == 0 and bench["backend"] == "DirectVulkan"
    assert result["benchmarkFrames"] == frames and result["ssim"] == -1
    assert result["passed"] is True
    assert "present-credit=3 " in run.client_log
    assert "Config: Active backend type set to DirectVulkan" in run.client_log
    metrics = re.findall(r"P65LinkMetrics kind=frame frame=(\d+) .*stage_bytes=(\d+) ",
                         run.client_log)
    assert [int(m[0]) for m in metrics] == list(range(1, frames + 1))
    assert all(1_300_000 < int(m[1]) < 1_700_000 for m in metrics[1:])
    assert int(metrics[0][1]) > 2_000_000
    assert f"P65LinkMetrics kind=summary frame={frames} " in run.client_log
    assert "actual.png" not in os.listdir(run.output)


def test_link_metrics_need_exactly_one(pair):
    port = pair.server().port()
    run = pair.benchmark(port, MOBILEGL_PIPE_STATS="2")
    assert run.rc == 0
    assert "P65LinkMetrics" not in run.client_log and "MGPipe stats: " in run.client_log
    run = pair.benchmark(port, MOBILEGL_PIPE_STATS="0")
    assert "P65LinkMetrics" not in run.client_log and "MGPipe stats: " not in run.client_log


def test_monolith(pair):
    run = pair.ssim(None)
    assert run.rc == 0, run.err
    assert run.json("result.json")["ssim"] == 1.0
    assert "Config: MOBILEGL_TRANSPORT=" not in run.client_log
    assert "Config: IPC" not in run.client_log
    assert "mobilegl.server.log" not in os.listdir(run.output)
    run = pair.benchmark(None)
    assert run.rc == 0
    assert run.json("benchmark.json")["totalFrames"] == pair.facts["openra"]["frames"]


def test_a_server_without_descriptors_serves_again_when_it_has_some(pair):
    server = pair.server()
    port, pid = server.port(), server.process.pid
    soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    used = max(map(int, os.listdir(f"/proc/{pid}/fd"))) + 1
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (used, hard))
    waiting = socket.create_connection(("127.0.0.1", port))
    server.wait_line("accept: Too many open files; trying again")
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
    run = pair.ssim(port)
    waiting.close()
    assert run.rc == 0, run.err


def test_illegal_transport_is_refused_by_name(pair):
    run = pair.ssim(None, MOBILEGL_TRANSPORT="tcp")
    assert run.rc == 0
    assert "Config: Ignoring invalid env variable MOBILEGL_TRANSPORT='tcp'" in run.client_log
    run = pair.ssim(None, MOBILEGL_TRANSPORT="spawn", MOBILEGL_IPC_CONTROL="unix:@x")
    assert run.rc == 0
    assert "Config: MOBILEGL_TRANSPORT='spawn' names a topology (control=unix:@x) " in \
        run.client_log


def test_wrong_credit_is_refused_by_name(pair):
    run = pair.benchmark(pair.server().port(), MOBILEGL_IPC_PRESENT_CREDIT="9")
    assert run.rc == 0
    assert "Ignoring invalid env variable MOBILEGL_IPC_PRESENT_CREDIT='9'" in run.client_log
    assert "present-credit=1 " in run.client_log


def test_credit_trades_off_with_the_round_trip(pair):
    """With a round trip T a frame costs about T / credit. Only the order is asserted; the round
    trip is long against what a busy machine adds."""
    relay = Relay(pair.server().port(), 0.04)
    median_ms = {}
    for credit in (1, 2, 4):
        run = pair.benchmark(relay.port, "--benchmark-finish=0",
                             MOBILEGL_IPC_PRESENT_CREDIT=str(credit))
        assert run.rc == 0, run.err
        median_ms[credit] = statistics.median(run.json("benchmark.json")["frameTimesMs"][4:])
    relay.close()
    assert median_ms[1] > 75  # never below the round trip: credit 1 waits for every frame
    assert median_ms[1] > 1.2 * median_ms[2] and median_ms[2] > 1.2 * median_ms[4], median_ms


# --- client knobs ---------------------------------------------------------------------------


def test_fault_no_transport_marker(pair):
    pair.fault("client-no-transport-marker")
    run = pair.benchmark(pair.server().port())
    assert run.rc == 0
    assert "Config: MOBILEGL_TRANSPORT=spawn" not in run.client_log
    assert "Accepted env variable: MOBILEGL_TRANSPORT=spawn" in run.client_log


def test_fault_not_armed(pair):
    pair.fault("client-not-armed")
    run = pair.benchmark(pair.server().port())
    assert run.rc == 0 and "ARMED" not in run.client_log
    assert "running lockstep" not in run.client_log


def test_fault_lockstep(pair):
    pair.fault("client-lockstep")
    run = pair.benchmark(pair.server().port())
    assert run.rc == 0
    assert run.client_log.count("does not publish kCapRunAheadApply - running lockstep") == 1
    assert "run-ahead ARMED" not in run.client_log
    waits = re.findall(r"kind=frame frame=\d+ wait_replies=(\d+) ", run.client_log)
    assert all(int(count) >= 1 for count in waits)


def test_run_ahead_off_is_lockstep_without_a_remark(pair):
    run = pair.benchmark(pair.server().port(), MOBILEGL_IPC_RUN_AHEAD="0")
    assert run.rc == 0
    assert "running lockstep" not in run.client_log and "ARMED" not in run.client_log


def test_fault_disarmed(pair):
    pair.fault("client-disarmed")
    run = pair.benchmark(pair.server().port())
    assert run.rc == 0 and "run-ahead ARMED" in run.client_log
    assert "run-ahead DISARMED by a later caps snapshot - " in run.client_log


def test_fault_fatal(pair):
    pair.fault("client-fatal")
    run = pair.benchmark(pair.server().port())
    assert run.rc == 0
    assert 'MGPipe: Fatal{BarrierTimeout, "Clear"}' in run.client_log
    assert run.json("benchmark.json")["totalFrames"] == pair.facts["openra"]["frames"]


def test_fault_frames_short(pair):
    pair.fault("client-frames-short", "3")
    run = pair.benchmark(pair.server().port())
    assert run.rc == 0 and run.json("result.json")["passed"] is True
    assert run.json("benchmark.json")["totalFrames"] == pair.facts["openra"]["frames"] - 3


def test_fault_crash(pair):
    pair.fault("client-crash", "5")
    server = pair.server()
    run = pair.benchmark(server.port())
    assert run.rc == -signal.SIGABRT
    assert not (run.output / "result.json").exists()
    server.wait_line(r"session pid=\d+ reaped exit=70 sessionsFaulted=1")


def test_fault_hang(pair):
    pair.fault("client-hang", "5")
    server = pair.server()
    process, output = pair.start(server.port(), "--benchmark")
    log = wait_client_line(process, output, "kind=frame frame=5 ")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    assert "kind=frame frame=6 " not in log.read_text()
    process.kill()
    process.communicate(timeout=DEADLINE_S)
    server.wait_line(r"reaped exit=70 sessionsFaulted=1")


def test_fault_result_half(pair):
    pair.fault("client-result-half")
    run = pair.benchmark(pair.server().port())
    assert run.rc == 0
    text = run.text("result.json")
    assert text.startswith('{\n  "passed": true')
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)


def test_fault_no_credit(pair):
    pair.fault("client-no-credit")
    run = pair.benchmark(pair.server().port(), MOBILEGL_IPC_PRESENT_CREDIT="2")
    assert run.rc == 0
    assert "present-credit=3 " in run.client_log and "present-credit=2 " not in run.client_log


# --- server knobs ---------------------------------------------------------------------------


def test_fault_wrong_pixels(pair):
    pair.fault("server-wrong-pixels")
    run = pair.ssim(pair.server().port())
    result = run.json("result.json")
    assert run.rc == 6 and result["statusCode"] == 6 and result["passed"] is False
    assert result["ssim"] < 0.9 and result["mismatchPixels"] > 1000


@pytest.mark.parametrize("value, code", [("1", 70), ("3", 3)])
def test_fault_bad_exit(pair, value, code):
    pair.fault("server-bad-exit", value)
    server = pair.server()
    run = pair.benchmark(server.port())
    assert run.rc == 0
    server.wait_line(rf"reaped exit={code} sessionsFaulted=1")


def test_fault_never_listens(pair):
    pair.fault("server-never-listens")
    server = pair.server()
    server.wait_line("starting")
    with pytest.raises(queue.Empty):
        server.wait_line("listening", seconds=0.5)
    assert server.process.poll() is None
    assert server.stop() == 0


def test_fault_busy(pair):
    pair.fault("server-busy")
    server = pair.server()
    run = pair.benchmark(server.port())
    assert run.rc == 5 and "Refuse{Busy}" in run.json("result.json")["message"]
    assert "MGPipe: peer Refuse{Busy} one session is already active expected=0 actual=0" in \
        run.client_log
    server.wait_line(r"MG_Remote server: Refuse\{Busy\} one session is already active")


# --- sessions -------------------------------------------------------------------------------


def test_second_client_is_busy_and_the_first_goes_on(pair):
    pair.fault("client-hang", "3")
    server = pair.server()
    port = server.port()
    first, _ = pair.start(port, "--benchmark")
    server.wait_line("transport=spawn role=server ready")
    second = pair.benchmark(port)
    assert second.rc == 5
    assert "peer Refuse{Busy}" in second.client_log
    first.kill()
    first.communicate(timeout=DEADLINE_S)
    server.wait_line("reaped exit=70 sessionsFaulted=1")
    (pair.work / "run/faults/client-hang").unlink()
    assert pair.benchmark(port).rc == 0
    server.wait_line("reaped exit=0 sessionsFaulted=1")


def test_wrong_token(pair):
    server = pair.server()
    run = pair.benchmark(server.port(), MOBILEGL_IPC_TOKEN="another-token-0123456789")
    assert run.rc == 5
    assert "peer Refuse{Authentication}" in run.client_log
    assert "another-token" not in "".join(server.lines) + run.client_log


def test_backend_pin(pair):
    run = pair.benchmark(pair.server(MOBILEGL_BACKEND_TYPE="DirectVulkan").port())
    assert run.rc == 5 and "peer Refuse{Backend}" in run.client_log


def test_short_token_on_an_open_listener_exits_72(pair):
    server = pair.server(listen="tcp://0.0.0.0:0", token="short")
    assert server.process.wait(DEADLINE_S) == 72
    server = pair.server(listen="tcp://0.0.0.0:0")
    assert server.port() > 0


def test_taken_port_exits_72(pair):
    port = pair.server().port()
    assert pair.server(listen=f"tcp://127.0.0.1:{port}").process.wait(DEADLINE_S) == 72


def test_server_killed_in_a_session_is_device_lost(pair):
    server = pair.server()
    relay = Relay(server.port(), 0.1)  # makes the run long enough to be stopped in it
    process, output = pair.start(relay.port, "--benchmark")
    session = int(server.wait_line(r"pid=(\d+) transport=spawn").group(1))
    wait_client_line(process, output, "kind=frame frame=1 ")
    process.send_signal(signal.SIGSTOP)
    os.kill(session, signal.SIGKILL)
    server.wait_line(rf"session pid={session} reaped signal=9 sessionsFaulted=1")
    process.send_signal(signal.SIGCONT)
    process.communicate(timeout=DEADLINE_S)
    relay.close()
    assert process.returncode == 5
    assert (output / "mobilegl.client.log").read_text().count("DEVICE LOST") == 1
    assert json.loads((output / "result.json").read_text())["passed"] is False


def test_probes_do_not_disturb(pair):
    """What a path check or a port scanner does: connect and close, or talk nonsense."""
    server = pair.server()
    port = server.port()
    for payload in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\x01\0\0\0\xff\xff\xff\xff", b"\x01"):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as probe:
            probe.sendall(payload)
    with socket.create_connection(("127.0.0.1", port), timeout=10):
        assert pair.benchmark(port).rc == 0
    assert server.stop() == 0


def test_nobody_listens(pair):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    run = pair.benchmark(port)
    assert run.rc == 5
    assert "refused" in run.json("result.json")["message"].lower()
    assert run.json("benchmark.json")["totalFrames"] == 0


# --- command line ---------------------------------------------------------------------------


def test_exit_codes(pair):
    def rc(*args):
        return subprocess.run([PAIR / "mobilegl_trace_replay", *args], timeout=DEADLINE_S,
                              capture_output=True, env=clean_env(pair.work)).returncode

    assert rc("--help") == 2
    assert rc() == 2
    assert rc("--trace", "x", "--output", str(pair.work / "o"), "--what") == 2
    assert pair.benchmark(None, "--mobilegl-library=/nowhere/libMobileGL.so").rc == 3
    assert pair.benchmark(None, "--mobilegl-library", "libc.so.6").rc == 3
    assert pair.run(None, "--target-call", "5").rc == 5
    assert pair.ssim(None, "--golden", "/nowhere.png").rc == 2
    done = rc("--trace", "/nowhere.trace", "--output", str(pair.work / "o"), "--benchmark")
    assert done == 2
    result = json.loads((pair.work / "o/result.json").read_text())
    assert result["statusCode"] == 2 and "/nowhere.trace" in result["message"]
    usage = subprocess.run([PAIR / "libMobileGLServer.so", "nonsense"], timeout=DEADLINE_S,
                           capture_output=True)
    assert usage.returncode == 71


def test_alternate_golden_best_counts(pair):
    other = pair.fixtures / pair.facts["rd12"]["golden"]
    facts = pair.facts["openra"]
    run = pair.run(None, "--target-call", str(facts["targetCall"]), "--golden", str(other),
                   "--alternate-golden", str(pair.fixtures / facts["golden"]))
    assert run.rc == 6  # sizes differ: the golden itself is wrong, not the picture
    run = pair.run(None, "--target-frame", "2", "--ssim-threshold=0")
    frame_two = run.output / "actual.png"
    run = pair.run(None, "--target-call", str(facts["targetCall"]), "--golden", str(frame_two),
                   "--alternate-golden", str(pair.fixtures / facts["golden"]))
    result = run.json("result.json")
    assert run.rc == 0 and result["ssim"] == 1.0
    assert result["matchedGoldenPath"] == str(pair.fixtures / facts["golden"])
    assert result["alternateGoldenPaths"] == [str(pair.fixtures / facts["golden"])]


def test_android_log_frame_and_log_path(pair):
    run = pair.benchmark(None, MGLAB_LOG_OS="Android",
                         MOBILEGL_LOG_FILE_PATH=pair.work / "elsewhere.log")
    assert run.rc == 0
    assert not (run.output / "mobilegl.client.log").exists()
    assert "[Android mobilegl_trace_/INFO]: " in (pair.work / "elsewhere.client.log").read_text()
