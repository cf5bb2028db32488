#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pipelines compiled ahead by leat-compile give the bytes of their texts, and never look for a compiler."""

import ctypes
import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import graph_case
from graph_case import GRAPHS, Skip, launch, on_cpu

BRIEF = '--all' not in sys.argv
# What is made for the device of these runs.
NAMES = ('native',) if on_cpu() else ('sm_80', 'sm_90')
TARGET = f'--target={",".join(NAMES)}'
COMPILERS = ('c++', 'g++', 'gcc', 'cc', 'clang', 'clang++', *(f'clang++-{n}' for n in range(14, 21)))
HEAD, ROW = struct.Struct('<8sIIIIQ16s16s'), struct.Struct('<4sIQQ16s')
# What to give each graph, and what it writes; a pipeline that reads a file gets it by name.
LICENCE = '/usr/share/common-licenses/GPL-3'
CASES = {
    'edges': ({'input': GRAPHS / 'photo.jpg'}, ('output',)),
    'stats': ({'input': GRAPHS / 'samples.npy', 'scale': '2'}, ('output',)),
    'particles': ({'input': GRAPHS / 'particles.npy'}, ('output', 'energy')),
    'hops': ({'input': 'ways.txt'}, ('output',)),
    'grep': ({'input': LICENCE}, ()),
    'check': ({'input': GRAPHS / 'samples.npy', 'limit': '100000'}, ('output',)),
    'compact': ({'input': GRAPHS / 'samples.npy', 'above': '3'}, ('output', 'numbers')),
    'denoise': ({'input': GRAPHS / 'photo.jpg', 'steps': '20'}, ('output', 'moves')),
    'mandelbrot': ({'width': '200', 'height': '100'}, ('output',)),
    'resize': ({'input': GRAPHS / 'photo.jpg', 'width': '300', 'height': '200'}, ('output',)),
    'scan': ({'input': LICENCE, 'patterns': 'the,free software'}, ()),
    'bytes': ({'input': LICENCE}, ('output', 'counts')),
    'counts': ({'input': LICENCE}, ('output',)),
    'depends': ({}, ()),
}


def compile_pipeline(*words, code=0, cwd=None, environment=None):
    """What leat-compile says."""
    device = 'cpu' if on_cpu() else os.environ['LEAT_DEVICE']
    done = subprocess.run(['leat-compile', f'--device={device}', *map(str, words)], capture_output=True, text=True,
                          cwd=cwd, env={**os.environ, **(environment or {})}, timeout=300)
    assert done.returncode == code, f'leat-compile {words}: exit status {done.returncode}: {done.stderr}'
    return done.stderr


def without_compilers(folder):
    """An environment with an empty cache, and compilers that tell when they are called."""
    fake = folder / 'bin'
    fake.mkdir(exist_ok=True)
    for name in COMPILERS:
        (fake / name).write_text(f'#!/bin/sh\necho {name} >>{folder}/called\nexit 1\n')
        (fake / name).chmod(0o755)
    shutil.rmtree(folder / 'cache', ignore_errors=True)
    (folder / 'cache').mkdir()
    tools = os.path.dirname(shutil.which('leat-launch'))
    return {'PATH': f'{fake}:{tools}', 'XDG_CACHE_HOME': str(folder / 'cache'), 'LEAT_CXX': '', 'CXX': '',
            'LEAT_NVRTC': '/nowhere/libnvrtc.so', 'LEAT_IMAGE_PATH': ''}


def run_case(name, pipeline, folder, where, environment=None):
    """Everything that a run of a graph gives, by name."""
    values, outputs = CASES[name]
    out = folder / where
    out.mkdir()
    settings = {**values, **{output: out / output for output in outputs}}
    for output in outputs:
        if output == 'output' and name in ('edges', 'denoise', 'mandelbrot', 'resize'):
            settings[output] = out / 'output.png'
    code, text, err = launch(pipeline, *(f'{key}={value}' for key, value in settings.items()), environment=environment,
                             cwd=folder)
    assert code == 0, f'{pipeline}: exit status {code}: {err}'
    return {'-': text, **{path.name: path.read_bytes() for path in out.iterdir()}}


def test_every_graph(folder):
    (folder / 'ways.txt').write_text('0 1\n1 2\n2 3\n3 7\n')
    for name in list(CASES)[:5] if BRIEF else CASES:
        if name == 'depends' and not os.path.exists('/var/lib/dpkg/status'):
            continue
        artifact = folder / f'{name}.leata'
        given = [f'{key}={value}' for key, value in CASES[name][0].items()]
        keep = [f'--keep={key}' for key in (*CASES[name][0], *CASES[name][1])]
        compile_pipeline(GRAPHS / f'{name}.leat', *given, *keep, TARGET, '-o', artifact, cwd=folder)
        wanted = run_case(name, GRAPHS / f'{name}.leat', folder, f'{name}-text')
        found = run_case(name, artifact, folder, f'{name}-artifact', without_compilers(folder))
        assert found == wanted, f'{name}: the artifact gives other bytes'
        assert not (folder / 'called').exists(), f'{name}: {(folder / "called").read_text()} was called'


KERNEL = '''#include "parts/half.cuh"
__global__ void k (const float *x, const float *table, float *y, unsigned int x_count, float gain)
{
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x_count)
    y[i] = HALF (x[i]) * gain + table[i];
}
'''
PIPELINE = '''leat 1
let input = "x.bin"
let output = "y.bin"
let gain = 2
include "../shared/table.leat"
k = kernel source="k.cu" gain=$gain
io:file path=$input chunk=16 out=f32[4] -> upload -> k.x
t -> k.table
k -> map expr=x+0 -> readback -> io:file path=$output
'''


def make_tree(folder):
    """A pipeline in a folder, with files beside it and in another one."""
    for name in ('made/graphs/parts', 'made/shared'):
        (folder / name).mkdir(parents=True)
    (folder / 'made/graphs/parts/half.cuh').write_text('#define HALF(x) ((x) * 0.5f)\n')
    (folder / 'made/graphs/k.cu').write_text(KERNEL)
    (folder / 'made/shared/table.bin').write_bytes(struct.pack('<4f', 10, 20, 30, 40))
    (folder / 'made/shared/table.leat').write_text(
        'leat 1\nlet constant = "table.bin"\nt = const path="table.bin" spec=f32[4]\n')
    (folder / 'made/graphs/p.leat').write_text(PIPELINE)
    (folder / 'made/graphs/x.bin').write_bytes(struct.pack('<4f', 1, 2, 3, 4))
    return folder / 'made/graphs/p.leat'


def run_tree(artifact, folder, *words, code=0, environment=None):
    found, _, err = launch(artifact, *words, cwd=folder, environment=environment or without_compilers(folder))
    assert found == code, f'exit status {found}: {err}'
    return err


def floats(path):
    return struct.unpack('<4f', path.read_bytes())


def test_files_travel(folder):
    """Includes, headers and constants do, from whatever folder; the tree that it was made of may go."""
    text, away = make_tree(folder), folder / 'away'
    away.mkdir()
    compile_pipeline('p.leat', '-o', away / 'p.leata', TARGET, cwd=text.parent)
    shutil.move(text.parent / 'x.bin', away / 'other.bin')
    shutil.rmtree(folder / 'made')
    run_tree(away / 'p.leata', folder, 'input=away/other.bin')
    assert floats(away / 'y.bin') == (11, 22, 33, 44)
    run_tree(away / 'p.leata', folder, 'input=away/other.bin', 'gain=4', 'output=here.bin')
    assert floats(folder / 'here.bin') == (12, 24, 36, 48)


def test_open_files_stay(folder):
    """The file of an open variable is beside the artifact, where the text has it, and no part of it."""
    text = make_tree(folder)
    compile_pipeline('graphs/p.leat', '-o', folder / 'p.leata', TARGET, cwd=folder / 'made')
    assert 'x.bin' not in list_sections(folder / 'p.leata')
    err = run_tree(folder / 'p.leata', folder, code=1)
    assert 'p.leata/graphs/p.leat:7:1' in err and str(folder / 'x.bin') in err, err
    shutil.copy(text.parent / 'x.bin', folder / 'x.bin')
    run_tree(folder / 'p.leata', folder)
    assert floats(folder / 'y.bin') == (11, 22, 33, 44)


def test_fixed_variables(folder):
    """What was given is fixed, with the file that it names, which is found from the folder of leat-compile."""
    text = make_tree(folder)
    shutil.move(text.parent / 'x.bin', folder / 'given.bin')
    compile_pipeline('made/graphs/p.leat', 'input=given.bin', 'gain=6', '-o', 'p.leata', TARGET, cwd=folder)
    (folder / 'given.bin').unlink()
    run_tree(folder / 'p.leata', folder)
    assert floats(folder / 'y.bin') == (13, 26, 39, 52)
    err = run_tree('p.leata', folder, 'gain=7', code=3)
    assert 'p.leata has no open variable "gain" (open: output, constant)' in err and '--keep=gain' in err, err


def test_fixed_output(folder):
    """A fixed path of a file that is not there yet is one beside the artifact."""
    text = make_tree(folder)
    shutil.copy(text.parent / 'x.bin', folder / 'x.bin')
    (folder / 'away').mkdir()
    compile_pipeline(text, 'output=results.bin', '-o', folder / 'away/p.leata', TARGET, cwd=folder)
    run_tree('away/p.leata', folder, 'input=x.bin')
    assert floats(folder / 'away/results.bin') == (11, 22, 33, 44)


def test_files_of_all_folders(folder):
    """Files with nothing in common but the root of the file system."""
    text = make_tree(folder)
    changed = text.read_text().replace('"../shared', f'"{folder}/made/shared').replace('"k.cu"', f'"{text.parent}/k.cu"')
    (folder / 'g.leat').write_text(changed.replace('-> map', f'-> kernel source="{GRAPHS}/check.cu" limit=1000 -> map'))
    compile_pipeline('g.leat', '-o', 'g.leata', TARGET, f'input={text.parent}/x.bin', cwd=folder)
    shutil.rmtree(folder / 'made')
    run_tree('g.leata', folder)
    assert floats(folder / 'y.bin') == (11, 22, 33, 44)


def test_kept_variables(folder):
    text = make_tree(folder)
    compile_pipeline(text, 'gain=6', '--keep=gain', '--keep=output', '-o', folder / 'p.leata', TARGET, cwd=folder)
    run_tree(folder / 'p.leata', folder)
    assert floats(folder / 'y.bin') == (13, 26, 39, 52)
    run_tree(folder / 'p.leata', folder, 'gain=2')
    assert floats(folder / 'y.bin') == (11, 22, 33, 44)
    code, out, _ = launch('--variables', folder / 'p.leata')
    assert code == 0 and out.decode().split() == ['output=y.bin', 'gain=6'], out
    err = compile_pipeline(text, '--keep=gains', '-o', folder / 'q.leata', code=3)
    assert '--keep=gains: ' in err and 'has no such variable' in err, err


def test_absolute_paths(folder):
    """A path that the text writes in full still names the file that travels."""
    text = make_tree(folder)
    text.write_text(text.read_text().replace('"k.cu"', f'"{text.parent}/k.cu"'))
    compile_pipeline(text, '-o', folder / 'p.leata', TARGET)
    shutil.copy(text.parent / 'x.bin', folder / 'x.bin')
    shutil.rmtree(folder / 'made')
    run_tree(folder / 'p.leata', folder)
    assert floats(folder / 'y.bin') == (11, 22, 33, 44)


def test_named_files_travel(folder):
    """What the text itself names is read from the artifact, by every node that reads while it runs."""
    texts = {'grep': (('path=$input', 'path="a.txt"'), ('from=$input', 'from="a.txt"')),
             'edges': (('path=$input', 'path="photo.jpg"'),), 'stats': (('path=$input', 'path="samples.npy"'),),
             'hops': (('path=$input', 'path="ways.txt"'),)}
    made, away = folder / 'made', folder / 'away'
    shutil.copytree(GRAPHS, made)
    away.mkdir()
    (made / 'a.txt').write_text('one warranty\ntwo\nthree 1984 warranties\n')
    (made / 'ways.txt').write_text('0 1\n1 2\n2 3\n')
    wanted = {}
    for name, changes in texts.items():
        text = (made / f'{name}.leat').read_text()
        for old, new in changes:
            text = text.replace(old, new)
        (made / f'{name}.leat').write_text(text)
        output = [f'output={folder}/{name}.png'] if 'let output' in text else []
        compile_pipeline(made / f'{name}.leat', '-o', away / f'{name}.leata', TARGET, cwd=folder)
        code, out, err = launch(made / f'{name}.leat', *output, cwd=folder)
        assert code == 0, err
        wanted[name] = out, (folder / f'{name}.png').read_bytes() if output else b''
    shutil.rmtree(made)
    for name, (text, data) in wanted.items():
        output = [f'output={folder}/{name}.png'] if data else []
        code, out, err = launch(away / f'{name}.leata', *output, cwd=folder, environment=without_compilers(folder))
        assert code == 0, err
        assert out == text and (not data or (folder / f'{name}.png').read_bytes() == data), name
    assert b'three 1984 warranties' in wanted['grep'][0]


def list_sections(path):
    """{name: contents}, read by nothing of ours."""
    data = path.read_bytes()
    magic, version, kind, n, _, size, _, _ = HEAD.unpack_from(data)
    assert (magic, version, kind, size) == (b'LEATSEC\n', 1, int.from_bytes(b'leat', 'little'), len(data))
    names = HEAD.size + n * ROW.size
    found = {}
    for i in range(n):
        _, name, at, length, _ = ROW.unpack_from(data, HEAD.size + i * ROW.size)
        begin = names + name
        found[data[begin:data.index(b'\0', begin)].decode()] = data[at:at + length]
    return found


def test_equal_bytes(folder):
    """The same pipeline makes the same artifact, in which there is no word on where it was made."""
    text = make_tree(folder)
    shutil.copytree(folder / 'made', folder / 'moved')
    compile_pipeline(text, '-o', folder / 'one.leata', TARGET)
    compile_pipeline(folder / 'moved/graphs/p.leat', '-o', folder / 'other.leata', TARGET)
    one, other = (folder / 'one.leata').read_bytes(), (folder / 'other.leata').read_bytes()
    assert hashlib.sha256(one).digest() == hashlib.sha256(other).digest()
    assert str(folder).encode() not in one


def test_targets(folder):
    """Levels of a CPU: the best one that there is an image for is taken, and no compiler is looked for."""
    if not on_cpu():
        raise Skip('levels are those of a CPU')
    text = make_tree(folder)
    shutil.copy(text.parent / 'x.bin', folder / 'x.bin')
    compile_pipeline(text, '-o', folder / 'p.leata', '--target=x86-64')
    run_tree(folder / 'p.leata', folder)
    assert floats(folder / 'y.bin') == (11, 22, 33, 44)
    assert not (folder / 'called').exists()
    err = compile_pipeline(text, '-o', folder / 'q.leata', '--target=x86-63', code=5)
    assert 'no kernel target "x86-63"' in err, err


def nvrtc_is_here(folder):
    probe = subprocess.run(['leat-compile', '--device=cpu', str(GRAPHS / 'stats.leat'), '--target=sm_80', '-o',
                            str(folder / 'probe.leata')], capture_output=True, text=True)
    return probe.returncode == 0


def test_gpu_targets(folder):
    """Images for GPUs are made where there is none.  On a CPU they are of no use, which an error tells."""
    if not on_cpu() or not nvrtc_is_here(folder):
        raise Skip('no NVRTC here')
    text = make_tree(folder)
    shutil.copy(text.parent / 'x.bin', folder / 'x.bin')
    compile_pipeline(text, '-o', folder / 'p.leata', '--target=sm_90,compute_75,sm_80')
    names = [name.split(' ', 1)[1] for name in list_sections(folder / 'p.leata') if ' ' in name]
    assert sorted(names) == sorted(f'{target} {kernel}' for target in ('sm_80', 'sm_90', 'compute_75')
                                   for kernel in ('k.cu', 'x+0', 'leat-transfer.cu', 'repeated runs')), names
    bare = {**without_compilers(folder), 'PATH': os.path.dirname(shutil.which('leat-launch'))}
    err = run_tree('p.leata', folder, '--device=cpu', code=5, environment=bare)
    assert 'p.leata has images for sm_90,sm_80,compute_75, and none of this kernel for native' in err, err
    assert 'leat-compile FILE.leat --target=sm_90,sm_80,compute_75,native' in err, err
    err = compile_pipeline(text, '-o', folder / 'q.leata', '--target=sm_80', code=5,
                           environment={'LEAT_NVRTC': '/nowhere/libnvrtc.so', 'XDG_CACHE_HOME': str(folder)})
    assert 'cannot make images for sm_80: ' in err and not (folder / 'q.leata').exists(), err


def test_missing_target_is_compiled(folder):
    """Where there is a compiler."""
    if not on_cpu() or not nvrtc_is_here(folder):
        raise Skip('no NVRTC here')
    text = make_tree(folder)
    shutil.copy(text.parent / 'x.bin', folder / 'x.bin')
    compile_pipeline(text, '-o', folder / 'p.leata', '--target=compute_75')
    run_tree(folder / 'p.leata', folder, environment={'XDG_CACHE_HOME': str(folder)})
    assert floats(folder / 'y.bin') == (11, 22, 33, 44)


def test_forms(folder):
    """Batches and fused kernels take other images, which travel if they are asked for; else the error names the option."""
    text = make_tree(folder)
    (folder / 'x.bin').write_bytes(struct.pack('<16f', *[1, 2, 3, 4] * 4))
    compile_pipeline(text, '-o', folder / 'plain.leata', TARGET)
    compile_pipeline(text, '-o', folder / 'all.leata', TARGET, '--batch', '--fuse')
    bare = {**without_compilers(folder), 'PATH': os.path.dirname(shutil.which('leat-launch'))}
    for option in ('--batch=4', '--fuse=auto', '--runs=3', '--lanes=2', '--executor=eager'):
        run_tree('all.leata', folder, option, environment=bare)
    err = run_tree('plain.leata', folder, '--batch=4', code=5, environment=bare)
    assert 'in batches: ' in err and ' --batch' in err, err
    run_tree('all.leata', folder, '--batch=4', 'output=batch.bin')
    assert (folder / 'batch.bin').read_bytes() == struct.pack('<16f', *[11, 22, 33, 44] * 4)
    assert not (folder / 'called').exists()


def test_another_build(folder):
    """Images of a library that makes others are left alone; its texts are as good as ever."""
    text = make_tree(folder)
    shutil.copy(text.parent / 'x.bin', folder / 'x.bin')
    compile_pipeline(text, '-o', folder / 'p.leata', TARGET)
    manifest = list_sections(folder / 'p.leata')['manifest'].decode()
    kernels = manifest.split('kernels=')[1].split('\n')[0]
    rewrite(folder / 'p.leata', kernels.encode(), b'0' * len(kernels))
    bare = {**without_compilers(folder), 'PATH': os.path.dirname(shutil.which('leat-launch'))}
    err = run_tree('p.leata', folder, code=5, environment=bare)
    assert 'the images of p.leata are of another build of Leat: compile the pipeline again' in err, err
    run_tree('p.leata', folder, environment={'XDG_CACHE_HOME': str(folder)})
    assert floats(folder / 'y.bin') == (11, 22, 33, 44)


class Hash(ctypes.Structure):
    _fields_ = [('low', ctypes.c_uint64), ('high', ctypes.c_uint64)]


def checksum(data):
    """XXH3 in 128 bits, as canonical bytes."""
    xxhash = ctypes.CDLL('libxxhash.so.0').XXH3_128bits
    xxhash.restype, xxhash.argtypes = Hash, [ctypes.c_char_p, ctypes.c_size_t]
    found = xxhash(bytes(data), len(data))
    return struct.pack('>QQ', found.high, found.low)


def rewrite(path, old, new):
    """Other bytes of the same length, with the checksums that belong to them."""
    data = bytearray(path.read_bytes())
    at = data.index(old)
    data[at:at + len(new)] = new
    n, names = struct.unpack_from('<II', data, 16)
    for i in range(n):
        row = HEAD.size + i * ROW.size
        _, _, offset, size, _ = ROW.unpack_from(data, row)
        end = offset + (size + 63) // 64 * 64
        data[row + 24:row + 40] = checksum(data[offset:end])
    end = (HEAD.size + n * ROW.size + names + 63) // 64 * 64
    data[32:48] = bytes(16)
    data[32:48] = checksum(data[:end])
    path.write_bytes(data)


MEASURED = '''__global__ void k (const float *x, float *y, unsigned int x_count)
{
  GRID_FOR (i, x_count)
    y[i] = x[i] + 1;
}
'''


def test_what_was_learned(folder):
    """Ways that were measured where it was made are taken where nobody has measured yet, and then not measured again."""
    (folder / 'k.cu').write_text(MEASURED)
    (folder / 'x.bin').write_bytes(bytes(4096))
    (folder / 'p.leat').write_text('leat 1\nlet output = "y.bin"\nio:file path="x.bin" chunk=4096 out=f32[1024]\n'
                                   '  -> upload -> kernel source="k.cu" block=measured -> readback -> io:file path=$output\n')

    def stats(pipeline, learned):
        code, _, err = launch('--stats', pipeline, cwd=folder, environment={'LEAT_LEARNED': str(folder / learned)})
        assert code == 0, err
        return err
    assert 'tried before' not in stats('p.leat', 'here')
    found = stats('p.leat', 'here')
    times = [line.split(' us a run')[0].split()[-1] for line in found.splitlines() if ' us a run with ' in line]
    assert len(times) >= 3, found
    compile_pipeline('p.leat', '-o', 'p.leata', TARGET, cwd=folder, environment={'LEAT_LEARNED': str(folder / 'here')})
    found = stats('p.leata', 'there')
    assert 'tried before' in found and all(f'{time} us a run' in found for time in times), found
    assert not list((folder / 'there').glob('*/*')), 'it was measured again'


def test_owner(folder):
    """It is code: nobody else may be able to write it."""
    text = make_tree(folder)
    old = os.umask(0)
    try:
        compile_pipeline(text, '-o', folder / 'p.leata', TARGET)
    finally:
        os.umask(old)
    assert (folder / 'p.leata').stat().st_mode & 0o777 == 0o644
    (folder / 'p.leata').chmod(0o664)
    err = run_tree('p.leata', folder, code=3)
    assert 'must belong to this user or to root and be writable by nobody else' in err, err


def test_damage(folder):
    text = make_tree(folder)
    compile_pipeline(text, '-o', folder / 'p.leata', TARGET)
    whole = (folder / 'p.leata').read_bytes()
    sections = list_sections(folder / 'p.leata')
    image = next(contents for name, contents in sections.items() if f' {NAMES[-1]} k.cu' in name)
    for what, at in (('file', whole.index(sections['graphs/k.cu'])), ('imag', whole.index(image) + 100)):
        (folder / 'p.leata').write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
        shutil.copy(text.parent / 'x.bin', folder / 'x.bin')
        err = run_tree('p.leata', folder, code=3)
        assert f'the checksum of "{what} ' in err and 'take another copy' in err, err
        done = subprocess.run(['leat-inspect', '--check', folder / 'p.leata'], capture_output=True, text=True)
        assert done.returncode == 3 and f'the checksum of "{what} ' in done.stderr, done.stderr
    (folder / 'p.leata').write_bytes(whole)
    done = subprocess.run(['leat-inspect', '--check', folder / 'p.leata'], capture_output=True, text=True)
    assert done.returncode == 0 and 'p.leata: ok, ' in done.stdout, done.stdout


def build_launcher(folder, project):
    """The program of a project that --launcher wrote, built with the library of this build folder."""
    if not shutil.which('meson') or not shutil.which('pkg-config'):
        raise Skip('no Meson here')
    root = os.environ.get('G_TEST_BUILDDIR', shutil.which('leat-launch').rsplit('/', 2)[0] + '/tests')
    environment = {**os.environ, 'PKG_CONFIG_PATH': f'{root}/../meson-uninstalled'}
    settings = json.loads(Path(root, '../meson-info/intro-buildoptions.json').read_text())
    # A library with a sanitizer wants a program that has it too.
    sanitizers = next(setting['value'] for setting in settings if setting['name'] == 'b_sanitize')
    setup = ['meson', 'setup', folder / 'built', project, f'-Db_sanitize={sanitizers}', '-Db_lundef=false']
    for command in (setup, ['meson', 'compile', '-C', folder / 'built']):
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
        assert done.returncode == 0, f'{command}: {done.stdout}{done.stderr}'
    return folder / 'built' / 'p'


def test_launcher(folder):
    """A program with the kept variables as options, made by one command and built by another."""
    text = make_tree(folder)
    shutil.move(text.parent / 'x.bin', folder / 'x.bin')
    text.write_text(text.read_text().replace('let gain = 2', '# how "much" \\ more\nlet gain = 2'))
    shutil.copy(folder / 'x.bin', text.parent / 'x.bin')
    compile_pipeline(text, '--launcher', folder / 'project', '-k', 'input', '-k', 'output', '-k', 'gain', TARGET)
    shutil.rmtree(folder / 'made')
    program = build_launcher(folder, folder / 'project')
    shown = subprocess.run([program, '--help'], capture_output=True, text=True)
    assert shown.returncode == 0 and '--gain=VALUE' in shown.stdout, shown.stdout
    assert 'how "much" \\ more (2)' in shown.stdout and '--constant' not in shown.stdout, shown.stdout
    bare = {**os.environ, **without_compilers(folder)}
    done = subprocess.run([program, '--input=x.bin', '--output=y.bin', '--gain=6'], capture_output=True, text=True,
                          cwd=folder, env=bare)
    assert done.returncode == 0, done.stderr
    assert floats(folder / 'y.bin') == (13, 26, 39, 52) and not (folder / 'called').exists()
    done = subprocess.run([program, '--input=none.bin'], capture_output=True, text=True, cwd=folder, env=bare)
    assert done.returncode == 1 and 'none.bin' in done.stderr, done.stderr


def test_launcher_refused(folder):
    """Files of somebody's are not written over."""
    text = make_tree(folder)
    compile_pipeline(text, '--launcher', folder / 'project', TARGET)
    err = compile_pipeline(text, '--launcher', folder / 'project', TARGET, code=1)
    assert 'main.c is there already; name a new folder' in err, err
    err = compile_pipeline(text, '--launcher', folder / 'other', '-o', 'p.leata', code=2)
    assert 'either -o FILE.leata or --launcher=DIR' in err, err


def test_inspect(folder):
    """Everything in it is shown, without a device, and whoever it belongs to."""
    text = make_tree(folder)
    compile_pipeline(text, 'gain=6', '-o', folder / 'p.leata', TARGET)
    (folder / 'p.leata').chmod(0o666)

    def inspect(*words):
        done = subprocess.run(['leat-inspect', *words], capture_output=True, text=True, cwd=folder,
                              env={**os.environ, 'LEAT_CPU_DRIVER': '/nowhere', 'LEAT_PLUGIN_PATH': '/nowhere'})
        return done.returncode, done.stdout, done.stderr
    code, out, err = inspect('p.leata')
    assert code == 0, err
    for shown in ('Pipeline          graphs/p.leat', f'Targets           {";".join(reversed(NAMES))}',
                  'Open              input;output;constant', 'must belong to this user', '  gain=6', ' graphs/parts/half.cuh', ' k.cu', ' plan.json'):
        assert shown in out, f'{shown} is not in {out}'
    code, out, err = inspect('--json', 'p.leata')
    shown = json.loads(out)
    assert shown['main'] == 'graphs/p.leat' and shown['values'] == {'gain': '6'}, shown
    assert {section['name']: section['bytes'] for section in shown['sections']} == {
        name: len(contents) for name, contents in list_sections(folder / 'p.leata').items()}
    code, out, err = inspect('--check')
    assert code == 2 and '--check is for an artifact' in err, err
    code, out, err = inspect('--check', 'made/graphs/p.leat')
    assert code == 3 and 'it is no artifact' in err, err


def test_refused(folder):
    text = make_tree(folder)
    compile_pipeline(text, '-o', folder / 'p.leata', TARGET)
    err = compile_pipeline(folder / 'p.leata', '-o', folder / 'q.leata', code=3)
    assert 'is compiled already; compile the pipeline file that it was made from' in err, err
    (folder / 'made/shared/table.bin').unlink()
    err = compile_pipeline(text, '-o', folder / 'q.leata', TARGET, code=1)
    assert 'table.bin' in err and not (folder / 'q.leata').exists(), err
    err = compile_pipeline(text, code=2)
    assert 'expected FILE.leat, and either -o FILE.leata' in err, err


if '--all' in sys.argv:
    graph_case.main({'test_every_graph': test_every_graph})
graph_case.main(globals())
