#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""graphs/check.leat against NumPy: what it says of arrays, by counts and by the first that it names."""

import json
import re

import graph_case
from graph_case import GRAPHS, launch

np = graph_case.import_numpy()


def run_check(folder, data, *options, **variables):
    """(exit status, warnings and error, statistics)"""
    np.save(folder / 'in.npy', data)
    settings = [f'{name}={value}' for name, value in variables.items()]
    code, _, err = launch('--stats=json', *options, GRAPHS / 'check.leat', f'input={folder}/in.npy',
                          f'output={folder}/out.npy', *settings)
    lines = [line for line in err.splitlines() if ' at ' in line]
    start = err.find('{')
    return code, lines, json.loads(err[start:err.rindex('}') + 1]) if start >= 0 else None


def told(lines, text):
    """(index, value, how many) of what was said with that text, or None."""
    for line in lines:
        found = re.search(rf'kernel "kernel0": {text}: (\S+) at index (\d+)(?: \(and (\d+) more\))?$', line)
        if found:
            return int(found.group(2)), float(found.group(1)), 1 + int(found.group(3) or 0)
    return None


def test_good_arrays_go_on(folder):
    for n in (1, 255, 4096, 100003):
        data = np.random.default_rng(n).normal(0, 10, n).astype(np.float32)
        code, lines, stats = run_check(folder, data)
        assert code == 0 and not lines, lines
        assert (np.load(folder / 'out.npy') == data).all()
        assert stats['run']['reports'] == 0 and stats['run']['reports-by-code'] == [], stats['run']


def test_warnings_are_counted(folder):
    for seed, executor in enumerate(('graph', 'eager')):
        rng = np.random.default_rng(seed)
        data = rng.normal(0, 100, 50000).astype(np.float32)
        data[rng.integers(0, len(data), 20)] = np.inf
        data[rng.integers(0, len(data), 20)] = -np.inf
        code, lines, stats = run_check(folder, data, f'--executor={executor}', limit=150)
        assert code == 0
        assert (np.load(folder / 'out.npy') == data).all()
        endless = np.isinf(data)
        large = ~endless & (np.abs(data) > 150)
        for text, mask in (('infinite', endless), ('beyond the limit', large)):
            index, value, count = told(lines, text)
            assert mask[index] and np.float32(value) == data[index], (text, index, value, data[index])
            assert count == mask.sum(), (text, count, mask.sum())
        counts = {row['text']: row['count'] for row in stats['run']['reports-by-code']}
        assert counts == {'infinite': endless.sum(), 'beyond the limit': large.sum()}, counts


def test_nan_fails(folder):
    data = np.zeros(1000, dtype=np.float32)
    data[[7, 8, 9]] = np.nan
    data[500] = 1e9
    code, lines, _ = run_check(folder, data)
    assert code != 0
    assert told(lines, 'beyond the limit') == (500, 1e9, 1), lines
    assert told(lines, 'not a number')[2] == 3, lines
    assert not (folder / 'out.npy').exists()


if __name__ == '__main__':
    graph_case.main(globals())
