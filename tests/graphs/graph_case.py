# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the shipped graphs by leat-launch and says in TAP what came out; the device is what LEAT_DEVICE says.

A test program defines functions `test_*`, each of which takes a folder of its own (a Path), and calls main() with its
name space.
"""

import importlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback
import zlib
from pathlib import Path

GRAPHS = Path(__file__).resolve().parents[2] / 'graphs'
RUN_SECONDS = 120
PNG_MAGIC = b'\x89PNG\r\n\x1a\n'


class Skip(Exception):
    """Why a case cannot be tried here."""


def import_oracle(module, name):
    """Not each Python of a system has it, so the others are tried before giving up."""
    try:
        return importlib.import_module(module)
    except ImportError:
        tried = os.environ.get('GRAPH_CASE_TRIED', '').split(':') + [sys.executable]
        for other in ('/usr/bin/python3', shutil.which('python3')):
            if other and os.path.exists(other) and other not in tried:
                os.environ['GRAPH_CASE_TRIED'] = ':'.join([*tried, other])
                os.execv(other, [other, *sys.argv])
        print(f'1..0 # SKIP no Python here has {name}')
        sys.exit(0)


def import_numpy():
    return import_oracle('numpy', 'NumPy')


def on_cpu():
    return not os.environ.get('LEAT_DEVICE', 'auto').startswith('cuda')


def launch(*words, environment=None, cwd=None, user=None):
    """One run of leat-launch, as (exit status, standard output, standard error as text)."""
    done = subprocess.run(['leat-launch', *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, cwd=cwd,
                          env={**os.environ, **(environment or {})}, timeout=RUN_SECONDS, user=user)
    return done.returncode, done.stdout, done.stderr.decode(errors='replace')


def plain_user(folder):
    """Whom to run as so that permissions count: None for the one who runs this, unless that is root."""
    if os.geteuid() != 0:
        return None
    os.chmod(folder, 0o755)
    try:
        subprocess.run(['leat-launch', '--version'], capture_output=True, check=True, cwd=folder, user='nobody')
    except (OSError, KeyError, LookupError, ValueError, subprocess.SubprocessError) as error:
        raise Skip(f'root may do everything, and nobody cannot run leat-launch: {error}')
    return 'nobody'


def run_graph(graph, environment=None, **variables):
    """Standard output and standard error of a run that must end well."""
    code, out, err = launch(GRAPHS / graph, *(f'{name}={value}' for name, value in variables.items()),
                            environment=environment)
    assert code == 0, f'{graph} {variables}: exit status {code}: {err}'
    return out, err


def show_difference(found, wanted):
    """The first place where two sequences differ, for a person."""
    for at, (one, other) in enumerate(zip(found, wanted)):
        if one != other:
            return f'item {at} is {one!r}, not {other!r} (of {len(found)} and {len(wanted)})'
    return f'{len(found)} items, not {len(wanted)}'


def expect_same(found, wanted, what):
    assert found == wanted, f'{what}: {show_difference(found, wanted)}'


def png_write(path, pixels, width, height, channels):
    """An image of 8-bit samples: 1 channel is grey, 3 red, green and blue, 4 with opacity."""
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    row = width * channels
    lines = b''.join(b'\0' + pixels[at:at + row] for at in range(0, height * row, row))
    header = struct.pack('>IIBBBBB', width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    Path(path).write_bytes(PNG_MAGIC + chunk(b'IHDR', header) + chunk(b'IDAT', zlib.compress(lines))
                           + chunk(b'IEND', b''))


def png_predict(kind, left, above, corner):
    if kind == 3:
        return (left + above) // 2
    if kind == 4:
        guess = left + above - corner
        return min((left, above, corner), key=lambda value: abs(guess - value))
    return {0: 0, 1: left, 2: above}[kind]


def png_read(path):
    """(pixels, width, height, channels) of a PNG file of 8-bit samples that is not interlaced."""
    data = Path(path).read_bytes()
    assert data.startswith(PNG_MAGIC), f'{path} is no PNG file'
    at, packed = 8, b''
    while at < len(data):
        size, kind = struct.unpack_from('>I4s', data, at)
        body = data[at + 8:at + 8 + size]
        if kind == b'IHDR':
            width, height, depth, colour, _, _, interlaced = struct.unpack('>IIBBBBB', body)
        elif kind == b'IDAT':
            packed += body
        at += 12 + size
    assert depth == 8 and not interlaced, f'{path}: {depth} bits, interlaced {interlaced}'
    channels = {0: 1, 2: 3, 6: 4}[colour]
    lines, row = zlib.decompress(packed), width * channels
    above, pixels = bytes(row), bytearray()
    for y in range(height):
        kind, line = lines[y * (row + 1)], bytearray(lines[y * (row + 1) + 1:(y + 1) * (row + 1)])
        for i in range(row if kind else 0):
            left, corner = (line[i - channels], above[i - channels]) if i >= channels else (0, 0)
            line[i] = (line[i] + png_predict(kind, left, above[i], corner)) & 255
        above = bytes(line)
        pixels += line
    return bytes(pixels), width, height, channels


def main(names):
    cases = {name[5:].replace('_', '-'): case for name, case in names.items() if name.startswith('test_')}
    prefix = '/leat/graphs/' + Path(sys.argv[0]).stem[5:] + '/'
    failed = 0
    print(f'1..{len(cases)}', flush=True)
    for number, (name, case) in enumerate(cases.items(), 1):
        verdict, more = 'ok', ''
        with tempfile.TemporaryDirectory(prefix='leat-graph-') as folder:
            try:
                case(Path(folder))
            except Skip as reason:
                more = f' # SKIP {reason}'
            except Exception:
                verdict, failed = 'not ok', failed + 1
                print('\n'.join('# ' + line for line in traceback.format_exc().splitlines()))
        print(f'{verdict} {number} {prefix}{name}{more}', flush=True)
    sys.exit(1 if failed else 0)
