#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""leat-bench's cases with torch.cuda.CUDAGraph and static copies: peer_torch.py REPEAT prints JSON."""

import time

import measure
import torch


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


def resident(report, size, count, divisor):
    ends = Ends(count)
    graph = capture(lambda: ends.fetch(torch.add(ends.one, ends.device, alpha=2.0)))

    def before(_turn):
        ends.bring()
        torch.cuda.synchronize()
        return 2, 1
    report.add(f'resident-{size}', **{name: ends.subject.measure(way, report.runs(divisor), 2, 1, before)
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


def main():
    report = measure.Report('torch', torch.cuda.get_device_name(), measure.wanted_repeat(), torch.__version__)
    for size, count, divisor in measure.SIZES:
        round_trip(report, size, count // 4, divisor)
        resident(report, size, count // 4, divisor)
    for length, divisor in measure.CHAINS:
        chain(report, length, divisor)
    argument(report)
    for nodes, divisor in measure.OPENS:
        opening(report, nodes, divisor)
    report.print()


if __name__ == '__main__':
    main()
