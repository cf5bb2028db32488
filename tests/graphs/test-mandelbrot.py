#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""graphs/mandelbrot.leat against the same areas one after the other, from the steps of all points by NumPy."""

import functools
import json

import graph_case
from graph_case import GRAPHS, launch

np = graph_case.import_numpy()

HEIGHT, WIDTH = 203, 250


def count_steps(left, top, step, most):
    """Of every point, in the order of operations of the kernel."""
    re = np.tile(left + np.arange(WIDTH) * step, HEIGHT)
    im = np.repeat(top + np.arange(HEIGHT) * step, WIDTH)
    x, y, at = np.zeros_like(re), np.zeros_like(re), np.arange(re.size)
    steps = np.zeros(re.size, np.uint8)
    for _ in range(most):
        inside = x * x + y * y <= 4
        x, y, re, im, at = (of[inside] for of in (x, y, re, im, at))
        steps[at] += 1
        x, y = x * x - y * y + re, 2 * x * y + im
    return steps.reshape(HEIGHT, WIDTH)


def paint(steps, picture, x, y, w, h):
    border = np.concatenate([steps[y, x:x + w], steps[y + h - 1, x:x + w], steps[y:y + h, x], steps[y:y + h, x + w - 1]])
    if (border == border[0]).all():
        picture[y:y + h, x:x + w] = border[0]
    elif w <= 4 or h <= 4:
        picture[y:y + h, x:x + w] = steps[y:y + h, x:x + w]
    else:
        for right, lower in ((0, 0), (1, 0), (0, 1), (1, 1)):
            paint(steps, picture, x + right * (w // 2), y + lower * (h // 2), w - w // 2 if right else w // 2,
                  h - h // 2 if lower else h // 2)


@functools.cache
def expect(left, top, step, most):
    steps = count_steps(left, top, step, most)
    picture = np.zeros_like(steps)
    for y in range(0, HEIGHT, 64):
        for x in range(0, WIDTH, 64):
            paint(steps, picture, x, y, min(64, WIDTH - x), min(64, HEIGHT - y))
    return picture, steps


def run(folder, *options, **variables):
    """(exit status, the picture or None, standard error)"""
    path = folder / 'out.png'
    code, _, err = launch(*options, GRAPHS / 'mandelbrot.leat', f'output={path}',
                          f'width={WIDTH}', f'height={HEIGHT}', *(f'{name}={value}' for name, value in variables.items()))
    if code != 0:
        return code, None, err
    raw = folder / 'out.raw'
    assert launch('image:read', f'path={path}', 'channels=1', '+', 'io:file', f'path={raw}')[0] == 0
    return code, np.fromfile(raw, np.uint8).reshape(HEIGHT, WIDTH), err


VIEWS = [
    {'left': -2.25, 'top': -1.25, 'step': 0.0123, 'most': 60},
    {'left': -0.75, 'top': -0.12, 'step': 0.0001, 'most': 200},
    {'left': 3.0, 'top': 3.0, 'step': 0.001, 'most': 10},
]


def test_pictures_are_those_of_one_thread(folder):
    for view in VIEWS:
        picture, steps = expect(**view)
        code, got, err = run(folder, **view)
        assert code == 0, err
        assert (got == picture).all(), (view, int((got != picture).sum()))
        assert (got == steps).mean() > 0.9, (got == steps).mean()


def test_room_changes_nothing(folder):
    picture, _ = expect(**VIEWS[0])
    for queue in (1, 7, 100000):
        code, got, err = run(folder, queue=queue, **VIEWS[0])
        assert code == 0, err
        assert (got == picture).all(), queue


def test_areas_are_counted(folder):
    code, _, err = run(folder, '--stats=json', **VIEWS[0])
    assert code == 0, err
    queue, = json.loads(err[err.find('{'):err.rindex('}') + 1])['queues']
    assert queue['node'] == 'kernel0' and queue['queue'] == 'areas' and queue['capacity'] == 16384, queue
    assert queue['pushed'] == queue['claimed'] >= 4 * 4, queue
    assert queue['most'] <= queue['capacity'] and queue['overflows'] == 0 and queue['requeued'] == 0, queue


if __name__ == '__main__':
    graph_case.main(globals())
