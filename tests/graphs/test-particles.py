#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""graphs/particles.leat against NumPy: the same steps on a structured array, field by field."""

import graph_case
from graph_case import expect_same, launch, run_graph, GRAPHS

np = graph_case.import_numpy()
FIELDS = [('place', '<f4', (3,)), ('velocity', '<f4', (3,)), ('mass', '<f4'), ('bounces', 'u1')]
BALL = np.dtype(FIELDS, align=True)


def balls(n, seed=1):
    random = np.random.default_rng(seed)
    array = np.zeros(n, BALL)
    array['place'] = random.uniform(0, 2, (n, 3))
    array['velocity'] = random.uniform(-1, 1, (n, 3))
    array['mass'] = random.uniform(0.1, 1, n)
    return array


def fall(array, steps, dt=0.01, gravity=9.81, keeps=0.8):
    array, dt, gravity, keeps = array.copy(), np.float32(dt), np.float32(gravity), np.float32(keeps)
    place, velocity = array['place'], array['velocity']
    for _ in range(steps):
        velocity[:, 1] -= gravity * dt
        place += velocity * dt
        low = place[:, 1] < 0
        place[low, 1] = 0
        velocity[low, 1] = -keeps * velocity[low, 1]
        array['bounces'][low] += 1
    return array


def energy(array, gravity=9.81):
    x, y, z = (array['velocity'][:, axis] for axis in range(3))
    return array['mass'] * (np.float32(gravity) * array['place'][:, 1] + np.float32(0.5) * (x * x + y * y + z * z))


def check(folder, array, steps, **variables):
    np.save(folder / 'in.npy', array)
    run_graph('particles.leat', input=folder / 'in.npy', output=folder / 'out.npy', energy=folder / 'energy.npy',
              steps=steps, **variables)
    found, wanted = np.load(folder / 'out.npy'), fall(array, steps, **variables)
    assert found.dtype == BALL and found.dtype.itemsize == 32 and found.shape == array.shape, found.dtype
    for name in BALL.names:
        expect_same(found[name].tolist(), wanted[name].tolist(), name)
    expect_same(np.load(folder / 'energy.npy').tolist(), energy(wanted).tolist(), 'energy')


def test_what_comes_with_it(folder):
    array = np.load(GRAPHS / 'particles.npy')
    assert array.dtype == BALL and array.shape == (64,)
    check(folder, array, 100)


def test_numbers_of_balls_and_steps(folder):
    for n, steps in ((1, 0), (1, 1000), (257, 7), (10000, 50)):
        check(folder, balls(n, seed=n), steps)


def test_other_worlds(folder):
    check(folder, balls(100), 60, dt=0.25, gravity=1)


def test_packed_fields_are_refused_with_the_way_out(folder):
    np.save(folder / 'in.npy', balls(3).astype(np.dtype(FIELDS)))
    code, _, err = launch(GRAPHS / 'particles.leat', f'input={folder}/in.npy', f'output={folder}/out.npy')
    assert code != 0 and 'an item has 29 and 32 bytes' in err and 'align=True' in err, err


def test_other_fields_are_refused(folder):
    other = np.dtype([('place', '<f4', (3,)), ('speed', '<f4', (3,)), ('mass', '<f4'), ('bounces', 'u1')], align=True)
    np.save(folder / 'in.npy', np.zeros(3, other))
    code, _, err = launch(GRAPHS / 'particles.leat', f'input={folder}/in.npy', f'output={folder}/out.npy')
    assert code != 0 and 'field 2 is speed:f32[3]@12 and velocity:f32[3]@12' in err, err


if __name__ == '__main__':
    graph_case.main(globals())
