#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""leat-bench's cases with torch.cuda.CUDAGraph and static copies: peer_torch.py REPEAT prints JSON."""

import sys
import time

import measure
import torch

WORK = """template <typename T> T work (T x, T a, T b)
{
  for (unsigned s = 0; s < %d; s++)
    x = __fadd_rn (__fmul_rn (a, x), b);
  return x;
}""" % measure.BRANCH_STEPS


def capture(work):
    """Runs work() on a side stream first, as PyTorch asks for, then captures it."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            work()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    torch.cuda.synchronize()
    return graph


class Ends:
    """Pinned memory at both ends of a graph."""

    def __init__(self, count):
        self.given = torch.zeros(count, dtype=torch.float32).pin_memory()
        self.taken = torch.zeros(count, dtype=torch.float32).pin_memory()
        self.device = torch.zeros(count, dtype=torch.float32, device='cuda')
        self.one = torch.ones(1, dtype=torch.float32, device='cuda')
        self.subject = measure.Subject(self.given.numpy(), self.taken.numpy())

    def bring(self):
        self.device.copy_(self.given, non_blocking=True)

    def fetch(self, result):
        self.taken.copy_(result, non_blocking=True)


def ways_to_replay(graph):
    """Both ways to wait that PyTorch offers."""
    stream = torch.cuda.current_stream()

    def waiting():
        graph.replay()
        torch.cuda.synchronize()

    def spinning():
        graph.replay()
        while not stream.query():
            pass
    return {'replay': waiting, 'spin': spinning}


def round_trip(report, size, count, divisor):
    ends = Ends(count)

    def work():
        ends.bring()
        ends.fetch(torch.add(ends.one, ends.device, alpha=2.0))
    ways = ways_to_replay(capture(work))
    report.add(f'round-trip-{size}-copy', **{name: ends.subject.measure(way, report.runs(divisor), 2, 1)
                                             for name, way in ways.items()})


def reused(report, size, count, divisor):
    ends = Ends(count)
    graph = capture(lambda: ends.fetch(torch.add(ends.one, ends.device, alpha=2.0)))

    def before(_turn):
        ends.bring()
        torch.cuda.synchronize()
        return 2, 1
    report.add(f'reused-{size}', **{name: ends.subject.measure(way, report.runs(divisor), 2, 1, before)
                                      for name, way in ways_to_replay(graph).items()})


def chain(report, length, divisor):
    ends = Ends(measure.CHAIN_NUMBERS)

    def work():
        ends.bring()
        for _ in range(length):
            ends.device.add_(1.0)
        ends.fetch(ends.device)
    report.add(f'chain-{length}', **{name: ends.subject.measure(way, report.runs(divisor), 1, length)
                                     for name, way in ways_to_replay(capture(work)).items()})


def fan_out(report, divisor):
    """Streams of their own make the branches parallel in the graph."""
    ends = Ends(256)
    work = torch.cuda.jiterator._create_jit_fn(WORK, a=1.0, b=1.0)  # pylint: disable=protected-access
    sides = [torch.cuda.Stream() for _ in range(measure.BRANCHES)]

    def all_branches():
        ends.bring()
        here, results = torch.cuda.current_stream(), []
        for i, side in enumerate(sides):
            side.wait_stream(here)
            with torch.cuda.stream(side):
                results.append(work(ends.device, a=1.0, b=float(i + 1)))
        for side in sides:
            here.wait_stream(side)
        ends.fetch(torch.stack(results).sum(0))
    plus = measure.BRANCH_STEPS * measure.BRANCHES * (measure.BRANCHES + 1) / 2
    report.add('fan-out-8', **{name: ends.subject.measure(way, report.runs(divisor), measure.BRANCHES, plus)
                               for name, way in ways_to_replay(capture(all_branches)).items()})


def rebind(report, divisor):
    """A graph reads where it was captured: what lies elsewhere is copied there, one copy for each input."""
    ends = Ends(measure.INPUTS * measure.INPUT_NUMBERS)
    static = ends.device.view(measure.INPUTS, -1)
    given = ends.given.view(measure.INPUTS, -1)

    def work():
        results = [static[i] for i in range(measure.INPUTS)]
        for _ in range(measure.INPUT_LENGTH):
            results = [result + 1.0 for result in results]
        ends.fetch(torch.cat(results))
    graph = capture(work)

    def changed():
        for i in range(measure.INPUTS):
            static[i].copy_(given[i], non_blocking=True)
        graph.replay()
        torch.cuda.synchronize()
    report.add('rebind', rebind_and_replay=ends.subject.measure(changed, report.runs(divisor), 1, measure.INPUT_LENGTH))


def argument(report):
    ends = Ends(1024)
    factor = torch.full((1,), 2.0, device='cuda')
    state = {'factor': 2.0}

    def work():
        ends.bring()
        ends.fetch(torch.addcmul(ends.one, ends.device, factor))
    graph = capture(work)

    def choose(turn):
        state['factor'] = float(2 + turn % 32)
        return state['factor'], 1

    def changed():
        factor.fill_(state['factor'])
        graph.replay()
        torch.cuda.synchronize()
    set_and_replay = ends.subject.measure(changed, report.runs(1), 2, 1, choose)
    same = ends.subject.measure(ways_to_replay(graph)['replay'], report.runs(1), state['factor'], 1)
    report.add('argument', replay=same, set_and_replay=set_and_replay)


def opening(report, nodes, divisor):
    """From nothing but the modules to a captured graph."""
    samples = []
    for turn in range(1 + report.runs(divisor)):
        begin = time.perf_counter_ns()
        ends = Ends(256)

        def work():
            ends.bring()
            for _ in range(nodes - 4):
                ends.device.add_(1.0)
            ends.fetch(ends.device)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            work()
        torch.cuda.synchronize()
        if turn > 0:
            samples.append((time.perf_counter_ns() - begin) / 1000)
        ends.subject.stir(turn)
        graph.replay()
        torch.cuda.synchronize()
        ends.subject.look(turn, 1, nodes - 4)
    report.add(f'open-{nodes}', parse_to_ready=samples)


def once(path):
    with open(path, 'rb') as file:
        given = torch.frombuffer(bytearray(file.read()), dtype=torch.uint8)
    sys.stdout.buffer.write(torch.bitwise_not(given.cuda()).cpu().numpy().tobytes())


def main():
    if measure.once_input():
        once(measure.once_input())
        return
    report = measure.Report('torch', torch.cuda.get_device_name(), measure.wanted_repeat(), torch.__version__)
    for size, count, divisor in measure.SIZES:
        round_trip(report, size, count // 4, divisor)
        reused(report, size, count // 4, divisor)
    for length, divisor in measure.CHAINS:
        chain(report, length, divisor)
    report.attempt('fan-out-8', fan_out, 10)
    argument(report)
    report.attempt('rebind', rebind, 10)
    for nodes, divisor in measure.OPENS:
        opening(report, nodes, divisor)
    measure.start(report, __file__, 200)
    report.print()


if __name__ == '__main__':
    main()
