#!/usr/bin/env python3
"""Write a C file that holds texts: embed-plans.py OUT.c HEADER DECLARATION NAME=FILE[=FILE]...

A row per name, of an array of structs that begin with the name and go on with the files' texts.
"""
import sys


def literal(line):
    for char, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
        line = line.replace(char, escape)
    return '        "%s"\n' % line


def text_of(path):
    with open(path, encoding="utf-8") as text:
        return "".join(map(literal, text)) or literal("")


def main(out, header, declaration, *rows):
    with open(out, "w", encoding="utf-8") as to:
        to.write('#include "%s"\n\n%s[] = {\n' % (header, declaration))
        for row in rows:
            name, *paths = row.split("=")
            to.write('    {"%s",\n%s    },\n' % (name, "        ,\n".join(map(text_of, paths))))
        to.write("    {0},\n};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
