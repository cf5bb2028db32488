# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints what ninja is to build for the tests of one suite, a line each: list_targets.py BUILD-FOLDER SUITE

That is their programs and what Meson knows that they need, and all that any of them may open: what is not of tests, and
modules."""

import json
import os
import sys
from pathlib import Path


def list_targets(folder, suite):
    info = folder / 'meson-info'
    tests = json.loads((info / 'intro-tests.json').read_text())
    needed = {target for test in tests if suite in (name.rsplit(':', 1)[-1] for name in test['suite']) for target in test['depends']}
    source = Path(json.loads((info / 'meson-info.json').read_text())['directories']['source'])
    for target in json.loads((info / 'intro-targets.json').read_text()):
        of_tests = Path(target['defined_in']).is_relative_to(source / 'tests')
        if target['id'] in needed or (target['build_by_default'] and (not of_tests or target['type'] == 'shared module')):
            yield from (os.path.relpath(name, folder) for name in target['filename'])


if __name__ == '__main__':
    print(*list_targets(Path(sys.argv[1]).resolve(), sys.argv[2]), sep='\n')
