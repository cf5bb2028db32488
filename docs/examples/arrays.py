#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""NumPy arrays through a pipeline: pushed into an app source, pulled from an app sink."""

import gi

gi.require_version("Leat", "1.0")
from gi.repository import GLib, Leat
import numpy as np


def dtype_of(spec):
    """NumPy's type for a spec's items: f32 is float32, u8 is uint8, c64 is complex64. Of bf16 and f8 it sees bytes."""
    if spec.get_dtype() == Leat.Dtype.RECORD:
        return record_of(spec)
    name = Leat.dtype_get_name(spec.get_dtype())
    without = {"bool": "bool", "bf16": "V2", "f8e4m3": "V1", "f8e5m2": "V1"}
    kind = {"f": "float", "i": "int", "u": "uint", "c": "complex"}
    return np.dtype(without[name] if name in without else kind[name[0]] + name[1:])


def record_of(spec):
    """NumPy's structured type for a spec of records: the same fields in the same places."""
    fields = range(spec.get_n_fields())
    specs = [spec.get_field_spec(i) for i in fields]
    return np.dtype({
        "names": [spec.get_field_name(i) for i in fields],
        "formats": [(dtype_of(field), shape_of(field)) for field in specs],
        "offsets": [spec.get_field_offset(i) for i in fields],
        "itemsize": spec.get_item_bytes(),
    })


def shape_of(spec):
    """The shape of one run's array; -1 where the number of rows is data."""
    shape = [spec.get_dim(i) for i in range(spec.get_n_dims())]
    if spec.is_bounded():
        shape[0] = -1
    return tuple(shape)


def push(source, array):
    """Gives the pipeline the array of one run. The bytes alone do not say what they are, so it is checked here."""
    spec = source.dup_spec()
    shape = shape_of(spec)
    if array.dtype != dtype_of(spec):
        raise TypeError(f"the pipeline takes {dtype_of(spec)}, not {array.dtype}")
    if array.ndim != len(shape) or any(want not in (-1, have) for want, have in zip(shape, array.shape)):
        raise ValueError(f"the pipeline takes {spec.to_string(Leat.SpecStyle.FILE)}, not the shape {array.shape}")
    source.push_bytes(GLib.Bytes.new(array.tobytes()))


def pull(sink, timeout_us=-1):
    """Takes the array of one run, or None at the end of the stream. It cannot be written to; copy() can."""
    data = sink.pull_bytes(timeout_us)
    if data is None:
        return None
    spec = sink.dup_spec()
    return np.frombuffer(data.get_data() or b"", dtype_of(spec)).reshape(shape_of(spec))


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
