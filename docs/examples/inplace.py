#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""NumPy arrays that are the memory of a session, and NumPy arrays that a session uses where they are: no copies."""

import ctypes

import gi

gi.require_version("Leat", "1.0")
from gi.repository import Leat
import numpy as np

TEXT = "app name=source spec=f32:4 {0} + upload + map name=m expr=gain*x gain=1 + readback + app name=sink {0}"


def array_of(view):
    """The memory of a view as an array of floats; not to be used when the session is closed."""
    return np.ctypeslib.as_array((ctypes.c_float * (view.capacity // 4)).from_address(view.data))


def open_session(options):
    pipeline = Leat.parse_text(TEXT.format(options), Leat.TextStyle.TERMINAL, None)
    session = Leat.Session.new(pipeline, None)
    session.open(None)
    return session, pipeline.get_node("m")


def use_memory_of_the_session(runs):
    session, m = open_session("")
    source = array_of(session.map_input("source")[1])
    sink = array_of(session.map_output("sink")[1])
    for i in range(runs):
        session.map_input("source")  # says that it is about to change
        source[:] = i
        m.set_arg_double("gain", i + 1)
        session.replay(False, None)
        print(sink)
    session.close()


def use_memory_of_the_program(runs, frames=4):
    session, m = open_session("memory=user")
    device = session.get_device()
    ring = np.zeros((frames, 2, 4), dtype=np.float32)  # a ring of frames, each with its input and its result
    device.pin(ring.ctypes.data, ring.nbytes)
    for i in range(runs):
        source, sink = ring[i % frames]
        source[:] = i
        session.bind_input("source", source.ctypes.data, source.nbytes, len(source))
        session.bind_output("sink", sink.ctypes.data, sink.nbytes)
        m.set_arg_double("gain", i + 1)
        session.replay(False, None)
        print(sink)
    session.close()
    device.unpin(ring.ctypes.data)


if __name__ == "__main__":
    use_memory_of_the_session(3)
    use_memory_of_the_program(6)
