#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Assembles all PTX of packs with the toolkit's ptxas, which knows what needs which version of PTX.

usage: check_images.py PTXAS PACK ...
"""

import re
import struct
import subprocess
import sys
import tempfile
import zlib

HEAD, ROW = struct.Struct('<8sIIIIQ16s16s'), struct.Struct('<4sIQQ16s')


def read_images(path):
    """Names and contents, as docs/reference/artifact.md has them."""
    data = open(path, 'rb').read()
    count = HEAD.unpack_from(data)[3]
    names = HEAD.size + count * ROW.size
    for i in range(count):
        kind, name, offset, size, _ = ROW.unpack_from(data, HEAD.size + i * ROW.size)
        if kind == b'imag':
            begin = names + name
            yield data[begin:data.index(b'\0', begin)].decode(), zlib.decompress(data[offset + 8:offset + size])


def check(ptxas, name, text, folder):
    target = re.search(rb'^\.target (sm_\w+)', text, re.MULTILINE).group(1).decode()
    path = folder + '/image.ptx'
    open(path, 'wb').write(text.rstrip(b'\0'))
    done = subprocess.run([ptxas, f'-arch={target}', '-O0', path, '-o', '/dev/null'], capture_output=True, text=True)
    if done.returncode != 0:
        print(f'{name}: {done.stderr.splitlines()[0]}', file=sys.stderr)
    return done.returncode == 0


def main(ptxas, *packs):
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for pack in packs:
            for name, contents in read_images(pack):
                if ' compute_' in name:
                    good = check(ptxas, name, contents, folder) and good
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
