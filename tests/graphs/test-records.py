#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""NumPy's structured arrays through .npy files: read, written, and taken apart by map, as NumPy does it itself."""

import graph_case
from graph_case import launch

np = graph_case.import_numpy()
INNER = np.dtype([('up', 'i1'), ('rate', '<f8')])
TYPES = {
    'plain': [('x', '<f4'), ('y', '<f4'), ('id', '<u4')],
    'mixed': [('a', 'u1'), ('b', '<f8'), ('c', '<i2'), ('d', '<c8'), ('e', '?'), ('f', '<f2'), ('g', '<i8')],
    'arrays': [('a', 'u1'), ('v', '<f4', (3,)), ('m', '<i2', (2, 3)), ('one', '<f8', (1,))],
    'nested': [('a', '?'), ('spin', INNER), ('more', INNER, (2, 2))],
    'deep': [('a', [('b', [('c', '<u2'), ('d', '<f4')], (2,)), ('e', 'u1')])],
    'titled': [(('a title', 'a'), '<f4'), ('b', 'u1')],
}


def dtypes():
    for name, fields in TYPES.items():
        yield name, np.dtype(fields)
        yield name + ', aligned', np.dtype(fields, align=True)
    yield 'placed', np.dtype({'names': ['a', 'b'], 'formats': ['u1', '<f4'], 'offsets': [3, 9], 'itemsize': 20})


def filled(dtype, shape, seed=1):
    """Bytes of small numbers, so that no float is NaN and a bool is 0 or 1."""
    random = np.random.default_rng(seed)
    return np.frombuffer(random.integers(0, 2, np.prod(shape, dtype=int) * dtype.itemsize, np.uint8).tobytes(),
                         dtype).reshape(shape)


def run(*words):
    code, out, err = launch('-q', *words)
    assert code == 0, err
    return out


def same(found, wanted):
    """By fields, since what lies between them is nobody's."""
    assert found.shape == wanted.shape and found.dtype.itemsize == wanted.dtype.itemsize, (found.dtype, wanted.dtype)
    if wanted.dtype.names is None:
        return found.dtype == wanted.dtype and found.tobytes() == wanted.tobytes()
    assert found.dtype.names == wanted.dtype.names
    return all(found.dtype.fields[name][1] == wanted.dtype.fields[name][1] and same(found[name], wanted[name])
               for name in wanted.dtype.names)


def test_files_come_back_as_they_were(folder):
    for name, dtype in dtypes():
        for shape in ((7,), (2, 3), ()):
            array = filled(dtype, shape)
            np.save(folder / 'in.npy', array)
            run('io:npy', f'path={folder}/in.npy', '+', 'io:npy', f'path={folder}/out.npy')
            assert same(np.load(folder / 'out.npy'), array), (name, shape)


def test_rows_are_joined(folder):
    for name, dtype in dtypes():
        array = filled(dtype, (10, 2))
        np.save(folder / 'in.npy', array)
        run('io:npy', f'path={folder}/in.npy', 'rows=3', '+', 'upload', '+', 'readback', '+', 'io:npy',
            f'path={folder}/out.npy')
        assert same(np.load(folder / 'out.npy'), array), name


def test_many_fields(folder):
    dtype = np.dtype([(f'field_{i}', '<f4') for i in range(256)])
    array = filled(dtype, (3,))
    np.save(folder / 'in.npy', array)
    run('io:npy', f'path={folder}/in.npy', '+', 'io:npy', f'path={folder}/out.npy')
    assert same(np.load(folder / 'out.npy'), array)


def test_map_takes_fields(folder):
    cases = (('mixed', 'x.b+x.c', lambda a: a['b'] + a['c']), ('arrays', 'x.m.1.2*2', lambda a: a['m'][..., 1, 2] * 2),
             ('nested', 'x.more.1.0.rate+x.spin.up', lambda a: a['more'][..., 1, 0]['rate'] + a['spin']['up']),
             ('deep', 'x.a.b.1.c', lambda a: a['a']['b'][..., 1]['c']), ('mixed', 'real(x.d)', lambda a: a['d'].real))
    for name, expr, wanted in cases:
        for align in (False, True):
            array = np.zeros(100, np.dtype(TYPES[name], align=align))
            random = np.random.default_rng(2)
            for path in ((('b',), ('c',), ('d',)) if name == 'mixed' else (('m',),) if name == 'arrays'
                         else (('more', 'rate'), ('spin', 'up')) if name == 'nested' else (('a', 'b', 'c'),)):
                part = array
                for step in path:
                    part = part[step]
                part[...] = random.integers(0, 100, part.shape)
            np.save(folder / 'in.npy', array)
            run('io:npy', f'path={folder}/in.npy', '+', 'upload', '+', 'map', f'expr={expr}', 'type=f64', '+', 'readback',
                '+', 'io:npy', f'path={folder}/out.npy')
            found = np.load(folder / 'out.npy')
            assert found.tolist() == wanted(array).astype('f8').tolist(), (name, expr, align)


def test_refused_with_the_field(folder):
    for fields, says in (([('x', '<f4'), ('y', '>f4')], 'field "y" is ">f4", which has its bytes in the other order'),
                         ([('x', 'O')], 'field "x" is "|O": objects of Python'),
                         ([('x', 'S5')], 'field "x" is of type "|S5"'),
                         ([('x', 'U5')], 'field "x" is of type "<U5"'),
                         ([('x', 'M8[s]')], 'field "x" is of type "<M8[s]"'),
                         ([('x', [('y', '>i2')])], 'field "y" is ">i2"'),
                         ([('x y', '<f4')], 'it has a field "x y"')):
        np.save(folder / 'in.npy', np.zeros(2, np.dtype(fields)), allow_pickle=True)
        code, _, err = launch('-q', 'io:npy', f'path={folder}/in.npy', '+', 'discard')
        assert code != 0 and says in err, err


def test_what_the_messages_say_works(folder):
    array = np.zeros(3, np.dtype([('x', '>f4'), ('y', 'O')]))
    array['x'] = [1, 2, 3]
    good = array[['x']]
    good = good.astype([('x', '<f4')])
    good = good.astype(good.dtype.newbyteorder('='))
    np.save(folder / 'in.npy', good)
    assert run('io:npy', f'path={folder}/in.npy', '+', 'upload', '+', 'map', 'expr=x.x', '+', 'readback', '+', 'io:file',
               'path=-') == np.array([1, 2, 3], '<f4').tobytes()


if __name__ == '__main__':
    graph_case.main(globals())
