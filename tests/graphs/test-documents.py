#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the documents show of a terminal is what happens: each console block is run, and gives what stands under it.

A block that begins with `// NAME.cu: ` is a kernel file; the commands of its page find it.
"""

import os
import re
import shutil
import subprocess
import sys

import graph_case
from graph_case import GRAPHS

graph_case.import_numpy()
DOCUMENTS = GRAPHS.parent / 'docs'


def sessions(document):
    """[(command, output)] of all console blocks, in order; `> ` goes on with a command."""
    found = []
    for block in re.findall(r'^```console\n(.*?)^```$', (DOCUMENTS / document).read_text(), re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line.startswith('$ '):
                found.append([line[2:], ''])
            elif line == '>' or line.startswith('> '):
                found[-1][0] += '\n' + line[2:]
            else:
                found[-1][1] += line + '\n'
    assert found, f'{document} shows no terminal'
    return found


def check(folder, document):
    """The commands of a document share a folder, where graphs/ is what it is in the source tree."""
    shutil.copytree(GRAPHS, folder / 'graphs', dirs_exist_ok=True)
    for name, rest in re.findall(r'^```\n// (\w+\.cu): (.*?)^```$', (DOCUMENTS / document).read_text(), re.MULTILINE | re.DOTALL):
        (folder / name).write_text(f'// {name}: {rest}')
    (folder / 'bin').mkdir(exist_ok=True)
    python = folder / 'bin' / 'python3'
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    environment = {**os.environ, 'PATH': f'{folder}/bin:{os.environ["PATH"]}'}
    for command, output in sessions(document):
        done = subprocess.run(['sh', '-c', command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=graph_case.RUN_SECONDS)
        assert done.stdout.rstrip('\n') == output.rstrip('\n'), f'{command}\n{done.stdout}{done.stderr}\nnot\n{output}'


def test_tutorial(folder):
    """Its pages carry on one example, so they share a folder."""
    for page in ('1-first-pipeline', '2-own-kernel', '3-going-fast'):
        check(folder, f'tutorial/{page}.md')


def test_guide(folder):
    pages = [page for page in sorted((DOCUMENTS / 'guide').glob('*.md')) if '\n```console\n' in page.read_text()]
    assert len(pages) > 15, pages
    for page in pages:
        (folder / page.stem).mkdir()
        check(folder / page.stem, f'guide/{page.name}')


def test_pipelines(folder):
    check(folder, 'reference/pipelines.md')


def test_base(folder):
    check(folder, 'nodes/base.md')


def test_state(folder):
    check(folder, 'nodes/state.md')


def test_image(folder):
    check(folder, 'nodes/image.md')


def test_io(folder):
    check(folder, 'nodes/io.md')


def test_kernel(folder):
    check(folder, 'nodes/kernel.md')


def test_map(folder):
    check(folder, 'nodes/map.md')


def test_primitives(folder):
    for page in ('compact', 'gather', 'histogram', 'partition', 'reduce', 'scan', 'sort'):
        (folder / page).mkdir()
        check(folder / page, f'nodes/{page}.md')


def test_csr(folder):
    check(folder, 'nodes/csr.md')


def test_text(folder):
    check(folder, 'nodes/text.md')


def test_readme(folder):
    """The kernel and the pipeline that the README shows, and what it does with them."""
    text = (GRAPHS.parent / 'README.md').read_text()
    shutil.copytree(GRAPHS, folder / 'graphs')
    for name in ('brighten.cu', 'brighten.leat'):
        written = re.search(rf'^`{name}`.*?^```\w*\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
        (folder / name).write_text(written.group(1))
    commands = re.findall(r'^leat-\w+ .*$', text, re.MULTILINE)
    assert len(commands) == 4, commands
    for command in commands:
        done = subprocess.run(['sh', '-c', command], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=graph_case.RUN_SECONDS)
        assert done.returncode == 0, f'{command}\n{done.stdout}{done.stderr}'
    assert (folder / 'brighter.png').exists()


if __name__ == '__main__':
    graph_case.main(globals())
