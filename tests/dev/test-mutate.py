# SPDX-License-Identifier: LGPL-2.1-or-later
"""./dev mutate: where mistakes can be planted, and what is told of them. Writes TAP."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

PARTS = Path(__file__).resolve().parents[2] / 'dev.d'

TEXT = r'''/* a < b */
#define LESS(a, b) ((a) < (b))
static int
count (const char *text, int limit)
{
  int n = 0;

  for (int i = 0; i < limit && text[i] != '\0'; i++)
    if (text[i] == '+') // if (a) b = c;
      n++;
  if (n > 7)
    {
      report (text, n);
      total += n;
      self->last = n + 1;
    }
  return TRUE;
}
'''
# What stands in the text, and what must be tried in its place.
WANTED = {
    ('border', '<', '<='), ('border', '>', '>='), ('logic', '&&', '||'), ('equality', '!=', '=='), ('equality', '==', '!='),
    ('number', '0', '1'), ('number', '7', '8'), ('number', '1', '2'), ('arithmetic', '+', '-'), ('arithmetic', '+=', '-='),
    ('truth', 'TRUE', 'FALSE'), ('condition', '(n > 7)', '(!(n > 7))'), ('condition', "(text[i] == '+')", "(!(text[i] == '+'))"),
    ('statement', 'report (text, n);', ';'), ('statement', 'total += n;', ';'), ('statement', 'self->last = n + 1;', ';'),
    ('statement', 'n++;', ';'), ('arguments', 'text, n', 'n, text'),
}

MESON = '''project('tiny', 'c')
sign = static_library('sign', 'sign.c')
subdir('tests')
'''
TESTS = '''test('sign', executable('test-sign', 'test-sign.c', link_with: sign, include_directories: '..'), protocol: 'tap', timeout: 5)
test('broken', find_program('false'))
'''
# The border and the second statement are not looked at.
SIGN = '''int spare;

int
sign (int x)
{
  int steps = 0;

  while (steps < 3)
    steps++;
  spare = 5;
  return x < 0 ? -1 : steps + 0 * x;
}
'''
# What lies behind the end is read, and makes no difference.
BEHIND = '''static int ends[2] = { 1, 2 };

int
sign (int x)
{
  volatile int sum = 0;

  for (int i = 0; i < 2; i++)
    sum += ends[i];
  return x < 0 ? -1 : 3;
}
'''
TEST = '''#include <stdio.h>
int sign (int);
int
main (void)
{
  puts (sign (-4) == -1 && sign (4) == 3 ? "ok 1 both" : "not ok 1 both");
  puts ("1..1");
  return 0;
}
'''


def test_places(_):
    import mutants
    found = mutants.list_mutants('a.c', TEXT)
    assert {(mutant.operator, mutant.old, mutant.new) for mutant in found} == WANTED, found
    lines = TEXT.splitlines()
    for mutant in found:
        assert mutant.old.splitlines()[0] in lines[mutant.line - 1], mutant
        changed = mutant.apply(TEXT)
        assert changed != TEXT and len(changed) == len(TEXT) + len(mutant.new) - len(mutant.old)


def test_every_kind_has_its_turn(_):
    import mutants
    chosen = mutants.choose(mutants.list_mutants('a.c', TEXT), 9, random.Random(1))
    assert sorted(mutant.operator for mutant in chosen) == sorted({operator for operator, _, _ in WANTED}), chosen


class Build:
    """One whose programs have a text each."""

    def __init__(self, folder, texts):
        self.folder = self.source = folder
        self.tests = [{'name': name, 'cmd': [f'/x/{name}'], 'suite': ['leat:unit']} for name in texts]
        self.targets = [{'filename': [f'/x/{name}'], 'target_sources': [{'sources': [str(folder / 'tests' / text)]}]}
                        for name, text in texts.items()]


def test_sessions_are_near_what_they_try(folder):
    """A file of a lane: those of its folder and of sessions before those of other folders, a word in common before all."""
    from types import SimpleNamespace
    from mutate_tests import Known, Programs
    build = Build(folder, {'core/wait': 'core/lane/test-wait.c', 'core/again': 'behaviour/sessions/test-again.c',
                           'core/round-ring': 'behaviour/sessions/test-round-ring.c', 'core/port': 'core/graph/test-port.c'})
    programs = Programs(build, SimpleNamespace(jobs=1, copies=1, programs=3), Known(), folder / 'images')

    def names(path):
        return [test['name'] for test in programs.choose(path)]
    assert names('core/lane/leat-plain.c') == ['core/again', 'core/round-ring', 'core/wait']
    assert names('core/lane/leat-ring.c')[0] == 'core/round-ring'
    assert names('core/graph/leat-plain.c')[0] == 'core/port'
    assert programs.rank('core/graph/leat-plain.c', 'core/again') < programs.rank('core/stream/leat-plain.c', 'core/again')


def make_project(folder):
    root = folder / 'tree'
    (root / 'tests').mkdir(parents=True)
    for name, text in (('meson.build', MESON), ('sign.c', SIGN), ('tests/meson.build', TESTS), ('tests/test-sign.c', TEST)):
        (root / name).write_text(text)
    subprocess.run(['git', 'init', '-q', root], check=True)
    return root


def begin(folder, *words):
    root = folder / 'tree'
    return subprocess.Popen([sys.executable, '-B', str(PARTS / 'mutate.py'), f'--root={root}', f'--folder={folder}/mutate', '--option=-Dc_args=-O1',
                             '--jobs=2', '--least=1.5', *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root, stdin=subprocess.DEVNULL)


def read_tree(root):
    return {str(path): path.read_bytes() for path in root.rglob('*') if path.is_file() and '.git' not in path.parts}


def test_table_and_score(folder):
    """Of a library whose test looks at one half of it: what hangs is noticed, what is the same code is no mistake."""
    root = make_project(folder)
    before = read_tree(root)
    child = begin(folder, str(root / 'sign.c'))
    out, err = child.communicate(timeout=100)
    assert child.returncode == 0, out + err
    noticed, unnoticed = out.split('\nunnoticed:\n')
    assert 'sign.c:8  <  ->  <=  [sign fails: both]\n' in noticed, out
    assert 'sign.c:9  steps++;  ->  ;  [sign hangs]\n' in noticed, out
    assert 'sign.c:10  spare = 5;  ->  ;  [1 programs]\n' in unnoticed and 'sign.c:11  <  ->  <=' in unnoticed, out
    assert 'dev: broken fails without a mistake, and is left out: (program) - ended with exit status 1\n' in err, err
    assert read_tree(root) == before
    results = [json.loads(line) for line in (folder / 'mutate' / 'results.jsonl').read_text().splitlines()]
    count = {outcome: sum(result['outcome'] == outcome for result in results) for outcome in ('noticed', 'unnoticed')}
    score = f"{count['noticed']} of {sum(count.values())} mistakes noticed ({100 * count['noticed'] // sum(count.values())} %)"
    assert out.splitlines()[-1].startswith(score), out
    # The same call has all of it already.
    again = begin(folder, str(root / 'sign.c'))
    assert again.communicate(timeout=60)[0] == out
    # Two copies find the same.
    shutil.rmtree(folder / 'mutate')
    copies = begin(folder, '--copies=2', str(root / 'sign.c'))
    assert (copies.communicate(timeout=100)[0], copies.returncode) == (out, 0), out
    for number in ('1', '2'):
        assert (folder / 'mutate' / number / 'source' / 'sign.c').read_text() == SIGN
    # What no test noticed is tried again where that is asked for.
    text = TEST.replace('sign (4) == 3', 'sign (4) == 3 && sign (0) == 3 && spare == 5').replace('int sign', 'extern int spare;\nint sign')
    (root / 'tests' / 'test-sign.c').write_text(text)
    out, err = begin(folder, '--again', str(root / 'sign.c')).communicate(timeout=60)
    assert 'sign.c:10  spare = 5;  ->  ;  [sign fails: both]\n' in out.split('\nunnoticed:\n')[0], out + err


def test_sanitizers_see_more(folder):
    """Of what no test notices they are asked once more, in a build of their own."""
    root = make_project(folder)
    (root / 'sign.c').write_text(BEHIND)
    words = ['--operator=border', str(root / 'sign.c')]
    out, err = begin(folder, *words).communicate(timeout=100)
    assert 'sign.c:8  <  ->  <=' in out.split('\nunnoticed:\n')[1], out + err
    out, err = begin(folder, '--again', '--sanitize', *words).communicate(timeout=100)
    assert 'sign.c:8  <  ->  <=  [sign fails: ' in out.split('\nunnoticed:\n')[0], out + err
    assert (folder / 'mutate' / 'sanitized-1' / 'source' / 'sign.c').read_text() == BEHIND


def test_end_leaves_the_tree_alone(folder):
    root = make_project(folder)
    before = read_tree(root)
    child = begin(folder, str(root / 'sign.c'))
    for line in child.stderr:
        if line.startswith('dev: 1 of'):
            break
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=60)
    assert child.returncode == 130 and read_tree(root) == before
    assert (folder / 'mutate' / '1' / 'source' / 'sign.c').read_text() == SIGN


def test_what_is_not_there(folder):
    root = make_project(folder)
    for words, says in ((['none.c'], 'there is no file none.c in this tree'), (['meson.build'], 'there is no place'),
                        (['--changed=nosuch'], 'git diff failed')):
        child = begin(folder, *words)
        out, err = child.communicate(timeout=60)
        assert child.returncode == 1 and says in err and out == '', (words, out, err)
    assert not (folder / 'mutate').exists() and root.is_dir()


def main():
    for program in ('meson', 'ninja', 'git', 'cc', 'strip'):
        if not PARTS.is_dir() or shutil.which(program) is None:
            print(f'1..0 # SKIP ./dev or {program} is not here')
            return 0
    sys.path.insert(0, str(PARTS))
    for name in ('CFLAGS', 'LDFLAGS', 'LD_PRELOAD'):
        os.environ.pop(name, None)
    tests = [(name, run) for name, run in globals().items() if name.startswith('test_')]
    failed = 0
    print(f'1..{len(tests)}')
    for number, (name, run) in enumerate(tests, 1):
        word = 'ok'
        with tempfile.TemporaryDirectory(prefix='leat-mutate-') as folder:
            try:
                run(Path(folder))
            except Exception:  # pylint: disable=broad-except
                failed, word = failed + 1, 'not ok'
                print('# ' + traceback.format_exc().rstrip().replace('\n', '\n# '))
        print(f'{word} {number} /leat/dev/mutate/{name[5:].replace("_", "-")}', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
