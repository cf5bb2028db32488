#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs leat-bench and its peers on this machine's GPU, in turns, and compares them case by case.

Peers: driver*.c (built here with nvcc and a C compiler), PyTorch and CuPy where this Python has them. Each round starts
every program once, in another order each time; a ratio is taken within a round, and what is printed is the median of
the rounds with the least and the most. Writes peers.json, and peers.md and peers.svg with report.py.

--floor takes programs in CUDA C++ that print what they measured as "name  12.3 us"; they are built and run in turns too,
and driver's times for the same are put beside theirs: it should be within 5 %."""

import argparse
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import report

HERE = Path(__file__).resolve().parent
SIZES = ('4k', '64k', '1m', '16m')
CHAINS = (1, 32, 512)
OPENS = (10, 100, 1000)
MODES = ('copy', 'mapped', 'copy-mapped', 'mapped-copy')

# What must be reached; ratios are Leat's time over the peer's, the rest are microseconds.
RATIO_LIMITS = {('round-trip-4k-auto', 'torch'): 0.50, ('round-trip-64k-auto', 'torch'): 0.50,
                ('round-trip-1m-auto', 'torch'): 0.80,
                **{(f'round-trip-{size}-auto', 'driver, best of all modes'): 1.05 for size in SIZES}}
MOST = {**{(f'chain-{length}', figure): 0.2 for length in CHAINS for figure in ('over', 'launch-over')},
        ('argument', 'over'): 0.5, ('argument-double', 'over'): 0.5, ('rebind', 'over'): 1.5, ('memo-4k', 'replay'): 0.6,
        ('open-1000', 'parse-to-ready'): 15000}

# What programs that look for a floor call what driver measures as "unchanged": driver's case for each name.
FLOOR_SIZES = {'4KB': '4k', '64KB': '64k', '1024KB': '1m', '16384KB': '16m'}
FLOORS = {**{name.format(size): (f'{case}-{ours}{mode}', 'unchanged') for size, ours in FLOOR_SIZES.items()
             for name, case, mode in (('rt {} graph h2d+k+d2h', 'round-trip', '-copy'),
                                      ('rt {} graph resident k+d2h', 'reused', ''),
                                      ('{} graph copies both ways', 'round-trip', '-copy'),
                                      ('{} graph zero-copy in and out', 'round-trip', '-mapped'),
                                      ('{} graph copy in, zero-copy out', 'round-trip', '-copy-mapped'),
                                      ('{} graph zero-copy in, copy out', 'round-trip', '-mapped-copy'))},
          **{f'chain {length} graph': (f'bare-chain-{length}', 'replay') for length in (1, 16, 256)}}


def list_ratios():
    """(Leat's case, figure, what it is compared with, peer, [(its case, figure)] of which the fastest counts)"""
    both = ('replay', 'spin')
    for size in SIZES:
        auto = f'round-trip-{size}-auto'
        yield (auto, 'replay', 'driver, best of all modes', 'driver',
               [(f'round-trip-{size}-{mode}', 'replay') for mode in MODES])
        for mode in ('copy', 'mapped'):
            name = f'round-trip-{size}-{mode}'
            yield name, 'replay', 'driver', 'driver', [(name, 'replay')]
        for peer in ('torch', 'cupy'):
            yield auto, 'replay', peer, peer, [(f'round-trip-{size}-copy', figure) for figure in both]
        for peer in ('driver', 'torch', 'cupy'):
            yield f'reused-{size}', 'replay', peer, peer, [(f'reused-{size}', figure) for figure in both]
    for name in [f'chain-{length}' for length in CHAINS] + ['fan-out-8']:
        for peer in ('driver', 'torch', 'cupy'):
            yield name, 'replay', peer, peer, [(name, figure) for figure in both]
    for length in CHAINS[1:]:
        yield (f'chain-{length}', 'replay', 'driver, beginning early', 'driver', [(f'early-chain-{length}', 'replay')])
        yield f'in-turn-{length}', 'replay', 'driver', 'driver', [(f'chain-{length}', 'replay')]
    for length in CHAINS:
        yield f'chain-{length}', 'launch', 'driver, launch alone', 'driver', [(f'chain-{length}', 'launch')]
    for name in ('argument', 'argument-double'):
        for peer in ('driver', 'torch', 'cupy'):
            yield name, 'set-and-replay', peer, peer, [('argument', 'set-and-replay')]
    yield 'rebind', 'rebind-and-replay', 'driver, one update', 'driver', [('rebind-table', 'rebind-and-replay')]
    for case, figure in (('rebind', 'rebind-and-replay'), ('start', 'first-result'),
                         ('start', 'process')):
        for peer in ('driver', 'torch', 'cupy'):
            yield case, figure, peer, peer, [(case, figure)]
    for nodes in OPENS:
        for peer in ('driver', 'torch', 'cupy'):
            yield f'open-{nodes}', 'parse-to-ready', peer, peer, [(f'open-{nodes}', 'parse-to-ready')]


def find_toolkit():
    """Returns nvcc and the folder that it belongs to."""
    places = [Path(path) for path in (os.environ.get('CUDA_HOME'), '/usr/local/cuda') if path and Path(path).is_dir()]
    nvcc = shutil.which('nvcc') or next((str(place / 'bin' / 'nvcc') for place in places), None)
    if not nvcc:
        sys.exit('run.py: there is no nvcc in PATH and no /usr/local/cuda')
    return nvcc, Path(nvcc).resolve().parent.parent


def call(*command):
    subprocess.run([str(word) for word in command], check=True)


def ask_architecture(device):
    return 'sm_' + subprocess.run(['nvidia-smi', '--query-gpu=compute_cap', '--format=csv,noheader', f'--id={device}'],
                                  check=True, capture_output=True, text=True).stdout.strip().replace('.', '')


def build_driver(folder, architecture):
    """Returns the command of the peer that calls the driver."""
    nvcc, root = find_toolkit()
    image, program = folder / 'kernels.cubin', folder / 'driver'
    call(nvcc, '-cubin', f'-arch={architecture}', '--fmad=false', '-o', image, HERE / 'kernels.cu')
    call('cc', '-O3', '-D_GNU_SOURCE', '-I', root / 'include', HERE / 'peer.c', *sorted(HERE.glob('driver*.c')), '-o',
         program, '-L', root / 'lib64' / 'stubs', '-lcuda')
    return [str(program), str(image)]


def build_floor(folder, architecture, source):
    nvcc, root = find_toolkit()
    program = folder / f'floor-{source.stem}'
    call(nvcc, '-O3', f'-arch={architecture}', source, '-o', program, '-L', root / 'lib64' / 'stubs', '-lcuda')
    return [str(program)]


def has_module(name):
    return subprocess.run([sys.executable, '-c', f'import {name}'], capture_output=True).returncode == 0


def list_programs(given, folder):
    """name -> command; the number of repeats is the last word"""
    leat = ['leat-bench', '--json', '--device=cuda:0', f'--wait={given.wait}', f'--repeat={given.repeat}']
    if given.environment:
        leat = ['bash', '-c', f'. {shlex.quote(str(given.environment))} && exec "$@"', 'bash'] + leat
    architecture = ask_architecture(given.device)
    programs = {'leat': leat, 'driver': build_driver(folder, architecture) + [str(given.repeat)]}
    for source in given.floor:
        programs[f'floor {source.stem}'] = build_floor(folder, architecture, source)
    for module in ('torch', 'cupy'):
        if module in given.skip:
            continue
        if has_module(module):
            programs[module] = [sys.executable, '-B', str(HERE / f'peer_{module}.py'), str(given.repeat)]
        else:
            print(f'{module}: this Python does not have it', file=sys.stderr)
    return programs


def parse_floor(text):
    """"rt 4KB graph h2d+k+d2h      10.5 us  (p99 12.1)": as the other programs write it."""
    found = re.findall(r'^(\S.*?)\s+([\d.]+) us\b', text, re.MULTILINE)
    return {'cases': [{'name': name, 'figures': {'floor': {'unit': 'us', 'median': float(us)}}} for name, us in found]}


def run_one(name, command, given):
    """The program's JSON, or None with what it said."""
    environment = {**os.environ, 'CUDA_VISIBLE_DEVICES': str(given.device)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=given.timeout)
    if done.returncode != 0:
        print(f'{name} ended with {done.returncode}: {done.stderr[-2000:]}', file=sys.stderr)
        return None
    return parse_floor(done.stdout) if name.startswith('floor ') else json.loads(done.stdout)


def run_rounds(programs, given):
    """[{name: JSON}], one for each round"""
    rounds, names = [], list(programs)
    for number in range(given.rounds):
        shift = number % len(names)
        found = {}
        for name in names[shift:] + names[:shift]:
            print(f'round {number + 1} of {given.rounds}: {name}', file=sys.stderr, flush=True)
            found[name] = run_one(name, programs[name], given)
        rounds.append(found)
    return rounds


def get(found, program, case, figure):
    for one in (found.get(program) or {'cases': []})['cases']:
        if one['name'] == case and figure in one['figures']:
            values = one['figures'][figure]
            return values['median'] if 'median' in values else values['value']
    return None


def spread(values):
    return {'median': statistics.median(values), 'least': min(values), 'most': max(values), 'rounds': len(values)}


def compare(rounds):
    rows = []
    for case, figure, label, peer, others in list_ratios():
        pairs = []
        for found in rounds:
            mine = get(found, 'leat', case, figure)
            theirs = [time for time in (get(found, peer, *other) for other in others) if time is not None]
            if mine is not None and theirs:
                pairs.append((mine, min(theirs)))
        if pairs:
            rows.append({'case': case, 'figure': figure, 'with': label, 'leat': spread([mine for mine, _ in pairs]),
                         'peer': spread([theirs for _, theirs in pairs]),
                         'ratio': spread([mine / theirs for mine, theirs in pairs]),
                         'limit': RATIO_LIMITS.get((case, label))})
    return rows


def collect_absolute(rounds):
    rows = []
    for (case, figure), limit in MOST.items():
        values = [value for value in (get(found, 'leat', case, figure) for found in rounds) if value is not None]
        if values:
            rows.append({'case': case, 'figure': figure, 'leat': spread(values), 'limit': limit})
    return rows


def compare_floors(rounds):
    """driver beside the programs of --floor"""
    rows = []
    for program in sorted({name for found in rounds for name in found if name.startswith('floor ')}):
        for name, (case, figure) in FLOORS.items():
            pairs = [(get(found, 'driver', case, figure), get(found, program, name, 'floor')) for found in rounds]
            pairs = [pair for pair in pairs if None not in pair]
            if pairs:
                rows.append({'case': case, 'figure': figure, 'with': f'{program}: {name}',
                             'leat': spread([mine for mine, _ in pairs]), 'peer': spread([theirs for _, theirs in pairs]),
                             'ratio': spread([mine / theirs for mine, theirs in pairs]), 'limit': 1.05})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', type=Path, default=Path('peers'), help='folder for what is built and written (./peers)')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--repeat', type=int, default=1000, help='how often each program measures a case')
    parser.add_argument('--wait', default='auto', help='how leat-bench waits: auto, spin or block')
    parser.add_argument('--device', type=int, default=0, help='number of the GPU')
    parser.add_argument('--environment', type=Path, help='a file to be sourced before leat-bench')
    parser.add_argument('--floor', type=Path, nargs='*', default=[], metavar='FILE.cu', help='programs to check driver by')
    parser.add_argument('--skip', nargs='*', default=[], choices=('torch', 'cupy'))
    parser.add_argument('--timeout', type=float, default=300, help='seconds for one program')
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    programs = list_programs(given, given.out.resolve())
    rounds = run_rounds(programs, given)
    found = {'ratios': compare(rounds), 'absolute': collect_absolute(rounds), 'floors': compare_floors(rounds),
             'rounds': rounds}
    print(report.write_text(found))
    (given.out / 'peers.json').write_text(json.dumps(found, indent=1))
    (given.out / 'peers.md').write_text(report.write_table(found))
    (given.out / 'peers.svg').write_text(report.draw(found))
    return 0 if all(all(found.values()) for found in rounds) else 1


if __name__ == '__main__':
    sys.exit(main())
