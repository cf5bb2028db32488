#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lines of a large file that regular expressions match: leat-launch beside GNU grep and ripgrep, which take turns and must
count the same. Usage: bench-grep.py [MEBIBYTES [ROUNDS]]; LEAT_DEVICE names the device."""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
REGEXES = (
    'g_autoptr.*error',                # a rare string
    'xyzzy|plugh',                     # no line
    '[0-9]{3,}',                       # first bytes
    '[A-Z][a-z]+_[A-Z]',               # neither
    r'\bint\b',
    '(foo|bar|static|return) [a-z]+;',
    r'^[^ ].*\)$',
    'e',                               # most lines
    'a[^z]*q[^z]*j',                   # far through the line
)


def make_text(path, size):
    """The sources and documents of this tree, again and again."""
    parts = [part.read_bytes() for suffix in ('*.c', '*.h', '*.md')
             for folder in ('core', 'docs') for part in sorted((TREE / folder).rglob(suffix))]
    text = b''.join(parts)
    with path.open('wb') as file:
        while file.tell() < size:
            file.write(text)
        file.truncate(size)


def count(words):
    begin = time.monotonic()
    done = subprocess.run(words, capture_output=True, env={**os.environ, 'LC_ALL': 'C'})
    seconds = time.monotonic() - begin
    assert done.returncode < 2, (words, done.stderr)
    return int(done.stdout.strip() or 0), seconds


def main():
    mebibytes = int(sys.argv[1]) if len(sys.argv) > 1 else 256
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory(prefix='leat-bench-') as folder:
        path = Path(folder) / 'text'
        make_text(path, mebibytes << 20)
        for regex in REGEXES:
            sides = {
                'leat': ['leat-launch', '-q', 'io:file', f'path={path}', 'chunk=16M', '+', 'upload', '+', 'text:scan',
                         f'regex={regex}', 'emit=count', '+', 'readback', '+', 'text:report', 'emit=count'],
                'grep': ['grep', '-a', '-c', '-E', '-e', regex, str(path)],
                'rg': ['rg', '-a', '-c', '--no-unicode', '-e', regex, str(path)],
            }
            seconds = {side: [] for side in sides if shutil.which(sides[side][0])}
            for _ in range(rounds):
                found = {}
                for side in seconds:
                    found[side], took = count(sides[side])
                    seconds[side].append(took)
                assert len(set(found.values())) == 1, (regex, found)
            shown = ', '.join(f'{side} {mebibytes / statistics.median(all_of):.0f} MiB/s'
                              for side, all_of in seconds.items())
            print(f'{regex}: {found["leat"]} lines; {shown}', flush=True)


if __name__ == '__main__':
    main()
