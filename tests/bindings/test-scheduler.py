#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sessions that take turns, from another language.  Writes TAP."""

import struct

import gi

gi.require_version("Leat", "1.0")
from gi.repository import GLib, Leat

TEXT = "leat 1\napp name=source spec=f32[4] -> upload -> map expr=2*x -> readback -> app name=sink\n"
CASES = []


def case(function):
    CASES.append(function)
    return function


def open_two():
    sessions = []
    for _ in range(2):
        session = Leat.Session.new(Leat.parse_text(TEXT, Leat.TextStyle.FILE, None), None)
        session.open(None)
        sessions.append(session)
    scheduler = Leat.Scheduler.new(sessions[0].get_device())
    for session in sessions:
        assert scheduler.add(session)
    return scheduler, sessions


def pack(*numbers):
    return GLib.Bytes.new(struct.pack("4f", *numbers))


@case
def runs_give_results():
    scheduler, sessions = open_two()
    sessions[1].props.priority = Leat.Priority.HIGH
    for i in range(10):
        flow, results = scheduler.replay(sessions[i % 2], [pack(i, 1, 2, 3)], 0, None)
        assert flow == Leat.Flow.DATA and len(results) == 1
        assert struct.unpack("4f", results[0].get_data()) == (2 * i, 2, 4, 6)
    assert scheduler.dup_stats(sessions[1]).unpack()["done"] == 5
    assert scheduler.props.stats.unpack()["done"] == 10
    scheduler.close()


@case
def many_wait_at_once():
    scheduler, sessions = open_two()
    loop, done = GLib.MainLoop(), []

    def on_done(source, result, number):
        flow, results = source.submit_finish(result)
        assert flow == Leat.Flow.DATA
        done.append((number, struct.unpack("4f", results[0].get_data())[0]))
        if len(done) == 20:
            loop.quit()

    for i in range(20):
        scheduler.submit_async(sessions[i % 2], [pack(i, 0, 0, 0)], 0, None, on_done, i)
    guard = GLib.timeout_add_seconds(20, loop.quit)
    loop.run()
    GLib.source_remove(guard)
    assert sorted(done) == [(i, 2 * i) for i in range(20)], done
    scheduler.close()


@case
def errors_have_codes():
    scheduler, sessions = open_two()
    for deadline, code in ((1, Leat.SchedulerError.DEADLINE), (0, Leat.SchedulerError.CLOSED)):
        try:
            scheduler.replay(sessions[0], None, deadline, None)
            raise AssertionError("no error")
        except GLib.Error as error:
            assert error.matches(Leat.SchedulerError.quark(), code), error
        scheduler.close()


print(f"1..{len(CASES)}")
for number, function in enumerate(CASES, 1):
    try:
        function()
        print(f"ok {number} - scheduler/{function.__name__.replace('_', '-')}")
    except Exception as error:
        print(f"not ok {number} - scheduler/{function.__name__.replace('_', '-')}: {error!r}")
