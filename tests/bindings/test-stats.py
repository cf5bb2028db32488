#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The statistics of a session, from another language, beside what the library's description says of them.  Writes TAP.

test-stats.py BUILD-FOLDER"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import gi

gi.require_version("Leat", "1.0")
from gi.repository import GLib, Leat

TEXT = "leat 1\napp name=source spec=u8[4] -> upload -> map expr=x+1 -> readback -> app name=sink\n"
GIR = ElementTree.parse(Path(sys.argv[1], "core/Leat-1.0.gir")).getroot()
CORE = "{http://www.gtk.org/introspection/core/1.0}"
CASES = []


def case(function):
    CASES.append(function)
    return function


def run_thrice():
    pipeline = Leat.parse_text(TEXT, Leat.TextStyle.FILE, None)
    session = Leat.Session.new(pipeline, None)
    session.open(None)
    for i in range(3):
        pipeline.get_node("source").push_bytes(GLib.Bytes.new(bytes([i] * 4)))
        assert session.replay(True, None) == Leat.Flow.DATA
    return session


def list_documented():
    """The type of each key, as the description of leat_session_dup_stats () has it."""
    method = GIR.find(f".//{CORE}class[@name='Session']/{CORE}method[@name='dup_stats']")
    return dict(re.findall(r"^- `([a-z-]+)` (\S+): ", method.find(CORE + "doc").text, re.MULTILINE))


@case
def property_is_the_dictionary():
    session = run_thrice()
    stats = session.props.stats.unpack()
    assert stats == session.dup_stats().unpack(), stats
    assert session.props.stats["runs"] == 3
    assert stats["runs"] == 3 and stats["bytes-in"] == 12 and stats["open-us"] > 0, stats
    session.close()


@case
def property_is_read_only():
    try:
        run_thrice().props.stats = GLib.Variant("a{sv}", {})
        raise AssertionError("no error")
    except TypeError:
        pass


@case
def every_key_is_documented():
    stats = run_thrice().dup_stats()
    told = {key: stats.lookup_value(key, None).get_type_string() for key in stats.keys()}
    documented = list_documented()
    wrong = sorted(told.items() ^ documented.items())
    assert not wrong, f"told and documented differ in {wrong}"


print(f"1..{len(CASES)}")
for number, function in enumerate(CASES, 1):
    try:
        function()
        print(f"ok {number} - stats/{function.__name__.replace('_', '-')}")
    except Exception as error:
        print(f"not ok {number} - stats/{function.__name__.replace('_', '-')}: {error!r}")
