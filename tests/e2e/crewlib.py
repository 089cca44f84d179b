"""Tasks on the workers of a lab of several phones, without a scheduler: a bus end of the test's own
(crew_driver) in a lab in loopback mode, in a network of its own."""

import os
import queue
import subprocess
import threading
import time

from lablib import BUILD, MGLAB

DRIVER = BUILD / "tests/e2e/crew_driver"
# A network of one's own, so that fixed ports meet nobody's.
ALONE = ("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
WAIT_S = 120
PACKAGE = "top.mobilegl.plugin.trace"
TOKEN = "0123456789abcdef"


def can_be_alone():
    return subprocess.run([*ALONE, "true"], capture_output=True, timeout=30).returncode == 0


class Crew:
    """Use as a context. Phones and pairs are counted from 1, as the lab's names are."""

    def __init__(self, state, phones, pairs, *options):
        self.state, self.phones, self.pairs = state, phones, pairs
        env = {k: v for k, v in os.environ.items() if k != "MGLAB_STATE"}
        self.env = dict(env, MGLAB_STATE=str(state))
        self.process = subprocess.Popen(
            [*ALONE, str(MGLAB), "run", "--loopback", "--state", str(state), "--phones",
             str(phones), "--pairs", str(pairs), "--frames-divisor", "16", *options, "--",
             str(DRIVER), str(state / "keys"), "tcp://127.0.0.1:20700"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        self.lines = queue.Queue()
        self.seen = []
        self.next_id = 1
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n").split("\t"))
        self.lines.put(None)

    def __enter__(self):
        for i in range(1, self.pairs + 1):
            self.joined(f"host{i}")
            self.joined(f"wsl{i}")
        return self

    def __exit__(self, *exc):
        self.process.stdin.close()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(30)

    # ---- what is heard ----

    def until(self, what, matches, since=0):
        """The first line, from the since-th on, that matches."""
        end = time.monotonic() + WAIT_S
        at = since
        while True:
            while at < len(self.seen):
                if matches(self.seen[at]):
                    return self.seen[at]
                at += 1
            try:
                line = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                line = None
            assert line is not None, f"waited in vain for {what}: {self.seen}"
            self.seen.append(line)

    def mark(self):
        """What has been heard by now, for `since`."""
        while not self.lines.empty():
            self.seen.append(self.lines.get())
        return len(self.seen)

    def joined(self, worker, since=0):
        """The number of changes that it has not undone yet."""
        return int(self.until(f"{worker} joined", lambda l: l[:2] == ["joined", worker], since)[2])

    def event(self, task, name="ready"):
        line = self.until(f"{name} of {task}", lambda l: l[2:3] == [str(task)] and
                          (l[0] == "result" or (l[0] == "event" and l[3] == name)))
        assert line[0] == "event", line
        return dict(word.split("=", 1) for word in line[4:])

    def arrived(self, task):
        line = self.until(f"{task} at its barrier", lambda l: l[2:3] == [str(task)] and
                          l[0] in ("result", "arrive"))
        assert line[0] == "arrive", line

    def result(self, task):
        """(code, text, facts), with undo_done and undo_failed among the facts."""
        line = self.until(f"result of {task}",
                          lambda l: l[0] == "result" and l[2] == str(task))
        facts = dict(word.split("=", 1) for word in line[7:])
        facts.update(undo_done=int(line[5]), undo_failed=int(line[6]))
        return line[3], line[4], facts

    # ---- what is said ----

    def say(self, *words):
        self.process.stdin.write("\t".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def task(self, worker, kind, *params, deadline_s=WAIT_S):
        task, self.next_id = self.next_id, self.next_id + 1
        self.say("task", worker, task, kind, deadline_s * 1000, *params)
        return task

    def finish(self, worker, task):
        self.say("finish", worker, task)

    def mglab(self, *args):
        command, *rest = args
        done = subprocess.run([str(MGLAB), command, "--state", str(self.state), *rest],
                              capture_output=True, text=True, timeout=60, env=self.env,
                              stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    # ---- phones ----

    def pair_of(self, i):
        return (i - 1) % self.pairs + 1

    def host(self, i):
        return f"host{self.pair_of(i)}"

    def wsl(self, i):
        return f"wsl{self.pair_of(i)}"

    def on_host(self, i, kind, *params, **more):
        return self.task(self.host(i), kind, f"serial=127.0.1.{i}:5555", *params, **more)

    def server(self, i, *params, session="false"):
        return self.on_host(
            i, "host.server", f"package={PACKAGE}", f"listen=tcp://0.0.0.0:{21000 + i}",
            f"secret:token={TOKEN}{i:04}", "backend=DirectGLES", "ready_timeout_ms:i=30000",
            "reap_timeout_ms:i=30000", f"expect_session:b={session}", *params)

    def replay(self, i, *params):
        fixtures = self.state / "fixtures"
        return self.task(
            self.wsl(i), "wsl.replay", f"client={BUILD}/lab/replay/mobilegl_trace_replay",
            f"library={BUILD}/lab/replay/libMobileGL.so", f"trace={fixtures}/openra.trace",
            "mode=benchmark", f"address=127.0.1.{i}", f"port:i={21000 + i}",
            f"secret:token={TOKEN}{i:04}", "credit:i=1", "width:i=640", "height:i=360",
            "timeout_ms:i=60000", *params)

    def shell(self, i, command):
        """What a command prints on phone i, by an adb in the lab's network."""
        pid = self.process.pid
        adb = ("nsenter", "--net", "--target", str(pid), "adb", "-P",
               str(15036 + self.pair_of(i)), "-s", f"127.0.1.{i}:5555", "shell", command)
        done = subprocess.run(adb, capture_output=True, text=True, timeout=60,
                              stdin=subprocess.DEVNULL)
        return done.stdout.strip()
