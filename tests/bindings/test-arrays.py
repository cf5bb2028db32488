#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The library from Python: the very program of the documentation, and what it gets for bad input. Writes TAP.

test-arrays.py FOLDER-OF-EXAMPLES"""

import contextlib
import gc
import io
import os
import sys
import traceback
from pathlib import Path

try:
    import gi
    import numpy as np
except ImportError as missing:
    print(f"1..0 # SKIP {missing}")
    sys.exit(0)

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import arrays  # of the documentation
import inplace
import mainloop

from gi.repository import Gio, GLib, Leat


class Open:
    """A session on a pipeline between two app nodes."""

    def __init__(self, text, device=None):
        self.pipeline = Leat.parse_text(text, Leat.TextStyle.TERMINAL, None)
        self.source, self.sink = self.pipeline.get_node("source"), self.pipeline.get_node("sink")
        self.session = Leat.Session.new(self.pipeline, device)

    def __enter__(self):
        self.session.open(None)
        return self

    def __exit__(self, *_):
        self.session.close()

    def run(self, array):
        arrays.push(self.source, array)
        assert self.session.replay(True, None) == Leat.Flow.DATA
        return arrays.pull(self.sink)


def map_of(spec, expr):
    return f"app name=source spec={spec} + upload + map expr={expr} + readback + app name=sink"


@contextlib.contextmanager
def raises(domain, code, *words):
    """The block raises a GLib.Error of that domain and code, whose message has the words."""
    try:
        yield
    except GLib.Error as error:
        assert error.matches(domain, code), (error.domain, error.code, error.message)
        for word in words:
            assert word in error.message, error.message
        return
    raise AssertionError("no GLib.Error")


@contextlib.contextmanager
def refuses(kind, *words):
    try:
        yield
    except kind as error:
        for word in words:
            assert word in str(error), error
        return
    raise AssertionError(f"no {kind}")


def test_records_are_structured_arrays():
    fields = [("a", "u1"), ("p", [("x", "<f4"), ("y", "<f8")], (2,)), ("v", "<f4", (3,)), ("m", "<i2", (2, 3))]
    for align in (False, True):
        dtype = np.dtype(fields, align=align)
        array = np.zeros(5, dtype)
        array["v"] = np.arange(15).reshape(5, 3)
        array["p"]["y"] = [[1, 2]] * 5
        text = "{a:u8,p:{x:f32,y:f64@8}[2]@8,v:f32[3],m:i16[2,3],@64}" if align else "{a:u8,p:{x:f32,y:f64}[2],v:f32[3],m:i16[2,3]}"
        spec = Leat.Spec.parse(text + "[5]")
        assert arrays.dtype_of(spec) == dtype and spec.get_item_bytes() == dtype.itemsize, (arrays.dtype_of(spec), dtype)
        with Open(f"app name=source spec={text}[5] + upload + readback + app name=sink") as same:
            assert (same.run(array) == array).all() and same.run(array).dtype == dtype
        with Open(f"app name=source spec={text}[5] + upload + map expr=x.v.1+x.p.1.y + readback + app name=sink") as taken:
            assert (taken.run(array) == array["v"][:, 1] + 2).all()
            with refuses(TypeError, "the pipeline takes"):
                taken.run(array["v"])


def test_example_prints_what_numpy_computes():
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        arrays.main()
    first = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert printed.getvalue() == "".join(f"{2 * (first + i) + 1}\n" for i in range(3)), printed.getvalue()


def test_example_of_a_main_loop():
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        mainloop.main()
    assert printed.getvalue() == "".join(f"{np.full(4, x * x, dtype=np.float32)}\n" for x in (3, 2, 1)), printed.getvalue()


def test_example_in_place():
    for use, runs in ((inplace.use_memory_of_the_session, 3), (inplace.use_memory_of_the_program, 6)):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            use(runs)
        expected = "".join(f"{np.full(4, i * (i + 1), np.float32)}\n" for i in range(runs))
        assert printed.getvalue() == expected, printed.getvalue()


def test_documentation_has_the_programs():
    folder = Path(sys.argv[1])
    for name, language in (("arrays.py", "python"), ("arrays.js", "javascript")):
        page = folder.parent / "guide" / f"{language}.md"
        assert f"```{language}\n{(folder / name).read_text()}```\n" in page.read_text(), f"{page} has another {name}"


def test_types_equal_numpy():
    random = np.random.default_rng(1)
    for name, dtype, to in (("f32", np.float32, 9.0), ("f64", np.float64, 9.0), ("i32", np.int32, 1000),
                            ("u32", np.uint32, 1000), ("i64", np.int64, 10**12)):
        array = (random.random((37, 5)) * to).astype(dtype)
        with Open(map_of(f"{name}:37x5", "x*x+3")) as opened:
            result = opened.run(array)
        assert result.dtype == dtype and result.shape == (37, 5), (result.dtype, result.shape)
        assert np.array_equal(result, array * array + dtype(3)), name


def test_types_go_through_unchanged():
    random = np.random.default_rng(2)
    for name, dtype in (("f16", "f2"), ("bf16", "V2"), ("f8e4m3", "V1"), ("f8e5m2", "V1"), ("c64", "c8"),
                        ("c128", "c16"), ("bool", "?")):
        size = np.dtype(dtype).itemsize
        array = random.integers(0, 2 if name == "bool" else 256, 37 * 5 * size, dtype=np.uint8)
        array = array.view(dtype).reshape(37, 5)
        with Open(f"app name=source spec={name}:37x5 + upload + readback + app name=sink") as opened:
            result = opened.run(array)
        assert result.dtype == np.dtype(dtype) and result.shape == (37, 5), (result.dtype, result.shape)
        assert result.tobytes() == array.tobytes(), name


def test_many_runs():
    random = np.random.default_rng(2)
    with Open(map_of("f32:1000", "2*x+1")) as opened:
        for _ in range(100):
            array = random.random(1000, dtype=np.float32)
            assert np.array_equal(opened.run(array), 2 * array + 1)


def test_rows_that_are_data():
    with Open(map_of("f32:max8x3", "-x")) as opened:
        for rows in (8, 1, 0, 5):
            array = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
            result = opened.run(array)
            assert result.shape == (rows, 3) and np.array_equal(result, -array), result


def test_not_contiguous():
    whole = np.arange(24, dtype=np.float32).reshape(4, 6)
    with Open(map_of("f32:6x4", "x+1")) as opened:
        assert np.array_equal(opened.run(whole.T), whole.T + 1)


def test_pushed_data_is_a_copy():
    array = np.ones(16, dtype=np.float32)
    with Open(map_of("f32:16", "x")) as opened:
        arrays.push(opened.source, array)
        array[:] = 7
        opened.session.replay(True, None)
        assert np.array_equal(arrays.pull(opened.sink), np.ones(16))


def test_pulled_data_outlives_the_session():
    opened = Open(map_of("f32:100000", "x+1"))
    with opened:
        result = opened.run(np.zeros(100000, dtype=np.float32))
    del opened
    gc.collect()
    assert np.array_equal(result, np.ones(100000)) and not result.flags.writeable


def test_end_of_stream():
    with Open(map_of("f32:4", "x")) as opened:
        opened.source.end()
        assert opened.session.replay(True, None) == Leat.Flow.END
        assert arrays.pull(opened.sink) is None


def test_run_async_and_messages():
    opened = Open(map_of("f32:4", "x+1"))
    loop, bus = GLib.MainLoop(), opened.pipeline.get_bus()
    ends, kinds = [], []
    bus.connect("message", lambda _, message: kinds.append(message.get_kind()))
    bus.add_watch()

    def done(session, result):
        ends.append(session.run_finish(result))
        GLib.idle_add(loop.quit)

    with opened:
        for i in range(5):
            arrays.push(opened.source, np.full(4, i, dtype=np.float32))
        opened.source.end()
        opened.session.run_async(None, done)
        GLib.timeout_add_seconds(20, loop.quit)
        loop.run()
        assert ends == [True], ends
        assert [arrays.pull(opened.sink)[0] for _ in range(5)] == [1, 2, 3, 4, 5]
        assert arrays.pull(opened.sink) is None
    bus.remove_watch()
    assert Leat.MessageType.END in kinds, kinds


def test_launch_and_source():
    loop, ends = GLib.MainLoop(), []
    with Open(map_of("f32:4", "x+1")) as opened:

        def launch():
            arrays.push(opened.source, np.full(4, len(ends), dtype=np.float32))
            assert opened.session.launch(None) == Leat.Flow.DATA
            with raises(Leat.SessionError.quark(), Leat.SessionError.BUSY, "under way"):
                opened.session.replay(False, None)

        def ended(*_):
            assert opened.session.complete(None) == Leat.Flow.DATA
            ends.append(arrays.pull(opened.sink)[0])
            if len(ends) == 5:
                loop.quit()
                return GLib.SOURCE_REMOVE
            launch()
            return GLib.SOURCE_CONTINUE

        assert opened.session.get_fd() >= 0
        source = opened.session.create_source()
        source.set_callback(ended)
        source.attach(None)
        launch()
        GLib.timeout_add_seconds(20, loop.quit)
        loop.run()
        source.destroy()
    assert ends == [1, 2, 3, 4, 5], ends


def test_parse_error_unknown_node():
    with raises(Leat.graph_error_quark(), Leat.GraphError.UNKNOWN_NODE, "column 7", 'no node "uplod"',
                'did you mean "upload"'):
        Leat.parse_text("app ! uplod ! discard", Leat.TextStyle.TERMINAL, None)


def test_parse_error_syntax():
    with raises(Leat.parse_error_quark(), Leat.ParseError.VERSION):
        Leat.parse_text("app -> discard\n", Leat.TextStyle.FILE, None)


def test_parse_error_property():
    with raises(Leat.graph_error_quark(), Leat.GraphError.UNKNOWN_PROPERTY, '"specc"', 'did you mean "spec"'):
        Leat.parse_text("app specc=f32:4 + discard", Leat.TextStyle.TERMINAL, None)


def test_missing_file():
    with raises(Leat.parse_error_quark(), Leat.ParseError.IO, "not-there.leat"):
        Leat.parse_file("not-there.leat", None)


def test_wrong_dtype():
    with Open(map_of("f32:4", "x")) as opened:
        with refuses(TypeError, "float32", "float64"):
            arrays.push(opened.source, np.zeros(4))
        assert np.array_equal(opened.run(np.ones(4, dtype=np.float32)), np.ones(4))


def test_wrong_shape():
    with Open(map_of("f32:2x3", "x")) as opened:
        for shape in ((3, 2), (6,), (2, 3, 1), ()):
            with refuses(ValueError, "f32[2,3]"):
                arrays.push(opened.source, np.zeros(shape, dtype=np.float32))


def test_wrong_number_of_bytes():
    with Open(map_of("f32:4", "x")) as opened:
        with raises(Leat.graph_error_quark(), Leat.GraphError.DATA, "15 bytes", "f32[4] takes 16 bytes"):
            opened.source.push_bytes(GLib.Bytes.new(b"123456789012345"))


def test_session_not_open():
    opened = Open(map_of("f32:4", "x"))
    with raises(Leat.SessionError.quark(), Leat.SessionError.STATE, "not open"):
        opened.session.replay(False, None)


def test_unknown_device():
    with raises(Leat.driver_error_quark(), Leat.DriverError.SELECTOR, "nonsense"):
        Open(map_of("f32:4", "x"), "nonsense").session.open(None)


def test_nothing_to_pull():
    with Open(map_of("f32:4", "x")) as opened:
        with raises(Gio.io_error_quark(), Gio.IOErrorEnum.TIMED_OUT, '"sink"'):
            arrays.pull(opened.sink, 0)


def main():
    tests = [(name, run) for name, run in globals().items() if name.startswith("test_")]
    good = True
    print(f"1..{len(tests)}")
    for number, (name, run) in enumerate(tests, 1):
        try:
            run()
            word = "ok"
        except Exception:
            good, word = False, "not ok"
            print("# " + traceback.format_exc().rstrip().replace("\n", "\n# "))
        print(f"{word} {number} /leat/bindings/python/{name[5:].replace('_', '-')}", flush=True)
    # Interpreters free objects late and in any order at their end; that is not what is tested here.
    sys.stdout.flush()
    os._exit(0 if good else 1)


main()
