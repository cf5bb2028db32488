#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The shipped graphs on large inputs, on the CPU and, where LEAT_DEVICE names a GPU, there too: alternating, results
compared byte for byte, medians of what --stats says. Usage: bench-graphs.py GRAPHS [MEBIBYTES]"""

import json
import os
import random
import statistics
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 5
WORDS = ('the', 'license', 'of', 'this', 'program', 'is', 'without', 'warranty', 'and', 'copyright', 'holders', 'may',
         'whale', 'not')


def make_text(path, size):
    chance = random.Random(7)
    block = ' '.join(chance.choices(WORDS, k=1 << 18)).encode()
    with path.open('wb') as file:
        for at in range(0, size, len(block)):
            turn = chance.randrange(len(block))
            file.write((block[turn:] + block[:turn])[:size - at])


def make_picture(path, width, height):
    """A BMP of tiles, so that writing the edges as PNG does not take all the time."""
    tile = random.Random(8).randbytes(3 * 64 * 64)
    rows = [tile[at:at + 192] * (width // 64) for at in range(0, len(tile), 192)]
    head = struct.pack('<2sIHHIIiiHHIIiiII', b'BM', 54 + 3 * width * height, 0, 0, 54, 40, width, height, 1, 24, 0,
                       3 * width * height, 2835, 2835, 0, 0)
    path.write_bytes(head + b''.join(rows) * (height // 64))


def make_array(path, size):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({size},), }}"
    header += ' ' * (-(len(header) + 11) % 64) + '\n'
    chance = random.Random(9)
    block = struct.pack('<65536f', *(chance.gauss(0, 1) for _ in range(65536)))
    with path.open('wb') as file:
        file.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode())
        for at in range(0, size, 65536):
            file.write(block[:4 * min(65536, size - at)])


def run(device, words, output, folder):
    """Returns (result, microseconds on the device, microseconds in all)."""
    stats = folder / 'stats.json'
    done = subprocess.run(['leat-launch', '-q', f'--device={device}', '--stats=json', f'--stats-file={stats}', *words],
                          stdout=subprocess.PIPE, check=True)
    told = json.loads(stats.read_text())['run']
    whole = told['source-us'] + told['device-us'] + told['sink-us']
    return output.read_bytes() if output else done.stdout, told['device-us'], whole


def report(name, size, times):
    for device, rounds in times.items():
        on_device, whole = (statistics.median(each) for each in zip(*rounds))
        print(f'{name:6} {size / 1e6:8.1f} MB  {device:7} device {on_device / 1e3:10.2f} ms '
              f'[{min(r[0] for r in rounds) / 1e3:.2f}, {max(r[0] for r in rounds) / 1e3:.2f}]  '
              f'{size / on_device / 1e3:7.2f} GB/s  with sources and sinks {whole / 1e3:10.2f} ms', flush=True)


def bench(name, words, source, output, devices, folder):
    times = {device: [] for device in devices}
    for turn in range(ROUNDS + 1):
        results = set()
        for device in devices:
            result, *taken = run(device, words, output, folder)
            results.add(result)
            if turn > 0:
                times[device].append(taken)
        assert len(results) == 1, f'{name}: the devices differ'
    report(name, source.stat().st_size, times)
    return result


def count_with_grep(path, words):
    patterns = [argument for word in words for argument in ('-e', word)]
    done = subprocess.run(['grep', '-obaF', *patterns, path], stdout=subprocess.PIPE, check=True)
    return done.stdout.count(b'\n')


def main():
    graphs = Path(sys.argv[1])
    size = int(sys.argv[2] if len(sys.argv) > 2 else 64) << 20
    given = os.environ.get('LEAT_DEVICE', 'cpu')
    devices = ['cpu'] + [given] * given.startswith('cuda')
    with tempfile.TemporaryDirectory(prefix='leat-bench-') as name:
        folder = Path(name)
        text, picture, array = folder / 'text', folder / 'picture.bmp', folder / 'array.npy'
        make_text(text, size)
        make_picture(picture, 2048, 1536)
        make_array(array, size // 4)
        found = bench('scan', [graphs / 'scan.leat', f'input={text}'], text, None, devices, folder)
        assert found.count(b'\n') == count_with_grep(text, ('warranty', 'copyright', 'license')), 'grep finds others'
        for blur in ('blur', 'blur_tiled'):
            bench(blur, [graphs / 'edges.leat', f'input={picture}', f'output={folder}/e.png', f'blur={blur}'], picture,
                  folder / 'e.png', devices, folder)
        bench('stats', [graphs / 'stats.leat', f'input={array}', f'output={folder}/s.npy', 'scale=2', 'offset=-1'],
              array, folder / 's.npy', devices, folder)


if __name__ == '__main__':
    main()
