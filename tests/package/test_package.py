"""The Debian package on a machine that systemd boots: installed, started, killed, upgraded, removed.
`make test-package` builds it first; MGC_PACKAGE is where it is."""

import os
import pathlib
import re
import shutil

import pytest

from machine import Machine, NoMachine

USER = "tester"
UNITS = f"mgworker-wsl@{USER} mgworker-host@{USER}"

SITE = """site: desk
bind: tcp://127.0.0.1:40700
keys: keys
workers: {host: {role: host}, wsl: {role: wsl}}
phone: {serial: none, address: 192.0.2.1, port: 40613, package: top.mobilegl.plugin.trace}
"""

SET_UP = f"""
useradd --create-home {USER}
cd /home/{USER}
mgcoord keys init --keys keys
for role in host wsl; do
    mgcoord keys add --keys keys $role --role $role --address tcp://127.0.0.1:40700 --out $role.enrol
    install -D -o {USER} -m 600 $role.enrol /etc/mgcoord/$role.enrol
done
chown -R {USER} .
systemctl enable --now {UNITS}
"""

HOSTS = f"cd /home/{USER} && runuser -u {USER} -- mgcoord hosts --site site.yaml"


@pytest.fixture(scope="module")
def package():
    folder = os.environ.get("MGC_PACKAGE")
    assert folder, "MGC_PACKAGE is not set; run `make test-package`"
    packages = sorted(pathlib.Path(folder).glob("mgcoord_*.deb"))
    assert len(packages) == 1, packages
    return packages[0]


@pytest.fixture(scope="module")
def machine(package):
    if os.geteuid() != 0:
        pytest.skip("only root can boot a machine in namespaces")
    one = Machine()
    try:
        try:
            one.wait_up()
        except NoMachine as why:  # what is tested is the package, not whether this kernel boots one
            pytest.skip(str(why))
        shutil.copy(package, one.given / "mgcoord.deb")
        yield one
    finally:
        one.end()


@pytest.fixture(scope="module")
def installed(machine):
    """With the package, a user's keys and both workers as that user's units."""
    machine.run("dpkg -i /given/mgcoord.deb")
    machine.run(SET_UP)
    (machine.given / "site.yaml").write_text(SITE)
    machine.run(f"cp /given/site.yaml /home/{USER}/")
    return machine


def pid_of(machine, unit):
    return int(machine.says(f"systemctl show --value -p MainPID {unit}"))


def assert_both_ready(machine):
    said = machine.says(HOSTS)
    assert re.search(r"^host +host +ready ", said, re.M), said
    assert re.search(r"^wsl +wsl +ready ", said, re.M), said


def test_units_pass_systemds_own_check(installed):
    done = installed.run("systemd-analyze verify /usr/lib/systemd/system/mgworker-*@.service")
    assert done.stderr == ""


def test_started_workers_join(installed):
    assert_both_ready(installed)
    for unit in UNITS.split():
        user = installed.says(f"ps -o user= -p {pid_of(installed, unit)}")
        assert user == USER


def test_worker_has_only_the_rights_that_it_needs(installed):
    pids = [pid_of(installed, unit) for unit in UNITS.split()]
    wsl, host = [installed.says(f"grep CapBnd /proc/{pid}/status").split()[1] for pid in pids]
    assert int(wsl, 16) == 1 << 12  # CAP_NET_ADMIN
    assert int(host, 16) == 0
    assert int(installed.says(f"grep CapEff /proc/{pids[0]}/status").split()[1], 16) == 1 << 12


def test_killed_worker_is_started_again_and_joins(installed):
    for unit in UNITS.split():
        old = pid_of(installed, unit)
        installed.run(f"kill -9 {old}")
        installed.wait(f"pid=$(systemctl show --value -p MainPID {unit}); "
                       f"[ $pid != 0 ] && [ $pid != {old} ]", f"new {unit}")
    assert_both_ready(installed)


def test_key_of_another_user_is_refused_by_name(installed):
    installed.run("chown root /etc/mgcoord/wsl.enrol")
    try:
        installed.run(f"systemctl restart mgworker-wsl@{USER}")
        installed.wait(f"journalctl --no-pager -u mgworker-wsl@{USER} | "
                       "grep \"/etc/mgcoord/wsl.enrol: it is another user's\"", "line in the journal")
    finally:
        installed.run(f"chown {USER} /etc/mgcoord/wsl.enrol")
    installed.wait(f"systemctl is-active mgworker-wsl@{USER}", "worker")
    assert_both_ready(installed)


def test_programs_say_their_version_and_have_a_page(installed):
    version = installed.says("dpkg-query -W -f '${Version}' mgcoord")
    for program in ("mgcoord", "mgworker-host", "mgworker-wsl"):
        assert installed.says(f"{program} --version").split()[-1] == version
    commands = re.findall(r"^  (\w+)  ", installed.says("mgcoord --help"), re.M)
    assert "run" in commands
    pages = [f"mgcoord-{command}" for command in commands]
    for page in ["mgcoord", "mgworker-host", "mgworker-wsl", "mgpathcheck", *pages]:
        text = installed.says(f"zcat /usr/share/man/man1/{page}.1.gz")
        assert re.search(r"^\.SH NAME\n.* \\- [a-z]", text, re.M), text
        assert ".SH OPTIONS" in text or ".SS" in text or page.endswith("version"), text


def test_examples_are_good_plans(installed):
    examples = "/usr/share/doc/mgcoord/examples"
    plans = installed.says(f"ls {examples}/plans/*.yaml {examples}/aa.yaml").split()
    assert len(plans) > 4
    for plan in plans:
        installed.run(f"mgcoord plan show {plan} --site {examples}/site.yaml")


# ---- runs that begin by themselves ----------------------------------------------------------------

NIGHT = """plan: night
worker_timeout: 60s
lanes: {crosshost: {workloads: [openra], credits: [1], reps: 1, ssim: false}}
"""
RESULTS = f"/home/{USER}/results"
RUNS = f"ls -d {RESULTS}/*-night-*"
SCHEDULE = f"mgcoord schedule install /home/{USER}/night.yaml --site /home/{USER}/bench.yaml --user {USER}"


@pytest.fixture(scope="module")
def bench(installed):
    """A site that is complete but for a phone: a run begins, and ends at its set-up."""
    (installed.given / "night.yaml").write_text(NIGHT)
    installed.run(f"""
        cd /home/{USER}
        cp /given/night.yaml .
        sed -e 's/^results:.*/results: results/' /usr/share/doc/mgcoord/examples/site.yaml >bench.yaml
        chown -R {USER} .""")
    return installed


# Without a phone every run of it fails; one that is on is "activating", which is not active.
RUN_IS_OVER = "systemctl is-failed --quiet mgcoord-night.service"


def runs(machine):
    return machine.says(RUNS, check=False).split()


def test_timer_starts_a_run_as_the_user(bench):
    bench.run(f"{SCHEDULE} --at $(date -d '+5 seconds' +%H:%M:%S)")
    bench.wait(RUNS, "run of the timer")
    bench.wait(RUN_IS_OVER, "end of the run")
    assert bench.says(f"stat -c %U {runs(bench)[0]}") == USER
    assert "mgcoord-night.timer" in bench.says(f"mgcoord schedule list --site /home/{USER}/bench.yaml")


def test_missed_time_is_made_up_for(bench):
    before = runs(bench)
    bench.run(f"{SCHEDULE} --at $(date -d '-1 hour' +%H:%M)")
    assert runs(bench) == before
    bench.run("systemctl stop mgcoord-night.timer; systemctl reset-failed mgcoord-night.service; "
              "touch -d '2 days ago' /var/lib/systemd/timers/stamp-mgcoord-night.timer; "
              "systemctl start mgcoord-night.timer")
    bench.wait(f"[ $({RUNS} | wc -l) -gt {len(before)} ]", "run that was missed")
    bench.wait(RUN_IS_OVER, "end of the run")


def test_run_that_could_not_begin_is_on_record(bench):
    before = runs(bench)
    bench.run(f"systemctl stop {UNITS}")
    try:
        bench.run(f"systemd-run --quiet --unit=other --property=User={USER} "
                  f"--working-directory=/home/{USER} mgcoord run night.yaml --site bench.yaml --quiet")
        bench.wait(f"[ $({RUNS} | wc -l) -gt {len(before)} ]", "other run")
        bench.run("systemctl start mgcoord-night.service", check=False)
        said = bench.says(f"mgcoord schedule list --site /home/{USER}/bench.yaml")
        other = (set(runs(bench)) - set(before)).pop()
        assert re.search(r"could not begin:\n\S+Z night: .*" + re.escape(os.path.basename(other)), said), said
        bench.run(f"cd /home/{USER} && mgcoord cancel --site bench.yaml")
        bench.wait("! systemctl is-active other", "end of the other run")
    finally:
        bench.run(f"systemctl start {UNITS}")


def test_removed_schedule_leaves_nothing(bench):
    bench.run("mgcoord schedule remove night")
    assert bench.says("systemctl list-unit-files --no-legend 'mgcoord-*'", check=False) == ""
    assert bench.says("find /etc/systemd/system -name 'mgcoord-night*'") == ""
    again = bench.run("mgcoord schedule remove night", check=False)
    assert again.returncode == 3 and "no schedule of the plan 'night'" in again.stderr


def test_upgrade_restarts_what_runs_and_keeps_keys_and_state(installed):
    old = [pid_of(installed, unit) for unit in UNITS.split()]
    kept = "sha256sum /etc/mgcoord/*; ls /var/lib/mgcoord"
    before = installed.says(kept)
    installed.run("dpkg -i /given/mgcoord.deb")
    assert installed.says(kept) == before
    for unit, pid in zip(UNITS.split(), old):
        assert installed.says(f"systemctl is-active {unit}") == "active"
        assert pid_of(installed, unit) != pid
    assert_both_ready(installed)


def test_removal_leaves_keys_and_purge_leaves_nothing(bench):
    installed = bench
    bench.run(f"{SCHEDULE} --at $(date -d '+2 hours' +%H:%M)")
    installed.run("dpkg -r mgcoord")
    assert installed.says("systemctl list-units --all --no-legend 'mgcoord-*'") == ""
    assert installed.says("systemctl list-units --all --no-legend 'mgworker-*'") == ""
    assert installed.says("ls /etc/mgcoord").split() == ["host.enrol", "wsl.enrol"]
    installed.run("dpkg -P mgcoord")
    left = installed.says("find /etc /usr /var /run -xdev -iname '*mgcoord*' "
                          "! -path '/var/lib/dpkg/*' ! -path '/var/log/*'; "
                          "find /etc /usr /run -xdev -iname '*mgworker*'")
    assert left == ""
