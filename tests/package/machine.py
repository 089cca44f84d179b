"""A machine that systemd boots, in namespaces of its own: what this one has, under an overlay, so
that whatever is installed and written there is gone when it ends. Needs root and Linux's overlayfs.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

BOOT_S = 90
CALL_S = 120

# Of the machine's own units none concerns us; these would reach beyond the namespaces.
MASKED = ("systemd-sysctl.service", "systemd-modules-load.service", "systemd-udevd.service",
          "sys-kernel-debug.mount", "sys-kernel-tracing.mount", "sys-fs-fuse-connections.mount")

BOOT = r"""
set -eu
work=$1 root=$1/root
mount --make-rprivate /
mkdir -p "$work/layers" "$root"
mount -t tmpfs tmpfs "$work/layers"
mkdir "$work/layers/up" "$work/layers/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/layers/up,workdir=$work/layers/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 none "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for node in null zero full random urandom tty; do
    touch "$root/dev/$node"
    mount --bind "/dev/$node" "$root/dev/$node"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for place in run tmp; do
    mount -t tmpfs tmpfs "$root/$place"
done
rm -rf "$root/etc/systemd/system"
mkdir -p "$root/etc/systemd/system/multi-user.target.wants" "$root/given"
shift
for unit in "$@"; do
    ln -s /dev/null "$root/etc/systemd/system/$unit"
done
printf '[Unit]\nDescription=what is tested\nRequires=basic.target multi-user.target\n' \
    >"$root/etc/systemd/system/machine.target"
# What the distribution itself starts there is none of ours.
find "$root/usr/lib/systemd/system" "$root/lib/systemd/system" -path '*multi-user.target.wants/*' \
    -delete
mount --bind "$work/given" "$root/given"
cd "$root"
mkdir before
pivot_root . before
umount -l /before
ip link set lo up
exec env -i container=mgcoord-test PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --unit=machine.target --log-target=journal --show-status=no
"""


class NoMachine(Exception):
    """None can be booted here: no overlay, no cgroup hierarchy of its own, or the like."""


class Machine:
    """Started when made; `end` takes all of it away. Files in `given` are at /given inside."""

    def __init__(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="mgcoord-machine-"))
        self.given = self.work / "given"
        self.given.mkdir()
        # With its first process all others of the namespace end, and so do the mounts.
        self.log = (self.work / "boot.log").open("wb")
        self.unshare = subprocess.Popen(
            ["unshare", "--pid", "--mount", "--net", "--uts", "--ipc", "--cgroup", "--fork",
             "--kill-child=KILL", "bash", "-c", BOOT, "boot", str(self.work), *MASKED],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True)
        self.first = None

    def wait_up(self):
        end = time.monotonic() + BOOT_S
        state = ""
        while time.monotonic() < end and self.unshare.poll() is None:
            if self._find_first():
                done = self.run("systemctl is-system-running", check=False)
                state = done.stdout.strip()
                if state in ("running", "degraded"):
                    return self
            time.sleep(0.2)
        log = (self.work / "boot.log").read_text(errors="replace")
        raise NoMachine(f"systemd is {state or 'not there'} after at most {BOOT_S} s: {log[-400:]}")

    def _find_first(self):
        children = pathlib.Path(f"/proc/{self.unshare.pid}/task/{self.unshare.pid}/children")
        pids = children.read_text().split()
        self.first = int(pids[0]) if pids else None
        return self.first

    def run(self, script, check=True, timeout=CALL_S):
        """A script of bash in the machine, as root; CompletedProcess with text."""
        done = subprocess.run(
            ["nsenter", "-t", str(self.first), "-m", "-p", "-n", "-u", "-i", "-C", "-r", "-w",
             "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
             "bash", "-euc", script],
            capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL)
        if check:
            assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        return done

    def says(self, script, **kwargs):
        return self.run(script, **kwargs).stdout.strip()

    def wait(self, script, what, timeout=60):
        """Until the script succeeds; what it last said."""
        end = time.monotonic() + timeout
        while True:
            done = self.run(script, check=False)
            if done.returncode == 0:
                return done.stdout
            assert time.monotonic() < end, f"no {what} within {timeout} s: {done.stdout}{done.stderr}"
            time.sleep(0.2)

    def end(self):
        if self.unshare.poll() is None:
            os.kill(self.first or self.unshare.pid, signal.SIGKILL)
        self.unshare.wait(timeout=60)
        self.log.close()
        shutil.rmtree(self.work)
