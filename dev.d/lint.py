# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds the structure of the sources against the rules that docs/development.md states: lint.py [--measures]

A finding is a line, FILE:LINE: what is wrong and what to do.  The last line counts rules and findings."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = ('core/', 'plugins/', 'tools/', 'tests/')
MOST_HEADER, MOST_FILE, MOST_FUNCTION, MOST_FIRST = 300, 800, 80, 3
# Lists that nobody reads from top to bottom: a line for each entry point, code, type or case.
TABLES = {'core/driver/leat-driver-entries.h', 'core/driver/leat-cuda-codes.h', 'core/driver/leat-cuda.h',
          'tests/core/parse/error-cases.h', 'tests/plugins/cpu/values-recorded.h',
          'tests/plugins/cpu/functions-recorded.h'}
# Lists the one node whose class is in the library.
INSIDERS = {'plugins/base/plugin.c'}
# The licence, an empty line, and a comment that documents no symbol.
FIRST_WORDS = re.compile(r'/\*.*?\*/\n\n(/\*(?!\*).*?\*/)\n\n', re.DOTALL)
OPAQUE = re.compile(r'^typedef struct _(Leat\w+) \1;|^G_DECLARE_\w+ \((Leat\w+),')
TYPES_ELSEWHERE = {'LeatMember', 'LeatSubmission'}
INCLUDE = re.compile(r'^#\s*include "([^"]+)"')


def list_files():
    """Paths of the C files and headers of the tree, as git has them or would."""
    out = subprocess.run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.c', '*.h'], cwd=ROOT,
                         capture_output=True, text=True, check=True).stdout
    return sorted(path for path in set(out.split('\0')) if path.startswith(CODE) and (ROOT / path).is_file())


def read_table(text):
    """{folder: [folders that it may use]}, in order, from the table of docs/design.md."""
    rows = re.findall(r'^\| `([a-z]+)/` \|[^|]*\|([^|]*)\|$', text, re.MULTILINE)
    return {folder: [word for word in re.findall(r'[a-z]+', uses.lower()) if word != 'glib'] for folder, uses in rows}


def check_table(table, folders):
    """The table names each folder of core/ once, and a row only uses rows above it."""
    seen = []
    for folder, uses in table.items():
        for use in uses:
            if use not in seen:
                yield f'docs/design.md: {folder}/ may use {use}/, which does not stand above it; put it there, or turn the arrow'
        seen.append(folder)
    for folder in sorted(set(folders) ^ set(table)):
        yield f'docs/design.md: the table and core/ differ in {folder}/; add the row, or take it away'


def check_arrows(files, table):
    """Includes between folders of core/ are those of the table."""
    homes = {os.path.basename(path): path.split('/')[1] for path in files if path.startswith('core/') and path.count('/') > 1}
    for path in files:
        parts = path.split('/')
        if parts[0] != 'core' or len(parts) < 3:
            continue
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            home = homes.get(os.path.basename(found[1])) if found else None
            if home and home != parts[1] and home not in table.get(parts[1], ()):
                yield f'{path}:{number}: {parts[1]}/ may not use {home}/ (table in docs/design.md); move the code, or turn the arrow'


def check_sizes(files):
    """No header, file or function is longer than a reader can hold."""
    for path in files:
        lines = (ROOT / path).read_text().splitlines()
        most = MOST_HEADER if path.endswith('.h') else MOST_FILE
        if len(lines) > most and path not in TABLES:
            yield f'{path}:{most + 1}: {len(lines)} lines, and at most {most} are allowed; split it by type or verb'
        begin = None
        for number, line in enumerate(lines, 1):
            if line == '{' and path.endswith('.c'):
                begin = number
            elif line == '}' and begin is not None:
                if number - begin + 1 > MOST_FUNCTION:
                    yield f'{path}:{begin}: a function of {number - begin + 1} lines, and at most {MOST_FUNCTION} are allowed; split it'
                begin = None


def check_first_words(files):
    """A C file begins, behind its licence, with one to three lines on what it is for."""
    for path in files:
        if not path.endswith('.c') or path.startswith('tests/'):
            continue
        found = FIRST_WORDS.match((ROOT / path).read_text())
        if not found:
            yield f'{path}:5: no words on what the file is for behind its licence; write one to three lines there'
        elif found[1].count('\n') + 1 > MOST_FIRST:
            yield f'{path}:5: {found[1].count(chr(10)) + 1} lines on what the file is for, and at most {MOST_FIRST} are allowed; shorten them'


def list_users():
    """The sources that are linked with the library as it is installed, but those outside: plugins and tools."""
    out = subprocess.run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard', 'plugins', 'tools', 'core/*/scan/*'],
                         cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for path in out.split('\0') if path.endswith(('.c', '.h')) and (ROOT / path).is_file()]


def check_exports(files):
    """LEAT_PRIVATE of core/leat.map has what plugins and tools use, and plugins include what is installed."""
    listed = ROOT / 'core/leat.map'
    text = listed.read_text() if listed.is_file() else ''
    begin = text.find('LEAT_PRIVATE {')
    users = {path: (ROOT / path).read_text() for path in list_users()}
    words = set(re.findall(r'\w+', '\n'.join(users.values())))
    # What g_autoptr () calls stands in no source.
    for path in files:
        if path.startswith('core/') and path.endswith('.h'):
            words |= {name for kind, name in re.findall(r'^G_DEFINE_AUTO\w+ \((\w+), (\w+)\)', (ROOT / path).read_text(), re.MULTILINE) if kind in words}
    for number, line in enumerate(text.splitlines(), 1):
        name = line.strip().rstrip(';')
        if begin >= 0 and number > text[:begin].count('\n') and name.startswith('leat_') and name not in words:
            yield f'core/leat.map:{number}: no plugin and no tool uses {name}; take it away: tests link with what is not exported'
    for path, text in users.items():
        for number, line in enumerate(text.splitlines() if path.startswith('plugins/') else [], 1):
            found = INCLUDE.match(line)
            if found and found[1].endswith('-private.h') and (ROOT / 'core' / found[1]).is_file() and path not in INSIDERS:
                yield f'{path}:{number}: a plugin includes {found[1]}; make what it needs public, with documentation'


def dash(name):
    """leat-foo-bar for LeatFooBar."""
    return re.sub(r'(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])', '-', name).lower()


def check_types(files):
    """A type of core/ whose fields only its own source sees has a header of its name, or one of which its name goes on."""
    headers = {os.path.basename(path) for path in files if path.startswith('core/') and path.endswith('.h')}
    for path in files:
        if not (path.startswith('core/') and path.endswith('.h')):
            continue
        stem = re.sub(r'(-internal|-object)?(-private)?\.h$', '', os.path.basename(path))
        folder = path.split('/')[1]
        short = stem.replace(f'leat-{folder}-', 'leat-', 1)
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            found = OPAQUE.match(line)
            name = found and (found[1] or found[2])
            if not name or name.endswith('Class') or name in TYPES_ELSEWHERE:
                continue
            # A header may name a type that another one has.
            known = found[1] and any(f'{own}{tail}' in headers for own in (dash(name), dash(name).replace('leat-', f'leat-{folder}-', 1))
                                     for tail in ('.h', '-private.h'))
            if not known and not any(f'{dash(name)}-'.startswith(f'{own}-') for own in (stem, short)) and not stem.startswith(f'{dash(name)}-'):
                yield f'{path}:{number}: {name} lives in {dash(name)}.h or {dash(name)}-private.h; make that header'


def check_tests(files):
    """A test of core/ stands in the file of its source's name; what tries several sources stands in tests/behaviour/."""
    sources = {os.path.dirname(path): set() for path in files}
    for path in files:
        sources[os.path.dirname(path)].add(re.sub(r'(-private)?\.[ch]$', '', os.path.basename(path)).replace('leat-', '', 1))
    for path in files:
        name = re.fullmatch(r'tests/(core/[a-z]+)/test-([\w-]+)\.c', path)
        if name and not any(f'{name[2]}-'.startswith(f'{source}-') for source in sources.get(name[1], ())):
            yield f'{path}: no source of {name[1]}/ has this name; call it after the one that it tests, or move it to tests/behaviour/'


RULES = (
    ('table', lambda files, table: check_table(table, {path.split('/')[1] for path in files if path.startswith('core/') and path.count('/') > 1})),
    ('arrows', check_arrows),
    ('sizes', lambda files, _: check_sizes(files)),
    ('first-words', lambda files, _: check_first_words(files)),
    ('types', lambda files, _: check_types(files)),
    ('tests', lambda files, _: check_tests(files)),
    ('exports', lambda files, _: check_exports(files)),
)


def main():
    files = list_files()
    table = read_table((ROOT / 'docs/design.md').read_text())
    findings = [f'{text} [{name}]' for name, rule in RULES for text in rule(files, table)]
    print(*findings, sep='\n', end='\n' if findings else '')
    print(f'lint: {len(RULES)} rules, {len(files)} files, {len(findings)} findings')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
