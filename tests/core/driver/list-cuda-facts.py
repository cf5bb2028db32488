#!/usr/bin/env python3
# Leat - dataflow for GPU work that repeats
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lists every constant, type and member that Leat's CUDA headers declare, as a table to be compiled once against them
and once against a toolkit's cuda.h: list-cuda-facts.py HEADER..."""

import re
import sys


def constants(text):
    yield from re.findall(r"^  (CU\w+) = ", text, re.M)
    yield from re.findall(r"^#define (CU_\w+) ", text, re.M)


def types(text):
    yield from re.findall(r"^\} (CU\w+);", text, re.M)
    yield from re.findall(r"^typedef [\w ]+?\*?(CU\w+);", text, re.M)
    yield from re.findall(r"^typedef .*\(\*(CU\w+)\)", text, re.M)


def record_members(body):
    """Paths of the members of a struct or union body, nested ones included."""
    scopes = [[]]
    for line in body.split("\n"):
        line = line.strip()
        if line in ("struct", "union"):
            scopes.append([])
        elif closing := re.fullmatch(r"\} ?(\w*);", line):
            inner, name = scopes.pop(), closing[1]
            scopes[-1] += [name] * bool(name) + [name + "." + m if name else m for m in inner]
        elif line.endswith(";"):
            scopes[-1] += [re.search(r"(\w+)(\[.*)?$", part)[1] for part in line[:-1].split(", ")]
        elif line not in ("", "{"):
            raise SystemExit(f"cannot read the member line {line!r}")
    return scopes[0]


def members(text):
    for body, name in re.findall(r"^typedef (?:struct|union)\n\{\n(.*?)\n\} (CU\w+);", text, re.M | re.S):
        for member in record_members(body):
            yield name, member


def main(paths):
    text = "".join(open(path, encoding="ascii").read() for path in paths)
    for name in constants(text):
        print(f"FACT_VALUE ({name})")
    for name in dict.fromkeys(types(text)):
        print(f"FACT_TYPE ({name})")
    for name, member in members(text):
        print(f"FACT_MEMBER ({name}, {member})")


main(sys.argv[1:])
