"""scripts/install-packages against a pretended package system."""

import os
import shutil
import subprocess

import pytest

from lablib import REPO

LIST = """# a comment
bash              build test
vim|editor        build
tree|tree2        demo
nothing-like-it   other
"""

TOOLS = {
    # Installed: bash and editor.
    "dpkg-query": 'case "$3" in bash|editor) echo -n installed;; *) exit 1;; esac',
    "apt-cache": 'case "$3" in tree2) [ ! -e "$STATE/stale" ] && echo "Package: $3";; esac; exit 0',
    "apt-get": 'echo "apt-get $*" >>"$STATE/calls"; [ "$2" = update ] && rm -f "$STATE/stale";'
               ' if [ -e "$STATE/once" ]; then rm "$STATE/once"; exit 100; fi; exit 0',
    "sudo": 'echo sudo >>"$STATE/calls"; exec "$@"',
    "id": 'echo "${FAKE_UID:-0}"',
}


@pytest.fixture
def system(tmp_path):
    """Run the script with only these tools; (exit code, stdout, stderr, calls)."""
    bin_dir, state = tmp_path / "bin", tmp_path / "state"
    bin_dir.mkdir()
    state.mkdir()
    (tmp_path / "list").write_text(LIST)
    for name in ("bash", "awk", "sort", "grep", "dirname", "env", "rm"):
        os.symlink(shutil.which(name), bin_dir / name)
    for name, body in TOOLS.items():
        (bin_dir / name).write_text(f"#!{bin_dir}/bash\n{body}\n")
        (bin_dir / name).chmod(0o755)

    def run(*targets, without=(), uid=0, marks=()):
        for name in without:
            (bin_dir / name).unlink()
        for name in marks:
            (state / name).touch()
        env = {"PATH": str(bin_dir), "STATE": str(state), "FAKE_UID": str(uid),
               "MGC_PACKAGE_LIST": str(tmp_path / "list")}
        done = subprocess.run([bin_dir / "bash", REPO / "scripts/install-packages", *targets],
                              env=env, capture_output=True, text=True, timeout=60)
        calls = (state / "calls").read_text().splitlines() if (state / "calls").exists() else []
        return done.returncode, done.stdout, done.stderr, calls

    return run


INSTALL = "apt-get -q install -y --no-install-recommends tree2"
UPDATE = "apt-get -q update"


def test_silent_when_nothing_is_missing(system):
    assert system("build", "test", without=("apt-get", "sudo"), uid=1000) == (0, "", "", [])


def test_the_first_known_alternative_is_installed(system):
    code, out, err, calls = system("demo", "build")
    assert (code, err, calls) == (0, "", [INSTALL])
    assert out == "install-packages: installing tree|tree2\n"


def test_the_index_is_updated_only_when_it_must(system):
    assert system("demo", marks=("stale",))[3] == [UPDATE, INSTALL]


def test_a_failed_installation_is_tried_again_after_an_update(system):
    code, _, _, calls = system("demo", marks=("once",))
    assert (code, calls) == (0, [INSTALL, UPDATE, INSTALL])


def test_sudo_when_not_root(system):
    code, _, _, calls = system("demo", uid=1000)
    assert (code, calls) == (0, ["sudo", INSTALL])


@pytest.mark.parametrize("targets, without, uid, code, words", [
    (("demo",), ("apt-get",), 0, 1, "no apt-get"),
    (("demo",), ("sudo",), 1000, 1, "neither root nor sudo"),
    (("other",), (), 0, 1, "knows no package for: nothing-like-it"),
    (("demo",), ("dpkg-query",), 0, 0, "no dpkg here"),
    (("nope",), (), 0, 2, "'nope'"),
    ((), (), 0, 2, "usage"),
])
def test_what_cannot_be_done_is_one_sentence(system, targets, without, uid, code, words):
    got, _, err, _ = system(*targets, without=without, uid=uid)
    assert got == code
    assert words in err and len(err.splitlines()) == 1


def test_the_real_list_is_well_formed():
    for line in (REPO / "scripts/packages.txt").read_text().splitlines():
        words = line.split("#")[0].split()
        assert not words or len(words) >= 2, line
