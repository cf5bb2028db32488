# SPDX-License-Identifier: LGPL-2.1-or-later
"""Test programs of a bundle under compute-sanitizer, one tool at a time; run_bundle.py runs them."""

import os
import re
import shutil

TOOLS = ('memcheck', 'racecheck', 'initcheck', 'synccheck')
PROGRAMS = ('plugins/primitives/repeat-select', 'plugins/primitives/repeat-order')
FOUND_SOMETHING = 86
SECONDS = 30  # times --time-factor
SUMMARY = re.compile(r'^=+ *\w+ SUMMARY: *(.*)$', re.MULTILINE)


def find():
    return shutil.which('compute-sanitizer', path=f"{os.environ.get('PATH', '')}:/usr/local/cuda/bin")


def tests_under(tools, tests, program):
    """Each test once with each tool, with few rows: threads that are watched take some hundred times as long."""
    return [{**test, 'name': f'{test["name"]} under {tool}', 'timeout': SECONDS, 'is_parallel': False,
             'env': {**test['env'], 'LEAT_TEST_REPEAT': 'watched'},
             'cmd': [program, '--tool', tool, '--error-exitcode', str(FOUND_SOMETHING), *test['cmd']]}
            for tool in tools for test in tests]


def verdict(stdout, end):
    """What the tool says last is the sum of all that it found."""
    said = SUMMARY.findall(stdout)
    if end == 'TIMEOUT':
        return 'did not come to its end in time'
    if end == f'exit status {FOUND_SOMETHING}':
        return f'found something: {said[-1] if said else "see the record"}'
    if end != 'OK':
        return end
    return f'clean: {said[-1]}' if said else 'said nothing of what it found'


def report(outputs):
    """A line for each run. Returns whether all were clean."""
    verdicts = {name: verdict(output[0], output[2]) for name, output in outputs.items()}
    for name, words in verdicts.items():
        print(f'  {name}: {words}')
    clean = sum(1 for words in verdicts.values() if words.startswith('clean'))
    print(f'compute-sanitizer: {clean} of {len(verdicts)} runs clean')
    return clean == len(verdicts) > 0
