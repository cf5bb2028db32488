#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""graphs/bytes.leat against NumPy's own counts."""

import graph_case
from graph_case import Skip, expect_same, on_cpu, run_graph, GRAPHS

np = graph_case.import_numpy()


def check(folder, data, environment=None):
    data.tofile(folder / 'in.bin')
    run_graph('bytes.leat', environment, input=folder / 'in.bin', output=folder / 'bytes.npy',
              counts=folder / 'counts.npy')
    values, counts = np.unique(data, return_counts=True)
    expect_same(list(np.load(folder / 'bytes.npy')), list(values), 'bytes')
    expect_same(list(np.load(folder / 'counts.npy')), list(counts), 'counts')


def test_a_picture(folder):
    check(folder, np.fromfile(GRAPHS / 'photo.jpg', np.uint8))


def test_few_values(folder):
    for n in (1, 4096, 4097, 100003):
        check(folder, np.random.default_rng(n).choice(np.array([7, 9, 255], np.uint8), n))


def test_without_plain_variants(folder):
    if not on_cpu():
        raise Skip('the CPU driver alone has plain C variants')
    check(folder, np.fromfile(GRAPHS / 'photo.jpg', np.uint8), {'LEAT_CPU_VARIANTS': '0'})


if __name__ == '__main__':
    graph_case.main(globals())
