# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the Python peers share: the numbers of leat-bench, its way to measure, and its JSON."""

import json
import math
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

SIZES = (('4k', 4096, 1), ('64k', 65536, 1), ('1m', 1 << 20, 2), ('16m', 16 << 20, 20))
CHAINS = ((1, 1), (32, 2), (512, 10))
CHAIN_NUMBERS = 132 * 256
OPENS = ((10, 20), (100, 40), (1000, 100))
BRANCHES, BRANCH_STEPS = 8, 2000
INPUTS, INPUT_LENGTH, INPUT_NUMBERS = 16, 16, 256  # of the case rebind
FILE_BYTES = 4096
SETTLE = 50
MOST_STIRRED = 1024


def numbers(positions, turn):
    return ((positions * 31 + (turn * 7919) % (1 << 32)) % 4093).astype(np.float32)


class Subject:
    """Pinned numbers in and out (NumPy arrays over memory that the peer allocated)."""

    def __init__(self, given, taken):
        self.given, self.taken = given, taken
        self.step = max(1, len(given) // MOST_STIRRED)
        self.positions = np.arange(len(given), dtype=np.int64)

    def stir(self, turn):
        at = slice(turn % self.step, None, self.step)
        self.given[at] = numbers(self.positions[at], turn)

    def look(self, turn, times, plus, step=None):
        at = slice(turn % self.step, None, self.step) if step is None else slice(0, None, step)
        expected = (times * numbers(self.positions[at], turn) + plus).astype(np.float32)
        if not np.array_equal(self.taken[at], expected):
            sys.exit(f'{sys.argv[0]}: wrong result in run {turn}')

    def measure(self, replay, runs, times, plus, before=None):
        """Microseconds of each run; before(turn) is called outside the time and may return other (times, plus)."""
        self.given[:] = numbers(self.positions, 123)
        if before:
            times, plus = before(0)
        replay()
        self.look(123, times, plus, 1)
        samples = []
        for turn in range(SETTLE + runs):
            self.stir(turn)
            if before:
                times, plus = before(turn)
            begin = time.perf_counter_ns()
            replay()
            end = time.perf_counter_ns()
            self.look(turn, times, plus)
            if turn >= SETTLE:
                samples.append((end - begin) / 1000)
        return samples


def figure(samples):
    ordered, n = sorted(samples), len(samples)
    return {'unit': 'us', 'runs': n, 'median': ordered[n // 2], 'p10': ordered[n // 10], 'p90': ordered[n - 1 - n // 10],
            'p99': ordered[n - 1 - n // 100], 'least': ordered[0]}


def start(report, program, divisor):
    """A new process from its start to its first result, and to its end; "program --once FILE" is what it runs."""
    first, process = [], []
    positions = np.arange(FILE_BYTES)
    with tempfile.NamedTemporaryFile(prefix='leat-peer-') as file:
        for turn in range(1 + report.runs(divisor)):
            given = ((positions * 7 + turn * 13) % 256).astype(np.uint8)
            os.pwrite(file.fileno(), given.tobytes(), 0)
            begin = time.perf_counter_ns()
            with subprocess.Popen([sys.executable, '-B', program, '--once', file.name], stdout=subprocess.PIPE) as child:
                taken = child.stdout.read(FILE_BYTES)
                result = time.perf_counter_ns()
                code = child.wait()
                end = time.perf_counter_ns()
            if code != 0 or taken != (~given).tobytes():
                sys.exit(f'{program}: wrong result of the new process, which ended with {code}')
            if turn > 0:
                first.append((result - begin) / 1000)
                process.append((end - begin) / 1000)
    report.add('start', first_result=first, process=process)


class Report:
    def __init__(self, peer, device_name, repeat, version):
        self.all = {'peer': peer, 'version': version, 'device-name': device_name, 'repeat': repeat, 'cases': []}
        self.repeat = repeat

    def runs(self, divisor):
        return max(5, self.repeat // divisor)

    def add(self, name, **figures):
        """Figures by name, _ for -: lists of microseconds."""
        self.all['cases'].append({'name': name, 'figures': {key.replace('_', '-'): figure(samples)
                                                            for key, samples in figures.items()}})

    def note(self, name, text):
        self.all['cases'].append({'name': name, 'figures': {}, 'notes': [text]})

    def attempt(self, name, case, *given):
        """Runs case(self, *given); what this version of the library cannot do becomes a note."""
        try:
            case(self, *given)
        except Exception as error:  # pylint: disable=broad-except
            self.note(name, f'{type(error).__name__}: {error}')
            print(f'{sys.argv[0]}: {name}: {type(error).__name__}: {error}', file=sys.stderr)

    def print(self):
        json.dump(self.all, sys.stdout, indent=1, allow_nan=False, default=lambda value: math.nan)
        print()


def wanted_repeat():
    return int(sys.argv[1]) if len(sys.argv) > 1 else 1000


def once_input():
    """The file of --once, or None where all cases are wanted."""
    return sys.argv[2] if sys.argv[1:2] == ['--once'] else None
