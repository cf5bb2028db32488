# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the cases in a log of `meson test`, and says which programs took longest and which suites were left out."""

import argparse
import json
import sys

import tap

SLOWEST = 10
# The suites that the setups of tests/meson.build leave out: how many programs, the verb of ./dev.
SUITES = {'as-gpu': 'left out: {} programs as on a GPU; ./dev {} --all runs them',
          'dear': 'left out: {} dear programs; ./dev {} --all runs them',
          'fuzz': 'left out: {} fuzzers; ./dev fuzz runs them',
          'tree': 'left out: {} programs without C of ours; ./dev test runs them',
          'slow': 'left out: {} slow programs; ./dev {} --suite slow runs them'}


def read_log(path):
    """The programs that ran, as Meson tells of each; none without a log."""
    try:
        with open(path, encoding='utf-8', errors='replace') as log:
            return [json.loads(line) for line in log]
    except FileNotFoundError:
        print('no test ran')
        return []


def cases_of(test):
    return tap.cases_of_program(test.get('stdout', ''), test['result'], test.get('stderr', ''),
                                lambda: tap.list_names(test['command'], test.get('env', {})))


def tell_slowest(ran):
    """Nothing where so few ran that Meson's own list shows them all."""
    if len(ran) <= SLOWEST:
        return []
    slowest = sorted(ran, key=lambda test: test['duration'], reverse=True)[:SLOWEST]
    total = sum(test['duration'] for test in ran)
    return [f'slowest, of {total:.0f} s that all programs took one by one:',
            *(f'{test["duration"]:8.1f} s  {test["name"].rsplit(" / ", 1)[-1]}' for test in slowest), '']


def tell_left_out(ran, path, verb):
    """A line for each suite with programs of which none ran; PATH is Meson's list of all. A program counts for one."""
    with open(path, encoding='utf-8') as file:
        known = {test['name']: {each.split(':')[-1] for each in test['suite']} for test in json.load(file)}
    names = {test['name'].rsplit(' / ', 1)[-1] for test in ran}
    lines = []
    for suite, words in SUITES.items():
        programs = [name for name, suites in known.items() if suite in suites]
        if programs and names.isdisjoint(programs):
            lines.append(words.format(len(programs), verb))
            known = {name: suites for name, suites in known.items() if suite not in suites}
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('log', help='testlog.json')
    parser.add_argument('--known', metavar='FILE', help='intro-tests.json, where nobody named the tests to run')
    parser.add_argument('--verb', default='test', help='the verb of ./dev that runs this suite')
    parser.add_argument('left', nargs='*', help='a thing that the suite left behind')
    given = parser.parse_intermixed_args()
    ran = read_log(given.log)
    programs = {test['name']: cases_of(test) for test in ran}
    if programs and given.left:
        programs['(left behind)'] = [tap.Case('failed', name, '') for name in given.left]
    notes = tell_slowest(ran)
    if ran and given.known:
        notes += tell_left_out(ran, given.known, given.verb)
    return 0 if tap.report(programs, notes) else 1


if __name__ == '__main__':
    sys.exit(main())
