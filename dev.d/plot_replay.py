#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws what bench-replay printed (standard input) as SVG (standard output): time of one replay against its bytes."""

import math
import re
import sys

LINE = re.compile(r'^ *(\d+) B +(\w+) +ratio +[\d.]+ +leat +([\d.]+) us \[([\d.]+), ([\d.]+)\] +calls +([\d.]+) us', re.M)
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 400, 70, 50, 40, 190
COLOURS = {('leat', 'copy'): '#1b6ca8', ('calls', 'copy'): '#8fb8d8', ('leat', 'mapped'): '#b5482f', ('calls', 'mapped'): '#e3ab9d'}


def place(value, low, high, start, end):
    return start + (math.log(value) - math.log(low)) / (math.log(high) - math.log(low)) * (end - start)


def label_of_bytes(size):
    for unit, factor in (('MiB', 1 << 20), ('KiB', 1 << 10)):
        if size >= factor:
            return f'{size // factor} {unit}'
    return f'{size} B'


def main():
    text = sys.stdin.read()
    lines = {}
    for size, mode, leat, _low, _high, calls in LINE.findall(text):
        lines.setdefault(('leat', mode), []).append((int(size), float(leat)))
        lines.setdefault(('calls', mode), []).append((int(size), float(calls)))
    sizes = sorted({size for points in lines.values() for size, _ in points})
    times = [time for points in lines.values() for _, time in points]
    low, high = 10 ** math.floor(math.log10(min(times))), 10 ** math.ceil(math.log10(max(times)))

    def x(size):
        return place(size, sizes[0], sizes[-1], LEFT, WIDTH - RIGHT)

    def y(time):
        return place(time, low, high, HEIGHT - BOTTOM, TOP)

    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">')
    print(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    print(f'<text x="{LEFT}" y="20" font-size="14">{text.splitlines()[0].split(":")[0]}: one replay of a*x+b, bytes in and out</text>')
    for power in range(int(math.log10(low)), int(math.log10(high)) + 1):
        at = y(10 ** power)
        print(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#dddddd"/>')
        print(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{10 ** power:g} us</text>')
    for size in sizes:
        print(f'<text x="{x(size):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{label_of_bytes(size)}</text>')
    for row, (key, points) in enumerate(lines.items()):
        dash = '' if key[0] == 'leat' else ' stroke-dasharray="6 4"'
        path = ' '.join(f'{x(size):.1f},{y(time):.1f}' for size, time in points)
        print(f'<polyline points="{path}" fill="none" stroke="{COLOURS[key]}" stroke-width="2"{dash}/>')
        at = TOP + 20 * row
        print(f'<line x1="{WIDTH - RIGHT + 15}" x2="{WIDTH - RIGHT + 45}" y1="{at}" y2="{at}" stroke="{COLOURS[key]}" stroke-width="2"{dash}/>')
        name = 'session' if key[0] == 'leat' else 'driver calls'
        print(f'<text x="{WIDTH - RIGHT + 52}" y="{at + 4}">{name}, {key[1]}</text>')
    print('</svg>')


if __name__ == '__main__':
    main()
