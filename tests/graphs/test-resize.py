#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""graphs/resize.leat against the rules of a GPU's linear filter in plain Python: the same bytes on every device."""

import random
import struct

import graph_case
from graph_case import png_read, png_write, run_graph


def pixels(width, height, seed):
    numbers = random.Random(seed)
    return bytes(numbers.randrange(256) for _ in range(width * height * 4))


def single(number):
    """The float of 32 bits next to it."""
    return struct.unpack('f', struct.pack('f', number))[0]


def taps(i, new, n, filtered):
    """The two pixels along an axis and the part of the second in 256, of a coordinate that is cut to 21 bits."""
    cut = int(single((i + 0.5) / new) * 2**21)
    if not filtered:
        return (cut * n >> 21, 0, 0)
    steps = (cut * n * 256 + 2**20 >> 21) - 128
    first, second = (min(max((steps >> 8) + k, 0), n - 1) for k in (0, 1))
    return first, second, steps & 255 if first != second else 0


def weigh(part_x, part_y):
    """Of the pixels to the right and to the left, each above and below."""
    right = part_x * part_y + 128 >> 8
    left = (256 - part_x) * part_y + 127 >> 8
    return part_x - right, right, 256 - part_x - left, left


def resize(data, size, new, filtered):
    (width, height), (new_width, new_height) = size, new
    out = bytearray()
    for y in range(new_height):
        above, below, part_y = taps(y, new_height, height, filtered)
        for x in range(new_width):
            left, right, part_x = taps(x, new_width, width, filtered)
            corners = [(above, right), (below, right), (above, left), (below, left)]
            for channel in range(4):
                total = sum(data[(j * width + i) * 4 + channel] * weight
                            for (j, i), weight in zip(corners, weigh(part_x, part_y)))
                number = single((total * 257 + 128 >> 8) / 65535)
                out.append(int(single(single(number * 255) + 0.5)))
    return bytes(out)


def check(folder, size, new, filtered):
    data = pixels(*size, seed=size[0] * new[1])
    png_write(folder / 'in.png', data, *size, 4)
    run_graph('resize.leat', input=folder / 'in.png', output=folder / 'out.png', width=new[0], height=new[1],
              filter='linear' if filtered else 'point')
    found, width, height, channels = png_read(folder / 'out.png')
    assert (width, height, channels) == (*new, 4), (width, height, channels)
    wanted = resize(data, size, new, filtered)
    differ = sum(a != b for a, b in zip(found, wanted))
    assert found == wanted, f'{size} to {new}: {differ} of {len(found)} numbers differ'


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
