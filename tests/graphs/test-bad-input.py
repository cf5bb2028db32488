#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What leat-launch says of files and kernels that are no good: clearly, with an exit status, leaving nothing behind."""

import os
import random
import resource
import signal
import struct
import subprocess
import time
import zlib
from pathlib import Path

import graph_case
from graph_case import GRAPHS, PNG_MAGIC, launch, on_cpu, plain_user, png_write

HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }\n"
THROUGH = ['+', 'upload', '+', 'readback', '+']
COPY = '__global__ void copy (const unsigned char *in, unsigned char *out)\n{\n  out[0] = in[0];\n}\n'


def npy(path, header, data=b'', version=1, magic=b'\x93NUMPY', length=None):
    text = header.encode('latin1')
    size = struct.pack('<H' if version == 1 else '<I', len(text) if length is None else length)
    Path(path).write_bytes(magic + bytes([version, 0]) + size + text + data)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def refuse(folder, words, *says, environment=None):
    """The run fails by itself, its message holds each of SAYS, and no file appears, changes or goes."""
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    code, out, err = launch('-q', *words, environment=environment, cwd=folder)
    what = ' '.join(map(str, words))
    assert 0 < code < 100, f'{what}: exit status {code}: {err}'
    assert out == b'', f'{what}: {out!r}'
    for word in says:
        assert word in err, f'{what}: no "{word}" in: {err}'
    assert err.count('\n') < 40 and len(err) < 6000, f'{what}: too much is said: {err}'
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert after == before, f'{what}: {sorted(after)} were {sorted(before)}'


def read_and_write(reader, path):
    """A pipeline that reads PATH, by way of the device, to a file of the same kind."""
    writer = {'io:file': 'io:file path=out.bin', 'io:npy': 'io:npy path=out.npy',
              'image:read': 'image:write path=out.png'}[reader]
    return [reader, f'path={path}', *THROUGH, *writer.split()]


def test_no_such_file(folder):
    for reader in ('io:file', 'io:npy', 'image:read'):
        refuse(folder, read_and_write(reader, 'missing'), '"missing"', 'No such file')
        refuse(folder, read_and_write(reader, 'no/such/folder'), '"no/such/folder"', 'No such file')
        refuse(folder, read_and_write(reader, ''), 'cannot read ""')
        refuse(folder, [reader, *THROUGH, 'discard'], 'path')
    refuse(folder, ['const', 'path=missing', '+', 'readback', '+', 'io:file', 'path=out.bin'], '"missing"')
    refuse(folder, [GRAPHS / 'scan.leat', 'input=missing'], 'missing"', 'No such file')
    refuse(folder, ['missing.leat'], 'missing.leat', 'No such file')


def test_directory(folder):
    (folder / 'inner').mkdir()
    for reader in ('io:file', 'io:npy', 'image:read'):
        refuse(folder, read_and_write(reader, 'inner'), '"inner"', 'Is a directory')
    refuse(folder, ['const', 'path=inner', '+', 'readback', '+', 'io:file', 'path=out.bin'], '"inner"')


def test_unreadable_file(folder):
    (folder / 'secret').write_bytes(b'x')
    (folder / 'secret').chmod(0)
    user = plain_user(folder)
    for reader in ('io:file', 'io:npy', 'image:read'):
        code, _, err = launch(*read_and_write(reader, 'secret'), cwd=folder, user=user)
        assert code == 1 and '"secret"' in err and 'Permission denied' in err, (code, err)
    assert names(folder) == ['secret'], names(folder)


def refuse_npy(folder, says, *arguments, **more):
    npy(folder / 'in.npy', *arguments, **more)
    refuse(folder, read_and_write('io:npy', 'in.npy'), '"in.npy"', says)


def test_npy_sizes(folder):
    refuse_npy(folder, 'more bytes than any memory', HEADER % '4294967296, 4294967296, 4294967296')
    refuse_npy(folder, 'more bytes than any memory', HEADER % '18446744073709551615,')
    refuse_npy(folder, 'beyond 64 bits', HEADER % '18446744073709551616,')
    refuse_npy(folder, 'claims 4398046511104 bytes of items and holds 0', HEADER % '1099511627776,')
    refuse_npy(folder, 'something other than sizes', HEADER % '-4,')
    refuse_npy(folder, 'header is damaged', HEADER % '4.0,')
    refuse_npy(folder, 'is empty', HEADER % '0,')
    refuse_npy(folder, 'more than 8 dimensions', HEADER % ','.join(['1'] * 40), b'\0' * 4)
    refuse_npy(folder, 'claims 120 bytes of items and holds 12', HEADER % '30,', b'\0' * 12)


def test_npy_order_and_types(folder):
    refuse_npy(folder, 'ascontiguousarray', "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }\n", b'\0' * 48)
    for kind in ('|O', '<c32', '<U4', '<M8[ns]', '<f16', '|V4', '<i3', '', '<', 'f', '<f4\0'):
        refuse_npy(folder, 'in.npy', f"{{'descr': '{kind}', 'fortran_order': False, 'shape': (3,), }}\n", b'\0' * 99)
    for kind in ('>f4', '|O', '<U4', '<f16', ''):
        refuse_npy(folder, 'field "a"', f"{{'descr': [('a', '{kind}')], 'fortran_order': False, 'shape': (3,), }}\n",
                   b'\0' * 99)


def test_npy_headers(folder):
    refuse_npy(folder, 'not an .npy file', HEADER % '3,', b'\0' * 12, magic=b'\x93NUMPX')
    refuse_npy(folder, 'version 9.0', HEADER % '3,', b'\0' * 12, version=9)
    refuse_npy(folder, 'ends within its header', HEADER % '3,', b'\0' * 12, length=60000)
    refuse_npy(folder, '4294967295 bytes long', HEADER % '3,', b'\0' * 12, version=2, length=0xffffffff)
    refuse_npy(folder, 'header is damaged', "__import__('os').system('touch pwned')\n", b'\0' * 12)
    refuse_npy(folder, '"descr"', "{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (3,)}\n",
               b'\0' * 12)
    refuse_npy(folder, '"x"', "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'x': 1}\n", b'\0' * 12)
    refuse_npy(folder, '"shape" is missing', "{'descr': '<f4', 'fortran_order': False}\n", b'\0' * 12)
    refuse_npy(folder, 'ends within its header', '')
    refuse_npy(folder, 'header is damaged', ' ' * 64, b'\0' * 64)
    refuse_npy(folder, 'header is damaged', '{' * 5000)


def test_npy_cut_anywhere(folder):
    npy(folder / 'in.npy', HEADER % '5,', bytes(20))
    whole = (folder / 'in.npy').read_bytes()
    for size in (0, 1, 5, 6, 8, 9, 10, 11, 40, len(whole) - 21, len(whole) - 20, len(whole) - 1):
        (folder / 'in.npy').write_bytes(whole[:size])
        refuse(folder, read_and_write('io:npy', 'in.npy'), 'in.npy')


def test_npy_garbage(folder):
    rng = random.Random(1)
    npy(folder / 'in.npy', HEADER % '5,', bytes(20))
    whole = (folder / 'in.npy').read_bytes()
    (folder / 'in.npy').write_bytes(rng.randbytes(4000))
    refuse(folder, read_and_write('io:npy', 'in.npy'), 'not an .npy file')
    for _ in range(12):
        damaged = bytearray(whole)
        damaged[rng.randrange(10, len(whole) - 22)] = rng.choice(b'\0\xff{}()\',:9-')
        (folder / 'in.npy').write_bytes(damaged)
        code, _, err = launch('-q', *read_and_write('io:npy', 'in.npy'), cwd=folder)
        assert code in (0, 1) and (code == 1) == ('in.npy' in err), (bytes(damaged), code, err)
        (folder / 'out.npy').unlink(missing_ok=True)
        assert names(folder) == ['in.npy'], names(folder)


def png_of(width, height, packed):
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    header = struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)
    return PNG_MAGIC + chunk(b'IHDR', header) + chunk(b'IDAT', packed) + chunk(b'IEND', b'')


def test_pictures_of_wrong_size(folder):
    for width, height, says in ((20000, 20000, '400000000 pixels'), (2_000_000_000, 2_000_000_000, 'as a picture'),
                                (0, 0, 'as a picture'), (0, 5, 'as a picture')):
        (folder / 'in.png').write_bytes(png_of(width, height, zlib.compress(b'0')))
        refuse(folder, read_and_write('image:read', 'in.png'), '"in.png"', says)


def test_pictures_that_are_none(folder):
    npy(folder / 'in.npy', HEADER % '3,', b'\0' * 12)
    for content in (b'', b'hello', b'\0' * 5000, PNG_MAGIC, b'\xff\xd8', (folder / 'in.npy').read_bytes(),
                    random.Random(2).randbytes(3000)):
        (folder / 'in.png').write_bytes(content)
        refuse(folder, read_and_write('image:read', 'in.png'), '"in.png" as a picture')


def test_pictures_cut_short(folder):
    png_write(folder / 'small.png', bytes(8 * 8 * 3), 8, 8, 3)
    png_write(folder / 'large.png', random.Random(3).randbytes(200 * 100 * 3), 200, 100, 3)
    for name in ('small.png', 'large.png'):
        whole = (folder / name).read_bytes()
        for size in (20, 35, 44, len(whole) // 2, len(whole) - 30, len(whole) - 12, len(whole) - 1):
            (folder / name).write_bytes(whole[:size])
            refuse(folder, read_and_write('image:read', name), f'"{name}" as a picture')
    photo = (GRAPHS / 'photo.jpg').read_bytes()
    for size in (3, 100, 1000, len(photo) // 2, len(photo) - 2):
        (folder / 'photo.jpg').write_bytes(photo[:size])
        refuse(folder, read_and_write('image:read', 'photo.jpg'), '"photo.jpg" as a picture')


def test_pictures_damaged(folder):
    png_write(folder / 'in.png', random.Random(4).randbytes(60 * 50 * 3), 60, 50, 3)
    whole = (folder / 'in.png').read_bytes()
    for at in (16, 24, 30, 41, 60, len(whole) // 2, len(whole) - 20, len(whole) - 6):
        (folder / 'in.png').write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])
        refuse(folder, read_and_write('image:read', 'in.png'), '"in.png"')


def refuse_kernel(folder, text, properties, *says):
    if text is not None:
        (folder / 'my.cu').write_text(text)
    (folder / 'in').write_bytes(b'abcd')
    refuse(folder, ['io:file', 'path=in', 'out=u8:4', '+', 'upload', '+', 'kernel', 'source=my.cu', *properties.split(),
                    '+', 'readback', '+', 'io:file', 'path=out'], *says)


def test_kernel_source(folder):
    refuse_kernel(folder, None, '', 'my.cu', 'No such file')
    refuse_kernel(folder, '', '', 'my.cu: no __global__ function')
    refuse_kernel(folder, COPY.rstrip('}\n'), '', 'my.cu:2:1', 'never closed')
    refuse_kernel(folder, COPY, 'entry=cpy', 'my.cu: no kernel "cpy" (did you mean "copy"?)')
    refuse_kernel(folder, COPY + COPY.replace('copy', 'other'), '', 'choose an entry: copy, other')
    (folder / 'my.cu').write_bytes(random.Random(5).randbytes(3000))
    refuse_kernel(folder, None, '', 'my.cu: not a text file')
    (folder / 'my.cu').unlink()
    (folder / 'my.cu').mkdir()
    refuse_kernel(folder, None, '', 'my.cu', 'Is a directory')


def test_kernel_does_not_compile(folder):
    """The compiler's message comes with the file and the line that the user wrote."""
    refuse_kernel(folder, '// mine\n\n' + COPY.replace('in[0]', 'in[0] + nope'), '', 'my.cu does not compile',
                  '5', 'nope')
    code, _, err = launch('-q', 'io:file', 'path=in', 'out=u8:4', '+', 'upload', '+', 'kernel', 'source=my.cu', '+',
                          'readback', '+', 'io:file', 'path=out', cwd=folder)
    assert code == 5 and ('my.cu:5' in err or 'my.cu(5)' in err), (code, err)
    refuse_kernel(folder, COPY.replace('out[0] = in[0];', 'out[0] = in[0] +;'), '', 'my.cu')
    refuse_kernel(folder, '#include "missing.h"\n' + COPY, '', 'missing.h')
    refuse_kernel(folder, COPY.replace('{\n', '{\n#error wrong\n'), '', 'wrong')


def test_grid_and_block_limits(folder):
    """The message says which limit, and how large it is."""
    for properties, says in (('grid=1x70000', ('1x70000x1', ' y', '65535')), ('grid=1x1x70000', (' z', '65535')),
                             ('grid=1 block=2048', ('block=2048', '1024')), ('grid=1 block=32x33', ('1056', '1024')),
                             ('grid=1 block=1x1x128', ('128', ' z', '64')),
                             ('shared=1M', ('1048576 bytes of dynamic shared memory', 'at most')),
                             ('cooperative=true grid=1000000', ('1000000 blocks', 'at most'))):
        refuse_kernel(folder, COPY, properties, 'kernel "kernel0"', *says)
    refuse_kernel(folder, COPY, 'grid=4294967296', 'grid=4294967296')


def test_no_room_on_the_device(folder):
    """How much is needed, and where."""
    (folder / 'in').write_bytes(b'a cat')
    if on_cpu():
        refuse(folder, ['--device=cpu', GRAPHS / 'scan.leat', 'input=in'], 'MiB is needed', 'on cpu', 'is free',
               environment={'LEAT_CPU_PROFILE': 'memory=10000000'})
    refuse(folder, [GRAPHS / 'scan.leat', 'input=in', 'chunk=512G'], 'needed')
    refuse(folder, [GRAPHS / 'scan.leat', 'input=in'], 'MiB is needed', 'LEAT_MEMORY_BUDGET',
           environment={'LEAT_MEMORY_BUDGET': '1000000'})
    refuse(folder, [GRAPHS / 'scan.leat', 'input=in'], 'scan.leat:16:', 'MiB of pinned host memory is needed',
           'the largest is',
           'LEAT_PINNED_BUDGET', environment={'LEAT_PINNED_BUDGET': '1000000'})
    refuse(folder, [GRAPHS / 'scan.leat', 'input=in'], 'LEAT_PINNED_BUDGET=2X is no size',
           environment={'LEAT_PINNED_BUDGET': '2X'})


def test_output_device_is_full(folder):
    (folder / 'in').write_bytes(b'a cat')
    npy(folder / 'in.npy', HEADER % '3,', b'\0' * 12)
    png_write(folder / 'in.png', bytes(27), 3, 3, 3)
    for words in (['io:file', 'path=in', *THROUGH, 'io:file', 'path=/dev/full'],
                  ['io:npy', 'path=in.npy', *THROUGH, 'io:npy', 'path=/dev/full'],
                  ['image:read', 'path=in.png', *THROUGH, 'image:write', 'path=/dev/full', 'format=png']):
        refuse(folder, words, '"/dev/full"', 'No space left')


def test_disk_is_full_midway(folder):
    """A limit on the size of files stands for a full disk: what was there before is as it was, and nothing is left."""
    code, _, err = launch('image:read', f'path={GRAPHS}/photo.jpg', '+', 'io:npy', f'path={folder}/in.npy')
    assert code == 0, err
    for name in ('out.bin', 'out.npy', 'out.png'):
        (folder / name).write_bytes(b'before')
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for words in (read_and_write('io:file', 'in.npy'), [*read_and_write('io:file', 'in.npy'), 'chunk=1000'],
                  read_and_write('io:npy', 'in.npy'), read_and_write('image:read', GRAPHS / 'photo.jpg')):
        done = subprocess.run(['leat-launch', '-q', *map(str, words)], cwd=folder, capture_output=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)))
        assert done.returncode == 1 and b'File too large' in done.stderr, (words, done)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before, names(folder)


def test_output_folder(folder):
    (folder / 'in').write_bytes(b'a cat')
    npy(folder / 'in.npy', HEADER % '3,', b'\0' * 12)
    png_write(folder / 'in.png', bytes(27), 3, 3, 3)
    (folder / 'inner').mkdir()
    for path, says in (('', 'No such file'), ('missing/out.png', 'its folder must exist'),
                       ('inner', 'Is a directory'), ('in/out.png', 'Not a directory')):
        for words in (['io:file', 'path=in', *THROUGH, 'io:file'], ['io:npy', 'path=in.npy', *THROUGH, 'io:npy'],
                      ['image:read', 'path=in.png', *THROUGH, 'image:write', 'format=png']):
            refuse(folder, [*words, f'path={path}'], f'"{path}"', says)
    refuse(folder, ['image:read', 'path=in.png', *THROUGH, 'image:write', 'path=out.xyz'], 'out.xyz', '.png')
    assert names(folder / 'inner') == []


def test_output_that_may_not_be_written(folder):
    (folder / 'in').write_bytes(b'a cat')
    (folder / 'inner').mkdir(mode=0o555)
    user = plain_user(folder)
    folder.chmod(0o555)
    for path in ('inner/out', 'out'):
        code, _, err = launch('-q', 'io:file', 'path=in', *THROUGH, 'io:file', f'path={path}', cwd=folder, user=user)
        assert code == 1 and f'"{path}"' in err and 'Permission denied' in err, (code, err)
    folder.chmod(0o755)
    assert names(folder) == ['in', 'inner'] and names(folder / 'inner') == [], names(folder)


def has_output_open(child, folder):
    """Is a file open in FOLDER that is neither of the two: without a name, or with a hidden one?"""
    begin = (f'{folder.resolve()}/#', f'{folder.resolve()}/.out.')
    try:
        return any(os.readlink(file).startswith(begin) for file in Path(f'/proc/{child.pid}/fd').iterdir())
    except FileNotFoundError:
        return False  # closed meanwhile


def interrupt(folder, how):
    """Stops a run that waits for more of its input; OUT had something else in it before."""
    os.mkfifo(folder / 'pipe')
    (folder / 'out').write_bytes(b'before')
    words = ['io:file', 'path=pipe', 'out=u8:max4K', *THROUGH, 'io:file', 'path=out']
    child = subprocess.Popen(['leat-launch', *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(folder / 'pipe', 'wb', buffering=0) as pipe:
        for _ in range(3):
            pipe.write(bytes(4096))
        # Opening a device may take seconds; the output is open once data comes out.
        end = time.monotonic() + 60
        while not has_output_open(child, folder) and time.monotonic() < end:
            time.sleep(0.01)
        assert has_output_open(child, folder), 'nothing was written yet'
        child.send_signal(how)
        _, err = child.communicate(timeout=60)
    assert child.returncode == 130 and b'interrupted' in err, (child.returncode, err)
    assert names(folder) == ['out', 'pipe'] and (folder / 'out').read_bytes() == b'before', names(folder)


def test_interrupted_midway(folder):
    interrupt(folder, signal.SIGINT)


def test_terminated_midway(folder):
    interrupt(folder, signal.SIGTERM)


def test_interrupted_while_nobody_reads(folder):
    """Standard output is a pipe that is full; text:report waits for room in it and can be called off."""
    (folder / 'in').write_bytes(b'a' * 200000)
    words = ['io:file', 'path=in', '+', 'upload', '+', 'text:scan', 'patterns=a', '+', 'readback', '+', 'text:report',
             'patterns=a']
    child = subprocess.Popen(['leat-launch', *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.read(1)
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    # Nothing more is read before it has ended.
    assert child.wait(timeout=30) == 130, child.returncode
    assert b'interrupted' in child.stderr.read()
    child.stdout.close()
    child.stderr.close()


def test_report_of_other_rows(folder):
    """text:report knows from text:scan what its rows are; where it is told something else, that is refused in the plan."""
    (folder / 'in').write_bytes(b'a cat and a dog')
    for scan, report, says in (
            ('patterns=cat,dog emit=line', 'emit=offset patterns=cat,dog', 'has emit=offset, but text:scan "'),
            ('patterns=cat,dog emit=line', 'emit=count', 'gives rows of emit=line; leave `emit` away here, or set it to count'),
            ('patterns=cat,dog emit=count', 'emit=line', 'gives rows of emit=count'),
            ('patterns=cat,dog', 'emit=line', 'gives rows of emit=offset'),
            ('regex=cat emit=line', 'emit=offset patterns=cat', 'gives rows of emit=line'),
            ('patterns=cat,dog', 'patterns=dog', 'has other `patterns` than text:scan "'),
            ('patterns=cat,dog', 'patterns=dog,cat', 'leave `patterns` away')):
        words = ['io:file', 'path=in', '+', 'upload', '+', 'text:scan', *scan.split(), '+', 'readback', '+', 'text:report',
                 *report.split()]
        refuse(folder, words, 'text:report "', says)
        refuse(folder, ['--plan', *words], says)


def test_state_of_a_pipeline_without(folder):
    (folder / 'in').write_bytes(b'abc')
    words = ['io:file', 'path=in', '+', 'upload', '+', 'readback', '+', 'discard']
    refuse(folder, ['--save-state=s', *words], '--save-state: the pipeline keeps nothing from run to run')
    refuse(folder, ['--load-state=in', *words], '--load-state: the pipeline keeps nothing from run to run')


def test_empty_inputs(folder):
    """No data is no run; an empty array is read by its rows."""
    (folder / 'in').write_bytes(b'')
    npy(folder / 'in.npy', HEADER % '0,')
    refuse(folder, read_and_write('io:npy', 'in.npy'), '"in.npy"', 'with rows=N, the most that a run takes, it may be')
    for words in (['io:file', 'path=in', 'out=f32'], ['io:npy', 'path=in.npy', 'rows=8']):
        code, _, err = launch('-q', *words, '+', 'upload', '+', 'map', 'expr=x+1', '+', 'readback', '+', 'io:npy',
                              'path=out.npy', cwd=folder)
        assert code == 0 and b"'shape': (0,)" in (folder / 'out.npy').read_bytes(), err


def test_names_in_a_predicate(folder):
    """With its column, and what it is near to."""
    (folder / 'in').write_bytes(bytes(64))
    words = ['io:file', 'path=in', 'out=f32:16', '+', 'upload', '+', 'compact', 'inputs=value']
    for where, says in (('valeu > 3', 'compact "compact0": expression "valeu > 3", column 1: "valeu" is not an '
                         'input, and is not set (did you mean "value"?)'),
                        ('value > limit', 'column 9: "limit" is not one of the inputs (value), and is not set: give it a value, as in '
                         'limit=VALUE'),
                        ('value > 1e39', 'column 9: 1e39 does not fit in f32'),
                        ('value % 2', 'column 7: % takes whole numbers, and its left side is float')):
        refuse(folder, [*words, f'where={where}', '+', 'readback', '+', 'discard'], says)


def test_scatter_says_its_rows(folder):
    (folder / 'in').write_bytes(bytes([9, 1]))
    for size, says in (('', 'the output would have no rows: set size=ROWS'), ('size=0', 'the output would have no rows'),
                       ('size=4', 'at[0] is 9, which is no place in the output')):
        (folder / 'a.leat').write_text(f'leat 1\nput = scatter {size}\nio:file path=in out=u8[2] -> upload -> put.items\n'
                                       'io:file path=in out=u8[2] -> upload -> put.at\nput -> readback -> discard\n')
        refuse(folder, ['a.leat'], 'scatter "put": ', says)


def test_warnings_of_many_runs(folder):
    """The same of each run is said once, and at the end how often it came."""
    (folder / 'in').write_bytes(bytes(range(8)))
    code, _, err = launch('-q', 'io:file', 'path=in', 'chunk=2', '+', 'upload', '+', 'compact', 'where=x < 9',
                          'on-overflow=truncate', '+', 'u8:max1', '+', 'readback', '+', 'discard', cwd=folder)
    assert code == 0 and err.count('2 rows were kept, and there is room for 1') == 1, err
    assert 'warning: the same of "compact0" in 3 more runs' in err, err


def test_report_of_rows_from_elsewhere(folder):
    """Rows from a file say nothing of themselves: what they are must be said, and is held against them."""
    words = ['-q', 'io:file', 'path=rows', '+', 'u64:max4x2', '+', 'upload', '+', 'readback', '+', 'text:report']
    (folder / 'rows').write_bytes(b'')
    refuse(folder, [*words, 'patterns=cat,,dog'], 'pattern 2 is empty')
    (folder / 'rows').write_bytes(b''.join(n.to_bytes(8, 'little') for n in (2, 0, 12, 1)))
    refuse(folder, words, 'text:report "', 'cannot tell the meaning of its rows')
    refuse(folder, [*words, 'patterns=cat'], 'a row has the pattern of index 1, but `patterns` has 1')
    code, out, err = graph_case.launch(*words, 'patterns=cat,dog', cwd=folder)
    assert code == 0 and out == b'2:cat\n12:dog\n', (out, err)


def test_patterns(folder):
    (folder / 'in').write_bytes(b'a cat')
    for patterns, says in (('', 'empty'), ('a,,b', 'pattern 2 is empty'), ('cat,cat', 'pattern 2 is pattern 1 again'),
                           ('\\q', 'unknown escape'), ('x' * 5000, 'at most 4096')):
        refuse(folder, [GRAPHS / 'scan.leat', 'input=in', f'patterns={patterns}'], says)
    refuse(folder, [GRAPHS / 'scan.leat', 'inptu=in'], 'no variable "inptu" (did you mean "input"?)')


if __name__ == '__main__':
    graph_case.main(globals())
