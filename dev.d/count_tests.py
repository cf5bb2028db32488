# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the cases in a log of `meson test`: count_tests.py testlog.json [WHAT-THE-SUITE-LEFT-BEHIND ...]"""

import json
import sys

import tap


def main(path, *left):
    programs = {}
    try:
        with open(path, encoding='utf-8', errors='replace') as log:
            for line in log:
                test = json.loads(line)
                programs[test['name']] = tap.cases_of_program(
                    test.get('stdout', ''), test['result'], test.get('stderr', ''),
                    lambda test=test: tap.list_names(test['command'], test.get('env', {})))
    except FileNotFoundError:
        print('no test ran')
    if programs and left:
        programs['(left behind)'] = [tap.Case('failed', name, '') for name in left]
    return 0 if tap.report(programs) else 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
