# SPDX-License-Identifier: LGPL-2.1-or-later
"""./dev lint finds what it is there for: a small tree with each mistake, and the same without; ./dev measure counts right.
Writes TAP."""

import contextlib
import importlib.util
import io
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = '''| folder | contents | may use |
|---|---|---|
| `low/` | what stands below | GLib |
| `high/` | what stands above | low |
'''
HEAD = '/* Licence\n * in two lines\n */\n\n/* Says what it is for. */\n\n'
LONG = HEAD + 'void\nleat_long (void)\n{\n' + '  leat_step ();\n' * 79 + '}\n'


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f'dev.d/{name}.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def find(files):
    """The findings in a tree of these files (path: text), each without its place, and the exit code."""
    lint = load('lint')
    with tempfile.TemporaryDirectory() as folder:
        lint.ROOT = Path(folder)
        subprocess.run(['git', 'init', '-q', folder], check=True)
        for path, text in {'docs/design.md': TABLE, 'core/low/leat-low.h': '', 'core/high/leat-high.h': '', **files}.items():
            (lint.ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (lint.ROOT / path).write_text(text)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = lint.main()
    *findings, count = out.getvalue().splitlines()
    assert count.startswith('lint: ') and count.endswith(f'{len(findings)} findings'), count
    return findings, code


def test_nothing():
    assert find({}) == ([], 0)
    assert find({'core/high/leat-high.c': HEAD + '#include "low/leat-low.h"\n#include "leat-high.h"\n'}) == ([], 0)
    assert find({'core/low/leat-long.c': LONG.replace('  leat_step ();\n', '', 2)}) == ([], 0)
    assert find({'core/low/leat-low.h': '\n' * 300, 'core/low/leat-low.c': HEAD + '\n' * 794}) == ([], 0)


def test_arrow():
    for path in ('core/low/leat-low.c', 'core/low/leat-low-private.h'):
        findings, code = find({path: HEAD + '#include "high/leat-high.h"\n'})
        assert code == 1 and len(findings) == 1, findings
        assert findings[0].startswith(f'{path}:7: low/ may not use high/'), findings


def test_table():
    for row, word in (('| `low/` | a | high |\n| `high/` | b | low |\n', 'low/ may use high/'), ('| `low/` | a | GLib |\n', 'high/'),
                      ('| `low/` | a | GLib |\n| `high/` | b | low |\n| `gone/` | c | low |\n', 'gone/')):
        findings, code = find({'docs/design.md': TABLE[:TABLE.index('| `low/`')] + row})
        assert code == 1 and len(findings) == 1 and word in findings[0], findings


def test_sizes():
    for path, text, word in (('core/low/leat-low.h', '\n' * 301, '301 lines, and at most 300'),
                             ('tools/leat-tool.c', HEAD + '\n' * 795, '801 lines, and at most 800'),
                             ('core/low/leat-long.c', LONG, 'a function of 81 lines')):
        findings, code = find({path: text})
        assert code == 1 and len(findings) == 1 and findings[0].startswith(path) and word in findings[0], findings


def test_first_words():
    words = HEAD[HEAD.index('\n\n') + 2:]
    for text, word in ((HEAD.replace(words, ''), 'no words on what'), (HEAD.replace(words, '/** leat_step: */\n\n'), 'no words on what'),
                       (HEAD.replace(words, '/* One\n * two\n * three\n * four */\n\n'), '4 lines on what')):
        findings, code = find({'plugins/leat-one.c': text + 'int leat_one;\n'})
        assert code == 1 and len(findings) == 1 and findings[0].startswith('plugins/leat-one.c:5: ') and word in findings[0], findings
    assert find({'tests/test-one.c': 'int one;\n', 'plugins/leat-one.c': HEAD + 'int leat_one;\n'}) == ([], 0)


def test_types():
    """An opaque type has its header; another header may name it, and one of its folder's name counts."""
    opaque = 'typedef struct _LeatLowBox LeatLowBox;\n'
    for path in ('core/low/leat-low-box-private.h', 'core/low/leat-low-box.h', 'core/low/leat-low.h', 'core/low/leat-low-box-list.h'):
        assert find({path: opaque, 'core/high/leat-high-private.h': opaque if 'box' in path and 'list' not in path else ''}) == ([], 0), path
    for text in (opaque, 'G_DECLARE_FINAL_TYPE (LeatLowBox, leat_low_box, LEAT, LOW_BOX, GObject)\n'):
        findings, code = find({'core/high/leat-high.h': text})
        assert code == 1 and len(findings) == 1 and findings[0].startswith('core/high/leat-high.h:1: LeatLowBox lives in leat-low-box.h'), findings


def test_tests():
    for name, right in (('core/low/test-low', True), ('core/low/test-low-faults', True), ('core/low/test-lowest', False),
                        ('core/high/test-low', False), ('behaviour/test-low', True), ('plugins/test-low', True)):
        findings, _ = find({'core/low/leat-low.c': HEAD, f'tests/{name}.c': ''})
        assert right == (findings == []), (name, findings)
        assert right or findings[0].startswith(f'tests/{name}.c: no source of'), findings


MAP = 'LEAT_1.0 {\nglobal:\n  leat_low_new;\n};\nLEAT_PRIVATE {\nglobal:\n  leat_low_free;\n  leat_low_get;\nlocal:\n  *;\n};\n'


def test_exports():
    """A symbol in LEAT_PRIVATE has a user, be it by g_autoptr (); what a test uses is not exported."""
    header = 'G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatLow, leat_low_free)\n'
    tree = {'core/leat.map': MAP, 'core/low/leat-low-private.h': header}
    user = HEAD + 'g_autoptr (LeatLow) low = leat_low_new ();\nleat_low_get (low);\n'
    assert find({**tree, 'tools/leat-tool.c': user}) == ([], 0)
    findings, code = find({**tree, 'tests/test-low.c': user, 'plugins/leat-one.c': user.replace('leat_low_get (low);\n', '')})
    assert code == 1 and len(findings) == 1 and findings[0].startswith('core/leat.map:8: no plugin and no tool uses leat_low_get;'), findings


def test_includes_of_plugins():
    for include, n in (('low/leat-low-private.h', 1), ('low/leat-low.h', 0), ('leat-one-private.h', 0)):
        findings, _ = find({'core/low/leat-low-private.h': '', 'plugins/leat-one.c': HEAD + f'#include "{include}"\n'})
        assert len(findings) == n and all(text.startswith('plugins/leat-one.c:7: a plugin includes') for text in findings), findings


def test_walk():
    """A session goes from call to call as an argument, also within others; what is taken out of it is no session."""
    sys.path.insert(0, str(ROOT / 'dev.d'))
    measure = load('measure')
    functions = {'leat_a': ('a.c', {'self'}, '  leat_x (leat_b (self, 1));\n  leat_c (self->plan);\n  leat_c (&self->ends);\n'),
                 'leat_b': ('b.c', {'session'}, '  if (leat_a (session) || leat_d (1, session))\n'),
                 'leat_c': ('c.c', {'self'}, ''), 'leat_d': ('d.c', {'self'}, '  leat_unknown (self);\n')}
    assert measure.walk(functions, 'leat_a') == {'leat_a', 'leat_b', 'leat_d'}
    assert measure.walk(functions, 'leat_c') == {'leat_c'}


def test_circles():
    sys.path.insert(0, str(ROOT / 'dev.d'))
    find_circles = load('measure').find_circles
    assert find_circles({'a': ['b'], 'b': ['c'], 'c': []}) == []
    uses = {'a': ['b'], 'b': ['c', 'd'], 'c': ['a'], 'd': ['e'], 'e': ['d', 'f'], 'f': []}
    assert sorted(sorted(circle) for circle in find_circles(uses)) == [['a', 'b', 'c'], ['d', 'e']]


def main():
    tests = [(name[5:], test) for name, test in globals().items() if name.startswith('test_')]
    failed = False
    print(f'1..{len(tests)}')
    for number, (name, test) in enumerate(tests, 1):
        try:
            test()
            print(f'ok {number} {name}')
        except Exception:  # a case that fails in any way has failed
            failed = True
            print(f'not ok {number} {name}')
            print(''.join(f'# {line}\n' for line in traceback.format_exc().splitlines()), end='')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
