#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""graphs/grep.leat, and text:scan with regexes, against grep -E."""

import random
import re
import shutil
import subprocess

import graph_case
from graph_case import GRAPHS, Skip, expect_same, launch, on_cpu, run_graph

BOOK = (GRAPHS.parent / 'LICENSE').read_bytes()


def grep(path, *words):
    if not shutil.which('grep'):
        raise Skip('no grep here')
    done = subprocess.run(['grep', '-a', *(words if '-F' in words else ['-E', *words]), str(path)], capture_output=True,
                          env={'LC_ALL': 'C', 'PATH': '/usr/bin:/bin'})
    assert done.returncode < 2, (words, done.stderr)
    return done.stdout


def scan(path, regex, emit, *more, chunk='4M', environment=None):
    """What text:report prints; the properties of the scan may be followed by others."""
    report = ['text:report', f'emit={emit}'] + ([f'from={path}'] if emit != 'count' else [])
    code, out, err = launch('-q', 'io:file', f'path={path}', f'chunk={chunk}', '+', 'upload', '+', 'text:scan',
                            f'regex={regex}', f'emit={emit}', *more, '+', 'readback', '+', *report,
                            environment=environment)
    assert code == 0, (regex, emit, err)
    return out


def check(path, regex, chunk='4M', environment=None, fold=False):
    """All three ways against grep's; a comma separates regexes, so that one in a regex is for grep alone."""
    words = ['-i'] if fold else []
    more = ['fold=true'] if fold else []
    for part in regex if isinstance(regex, list) else [regex]:
        words += ['-e', part]
    own = ','.join(regex) if isinstance(regex, list) else regex
    what = f'{own} chunk={chunk} {words}'
    expect_same(scan(path, own, 'line', *more, chunk=chunk, environment=environment), grep(path, '-n', *words), what)
    expect_same(scan(path, own, 'offset', *more, chunk=chunk, environment=environment), grep(path, '-ob', *words), what)
    expect_same(scan(path, own, 'count', *more, chunk=chunk, environment=environment), grep(path, '-c', *words), what)


def test_graph_as_grep(folder):
    (folder / 'in').write_bytes(BOOK)
    out, err = run_graph('grep.leat', input=folder / 'in', regex='warrant(y|ies),[0-9]{4}')
    wanted = grep(folder / 'in', '-n', '-e', 'warrant(y|ies)', '-e', '[0-9]{4}')
    expect_same(out, wanted, 'lines')
    assert f'{wanted.count(10)} lines' in err and wanted, err
    out, _ = run_graph('grep.leat', input=folder / 'in', regex='WARRANTY', fold='true', chunk=100)
    expect_same(out, grep(folder / 'in', '-n', '-i', 'WARRANTY'), 'lines')


def test_book_as_grep(folder):
    """Each kind of search that the CPU has: by keys, by first bytes, by the automaton alone."""
    (folder / 'in').write_bytes(BOOK)
    for regex in ('ab+l[ey]', '[0-9]+', '(L|l)icen[cs]e', r'\b[a-z]{12}\b', '^ *[A-Z]', r'\.$', '^$', '[^a-z]+',
                  r'.*\<th.*', ['free', 'soft', '[A-Z]{3}', 'software']):
        check(folder / 'in', regex, chunk=random.Random(str(regex)).choice(['4M', '10000', '333']))


def test_fold_as_grep(folder):
    (folder / 'in').write_bytes(BOOK)
    for regex in ('LICENSE', '[^a-z ]+', r'[f-h]nu\>'):
        check(folder / 'in', regex, chunk=5000, fold=True)


def random_regex(rng, depth=0):
    """In what grep and text:scan spell alike."""
    kind = rng.randrange(9 if depth < 3 else 4)
    if kind < 3:
        return rng.choice(['a', 'b', 'ab', 'c', '.', '[ab]', '[^a]', '[[:digit:]]', r'\w', r'\W', r'\.', '1', ' '])
    if kind == 3:
        return rng.choice(['^', '$', r'\b', r'\<', r'\>', r'\B', 'b'])
    if kind < 6:
        return random_regex(rng, depth + 1) + random_regex(rng, depth + 1)
    if kind == 6:
        return f'({random_regex(rng, depth + 1)}|{random_regex(rng, depth + 1)})'
    return f'({random_regex(rng, depth + 1)})' + rng.choice(['*', '+', '?', '{2}', '{1,3}', '{2,}', '{0,1}'])


def random_text(rng, n):
    return b''.join(rng.choice([b'a', b'b', b'c', b'ab', b' ', b'1', b'.', b'\n', b'\n\n', b'_', b'\xff']) for _ in range(n))


def test_random_regexes_as_grep(folder):
    rng = random.Random(11)
    for _ in range(7):
        (folder / 'in').write_bytes(random_text(rng, rng.randrange(300)))
        check(folder / 'in', random_regex(rng), chunk=rng.choice(['4M', '1', '7', '64']))


def test_without_plain_variants(folder):
    if not on_cpu():
        raise Skip('the CPU driver alone has plain C variants')
    rng = random.Random(12)
    (folder / 'in').write_bytes(BOOK[:17000] + random_text(rng, 20000))
    for regex in ('[a-c]+1', r'(the|a) \w+'):
        check(folder / 'in', regex, chunk='15000', environment={'LEAT_CPU_VARIANTS': '0'})


def test_runs_without_text(folder):
    """More lanes than runs, and a file with nothing in it: the end of the stream finds nothing that a run has left."""
    path = folder / 'in'
    for data in (b'', b'foo', b'foo\n', b'a foo\nfoo bar\n' * 3000):
        path.write_bytes(data)
        for lanes in (1, 3):
            for emit, words in (('offset', ['-ob']), ('line', ['-n']), ('count', ['-c'])):
                report = ['text:report', f'emit={emit}'] + ([f'from={path}'] if emit != 'count' else [])
                code, out, err = launch('-q', f'--lanes={lanes}', 'io:file', f'path={path}', 'chunk=20000', '+', 'upload',
                                        '+', 'text:scan', 'regex=fo+', f'emit={emit}', '+', 'readback', '+', *report)
                assert code == 0, (data[:9], lanes, emit, err)
                expect_same(out, grep(path, *words, 'fo+'), f'{data[:9]} lanes={lanes} emit={emit}')


def test_trials_in_the_run_that_ends(folder):
    """The first run tries ways for the data; where it is the last as well, it still is told so."""
    (folder / 'in').write_bytes(b'')
    environment = {'XDG_CACHE_HOME': str(folder / 'cache'), 'LEAT_CPU_PROFILE': 'integrated=0', 'LEAT_CPU_VARIANTS': '0'}
    for emit in ('count', 'line'):
        code, out, err = launch('-q', 'io:file', f'path={folder}/in', 'chunk=20000', '+', 'upload', '+', 'text:scan',
                                'regex=fo+', f'emit={emit}', '+', 'readback', '+', 'text:report', f'emit={emit}',
                                environment=environment)
        assert code == 0 and out == (b'0\n' if emit == 'count' else b''), (emit, out, err)


def test_no_file_to_print_from(folder):
    (folder / 'in').write_bytes(b'one cat\ntwo cats\n')
    words = ['-q', 'io:file', f'path={folder}/in', '+', 'upload', '+', 'text:scan', 'regex=cats?']
    code, out, err = launch(*words, '+', 'readback', '+', 'text:report')
    assert code == 0 and out == b'4:3\n12:4\n', out
    assert err.startswith('2 occurrences; with from=FILE'), err
    code, out, _ = launch(*words, 'emit=line', '+', 'readback', '+', 'text:report', 'emit=line')
    assert code == 0 and out == b'1:0\n2:8\n', out


def test_prints_from_another_file(folder):
    """From one that is shorter than the text was, what lies behind its end is told, wherever it ends."""
    text = b'a cat\nno\nthe cat sat\n' + b'x' * 70_000 + b' cat'
    lines = [(0, 5), (9, 11), (21, 70_004)]
    (folder / 'in').write_bytes(text)
    for size in (0, 1, 4, 5, 6, 9, 10, 14, 20, 21, 22, 70_021, len(text) - 1, len(text)):
        (folder / 'shorter').write_bytes(text[:size])
        for emit, ends in (('offset', [5, 16, len(text)]), ('line', [at + 1 for at, _ in lines])):
            code, out, err = launch('-q', 'io:file', f'path={folder}/in', '+', 'upload', '+', 'text:scan', 'regex=cat',
                                    f'emit={emit}', '+', 'readback', '+', 'text:report', f'emit={emit}',
                                    f'from={folder}/shorter')
            lost = [end for end in ends if end > size]
            assert (code != 0) == bool(lost) and ('ends before byte' in err) == bool(lost), (size, emit, err)
            if not lost and emit == 'line':  # the last line may have no end
                wanted = [b'%d:%s\n' % (i, text[at:min(at + n, size)]) for i, (at, n) in zip((1, 3, 4), lines)]
                expect_same(out, b''.join(wanted), size)


def test_report_takes_what_the_rows_say(folder):
    (folder / 'in').write_bytes(b'one cat\ntwo cats, a dog\n')
    for words, wanted in (('patterns=cat,dog', b'4:cat\n12:cat\n20:dog\n'), ('patterns=CAT fold=true', b'4:CAT\n12:CAT\n'),
                          ('regex=cats?', b'4:cat\n12:cats\n'), ('patterns=dog emit=line', b'2:two cats, a dog\n'),
                          ('regex=d.g emit=line', b'2:two cats, a dog\n'), ('patterns=cat emit=count', b'2\n')):
        code, out, err = launch('-q', 'io:file', f'path={folder}/in', '+', 'upload', '+', 'text:scan', *words.split(), '+',
                                'readback', '+', 'text:report', f'from={folder}/in')
        assert code == 0, err
        expect_same(out, wanted, words)


def test_words_by_line(folder):
    """Patterns whose lines count are found as grep -F finds them."""
    (folder / 'in').write_bytes(BOOK)
    words = ['-q', 'io:file', f'path={folder}/in', 'chunk=3000', '+', 'upload', '+', 'text:scan',
             'patterns=a.b,(c),section,GNU', 'emit=line', 'fold=true', '+', 'readback', '+', 'text:report', 'emit=line',
             f'from={folder}/in']
    code, out, err = launch(*words)
    assert code == 0, err
    expect_same(out, grep(folder / 'in', '-F', '-i', '-n', '-e', 'a.b', '-e', '(c)', '-e', 'section', '-e', 'GNU'), 'lines')


def test_folded_patterns(folder):
    (folder / 'in').write_bytes(BOOK)
    out, _ = run_graph('scan.leat', input=folder / 'in', patterns='license', chunk=700)
    code, folded, err = launch('-q', 'io:file', f'path={folder}/in', 'chunk=700', '+', 'upload', '+', 'text:scan',
                               'patterns=LiCense', 'fold=true', '+', 'readback', '+', 'text:report', 'patterns=license')
    assert code == 0, err
    wanted = [match.start() for match in re.finditer(b'license', BOOK, re.IGNORECASE)]
    expect_same([int(line.split(b':')[0]) for line in folded.splitlines()], wanted, 'offsets')
    assert len(wanted) > out.count(b'\n') > 0


def test_long_lines(folder):
    """Lines of many runs: what is known of them is an automaton's state, not their text."""
    line = b'x' * 300_000 + b'needle' + b'y' * 200_000
    (folder / 'in').write_bytes(b'first\n' + line + b'\nneedle\n' + line)
    check(folder / 'in', 'needle', chunk=10_000)
    expect_same(scan(folder / 'in', 'x+n', 'offset', 'longest=512K', chunk=4096), grep(folder / 'in', '-ob', 'x+n'), 'x+n')
    check(folder / 'in', '^.*', chunk=10_000)


def test_attempts_that_all_go_far(folder):
    """Attempts that begin one after the other and go to the line's end: what one has found out serves the next."""
    n = 300_000 if on_cpu() else 30_000  # on an H200 one of these took 28 s for 300,000
    for line, regex, wanted in (
            (b'a' * n, 'a.*b', []),
            (b'a' * n + b'c', 'a.*b|c', [(n, 1)]),
            (b'ac' * (n // 2), 'a.*b|c', [(i, 1) for i in range(1, n, 2)]),
            (b'a' * n, 'a(.*b)?', [(i, 1) for i in range(n)]),
            (b'a' * n + b'b' + b'a' * n, 'a(.*b)?', [(0, n + 1)] + [(n + 1 + i, 1) for i in range(n)]),
            (b'x y ' * (n // 4), r'\w+( .*z)?', [(i, 1) for i in range(0, n, 2)])):
        (folder / 'in').write_bytes(b'first\n' + line + b'\nend\n')
        for chunk in ('4M', '100000'):
            out = scan(folder / 'in', regex, 'offset', 'longest=1M', chunk=chunk)
            expected = b''.join(b'%d:%s\n' % (6 + i, line[i:i + size]) for i, size in wanted)
            if regex.startswith('\\w'):
                expected = b'0:first\n' + expected + b'%d:end\n' % (7 + len(line))
            expect_same(out, expected, f'{regex} chunk={chunk}')


def test_attempts_that_never_meet(folder):
    """What takes time in the square of the line's length is told, with a way out that works."""
    (folder / 'in').write_bytes(b'a' * 40_000 + b'\n')
    code, _, err = launch('io:file', f'path={folder}/in', '+', 'upload', '+', 'text:scan', 'regex=(aa)*b', '+', 'readback', '+',
                          'text:report')
    assert code != 0 and 'ask for lines (emit=line)' in err, (code, err)
    expect_same(scan(folder / 'in', '(aa)*b', 'line'), b'', 'lines')
    expect_same(scan(folder / 'in', r'\b(aa)*b', 'offset'), b'', 'hits')


def refuse(says, *scan_words):
    code, _, err = launch('io:file', 'path=/dev/null', '+', 'upload', '+', 'text:scan', *scan_words, '+', 'readback', '+',
                          'text:report', 'emit=line')
    assert code != 0 and says in err, err


def test_refuses(folder):
    refuse('column 2: "(" is never closed', 'regex=a(b')
    refuse(r'\1 is a back-reference', r'regex=(a)\1')
    refuse('looking ahead or behind', 'regex=a(?=b)')
    refuse('needs more than 8192 states', 'regex=(a|b)*a(a|b){20}c', 'emit=line')
    refuse('more than 20000 steps', 'regex=((a{100}){100}){100}')
    refuse('set `patterns` or `regex`', 'emit=line')
    refuse('not both', 'patterns=a', 'regex=a')
    refuse("has a line's end in it", r'patterns=a,b\n', 'emit=line')
    refuse('has emit=line, but text:scan', 'regex=a')


def test_attempt_that_is_too_long(folder):
    """A failure that is told, and no wrong result."""
    (folder / 'in').write_bytes(b'a' * 5000 + b'\n')
    code, _, err = launch('io:file', f'path={folder}/in', 'chunk=1000', '+', 'upload', '+', 'text:scan', 'regex=a+b',
                          'longest=1024', '+', 'readback', '+', 'text:report')
    assert code != 0 and '`longest`' in err, (code, err)
    expect_same(scan(folder / 'in', 'a+b', 'offset', 'longest=8K', chunk='1000'), b'', 'hits')


if __name__ == '__main__':
    graph_case.main(globals())
