#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A large file that the system has in memory, looked through for some words: leat-launch beside GNU grep and ripgrep on
one processor and on all, and beside what it takes to read the file and to bring it to the device. All take turns; all
must find what was planted. Usage: bench-stream.py SCAN.leat [MEBIBYTES [ROUNDS [OPTIONS]...]]; LEAT_DEVICE names the
device. OPTIONS are those of leat-launch, with commas between, as --lanes=4,chunk=8M: each argument is one side more."""

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

PATTERNS = (b'warranty', b'copyrights', b'qualified-name')
PLANTED = 3000
STEP = 4 << 20
BLOCK = 1 << 24
SHORT = 2 * BLOCK
CPUS = os.cpu_count()


def make_text(path, size):
    """Words that no pattern is made of, and patterns at places that no part of the file for one processor cuts."""
    chance = random.Random(11)
    words = [bytes(chance.choices(b'bcdefghijklm', k=chance.randrange(2, 11))) for _ in range(5000)]
    block = bytearray()
    while len(block) < BLOCK:
        block += chance.choice(words) + (b'\n' if chance.random() < 0.1 else b' ')
    block = bytes(block[:BLOCK - 1]) + b'\n'
    with path.open('wb') as file:
        for _ in range(size // BLOCK):
            file.write(block)
        for at in {chance.randrange(size // 4096) * 4096 + 1000 for _ in range(PLANTED)}:
            file.seek(at)
            file.write(b' ' + chance.choice(PATTERNS) + b' ')


def read_part(path, begin, end):
    room = bytearray(STEP)
    with path.open('rb', buffering=0) as file:
        file.seek(begin)
        while begin < end:
            begin += file.readinto(room)


def read_by(path, size, readers):
    parts = [threading.Thread(target=read_part, args=(path, i * size // readers, (i + 1) * size // readers))
             for i in range(readers)]
    begin = time.monotonic()
    for part in parts:
        part.start()
    for part in parts:
        part.join()
    return time.monotonic() - begin


def copy_to_device(size):
    """Seconds for as many bytes out of pinned memory, by PyTorch where it is there."""
    try:
        import torch
    except ImportError:
        return None
    if not torch.cuda.is_available():
        return None
    host = torch.empty(1 << 28, dtype=torch.uint8, pin_memory=True)
    device = torch.empty(1 << 28, dtype=torch.uint8, device='cuda')
    times = []
    for _ in range(7):
        torch.cuda.synchronize()
        begin = time.monotonic()
        device.copy_(host, non_blocking=True)
        torch.cuda.synchronize()
        times.append(time.monotonic() - begin)
    return statistics.median(times[2:]) * size / (1 << 28)


def shell(command):
    begin = time.monotonic()
    done = subprocess.run(['bash', '-c', command], stdout=subprocess.PIPE, check=False)
    return time.monotonic() - begin, done.stdout.count(b'\n')


def search(tool, patterns, path, size, processes):
    each = f'{tool} -f {patterns}'
    if processes == 1:
        return shell(f'{each} {path}')
    part = -(-size // processes // BLOCK) * BLOCK
    parts = (f'(dd if={path} bs=4M iflag=skip_bytes,count_bytes skip={at} count={part} status=none | {each}) &'
             for at in range(0, size, part))
    return shell(' '.join(parts) + ' wait')


def scan(graph, path, extra=()):
    """Seconds, lines, and the seconds from the first line to the last, which no start and no end are in."""
    words = ','.join(pattern.decode() for pattern in PATTERNS)
    options = [option for option in extra if option.startswith('-')]
    settings = [option for option in extra if not option.startswith('-')]
    begin = time.monotonic()
    lines, times = 0, [begin]
    with subprocess.Popen(['leat-launch', '-q', *options, graph, f'input={path}', f'patterns={words}', *settings],
                          stdout=subprocess.PIPE, bufsize=0) as process:
        while text := process.stdout.read(1 << 20):
            lines += text.count(b'\n')
            times.append(time.monotonic())
    assert process.returncode == 0, f'leat-launch ended with {process.returncode}'
    return time.monotonic() - begin, lines, times[-1] - times[min(1, len(times) - 1)]


def scan_between(between, side, graph, path, extra=()):
    seconds, lines, inner = scan(graph, path, extra)
    between.setdefault(side, []).append(inner)
    return seconds, lines


def list_sides(graph, text, size, patterns, folder, more, between):
    """By name, what takes a turn: each returns (seconds, occurrences or None)."""
    stats = folder / 'stats.json'
    launches = {'leat-launch': ['--stats=json', f'--stats-file={stats}'], 'leat-launch, one lane': ['--lanes=1']}
    launches.update({options: options.split(',') for options in more})
    sides = {
        **{side: lambda side=side, extra=extra: scan_between(between, side, graph, text, extra)
           for side, extra in launches.items()},
        'read by one': lambda: (read_by(text, size, 1), None),
        'read by all': lambda: (read_by(text, size, CPUS), None),
    }
    grep = shutil.which('grep') and 'LC_ALL=C grep -obaF'
    rg = shutil.which('rg') and 'rg --no-mmap -obaF --no-config -N'
    for name, tool in (('grep', grep), ('ripgrep', rg)):
        if tool:
            sides[name] = lambda tool=tool: search(tool, patterns, text, size, 1)
            sides[f'{name} on {CPUS}'] = lambda tool=tool: search(tool, patterns, text, size, CPUS)
    return sides


def main():
    graph = sys.argv[1]
    size = int(sys.argv[2] if len(sys.argv) > 2 else 256) << 20
    size -= size % BLOCK
    rounds = int(sys.argv[3] if len(sys.argv) > 3 else 5)
    between = {}
    with tempfile.TemporaryDirectory(prefix='leat-bench-', dir=os.environ.get('LEAT_BENCH_FOLDER')) as name:
        folder = Path(name)
        text, short, tiny, patterns = folder / 'text', folder / 'short', folder / 'tiny', folder / 'patterns'
        make_text(text, size)
        with text.open('rb') as file:
            short.write_bytes(file.read(SHORT))
        tiny.write_bytes(b'nothing\n')
        patterns.write_bytes(b''.join(pattern + b'\n' for pattern in PATTERNS))
        sides = list_sides(graph, text, size, patterns, folder, sys.argv[4:], between)
        times, starts, shorts, found = {side: [] for side in sides}, [], [], set()
        for turn in range(rounds + 1):
            for side in sorted(sides, key=lambda side: (hash((side, turn)), side)):
                seconds, count = sides[side]()
                found |= {count} - {None}
                times[side] += [seconds] * (turn > 0)
            starts += [scan(graph, tiny)[0]] * (turn > 0)
            shorts += [scan(graph, short)[0]] * (turn > 0)
        assert len(found) == 1 and found.pop() >= PLANTED * 0.9, f'not all find the same: {found}'
        told = json.loads((folder / 'stats.json').read_text())['run']
    start, link = statistics.median(starts), copy_to_device(size)
    for side, taken in times.items():
        middle = statistics.median(taken)
        print(f'{side:24} {middle:8.3f} s [{min(taken):.3f}, {max(taken):.3f}]  {size / middle / 1e9:7.2f} GB/s')
    read = statistics.median(times['read by all'])
    for side, taken in between.items():
        middle = statistics.median(taken[1:])
        print(f'{side:24} {middle:8.3f} s [{min(taken[1:]):.3f}, {max(taken[1:]):.3f}]  from the first line to the last, '
              f'{read / middle:.2f} of reading by all')
    print('leat-launch was busy     ' + ', '.join(f'{who} {told[who + "-busy-us"] / 1e3:.1f} ms'
                                                 for who in ('reader', 'lanes', 'writer')))
    # What more text takes: a short one needs all lanes and their memory, too.
    stream = (statistics.median(times['leat-launch']) - statistics.median(shorts)) * size / (size - SHORT)
    print(f'a file of some bytes     {start:8.3f} s: what a start takes')
    print(f'a file of {SHORT >> 20} MiB         {statistics.median(shorts):8.3f} s: that, and memory for all lanes')
    print(f'leat-launch without that {stream:8.3f} s  {size / stream / 1e9:7.2f} GB/s, lanes {told["lanes-used"]}')
    print(f'of reading by one {statistics.median(times["read by one"]) / stream:.2f}, '
          f'by all {statistics.median(times["read by all"]) / stream:.2f}'
          + (f', of the link ({size / link / 1e9:.1f} GB/s) {link / stream:.2f}' if link else ''))


if __name__ == '__main__':
    main()
