# SPDX-License-Identifier: LGPL-2.1-or-later
"""However a run ends before its time, no part of an output file is left, and what had its name before is as it was."""

import os
import signal
import subprocess
import time
from pathlib import Path

import graph_case
from graph_case import Skip, on_cpu, png_write

# Blocks enough for hours, each of a fraction of a millisecond.
SLOW = ('__global__ void slow (const unsigned char *in, unsigned char *out)\n'
        '{\n  for (volatile int i = 0; i < 100000; i = i + 1)\n    ;\n  out[0] = in[0];\n}\n')
CRASH = ('__global__ void crash (const unsigned char *in, unsigned char *out)\n'
         '{\n  *(volatile unsigned char *) 0x10 = 1;\n  out[0] = in[0];\n}\n')
GRACE_S = 2


def output_is_open(child, folder):
    """Is a file of FOLDER open that has no name, or a hidden one?"""
    begin = (f'{folder.resolve()}/#', f'{folder.resolve()}/.out.')
    try:
        return any(os.readlink(file).startswith(begin) for file in Path(f'/proc/{child.pid}/fd').iterdir())
    except FileNotFoundError:
        return False  # something was closed meanwhile


def ends(folder, kind):
    """Source and sink of a kind, and the spec between them."""
    if kind == 'image':
        png_write(folder / 'in', bytes(27), 3, 3, 3)
        return ['image:read', 'path=in'], ['image:write', 'format=png', 'path=out'], 'u8[3,3,3]'
    (folder / 'in').write_bytes(bytes(27))
    return ['io:file', 'path=in', 'out=u8[27]'], [f'io:{kind}', 'path=out'], 'u8[27]'


def start(folder, kernel, kind='file', grid=1, device='cpu', workers=None):
    source, sink, spec = ends(folder, kind)
    (folder / 'k.cu').write_text(kernel)
    (folder / 'out').write_bytes(b'before')
    words = [*source, '+', 'upload', '+', 'kernel', 'source=k.cu', f'grid={grid}', 'block=1', f'out={spec}', '+',
             'readback', '+', *sink]
    env = os.environ if workers is None else os.environ | {'LEAT_CPU_WORKERS': str(workers)}
    return subprocess.Popen(['sh', '-c', 'ulimit -c 0; exec "$@"', 'sh', 'leat-launch', f'--device={device}', *words],
                            cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def start_slow(folder, kind='file', workers=None):
    child = start(folder, SLOW, kind, grid=100000000, workers=workers)
    end = time.monotonic() + 60
    while not output_is_open(child, folder) and child.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    assert child.poll() is None, child.communicate()
    time.sleep(0.3)  # into the grid
    return child


def check(folder, child, code):
    _, err = child.communicate(timeout=60)
    assert child.returncode == code, (child.returncode, err)
    left = sorted(file.name for file in folder.iterdir())
    assert left == ['in', 'k.cu', 'out'] and (folder / 'out').read_bytes() == b'before', left
    return err.decode()


def start_each(folder, kinds):
    """One for each kind, side by side, since each takes its time to end; with a thread each, since other tests run too."""
    if not on_cpu():
        raise Skip('a kernel on a GPU is not the CPU driver')
    folders = [folder / str(number) for number in range(len(kinds))]
    for own in folders:
        own.mkdir()
    return [(own, start_slow(own, kind, workers=1)) for own, kind in zip(folders, kinds)]


def test_told_to_end_in_a_grid(folder):
    rows = (signal.SIGTERM, 'file'), (signal.SIGTERM, 'npy'), (signal.SIGHUP, 'image')
    children = start_each(folder, [kind for _, kind in rows])
    began = time.monotonic()
    for (how, _), (_, child) in zip(rows, children):
        child.send_signal(how)
    for row, (own, child) in zip(rows, children):
        err = check(own, child, 130)
        took = time.monotonic() - began
        assert 'interrupted' in err and took < GRACE_S + 5, (row, took, err)


def test_second_interruption(folder):
    """The first one waits for the grid, as long as that takes."""
    if not on_cpu():
        raise Skip('a kernel on a GPU is not the CPU driver')
    child = start_slow(folder)
    child.send_signal(signal.SIGINT)
    time.sleep(GRACE_S + 1)
    assert child.poll() is None, child.communicate()
    began = time.monotonic()
    child.send_signal(signal.SIGINT)
    check(folder, child, 130)
    assert time.monotonic() - began < 5


def test_two_at_once_are_one(folder):
    """timeout (1) sends its signal to its child and then to the group that the child is in."""
    signals = signal.SIGTERM, signal.SIGINT
    children = start_each(folder, ['file'] * len(signals))
    for how, (_, child) in zip(signals, children):
        child.send_signal(how)
        time.sleep(0.01)
        child.send_signal(how)
    time.sleep(GRACE_S / 2)
    for how, (own, child) in zip(signals, children):
        assert child.poll() is None, (how, child.communicate())
        child.send_signal(how)
        err = check(own, child, 130)
        assert err.count('interrupted') == 1, (how, err)


def test_many_are_more_than_one(folder):
    """A key that is held down, or a program that asks again and again."""
    if not on_cpu():
        raise Skip('a kernel on a GPU is not the CPU driver')
    child = start_slow(folder)
    end = time.monotonic() + 10
    while child.poll() is None and time.monotonic() < end:
        child.send_signal(signal.SIGINT)
        time.sleep(0.05)
    assert time.monotonic() < end
    check(folder, child, 130)


def test_killed(folder):
    if not on_cpu():
        raise Skip('a kernel on a GPU is not the CPU driver')
    child = start_slow(folder)
    child.kill()
    check(folder, child, -signal.SIGKILL)


def test_kernel_crashes(folder):
    if not on_cpu():
        raise Skip('a wrong pointer on a GPU does not end the process')
    child = start(folder, CRASH)
    _, err = child.communicate(timeout=60)
    assert child.returncode != 0, err
    left = sorted(file.name for file in folder.iterdir())
    assert left == ['in', 'k.cu', 'out'] and (folder / 'out').read_bytes() == b'before', (left, err)


if __name__ == '__main__':
    graph_case.main(globals())
