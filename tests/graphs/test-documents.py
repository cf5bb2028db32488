#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the documents show of a terminal is what happens: each console block is run, and gives what stands under it.

A block that begins with `// NAME.cu: ` is a kernel file; the commands of its page find it. Links lead somewhere, and the
tables of docs/reference/ are what the code declares.
"""

import os
import re
import shutil
import subprocess
import sys

import graph_case
from graph_case import GRAPHS

sys.path.insert(0, str(GRAPHS.parent / 'tools'))
import write_reference

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


def show(*pages):
    """A case that runs the console blocks of pages, which share a folder."""
    return lambda folder: [check(folder, str(page.relative_to(DOCUMENTS))) for page in pages]


# The pages of the tutorial carry on one example; any other page stands alone.
shown = [path for path in sorted(DOCUMENTS.rglob('*.md')) if '\n```console\n' in path.read_text()]
tutorial = [path for path in shown if path.parent.name == 'tutorial']
test_tutorial = show(*tutorial)
for path in shown:
    if path not in tutorial:
        globals()['test_' + str(path.relative_to(DOCUMENTS).with_suffix('')).replace('/', '_')] = show(path)


def find_anchors(text):
    """The anchors of a page, as GitHub makes them of headings; of headings alike the second gets -1, and so on."""
    anchors, seen = set(re.findall(r'<a (?:id|name)="([^"]+)"', text)), {}
    for heading in re.findall(r'^#+ +(.*?)\s*$', text, re.MULTILINE):
        plain = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading).lower()
        anchor = re.sub(r'[^\w\- ]', '', plain).replace(' ', '-')
        times = seen[anchor] = seen.get(anchor, -1) + 1
        anchors.add(f'{anchor}-{times}' if times else anchor)
    return anchors


def find_broken_links(root):
    """[(page, link)] of README.md and docs/ below ROOT: files and anchors that are not there."""
    broken = []
    pages = {page: re.sub(r'^```.*?^```$', '', page.read_text(), flags=re.MULTILINE | re.DOTALL)
             for page in [root / 'README.md', *sorted((root / 'docs').rglob('*.md'))]}
    for page, text in pages.items():
        for link in re.findall(r'\]\(<?([^)\s>]+)', re.sub(r'`[^`\n]*`', '', text)):
            path, _, anchor = link.partition('#')
            target = (page.parent / path).resolve() if path else page
            if re.match(r'[a-z]+:', link):
                continue
            if not target.exists() or (anchor and anchor not in find_anchors(pages.get(target, ''))):
                broken.append((str(page.relative_to(root)), link))
    return broken


def test_links(folder):
    """Every relative link and anchor of README.md and docs/ leads somewhere."""
    broken = find_broken_links(DOCUMENTS.parent)
    assert not broken, 'links that lead nowhere:\n' + '\n'.join(f'{page}: {link}' for page, link in broken)


def test_links_that_break_are_found(folder):
    (folder / 'docs').mkdir()
    (folder / 'README.md').write_text('# One\n[a](docs/a.md) [b](docs/b.md#two-things-1) [c](docs/c.md) [d](#one) [e](#two)\n')
    (folder / 'docs' / 'a.md').write_text('```\n# In a block\n[x](x.md)\n```\n[up](../README.md#one) [f](b.md#four) [g](#in-a-block)\n')
    (folder / 'docs' / 'b.md').write_text('# Two `things`\n## Two things\n[h](https://example.com/#x) `[i](i.md)`\n')
    found = find_broken_links(folder)
    assert found == [('README.md', 'docs/c.md'), ('README.md', '#two'), ('docs/a.md', 'b.md#four'), ('docs/a.md', '#in-a-block')], found


def test_reference(folder):
    """The tables of docs/reference/ are what the plugins declare and the library exports."""
    pages, absent = write_reference.write_pages(gir=write_reference.find_gir())
    for why in absent:
        print(f'# not compared: {why}')
    wrong = [write_reference.show_difference(path, wanted) for path, wanted in pages if path.read_text() != wanted]
    assert not wrong, ''.join(wrong) + f'{write_reference.COMMAND} rewrites these tables'


def test_api(folder):
    """Stated where the API cannot be compared."""
    if write_reference.find_gir() is None:
        raise graph_case.Skip('no Leat-1.0.gir here, so docs/reference/api.md is not compared')


def test_tables_that_differ_are_found(folder):
    """With a property that a page does not have, a node on no page, and a page of a node that there is not."""
    nodes = write_reference.list_nodes()
    changed = {**nodes, 'sort': {**nodes['sort'], 'properties': [{**nodes['sort']['properties'][0], 'blurb': 'Another'}]}}
    pages, others = write_reference.write_pages(nodes)[0], write_reference.write_pages(changed)[0]
    assert [path.name for (path, one), (_, other) in zip(pages, others) if one != other] == ['sort.md']
    for other in ({**nodes, 'new': {**nodes['sort'], 'id': 'new'}}, {id: node for id, node in nodes.items() if id != 'sort'}):
        try:
            write_reference.write_pages(other)
        except write_reference.Wrong:
            continue
        raise AssertionError('nothing is said of a node that has no page, or of a page that has no node')


def test_environment(folder):
    """Every variable that the library, the plugins or the tools read is on the page of all variables."""
    page = (DOCUMENTS / 'reference' / 'environment.md').read_text()
    sources = [path for part in ('core', 'plugins', 'tools') for path in (DOCUMENTS.parent / part).rglob('*.c')]
    if not sources:
        raise graph_case.Skip('the sources are not here')
    text = '\n'.join(path.read_text(errors='replace') for path in sources)
    names = set(re.findall(r'getenv \("(\w+)"', text)) | set(re.findall(r'_VARIABLE "(LEAT_\w+)"', text))
    missing = sorted(name for name in names if f'`{name}`' not in page)
    assert names and not missing, f'docs/reference/environment.md does not name {missing}'


def test_readme(folder):
    """The kernel and the pipeline that the README shows, and what it does with them."""
    text = (GRAPHS.parent / 'README.md').read_text()
    shutil.copytree(GRAPHS, folder / 'graphs')
    for name in ('brighten.cu', 'brighten.leat'):
        written = re.search(rf'^`{name}`.*?^```\w*\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
        (folder / name).write_text(written.group(1))
    commands = re.findall(r'^leat-\w+ .*$', text, re.MULTILINE)
    assert len(commands) == 5, commands
    for command in commands:
        done = subprocess.run(['sh', '-c', command], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=graph_case.RUN_SECONDS)
        assert done.returncode == 0, f'{command}\n{done.stdout}{done.stderr}'
    assert (folder / 'brighter.png').exists()


if __name__ == '__main__':
    graph_case.main(globals())
