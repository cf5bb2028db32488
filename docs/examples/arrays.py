#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""NumPy arrays through a pipeline: pushed into an app source, pulled from an app sink."""

import gi

gi.require_version("Leat", "1.0")
from gi.repository import GLib, Leat
import numpy as np


def dtype_of(spec):
    """NumPy's type for a spec's items: f32 is float32, u8 is uint8."""
    name = Leat.dtype_get_name(spec.get_dtype())
    return np.dtype(name[0] + str(int(name[1:]) // 8))


def push(source, array):
    """Gives the pipeline the data of one run."""
    source.push_bytes(GLib.Bytes.new(np.ascontiguousarray(array).tobytes()))


def pull(sink, timeout_us=-1):
    """Takes the result of one run, or None at the end of the stream."""
    data = sink.pull_bytes(timeout_us)
    if data is None:
        return None
    spec = sink.dup_spec()
    shape = [spec.get_dim(i) for i in range(spec.get_n_dims())]
    if spec.is_bounded():
        shape[0] = -1  # as many rows as there are
    return np.frombuffer(data.get_data(), dtype_of(spec)).reshape(shape)


def main():
    pipeline = Leat.parse_text(
        "app name=source spec=f32:2x3 + upload + map expr=gain*x+1 gain=2 + readback + app name=sink",
        Leat.TextStyle.TERMINAL,
        None,
    )
    source, sink = pipeline.get_node("source"), pipeline.get_node("sink")

    session = Leat.Session.new(pipeline, None)  # None: what LEAT_DEVICE says, else the first GPU, else the CPU
    session.open(None)
    for i in range(3):
        push(source, np.arange(6, dtype=np.float32).reshape(2, 3) + i)
        session.replay(True, None)
        print(pull(sink))
    session.close()


if __name__ == "__main__":
    main()
