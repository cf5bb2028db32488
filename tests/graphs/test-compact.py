#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""graphs/compact.leat against NumPy's own selection."""

import graph_case
from graph_case import Skip, expect_same, on_cpu, run_graph, GRAPHS

np = graph_case.import_numpy()
SIZES = (1, 31, 2047, 2048, 2049, 8193, 65537, 300007)


def check(folder, data, above, environment=None):
    np.save(folder / 'in.npy', data)
    run_graph('compact.leat', environment, input=folder / 'in.npy', output=folder / 'out.npy',
              numbers=folder / 'numbers.npy', above=above)
    kept, numbers = np.load(folder / 'out.npy'), np.load(folder / 'numbers.npy')
    assert kept.dtype == np.float32 and numbers.dtype == np.uint32, (kept.dtype, numbers.dtype)
    expect_same(list(kept), list(data[data > np.float32(above)]), f'{len(data)} items above {above}')
    expect_same(list(numbers), list(np.flatnonzero(data > np.float32(above))), 'numbers')


def test_what_comes_with_it(folder):
    check(folder, np.load(GRAPHS / 'samples.npy'), 4)


def test_sizes(folder):
    for n in SIZES:
        data = np.random.default_rng(n).normal(0, 1, n).astype(np.float32)
        for above in (-100, 0, 2.5, 100):
            check(folder, data, above)


def test_without_plain_variants(folder):
    if not on_cpu():
        raise Skip('the CPU driver alone has plain C variants')
    data = np.random.default_rng(5).normal(0, 1, 100003).astype(np.float32)
    check(folder, data, 0.5, {'LEAT_CPU_VARIANTS': '0'})


if __name__ == '__main__':
    graph_case.main(globals())
