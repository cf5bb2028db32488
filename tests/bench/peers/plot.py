#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws what run.py wrote (standard input) as SVG (standard output): Leat's time over its peers', a bar a case."""

import json
import math
import sys
from xml.sax.saxutils import escape

WIDTH, ROW, LEFT, RIGHT, TOP = 760, 18, 330, 60, 50
COLOURS = {'driver': '#8fb8d8', 'torch': '#b5482f', 'cupy': '#6a9a4a'}
LEAST, MOST = 0.05, 20.0


def x(ratio):
    share = math.log(min(max(ratio, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def main():
    rows = json.load(sys.stdin)['ratios']
    height = TOP + ROW * len(rows) + 20
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="12">')
    print(f'<rect width="{WIDTH}" height="{height}" fill="white"/>')
    print('<text x="10" y="20" font-size="14">Leat\'s time over the peer\'s (left of the line is faster)</text>')
    for ratio in (0.1, 0.5, 1, 2, 10):
        colour = '#444444' if ratio == 1 else '#dddddd'
        print(f'<line x1="{x(ratio):.1f}" x2="{x(ratio):.1f}" y1="{TOP - 8}" y2="{height - 15}" stroke="{colour}"/>')
        print(f'<text x="{x(ratio):.1f}" y="{TOP - 12}" text-anchor="middle">{ratio:g}</text>')
    for number, row in enumerate(rows):
        at, ratio = TOP + ROW * number, row['ratio']
        low, high = sorted((x(1), x(ratio['median'])))
        colour = COLOURS.get(row['with'].split(',')[0], '#888888')
        print(f'<text x="{LEFT - 8}" y="{at + 12}" text-anchor="end">{escape(row["case"])} / {escape(row["with"])}</text>')
        print(f'<rect x="{low:.1f}" y="{at + 2}" width="{max(high - low, 1):.1f}" height="{ROW - 5}" fill="{colour}"/>')
        print(f'<line x1="{x(ratio["least"]):.1f}" x2="{x(ratio["most"]):.1f}" y1="{at + 8}" y2="{at + 8}" stroke="black"/>')
        print(f'<text x="{WIDTH - RIGHT + 8}" y="{at + 12}">{ratio["median"]:.2f}</text>')
    print('</svg>')


if __name__ == '__main__':
    main()
