#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Resident buffers from another language.  Writes TAP."""

import gi

gi.require_version("Leat", "1.0")
from gi.repository import GLib, Leat

CASES = []


def case(function):
    CASES.append(function)
    return function


@case
def ranges_come_back():
    device = Leat.Device.open(None)
    buffer = Leat.DeviceBuffer.new(device, 64)
    batch = Leat.TransferBatch.new()
    batch.upload(buffer, 4, GLib.Bytes.new(b"abcd"))
    batch.upload(buffer, 8, GLib.Bytes.new(b"efgh"))
    first, second = batch.download(buffer, 4, 6), batch.download(buffer, 6, 6)
    assert batch.run()
    assert batch.get_download(first).get_data() == b"abcdef"
    assert batch.get_download(second).get_data() == b"cdefgh"
    stats = batch.dup_stats().unpack()
    assert stats["transfers"] == 2 and stats["fused"] == 2 and stats["bytes-down"] == 8, stats


@case
def counts_belong_to_bounded_specs():
    buffer = Leat.DeviceBuffer.new_for_spec(Leat.Device.open(None), Leat.Spec.parse("f32[<=10]"))
    assert buffer.get_bytes() == 40 and buffer.get_spec().is_bounded()
    assert buffer.set_count(3)
    assert buffer.get_count() == (True, 3)


@case
def errors_have_codes():
    buffer = Leat.DeviceBuffer.new(Leat.Device.open(None), 64)
    try:
        buffer.download(60, 5)
        raise AssertionError("no error")
    except GLib.Error as error:
        assert error.matches(Leat.DeviceBufferError.quark(), Leat.DeviceBufferError.RANGE), error
    assert buffer.release()
    try:
        buffer.fill(0, 1, 1)
        raise AssertionError("no error")
    except GLib.Error as error:
        assert error.matches(Leat.DeviceBufferError.quark(), Leat.DeviceBufferError.RELEASED), error


print(f"1..{len(CASES)}")
for number, function in enumerate(CASES, 1):
    try:
        function()
        print(f"ok {number} - buffers/{function.__name__.replace('_', '-')}")
    except Exception as error:
        print(f"not ok {number} - buffers/{function.__name__.replace('_', '-')}: {error!r}")
