#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""graphs/depends.leat against apt-cache, and against a search in Python."""

import os
import re
import shutil
import subprocess

import graph_case
from graph_case import Skip, expect_same, launch, run_graph, GRAPHS

STATUS = '/var/lib/dpkg/status'
WITHOUT = [f'--no-{kind}' for kind in ('recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances')]
SMALL = '''Package: a
Status: install ok installed
Architecture: amd64
Maintainer: x <x@x>
Version: 1
Depends: b (>= 1), c | d, v
Pre-Depends: e:any

Package: b
Status: install ok installed
Architecture: amd64
Maintainer: x <x@x>
Version: 1
Depends: a, missing

Package: c
Status: install ok installed
Architecture: amd64
Maintainer: x <x@x>
Version: 1
Provides: v, b (= 2)
Recommends: r

Package: d
Status: install ok installed
Architecture: amd64
Maintainer: x <x@x>
Version: 1
Description: t
 Depends: nothing
Depends: f,
 g

Package: e
Status: install ok installed
Architecture: amd64
Multi-Arch: allowed
Maintainer: x <x@x>
Version: 1

Package: f
Status: install ok installed
Architecture: amd64
Maintainer: x <x@x>
Version: 1

Package: g
Status: install ok installed
Architecture: amd64
Maintainer: x <x@x>
Version: 1
Provides: v

Package: h
Status: install ok installed
Architecture: amd64
Maintainer: x <x@x>
Version: 1
Depends: f
'''


def reached(packages, package, edges='directed', **environment):
    """{name: level} of what the graph prints."""
    out, _ = run_graph('depends.leat', environment, packages=packages, package=package, edges=edges)
    return {name: int(level) for level, name in (line.split() for line in out.decode().splitlines())}


def real(names):
    return sorted(name for name in names if not name.startswith('<'))


def apt_depends(folder, status, package):
    """What apt-cache visits, of the packages that STATUS has and no others."""
    if shutil.which('apt-cache') is None:
        raise Skip('there is no apt-cache here')
    (folder / 'lists' / 'partial').mkdir(parents=True, exist_ok=True)
    (folder / 'cache').mkdir(exist_ok=True)
    options = {'Dir::State::lists': folder / 'lists', 'Dir::State::status': status, 'Dir::Cache': folder / 'cache',
               'Dir::Etc::sourcelist': '/dev/null', 'Dir::Etc::sourceparts': '/dev/null'}
    words = [word for key, value in options.items() for word in ('-o', f'{key}={value}')]
    done = subprocess.run(['apt-cache', *words, 'depends', '--recurse', *WITHOUT, package], capture_output=True,
                          text=True, timeout=graph_case.RUN_SECONDS, env={**os.environ, 'LC_ALL': 'C'})
    if done.returncode != 0:
        raise Skip(f'apt-cache cannot read {status}: {done.stderr.strip()}')
    return sorted({line.split(':')[0] for line in done.stdout.splitlines() if line and line[0] not in ' <|'})


def search(text, package, backwards):
    """{name: level} by a queue over what the text says."""
    edges, names, provided = [], set(), {}
    for stanza in text.split('\n\n'):
        fields = dict(re.findall(r'^([\w-]+): *((?:.|\n[ \t])*)$', stanza, re.MULTILINE))
        if 'Package' not in fields:
            continue
        name = fields['Package']
        names.add(name)
        for field in ('Depends', 'Pre-Depends'):
            edges += [(name, re.match(r'[^\s:(]+', part.strip())[0]) for part in re.split('[,|]', fields.get(field, ''))
                      if part.strip()]
        for part in filter(str.strip, fields.get('Provides', '').split(',')):
            provided.setdefault(part.split()[0], set()).add(name)
    virtual = {name: f'<{name}>' for name in set(provided) | {to for _, to in edges} - names}
    links = [(name, virtual.get(to, to)) for name, to in edges]
    links += [(virtual[name], to) for name, some in provided.items() for to in some | ({name} & names)]
    near, levels, queue = {}, {package: 0}, [package]
    for one, other in links:
        near.setdefault(other if backwards else one, set()).add(one if backwards else other)
    for at in queue:
        for to in near.get(at, ()):
            if to not in levels:
                levels[to] = levels[at] + 1
                queue.append(to)
    return levels


def test_small(folder):
    (folder / 'status').write_text(SMALL)
    for package in 'abcdefgh':
        for edges in ('directed', 'reversed'):
            found = reached(folder / 'status', package, edges)
            assert found == search(SMALL, package, edges == 'reversed'), (package, edges, found)


def test_as_on_a_gpu(folder):
    (folder / 'status').write_text(SMALL)
    assert reached(folder / 'status', 'a', LEAT_CPU_VARIANTS='0') == search(SMALL, 'a', False)


def test_small_against_apt(folder):
    (folder / 'status').write_text(SMALL)
    for package in 'abdh':
        expect_same(real(reached(folder / 'status', package)), apt_depends(folder, folder / 'status', package), package)


def test_this_system_against_apt(folder):
    if not os.path.exists(STATUS):
        raise Skip(f'there is no {STATUS} here')
    for package in ('bash', 'apt'):
        expect_same(real(reached(STATUS, package)), apt_depends(folder, STATUS, package), package)


def test_unknown_package(folder):
    (folder / 'status').write_text(SMALL)
    code, _, err = launch(GRAPHS / 'depends.leat', f'packages={folder}/status', 'package=zz')
    assert code != 0 and 'no package "zz"' in err, (code, err)


def test_no_packages(folder):
    (folder / 'empty').write_text('nothing\n')
    code, _, err = launch(GRAPHS / 'depends.leat', f'packages={folder}/empty')
    assert code != 0 and 'apt-cache dumpavail' in err, (code, err)


if __name__ == '__main__':
    graph_case.main(globals())
