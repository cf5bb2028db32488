#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The built library against its own description for other languages: what it exports is what its installed headers
declare, and all of that is documented.  Writes TAP.

test-library.py BUILD-FOLDER"""

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

BUILD = Path(sys.argv[1])
LIBRARY = BUILD / "core/libleat-1.0.so"
GIR = ElementTree.parse(BUILD / "core/Leat-1.0.gir").getroot()

C = "{http://www.gtk.org/introspection/c/1.0}"
CORE = "{http://www.gtk.org/introspection/core/1.0}"
GLIB = "{http://www.gtk.org/introspection/glib/1.0}"

DOCUMENTED = {"alias", "bitfield", "callback", "class", "constant", "constructor", "enumeration", "field", "function",
              "instance-parameter", "interface", "member", "method", "parameter", "property", "record", "return-value",
              "signal", "union", "virtual-method"}


def list_symbols(*words):
    done = subprocess.run(["nm", "-D", *map(str, words)], capture_output=True, text=True, check=True)
    return [line.split()[-1] for line in done.stdout.splitlines() if line.startswith((" ", "0"))]


def list_exported():
    """The library's symbols by the node of its version script that they are in."""
    exported = {}
    for symbol in list_symbols("--defined-only", "--with-symbol-versions", LIBRARY):
        name, _, version = symbol.partition("@@")
        if version or not name.startswith("LEAT_"):  # the nodes are symbols too
            exported.setdefault(version, set()).add(name)
    return exported


def list_declared():
    """Functions of installed headers, and the functions that give their types."""
    declared = {element.get(C + "identifier") for element in GIR.iter() if element.tag.endswith(
        ("}function", "}method", "}constructor"))}
    declared |= {element.get(GLIB + "get-type") for element in GIR.iter()}
    return declared - {None, "intern"}


def list_users():
    """The tools and plugins of the build folder: tests link with what is not exported."""
    users = []
    for folder, _, names in (step for part in ("core", "plugins", "tools") for step in os.walk(BUILD / part)):
        for path in (Path(folder, name) for name in names if not name.endswith((".o", ".a")) and "libleat-1.0" not in name):
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    users += [path] if file.read(4) == b"\x7fELF" else []
    return users


def say(names, text):
    return "" if not names else f"{text}: {' '.join(sorted(names))}\n"


def test_exports_what_headers_declare():
    exported, declared = list_exported().get("LEAT_1.0", set()), list_declared()
    assert len(declared) > 100, declared
    wrong = say(declared - exported, "declared in an installed header, but not in LEAT_1.0 of core/leat.map")
    wrong += say(exported - declared, "in LEAT_1.0 of core/leat.map, but declared in no installed header")
    assert not wrong, wrong


def test_exports_no_more():
    exported = list_exported()
    assert set(exported) == {"LEAT_1.0", "LEAT_PRIVATE"}, exported.keys()
    used = set(list_symbols("--undefined-only", "--without-symbol-versions", *list_users()))
    wrong = say(exported["LEAT_PRIVATE"] - used, "in LEAT_PRIVATE of core/leat.map, but no tool and no plugin uses them")
    assert not wrong, wrong


def is_written(element, parents):
    """Whether the scanner could have kept a documentation of it that somebody has to write."""
    tag, name, parent = local(element), element.get("name"), parents[element]
    # The scanner drops what is said of a function among fields; the virtual method of that name has the words.
    if "field" in (local(parent), local(parents[parent])) or element.find(CORE + "callback") is not None:
        return False
    if tag == "return-value":
        return element.find(CORE + "type[@name='none']") is None
    if name in ("parent_class", "parent_instance", "padding") or element.get("private") == "1":
        return False
    if tag == "record" and element.get(GLIB + "is-gtype-struct-for"):  # a final class has nothing but its parent
        return len(element.findall(CORE + "field")) > 1
    return True


def local(element):
    return element.tag.partition("}")[2]


def test_documents_every_entry():
    parents = {child: parent for parent in GIR.iter() for child in parent}
    bare, seen = [], 0
    for element in GIR.iter():
        if local(element) not in DOCUMENTED or not is_written(element, parents):
            continue
        seen += 1
        if element.find(CORE + "doc") is None:
            path = [local(element)]
            while element is not None and local(element) not in ("namespace", "repository"):
                path[1:1] = [element.get("name")] if element.get("name") else []
                element = parents.get(element)
            bare.append(path[0] + " " + ".".join(path[1:]))
    assert seen > 500, seen
    assert not bare, f"{len(bare)} without documentation:\n" + "\n".join(sorted(bare))


def main():
    tests = [(name, run) for name, run in globals().items() if name.startswith("test_")]
    failed = 0
    print(f"1..{len(tests)}")
    for number, (name, run) in enumerate(tests, 1):
        word = "ok"
        try:
            run()
        except AssertionError as error:
            failed, word = failed + 1, "not ok"
            print("# " + str(error).rstrip().replace("\n", "\n# "))
        print(f"{word} {number} /leat/library/{name[5:].replace('_', '-')}", flush=True)
    return 1 if failed else 0


sys.exit(main())
