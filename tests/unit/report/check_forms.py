#!/usr/bin/python3
"""check_forms.py FILE...: are junit.xml and cells.csv files what foreign readers expect?

junit*.xml: read by Python's parser, held against junit.xsd (where xmllint is installed; without it
the rest is still checked), and its counts added up. cells*.csv: read by Python's csv, every row as
long as the head, line ends as RFC 4180 has them, no 0 where a cell has no number.

Also a module: check_junit(path) and check_csv(path) return what they read.
"""

import csv
import io
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

DATA = pathlib.Path(__file__).resolve().parent / "data"
RESULTS = pathlib.Path(__file__).resolve().parents[3] / "docs/results.md"
COUNTS = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}


def check_counts(element):
    for attribute, name in COUNTS.items():
        assert int(element.get(attribute)) == len(element.findall(f".//{name}")), \
            f"{element.get('name')}: {attribute} is {element.get(attribute)}"


def check_schema(path):
    xmllint = shutil.which("xmllint")
    if not xmllint:
        print("no xmllint: the schema was not checked")
        return
    done = subprocess.run([xmllint, "--noout", "--nonet", "--schema", DATA / "junit.xsd", path],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def check_junit(path):
    """The root element."""
    check_schema(path)
    root = ElementTree.parse(path).getroot()
    for element in [root, *root.findall("testsuite")]:
        check_counts(element)
    names = [case.get("name") for case in root.iter("testcase")]
    assert len(names) == len(set(names)), names
    for suite in root.findall("testsuite"):
        told = {p.get("name"): p.get("value") for p in suite.iter("property")}
        assert {"run_id", "plan", "device", "exit_code"} <= set(told), told
    return root


def check_documented(columns):
    """docs/results.md has exactly these columns in its table."""
    section = RESULTS.read_text(encoding="utf-8").split("## cells.csv\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    said = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(said) == sorted(columns), set(said) ^ set(columns)


def check_csv(path):
    """Rows as dictionaries."""
    data = pathlib.Path(path).read_bytes()
    assert data.endswith(b"\r\n") and data.count(b"\n") == data.count(b"\r\n")
    head, *rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
    assert len(head) == len(set(head)), head
    for row in rows:
        assert len(row) == len(head), row
    check_documented(head)
    return [dict(zip(head, row)) for row in rows]


def main(paths):
    for path in map(pathlib.Path, paths):
        print(path)
        if path.suffix == ".xml":
            check_junit(path)
        else:
            assert check_csv(path)


if __name__ == "__main__":
    main(sys.argv[1:])
