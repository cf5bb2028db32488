#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""graphs/resize.leat against the formulas of CUDA's programming guide in plain Python; on a GPU a pixel may be off by
one, because its filter may be wrong in the last bits."""

import math
import random

import graph_case
from graph_case import on_cpu, png_read, png_write, run_graph


def pixels(width, height, seed):
    numbers = random.Random(seed)
    return bytes(numbers.randrange(256) for _ in range(width * height * 4))


def taps(place, n, filtered):
    """The pixels along an axis and their weights in 256 parts."""
    if not filtered:
        return [(min(max(math.floor(place), 0), n - 1), 256)]
    place -= 0.5
    first = math.floor(place)
    share = math.floor((place - first) * 256 + 0.5)
    return [(min(max(first + k, 0), n - 1), part) for k, part in ((0, 256 - share), (1, share))]


def resize(data, size, new, filtered):
    (width, height), (new_width, new_height) = size, new
    out = bytearray()
    for y in range(new_height):
        rows = taps((y + 0.5) / new_height * height, height, filtered)
        for x in range(new_width):
            columns = taps((x + 0.5) / new_width * width, width, filtered)
            for channel in range(4):
                total = sum(data[(j * width + i) * 4 + channel] * a * b for j, a in rows for i, b in columns)
                out.append(int(total / 65536 + 0.5))
    return bytes(out)


def check(folder, size, new, filtered):
    data = pixels(*size, seed=size[0] * new[1])
    png_write(folder / 'in.png', data, *size, 4)
    run_graph('resize.leat', input=folder / 'in.png', output=folder / 'out.png', width=new[0], height=new[1],
              filter='linear' if filtered else 'point')
    found, width, height, channels = png_read(folder / 'out.png')
    assert (width, height, channels) == (*new, 4), (width, height, channels)
    wanted = resize(data, size, new, filtered)
    worst = max(abs(a - b) for a, b in zip(found, wanted))
    # Where the exact value is half way between two numbers, floats decide.
    assert worst <= 1, f'{size} to {new}: a number is {worst} off'
    if not filtered:
        assert found == wanted, f'{size} to {new}'
    differ = sum(a != b for a, b in zip(found, wanted))
    assert not on_cpu() or differ <= len(found) // 50, f'{size} to {new}: {differ} of {len(found)} numbers differ'


def test_larger(folder):
    for filtered in (False, True):
        check(folder, (7, 5), (33, 18), filtered)


def test_smaller(folder):
    for filtered in (False, True):
        check(folder, (40, 31), (13, 9), filtered)


def test_same_size(folder):
    check(folder, (17, 13), (17, 13), True)


def test_one_pixel(folder):
    check(folder, (1, 1), (5, 3), True)


if __name__ == '__main__':
    graph_case.main(globals())
