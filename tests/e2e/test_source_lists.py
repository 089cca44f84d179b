"""deps/source-lists.awk: which of a machine's apt entries are asked for sources."""

import pathlib
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "deps/source-lists.awk"

DEB822 = """# a comment
Types: deb
URIs: http://deb.debian.org/debian
# http://snapshot.debian.org/
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://other.example/deb
Suites: nodistro
Components: main

Enabled: no
Types: deb
URIs: http://deb.debian.org/debian-off
Suites: bookworm
Components: main
"""

ONE_LINE = """# deb http://commented.example bookworm main

deb [arch=amd64 signed-by=/k.gpg] http://a.example/debian bookworm main contrib
deb http://a.example/ubuntu bookworm universe
deb-src http://a.example/debian bookworm-security main
deb http://b.example/apt cloud-sdk-bookworm main
deb http://c.example/apt bookworm stable
"""


@pytest.mark.parametrize("text, suffix, wanted, unwanted", [
    (DEB822, ".sources",
     ["Types: deb-src", "URIs: http://deb.debian.org/debian\n", "Suites: bookworm bookworm-updates",
      "Signed-By: "], ["Types: deb\n", "other.example", "debian-off", "snapshot"]),
    (ONE_LINE, ".list",
     ["deb-src [arch=amd64 signed-by=/k.gpg] http://a.example/debian bookworm main contrib\n",
      "deb-src http://a.example/ubuntu bookworm universe\n",
      "deb-src http://a.example/debian bookworm-security main\n"],
     ["commented", "b.example", "c.example"]),
])
def test_own_archives_become_source_entries(tmp_path, text, suffix, wanted, unwanted):
    given = tmp_path / "given"
    given.write_text(text)
    subprocess.run(["awk", "-v", "release=bookworm", "-v", f"out={tmp_path}/own", "-f", SCRIPT,
                    given], check=True)
    got = (tmp_path / f"own{suffix}").read_text()
    for words in wanted:
        assert words in got
    for words in unwanted:
        assert words not in got
