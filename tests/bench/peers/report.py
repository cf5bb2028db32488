#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tells what run.py found (its peers.json): as Markdown on standard output, and with --svg FILE as a picture.

    report.py peers.json --into docs/records/measurements.md --svg docs/pictures/peers.svg

--into puts the table between the lines "<!-- peers -->" and "<!-- /peers -->" of a page that has them."""

import argparse
import json
import math
import re
import sys
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, ROW, LEFT, RIGHT, TOP = 860, 18, 400, 60, 60
COLOURS = {'driver': '#8fb8d8', 'torch': '#b5482f', 'cupy': '#6a9a4a'}
LEAST, MOST = 0.05, 20.0
MARKS = re.compile(r'(<!-- peers -->\n).*?(<!-- /peers -->\n)', re.S)


def number(value):
    """Four digits that count, with the unit that suits: microseconds come in."""
    unit, factor = next((unit, factor) for unit, factor in (('s', 1e6), ('ms', 1e3), ('us', 1)) if
                        abs(value) >= factor or factor == 1)
    return f'{value / factor:.4g} {unit}'


def label(row):
    return row['case'] if row['figure'] == 'replay' else f'{row["case"]}, {row["figure"]}'


def goal(value, limit):
    if limit is None:
        return ''
    return f'at most {limit:g}: ' + ('reached' if value <= limit else '**missed**')


def ratio_of(row):
    ratio = row['ratio']
    return f'{ratio["median"]:.3f} [{ratio["least"]:.3f}, {ratio["most"]:.3f}]'


def table_of_ratios(rows, ours, theirs):
    yield f'| case | against | {ours} | {theirs} | ratio | goal |'
    yield '|---|---|---|---|---|---|'
    for row in rows:
        yield (f'| {label(row)} | {row["with"]} | {number(row["leat"]["median"])} | {number(row["peer"]["median"])} | '
               f'{ratio_of(row)} | {goal(row["ratio"]["median"], row["limit"])} |')


def write_table(found):
    lines = list(table_of_ratios(found['ratios'], 'Leat', 'the other'))
    if found['absolute']:
        lines += ['', '| case | figure | Leat | goal |', '|---|---|---|---|']
    for row in found['absolute']:
        leat, limit = row['leat'], row['limit']
        wanted = f'at most {number(limit)}: ' + ('reached' if leat['median'] <= limit else '**missed**')
        lines.append(f'| {row["case"]} | {row["figure"]} | {number(leat["median"])} [{number(leat["least"])}, '
                     f'{number(leat["most"])}] | {wanted} |')
    if found.get('floors'):
        lines += ['', *table_of_ratios(found['floors'], 'driver', 'the other')]
    return '\n'.join(lines) + '\n'


def write_text(found):
    """The same for a terminal."""
    lines = []
    for line in write_table(found).splitlines():
        cells = [cell.strip().replace('**', '') for cell in line.strip('|').split('|')]
        if not line.startswith('|---'):
            lines.append(''.join(cell.ljust(width) for cell, width in zip(cells, (34, 34, 14, 14, 26, 0))).rstrip())
    return '\n'.join(lines)


def x(ratio):
    share = math.log(min(max(ratio, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def draw_row(row, at):
    ratio = row['ratio']
    low, high = sorted((x(1), x(ratio['median'])))
    colour = COLOURS.get(row['with'].split(',')[0], '#888888')
    yield f'<text x="{LEFT - 8}" y="{at + 12}" text-anchor="end">{escape(label(row))} / {escape(row["with"])}</text>'
    yield f'<rect x="{low:.1f}" y="{at + 2}" width="{max(high - low, 1):.1f}" height="{ROW - 5}" fill="{colour}"/>'
    for end in (ratio['least'], ratio['most']):
        yield f'<line x1="{x(end):.1f}" x2="{x(end):.1f}" y1="{at + 4}" y2="{at + ROW - 5}" stroke="black"/>'
    yield (f'<line x1="{x(ratio["least"]):.1f}" x2="{x(ratio["most"]):.1f}" y1="{at + ROW / 2 - 0.5}" '
           f'y2="{at + ROW / 2 - 0.5}" stroke="black"/>')
    if row['limit'] is not None:
        yield f'<line x1="{x(row["limit"]):.1f}" x2="{x(row["limit"]):.1f}" y1="{at}" y2="{at + ROW - 1}" stroke="red"/>'
    yield f'<text x="{WIDTH - RIGHT + 8}" y="{at + 12}">{ratio["median"]:.2f}</text>'


def draw(found):
    """Bars from 1 to the median of the rounds, whiskers from the least to the most."""
    rows = found['ratios']
    height = TOP + ROW * len(rows) + 20
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" '
             'font-size="12">',
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
             '<text x="10" y="20" font-size="14">Leat\'s time over the peer\'s: left of the line Leat is faster; '
             'whiskers: all rounds; red: goal</text>']
    for ratio in (0.1, 0.5, 1, 2, 10):
        colour = '#444444' if ratio == 1 else '#dddddd'
        lines.append(f'<line x1="{x(ratio):.1f}" x2="{x(ratio):.1f}" y1="{TOP - 8}" y2="{height - 15}" stroke="{colour}"/>')
        lines.append(f'<text x="{x(ratio):.1f}" y="{TOP - 12}" text-anchor="middle">{ratio:g}</text>')
    for index, row in enumerate(rows):
        lines += draw_row(row, TOP + ROW * index)
    return '\n'.join(lines + ['</svg>', ''])


def put_into(page, table):
    text = page.read_text()
    if not MARKS.search(text):
        sys.exit(f'report.py: {page} has no lines "<!-- peers -->" and "<!-- /peers -->"')
    page.write_text(MARKS.sub(lambda match: match.group(1) + table + match.group(2), text))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('found', type=Path, metavar='peers.json')
    parser.add_argument('--into', type=Path, metavar='PAGE.md', help='put the table there')
    parser.add_argument('--svg', type=Path, metavar='FILE', help='draw the ratios there')
    given = parser.parse_args()
    found = json.loads(given.found.read_text())
    if given.into:
        put_into(given.into, write_table(found))
    else:
        print(write_table(found), end='')
    if given.svg:
        given.svg.write_text(draw(found))


if __name__ == '__main__':
    main()
