#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Nodes that ship compiled: with a pack, an empty cache and no compiler, they give the bytes of those compiled here."""

import array
import os
import random
import shutil
import struct
import subprocess
from pathlib import Path

import graph_case
from graph_case import Skip, launch, on_cpu

PLUGINS = Path(__file__).resolve().parents[2] / 'plugins'
COMPILERS = ('c++', 'g++', 'gcc', 'cc', 'clang', 'clang++', *(f'clang++-{n}' for n in range(14, 21)))
DTYPES = {'f': '<f4', 'I': '<u4', 'B': '|u1'}
ITEMS, VERTICES, EDGES = 20000, 300, 3000
GRAPH = 'a -> upload -> s.offsets\nb -> upload -> s.indices\n'
# Each as a list has it, and as it is run here. SOURCE is replaced: by application's data there, by a file here.
NODES = {
    'sort': 'x -> upload -> sort -> readback -> out\n',
    'scan': 'x -> upload -> scan op=max mode=exclusive -> readback -> out\n',
    'reduce': 'x -> upload -> reduce op=argmax -> readback -> out\n',
    'histogram': 'y -> upload -> histogram -> readback -> out\n',
    'unique': 'y -> upload -> unique -> readback -> out\n',
    'compact': 'c = compact by=flags\nx -> upload -> c.x\ny -> upload -> c.flags\nc -> readback -> out\n',
    'partition': 'p = partition\nx -> upload -> p.x\ny -> upload -> p.flags\np.out -> readback -> out\np.front -> discard\n',
    'gather': 'g = gather outside=zero\nx -> upload -> g.items\nx -> upload -> g.at\ng -> readback -> out\n',
    'scatter': 'g = scatter size=20000 outside=drop\nx -> upload -> g.items\nx -> upload -> g.at\ng -> readback -> out\n',
    'bfs': 's = csr:bfs\n' + GRAPH + 's.levels -> readback -> out\n',
    'components': 's = csr:components\n' + GRAPH + 's -> readback -> out\n',
}
SOURCES = {'x': ('u32', ITEMS), 'y': ('u8', ITEMS), 'a': ('u32', VERTICES + 1), 'b': ('u32', EDGES)}


def save(path, kind, values):
    head = f"{{'descr': '{DTYPES[kind]}', 'fortran_order': False, 'shape': ({len(values)},), }}".encode()
    head += b' ' * ((63 - (10 + len(head))) % 64) + b'\n'
    path.write_bytes(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head + array.array(kind, values).tobytes())


def load(data):
    return array.array('I', data[10 + int.from_bytes(data[8:10], 'little'):]).tolist()


def make_data(folder):
    chance = random.Random(7)
    save(folder / 'x.npy', 'I', [chance.randrange(ITEMS + 100) for _ in range(ITEMS)])
    save(folder / 'y.npy', 'B', [chance.randrange(3) for _ in range(ITEMS)])
    save(folder / 'a.npy', 'I', range(0, EDGES + 1, EDGES // VERTICES))
    save(folder / 'b.npy', 'I', [chance.randrange(VERTICES) for _ in range(EDGES)])


def write_as(text, source, end):
    """The pipeline with its sources and its end made what they are to be."""
    words = text.split(' ')
    lines = ['%s = %s' % (name, source(name)) for name in SOURCES if f'{name} ->' in text and f'{name} -> upload' in text]
    return '\n'.join([*lines, ' '.join(words).replace('-> out', f'-> {end}')])


def make_list(folder):
    path = folder / 'images.list'
    path.write_text('\n'.join(write_as(text, lambda name: 'app spec=%s[%d]' % SOURCES[name], 'app') for text in NODES.values()))
    return path


def kernelc(*words, code=0):
    program = shutil.which('leat-kernelc')
    if program is None:
        raise Skip('leat-kernelc is not here')
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, f'leat-kernelc {words}: exit status {done.returncode}: {done.stderr}'
    return done.stdout + done.stderr


def without_compilers(folder, packs):
    fake = folder / 'bin'
    fake.mkdir(exist_ok=True)
    for name in COMPILERS:
        (fake / name).write_text(f'#!/bin/sh\necho {name} >>{folder}/called\nexit 1\n')
        (fake / name).chmod(0o755)
    cache = folder / 'empty'
    shutil.rmtree(cache, ignore_errors=True)
    return {'PATH': f'{fake}:{os.path.dirname(shutil.which("leat-launch"))}', 'XDG_CACHE_HOME': str(cache), 'LEAT_CXX': '',
            'LEAT_IMAGE_PATH': str(packs)}


def run(folder, name, environment=None):
    (folder / f'{name}.leat').write_text('leat 1\n' + write_as(NODES[name], lambda source: f'io:npy path="{source}.npy"',
                                                              'io:npy path="out.npy"'))
    (folder / 'out.npy').unlink(missing_ok=True)
    code, _, err = launch('-q', f'{name}.leat', cwd=folder, environment=environment)
    assert code == 0, f'{name}: {err}'
    return (folder / 'out.npy').read_bytes(), err


def test_nodes_run_from_packs(folder):
    if not on_cpu() or os.environ.get('LEAT_KERNEL_SANITIZE'):
        raise Skip('the pack is for CPUs, without sanitizers')
    make_data(folder)
    packs = folder / 'packs'
    packs.mkdir()
    kernelc('--target=x86-64', f'--pack={packs}/small.leati', make_list(folder))
    for name in NODES:
        wanted, _ = run(folder, name)
        found, _ = run(folder, name, without_compilers(folder, packs))
        assert found == wanted, f'{name}: the image of the pack gives other bytes'
        assert not (folder / 'called').exists(), f'{name}: a compiler was called'
        assert not list((folder / 'empty').glob('leat/images/*')), f'{name}: something was compiled'
    found, _ = run(folder, 'sort', without_compilers(folder, packs))
    assert load(found) == sorted(load((folder / 'x.npy').read_bytes()))
    refuse(folder, packs / 'small.leati')


def refuse(folder, pack):
    """A pack that is damaged is told of, and the compiler asked: where there is none, that is the error."""
    whole = pack.read_bytes()
    pack.write_bytes(whole[:-64])
    environment = without_compilers(folder, pack.parent)
    code, _, err = launch('sort.leat', cwd=folder, environment=environment)
    assert code == 5 and 'small.leati: it has' in err and 'kernels are compiled instead' in err, err
    _, err = run(folder, 'sort', {'LEAT_IMAGE_PATH': str(pack.parent), 'XDG_CACHE_HOME': str(folder / 'other')})
    pack.write_bytes(whole)


def test_lists_are_pipelines(folder):
    """Each list names nodes and properties that there are."""
    for path in sorted(PLUGINS.glob('*/images.list')):
        names = kernelc('--list', '--target=x86-64,sm_90', path).splitlines()
        assert len(names) > 8 and len({name.split(' ')[0] for name in names}) == len(names), path
        assert any(' sm_90+enclosed ' in name for name in names), path


def test_lists_refused(folder):
    bad = folder / 'bad.list'
    bad.write_text('# says nothing\n\napp spec={f32,f63}[10] -> upload -> sort -> readback -> app\n')
    err = kernelc('--list', '--target=x86-64', bad, code=1)
    assert 'in the pipeline\napp spec=f63[10] -> upload' in err, err
    err = kernelc('--list', '--target=x86-65', bad, code=5)
    assert 'no kernel target "x86-65"' in err, err
    err = kernelc(f'--pack={folder}/none/p.leati', '--target=x86-64', '/nowhere.list', code=1)
    assert '/nowhere.list' in err, err


graph_case.main(globals())
