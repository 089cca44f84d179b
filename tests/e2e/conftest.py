"""Fixtures of the whole-system tests. See docs/testing.md."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import lablib  # noqa: E402


# Who runs the tests in the background has SIGINT ignored, and every program that we start would
# inherit that; one with a handler it gets by default.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Files that take longest come first, so that no worker is left with one of them when the others are
# through (`make test-e2e` deals out whole files in this order).
LONGEST = ("test_break_kill", "test_faults", "test_matrix_faults", "test_clocks", "test_crosshost",
           "test_resume", "test_matrix_settings", "test_matrix", "test_break_world")


def pytest_collection_modifyitems(items):
    rank = {f"{name}.py": number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.name, len(LONGEST)))


@pytest.fixture(scope="session")
def labs_work():
    """Skips where the kernel allows no lab, with the reason that mglab gives."""
    if not lablib.MGLAB.exists():
        pytest.fail(f"{lablib.MGLAB} is not built; run ninja, or set MGC_BUILD")
    with tempfile.TemporaryDirectory(prefix="mglab-") as state:
        done = subprocess.run(
            [lablib.MGLAB, "run", "--state", state, "--no-workers", "--no-phone", "--", "true"],
            timeout=lablib.START_S, capture_output=True, text=True)
    if done.returncode == 125 and "namespaces: " in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr


@pytest.fixture
def lab(labs_work, tmp_path):
    """A factory: lab(...) starts one on a state directory of its own and waits until it is up;
    lab(..., wait=False) does not wait. At the end each must have left nothing."""
    made = []

    def start(*options, wait=True, state=None, **kwargs):
        state = state or tmp_path / f"lab{len(made)}"
        one = lablib.Lab(state, options, **kwargs)
        made.append(one)
        return one.wait_up() if wait else one

    yield start
    for one in reversed(made):
        one.end()
    for one in made:
        one.assert_gone()


@pytest.fixture
def nobody():
    """What a lab of a normal user needs: (prefix of a command, writable directory). When we are
    that user already, the prefix is empty."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="mglab-user-"))
    prefix = ()
    if os.geteuid() == 0:
        prefix = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env",
                  f"HOME={folder}")
        os.chown(folder, 65534, 65534)
        folder.chmod(0o755)
    yield prefix, folder
    shutil.rmtree(folder)
