# SPDX-License-Identifier: LGPL-2.1-or-later
"""Refuses names of tests that there are not, with those that are near: check_names.py intro-tests.json ARGUMENT...

The arguments are those of `meson test`, which itself passes over a wrong name beside a right one, and in some versions
knows no wildcards. They are printed, one a line, with names in place of wildcards."""

import difflib
import fnmatch
import json
import sys

WITH_VALUE = ('--maxfail', '--repeat', '--gdb-path', '--wrapper', '-C', '--suite', '--no-suite', '--logbase',
              '--num-processes', '-t', '--timeout-multiplier', '--setup', '--test-args')


def expand(words, known):
    """[(word, the tests that it names, or None where it is an option or the value of one)]"""
    found, value = [], False
    for word in words:
        option = value or word.startswith('-') or word.endswith(':')
        found.append((word, None if option else fnmatch.filter(known, word.rsplit(':', 1)[-1])))
        value = not value and word in WITH_VALUE
    return found


def near(wrong, known):
    """Names that hold the word, else names spelt like it, or like its last part."""
    part = wrong.rsplit('/', 1)[-1]
    return ([name for name in known if part in name][:5] or difflib.get_close_matches(wrong, known, 3)
            or [name for name in known if difflib.get_close_matches(part, [name.rsplit('/', 1)[-1]])][:5])


def main(path, *words):
    with open(path, encoding='utf-8') as file:
        known = sorted({test['name'] for test in json.load(file)})
    found = expand(words, known)
    wrong = [word for word, names in found if names == []]
    for name in wrong:
        others = near(name, known)
        advice = f'did you mean {" or ".join(others)}?' if others else 'meson test -C build --list names all'
        print(f'dev: there is no test "{name}"; {advice}', file=sys.stderr)
    for word, names in found:
        print(*(names or [word]), sep='\n')
    return 2 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
