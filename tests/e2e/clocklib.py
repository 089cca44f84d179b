"""A lab whose workers the test starts itself, so that it can plant a clock in one or start a second pair."""

import time

import lablib

JOIN_S = 30
SILENCE_MS = "3000"


class Planted:
    """`lab` starts one on `state`; `bench_of` makes a bench of it."""

    def __init__(self, lab, state, bench_of):
        # One lab with workers makes keys, enrolment, fixtures and the site; then one without.
        first = lab("--frames-divisor", "8", "--heartbeat-ms", "200", "--silence-ms", SILENCE_MS,
                    state=state, workers=True, phone=True)
        first.stop()
        first.assert_gone()
        self.lab = lab("--frames-divisor", "8", "--heartbeat-ms", "200", "--silence-ms", SILENCE_MS,
                       state=state, phone=True)
        (self.lab.state / "locks-of-test").mkdir(exist_ok=True)
        self.bench = bench_of(self.lab)
        self.workers = []

    def start(self, role, host, plant="", name=None):
        """The worker that is called so (as its role); when, as mono time."""
        program = lablib.BUILD / f"worker-{role}/mgworker-{role}"
        state, name = self.lab.state, name or role
        env = [f"MGC_CLOCK_PLANT={plant}"] if plant else []
        self.workers.append(self.lab.popen(
            host, "env", *env, program, "--enrol", state / "enrol" / f"{name}.enrol", "--state",
            state / name, "--locks", state / "locks-of-test", stdout=lablib.subprocess.DEVNULL,
            stderr=lablib.subprocess.DEVNULL))
        return time.monotonic()

    def end(self):
        """Inside the lab, so that whoever started a worker there also sees it end: a killed `mglab
        exec` would leave its command to the machine's init, which may be slow to look."""
        for role, host in (("host", "winhost"), ("wsl", "wsl")):
            self.lab.exec(host, "sh", "-c", f'kill $(pidof mgworker-{role})', check=False)
        for worker in self.workers:
            worker.wait(JOIN_S)
