#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""leat-bench's cases with CuPy's graphs: peer_cupy.py REPEAT prints JSON.

CuPy refuses copies of host arrays while a stream is capturing; copies by address may be captured where its runtime
lets them, and are made around the graph where not. What was done is said in the version."""

import sys
import time

import cupy
import measure
import numpy as np

AXPB = cupy.ElementwiseKernel('float32 x, float32 a', 'float32 y', 'y = a * x + 1.0f', 'axpb')
STEP = cupy.ElementwiseKernel('float32 x', 'float32 y', 'y = x + 1.0f', 'step')
AXPB_OF = cupy.ElementwiseKernel('float32 x, raw float32 a', 'float32 y', 'y = a[0] * x + 1.0f', 'axpb_of')
WORK = cupy.ElementwiseKernel('float32 x, float32 a, float32 b', 'float32 y',
                              f'y = x; for (int s = 0; s < {measure.BRANCH_STEPS}; s++) y = __fadd_rn (__fmul_rn (a, y), b)',
                              'work')
TO_DEVICE, TO_HOST = 1, 2


class Ends:
    def __init__(self, count):
        self.bytes = count * 4
        self.memory = [cupy.cuda.alloc_pinned_memory(self.bytes) for _ in range(2)]
        self.given, self.taken = (np.frombuffer(memory, np.float32, count) for memory in self.memory)
        self.x = cupy.zeros(count, cupy.float32)
        self.y = cupy.zeros(count, cupy.float32)
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.subject = measure.Subject(self.given, self.taken)

    def bring(self):
        cupy.cuda.runtime.memcpyAsync(self.x.data.ptr, self.memory[0].ptr, self.bytes, TO_DEVICE, self.stream.ptr)

    def fetch(self, result):
        cupy.cuda.runtime.memcpyAsync(self.memory[1].ptr, result.data.ptr, self.bytes, TO_HOST, self.stream.ptr)


def capture(ends, work):
    ends.stream.begin_capture()
    try:
        work()
    except Exception:
        try:
            ends.stream.end_capture()
        except Exception:  # the capture is lost either way
            pass
        raise
    return ends.stream.end_capture()


def make_replay(ends, bring, compute, result):
    """Returns (replay, how): everything in the graph where CuPy allows it, else the copies around it."""
    def whole():
        if bring:
            ends.bring()
        compute()
        ends.fetch(result)
    with ends.stream:
        whole()  # compiles
        ends.stream.synchronize()
        try:
            graph, how = capture(ends, whole), 'copies in the graph'
        except Exception:
            ends.stream = cupy.cuda.Stream(non_blocking=True)
            with ends.stream:
                graph, how = capture(ends, compute), 'copies around the graph'

    def inside():
        graph.launch(ends.stream)
        ends.stream.synchronize()

    def around():
        if bring:
            ends.bring()
        graph.launch(ends.stream)
        ends.fetch(result)
        ends.stream.synchronize()
    return (inside if how == 'copies in the graph' else around), how


def steps(ends, length):
    for i in range(length):
        if i % 2 == 0:
            STEP(ends.x, ends.y)
        else:
            STEP(ends.y, ends.x)


def round_trip(report, size, count, divisor):
    ends = Ends(count)
    replay, how = make_replay(ends, True, lambda: AXPB(ends.x, np.float32(2), ends.y), ends.y)
    report.all['version'] = f'{cupy.__version__}, {how}'
    report.add(f'round-trip-{size}-copy', replay=ends.subject.measure(replay, report.runs(divisor), 2, 1))


def reused(report, size, count, divisor):
    ends = Ends(count)
    replay, _how = make_replay(ends, False, lambda: AXPB(ends.x, np.float32(2), ends.y), ends.y)

    def before(_turn):
        ends.bring()
        ends.stream.synchronize()
        return 2, 1
    report.add(f'reused-{size}', replay=ends.subject.measure(replay, report.runs(divisor), 2, 1, before))


def chain(report, length, divisor):
    ends = Ends(measure.CHAIN_NUMBERS)
    replay, _how = make_replay(ends, True, lambda: steps(ends, length), ends.y if length % 2 else ends.x)
    report.add(f'chain-{length}', replay=ends.subject.measure(replay, report.runs(divisor), 1, length))


def fan_out(report, divisor):
    """Streams of their own make the branches parallel in the graph."""
    ends = Ends(256)
    sides = [cupy.cuda.Stream(non_blocking=True) for _ in range(measure.BRANCHES)]
    parts = [cupy.zeros(256, cupy.float32) for _ in sides]

    def branches():
        begin = ends.stream.record()
        for i, side in enumerate(sides):
            side.wait_event(begin)
            with side:
                WORK(ends.x, np.float32(1), np.float32(i + 1), parts[i])
            ends.stream.wait_event(side.record())
        with ends.stream:
            ends.y[...] = parts[0]
            for part in parts[1:]:
                cupy.add(ends.y, part, out=ends.y)
    replay, _how = make_replay(ends, True, branches, ends.y)
    plus = measure.BRANCH_STEPS * measure.BRANCHES * (measure.BRANCHES + 1) / 2
    report.add('fan-out-8', replay=ends.subject.measure(replay, report.runs(divisor), measure.BRANCHES, plus))


def argument(report):
    """CuPy's graphs cannot be changed: the argument lies on the device and is written before the launch."""
    ends = Ends(1024)
    factor = cupy.full(1, 2, cupy.float32)
    replay, _how = make_replay(ends, True, lambda: AXPB_OF(ends.x, factor, ends.y), ends.y)
    state = {'factor': 2.0}

    def choose(turn):
        state['factor'] = float(2 + turn % 32)
        return state['factor'], 1

    def changed():
        with ends.stream:
            factor.fill(state['factor'])
        replay()
    set_and_replay = ends.subject.measure(changed, report.runs(1), 2, 1, choose)
    report.add('argument', replay=ends.subject.measure(replay, report.runs(1), state['factor'], 1),
               set_and_replay=set_and_replay)


def opening(report, nodes, divisor):
    samples, length = [], nodes - 4
    for turn in range(1 + report.runs(divisor)):
        begin = time.perf_counter_ns()
        ends = Ends(256)
        with ends.stream:
            graph = capture(ends, lambda: steps(ends, length))
        ends.stream.synchronize()
        if turn > 0:
            samples.append((time.perf_counter_ns() - begin) / 1000)
        ends.subject.stir(turn)
        ends.bring()
        graph.launch(ends.stream)
        ends.fetch(ends.y if length % 2 else ends.x)
        ends.stream.synchronize()
        ends.subject.look(turn, 1, length)
    report.add(f'open-{nodes}', parse_to_ready=samples)


def once(path):
    with open(path, 'rb') as file:
        given = np.frombuffer(file.read(), np.uint8)
    sys.stdout.buffer.write(cupy.asnumpy(cupy.invert(cupy.asarray(given))).tobytes())


def main():
    if measure.once_input():
        once(measure.once_input())
        return
    name = cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()
    report = measure.Report('cupy', name, measure.wanted_repeat(), cupy.__version__)
    for size, count, divisor in measure.SIZES:
        round_trip(report, size, count // 4, divisor)
        reused(report, size, count // 4, divisor)
    for length, divisor in measure.CHAINS:
        chain(report, length, divisor)
    report.attempt('fan-out-8', fan_out, 10)
    report.attempt('argument', argument)
    for nodes, divisor in measure.OPENS:
        opening(report, nodes, divisor)
    measure.start(report, __file__, 200)
    report.print()


if __name__ == '__main__':
    main()
