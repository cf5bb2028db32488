#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs leat-bench and its peers on this machine's GPU, in turns, and compares them case by case.

Peers: driver.c (built here with nvcc and a C compiler), PyTorch and CuPy where this Python has them. Each round starts
every program once, in another order each time; a ratio is taken within a round, and what is printed is the median of
the rounds with the least and the most. Writes peers.json, and peers.svg with plot.py."""

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

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
        ('argument', 'over'): 0.5, ('memo-4k', 'replay'): 0.6, ('open-1000', 'parse-to-ready'): 15000}


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
            yield f'resident-{size}', 'replay', peer, peer, [(f'resident-{size}', figure) for figure in both]
    for name in [f'chain-{length}' for length in CHAINS] + ['fan-out-8']:
        for peer in ('driver', 'torch', 'cupy'):
            yield name, 'replay', peer, peer, [(name, figure) for figure in both]
    for length in CHAINS[1:]:
        yield (f'chain-{length}', 'replay', 'driver, beginning early', 'driver', [(f'early-chain-{length}', 'replay')])
        yield f'in-turn-{length}', 'replay', 'driver', 'driver', [(f'chain-{length}', 'replay')]
    for length in CHAINS:
        yield f'chain-{length}', 'launch', 'driver, launch alone', 'driver', [(f'chain-{length}', 'launch')]
    for peer in ('driver', 'torch'):
        yield 'argument', 'set-and-replay', peer, peer, [('argument', 'set-and-replay')]
    for nodes in OPENS:
        for peer in ('driver', 'torch', 'cupy'):
            yield f'open-{nodes}', 'parse-to-ready', peer, peer, [(f'open-{nodes}', 'parse-to-ready')]


def build_driver(folder, device):
    """Returns the command of the peer that calls the driver."""
    toolkit = next((Path(path) for path in (os.environ.get('CUDA_HOME'), '/usr/local/cuda') if path and Path(path).is_dir()),
                   None)
    nvcc = shutil.which('nvcc') or (toolkit and str(toolkit / 'bin' / 'nvcc'))
    if not nvcc:
        sys.exit('run.py: there is no nvcc in PATH and no /usr/local/cuda')
    root = Path(nvcc).resolve().parent.parent
    capability = subprocess.run(['nvidia-smi', '--query-gpu=compute_cap', '--format=csv,noheader', f'--id={device}'],
                                check=True, capture_output=True, text=True).stdout.strip().replace('.', '')
    image, program = folder / 'kernels.cubin', folder / 'driver'
    for command in ([nvcc, '-cubin', f'-arch=sm_{capability}', '--fmad=false', '-o', image, HERE / 'kernels.cu'],
                    ['cc', '-O3', '-I', root / 'include', HERE / 'driver.c', '-o', program, '-L', root / 'lib64' / 'stubs',
                     '-lcuda']):
        subprocess.run([str(word) for word in command], check=True)
    return [str(program), str(image)]


def has_module(name):
    return subprocess.run([sys.executable, '-c', f'import {name}'], capture_output=True).returncode == 0


def list_programs(given, folder):
    """name -> command; the number of repeats is the last word"""
    leat = ['leat-bench', '--json', '--device=cuda:0', f'--wait={given.wait}', f'--repeat={given.repeat}']
    if given.environment:
        leat = ['bash', '-c', f'. {shlex.quote(str(given.environment))} && exec "$@"', 'bash'] + leat
    programs = {'leat': leat, 'driver': build_driver(folder, given.device) + [str(given.repeat)]}
    for module in ('torch', 'cupy'):
        if module in given.skip:
            continue
        if has_module(module):
            programs[module] = [sys.executable, '-B', str(HERE / f'peer_{module}.py'), str(given.repeat)]
        else:
            print(f'{module}: this Python does not have it', file=sys.stderr)
    return programs


def run_one(name, command, given):
    """The program's JSON, or None with what it said."""
    environment = {**os.environ, 'CUDA_VISIBLE_DEVICES': str(given.device)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=given.timeout)
    if done.returncode != 0:
        print(f'{name} ended with {done.returncode}: {done.stderr[-2000:]}', file=sys.stderr)
        return None
    return json.loads(done.stdout)


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


def verdict(value, limit):
    return '' if limit is None else f'  {"reached" if value <= limit else "MISSED"} (at most {limit:g})'


def print_rows(ratios, absolute):
    print(f'{"case":26}{"compared with":28}{"leat us":>12}{"peer us":>12}{"ratio":>8}  [least, most]')
    for row in ratios:
        ratio = row['ratio']
        print(f'{row["case"]:26}{row["with"]:28}{row["leat"]["median"]:12.3f}{row["peer"]["median"]:12.3f}'
              f'{ratio["median"]:8.3f}  [{ratio["least"]:.3f}, {ratio["most"]:.3f}]'
              f'{verdict(ratio["median"], row["limit"])}')
    print(f'\n{"case":26}{"figure":28}{"leat us":>12}  [least, most]')
    for row in absolute:
        leat = row['leat']
        print(f'{row["case"]:26}{row["figure"]:28}{leat["median"]:12.3f}  [{leat["least"]:.3f}, {leat["most"]:.3f}]'
              f'{verdict(leat["median"], row["limit"])}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', type=Path, default=Path('peers'), help='folder for what is built and written (./peers)')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--repeat', type=int, default=1000, help='how often each program measures a case')
    parser.add_argument('--wait', default='auto', help='how leat-bench waits: auto, spin or block')
    parser.add_argument('--device', type=int, default=0, help='number of the GPU')
    parser.add_argument('--environment', type=Path, help='a file to be sourced before leat-bench')
    parser.add_argument('--skip', nargs='*', default=[], choices=('torch', 'cupy'))
    parser.add_argument('--timeout', type=float, default=300, help='seconds for one program')
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    programs = list_programs(given, given.out.resolve())
    rounds = run_rounds(programs, given)
    ratios, absolute = compare(rounds), collect_absolute(rounds)
    print_rows(ratios, absolute)
    text = json.dumps({'ratios': ratios, 'absolute': absolute, 'rounds': rounds}, indent=1)
    (given.out / 'peers.json').write_text(text)
    drawn = subprocess.run([sys.executable, '-B', str(HERE / 'plot.py')], input=text, capture_output=True, text=True)
    (given.out / 'peers.svg').write_text(drawn.stdout)
    return 0 if all(all(found.values()) for found in rounds) else 1


if __name__ == '__main__':
    sys.exit(main())
