#!/usr/bin/env python3
"""Write a C file that holds the built-in plans: embed-plans.py OUT.c NAME=FILE..."""
import sys


def literal(line):
    for char, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
        line = line.replace(char, escape)
    return '        "%s"\n' % line


def main(out, *pairs):
    with open(out, "w", encoding="utf-8") as to:
        to.write('#include "coordinator/plan/load.h"\n\n')
        to.write("const struct mgc_plan_text mgc_plans_built_in[] = {\n")
        for pair in pairs:
            name, path = pair.split("=", 1)
            with open(path, encoding="utf-8") as text:
                to.write('    {"%s",\n%s    },\n' % (name, "".join(map(literal, text))))
        to.write("    {0},\n};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
