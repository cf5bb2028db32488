#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs of a session in a GLib main loop: launched, and completed when the device is done. No thread waits."""

import gi

gi.require_version("Leat", "1.0")
from gi.repository import GLib, Leat
import numpy as np


def main():
    pipeline = Leat.parse_text(
        "app name=source spec=f32:4 + upload + map expr=x*x + readback + app name=sink", Leat.TextStyle.TERMINAL, None
    )
    source, sink = pipeline.get_node("source"), pipeline.get_node("sink")
    session = Leat.Session.new(pipeline, None)
    loop = GLib.MainLoop()
    left = 3

    def launch():
        source.push_bytes(GLib.Bytes.new(np.full(4, left, dtype=np.float32).tobytes()))
        session.replay_async(None, replayed)

    def replayed(session, result):
        nonlocal left
        session.replay_finish(result)  # raises what went wrong
        print(np.frombuffer(sink.pull_bytes(0).get_data(), np.float32))
        left -= 1
        if left > 0:
            launch()
        else:
            loop.quit()

    session.open(None)
    launch()
    loop.run()
    session.close()


if __name__ == "__main__":
    main()
