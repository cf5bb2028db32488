#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""graphs/stats.leat against NumPy: its own functions, and the same additions in the same order."""

import re

import graph_case
from graph_case import Skip, expect_same, launch, on_cpu, run_graph, GRAPHS

np = graph_case.import_numpy()
BLOCKS, THREADS = 64, 256
SIZES = (1, 2, 63, 255, 256, 257, 1000, 16383, 16384, 16385, 100003)


def samples(n, seed=1):
    return np.random.default_rng(seed).normal(3, 20, n).astype(np.float32)


def run_stats(folder, data, environment=None, **variables):
    np.save(folder / 'in.npy', data)
    run_graph('stats.leat', environment, input=folder / 'in.npy', output=folder / 'out.npy', **variables)
    found = np.load(folder / 'out.npy')
    assert found.dtype == np.float64 and found.shape == (4,), (found.dtype, found.shape)
    return found


def halve(values, add):
    """The tree of one block, along the last axis."""
    while values.shape[-1] > 1:
        half = values.shape[-1] // 2
        values = add(values[..., :half], values[..., half:])
    return values[..., 0]


def add_in_order(values):
    """The sum by threads, then blocks; an item more that is zero changes nothing."""
    every = BLOCKS * THREADS
    padded = np.zeros(-(-len(values) // every) * every)
    padded[:len(values)] = values
    threads = np.zeros(every)
    for part in padded.reshape(-1, every):
        threads = threads + part
    return halve(halve(threads.reshape(BLOCKS, THREADS), np.add), np.add)


def stats_in_order(x):
    values = x.astype(np.float64)
    mean = add_in_order(values) / len(x)
    return np.array([mean, add_in_order(values * values) / len(x) - mean * mean, values.min(), values.max()])


def check(folder, data, scale=1, offset=0, **more):
    found = run_stats(folder, data, scale=scale, offset=offset, **more)
    x = np.float32(scale) * data + np.float32(offset)
    assert x.dtype == np.float32
    expect_same(list(found), list(stats_in_order(x)), f'{len(data)} items, scale={scale}, offset={offset}')
    wide = x.astype(np.float64)
    assert np.isclose(found[0], wide.mean(), rtol=1e-12, atol=1e-12), (found[0], wide.mean())
    assert np.isclose(found[1], wide.var(), rtol=1e-9, atol=1e-9), (found[1], wide.var())


def test_what_comes_with_it(folder):
    data = np.load(GRAPHS / 'samples.npy')
    assert data.shape == (4096,) and data.dtype == np.float32
    run_graph('stats.leat', output=folder / 'out.npy')
    expect_same(list(np.load(folder / 'out.npy')), list(stats_in_order(data)), 'statistics')


def test_sizes(folder):
    for n in SIZES:
        check(folder, samples(n))


def test_scale_and_offset(folder):
    for scale, offset in ((2, -1), (0.1, 0.7), (-3.5, 100), (0, 5)):
        check(folder, samples(5000, seed=2), scale, offset)


def test_one_item(folder):
    found = run_stats(folder, np.array([-7.25], np.float32))
    assert list(found) == [-7.25, 0, -7.25, -7.25], found


def test_equal_items(folder):
    found = run_stats(folder, np.full(70000, 0.5, np.float32))
    assert list(found) == [0.5, 0, 0.5, 0.5], found


def test_extremes_anywhere(folder):
    for where in (0, 1, 255, 256, 16383, 16384, 29999):
        data = samples(30000, seed=3)
        data[where], data[-1 - where] = 1e30, -1e30
        found = run_stats(folder, data)
        assert found[2] == -np.float64(np.float32(1e30)) and found[3] == np.float32(1e30), (where, found)


def test_other_byte_order(folder):
    data = samples(777, seed=4)
    found = run_stats(folder, data.astype('>f4'))
    expect_same(list(found), list(stats_in_order(data)), 'statistics')


def test_many_items(folder):
    check(folder, samples(3_000_001, seed=5))


def test_without_plain_variants(folder):
    if not on_cpu():
        raise Skip('the CPU driver alone has plain C variants')
    data = samples(40001, seed=6)
    found = run_stats(folder, data, {'LEAT_CPU_VARIANTS': '0'})
    expect_same(list(found), list(stats_in_order(data)), 'statistics')


def test_by_the_eager_executor(folder):
    data = samples(2049, seed=7)
    np.save(folder / 'in.npy', data)
    code, _, err = launch('--executor=eager', GRAPHS / 'stats.leat', f'input={folder}/in.npy',
                          f'output={folder}/out.npy')
    assert code == 0, err
    expect_same(list(np.load(folder / 'out.npy')), list(stats_in_order(data)), 'statistics')


def test_drawing_has_both_branches(folder):
    np.save(folder / 'in.npy', samples(1000))
    code, dot, err = launch('--dot', GRAPHS / 'stats.leat', f'input={folder}/in.npy')
    assert code == 0, err
    dot = dot.decode()
    boxes = dict(re.findall(r'(op\d+) \[label="(\w+)\\n', dot))
    arrows = {(boxes[a], boxes[b], spec) for a, b, spec in re.findall(r'(op\d+) -> (op\d+) \[label="(.*)"\]', dot)}
    assert {('scaled', 'parts', 'f32[1000]'), ('scaled', 'final', 'f32[1000]'), ('parts', 'final', 'f64[64,4]'),
            ('final', 'readback0', 'f64[4]')} <= arrows, arrows
    assert len(arrows) == 7, arrows


def refuse(folder, data, *says):
    np.save(folder / 'in.npy', data)
    code, _, err = launch(GRAPHS / 'stats.leat', f'input={folder}/in.npy', f'output={folder}/out.npy')
    assert code != 0 and all(word in err for word in says), (code, err)
    assert [path.name for path in folder.iterdir()] == ['in.npy']


def test_refuses_empty_array(folder):
    refuse(folder, np.zeros(0, np.float32), 'in.npy', 'empty')


def test_refuses_other_type(folder):
    refuse(folder, np.zeros(3), 'f64', 'f32')


def test_refuses_two_dimensions(folder):
    refuse(folder, np.zeros((3, 2), np.float32), 'f32[3,2]', 'f32[n]')


if __name__ == '__main__':
    graph_case.main(globals())
