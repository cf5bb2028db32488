#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""graphs/scan.leat against grep, and against bytes.find () where occurrences overlap."""

import random
import re
import shutil
import subprocess

import graph_case
from graph_case import GRAPHS, Skip, expect_same, launch, on_cpu, run_graph


def letters_of(seed, letters, n):
    rng = random.Random(seed)
    return bytes(rng.choice(letters) for _ in range(n))


def escape(pattern):
    """As the property `patterns` spells bytes; letters and digits stand for themselves."""
    return ''.join(chr(byte) if chr(byte).isalnum() and byte < 128 else f'\\x{byte:02x}' for byte in pattern)


def scan(path, patterns, **variables):
    """[(offset, pattern)] and the total, as the graph prints them. No pattern here may hold a line's end."""
    out, err = run_graph('scan.leat', input=path, patterns=','.join(map(escape, patterns)), **variables)
    lines = re.findall(rb'(\d+):([^\n]*)\n', out)
    expect_same(b''.join(b'%s:%s\n' % line for line in lines), out, 'lines')
    total = re.search(r'^(\d+) occurrences?$', err, re.MULTILINE)
    assert total, f'no total in: {err}'
    return [(int(offset), pattern) for offset, pattern in lines], int(total.group(1))


def find_all(data, patterns):
    """Every occurrence, overlapping ones too; by offset, then in the order of the list."""
    found = []
    for index, pattern in enumerate(patterns):
        at = data.find(pattern)
        while at >= 0:
            found.append((at, index))
            at = data.find(pattern, at + 1)
    return [(offset, patterns[index]) for offset, index in sorted(found)]


def grep_all(path, patterns):
    if not shutil.which('grep'):
        raise Skip('no grep here')
    words = [word for pattern in patterns for word in ('-e', pattern)]
    done = subprocess.run(['grep', '-obaF', *words, str(path)], capture_output=True,
                          env={'LC_ALL': 'C', 'PATH': '/usr/bin:/bin'})
    assert done.returncode < 2, done.stderr
    return [(int(offset), pattern) for offset, pattern in re.findall(rb'(\d+):([^\n]*)\n', done.stdout)]


def check(folder, data, patterns, **variables):
    path = folder / 'in'
    path.write_bytes(data)
    found, total = scan(path, patterns, **variables)
    wanted = find_all(data, patterns)
    expect_same(found, wanted, f'{patterns!r:.60} {variables}')
    assert total == len(wanted), f'total {total}, not {len(wanted)}'
    return len(wanted)


def test_default_input_as_grep(folder):
    book = '/usr/share/common-licenses/GPL-3'
    variables = {}
    try:
        open(book, 'rb').close()
    except OSError:
        variables['input'] = book = folder / 'book'
        book.write_bytes((GRAPHS.parent / 'LICENSE').read_bytes())
    out, err = run_graph('scan.leat', **variables)
    wanted = grep_all(book, [b'warranty', b'copyright', b'license'])
    assert wanted
    expect_same(out, b''.join(b'%d:%s\n' % hit for hit in wanted), 'lines')
    assert f'{len(wanted)} occurrences' in err, err


def test_source_as_grep(folder):
    """A text of some hundred kilobytes, by words that cannot overlap."""
    text = b''.join(path.read_bytes() for path in sorted((GRAPHS.parent / 'core').rglob('*.[ch]')))
    patterns = [b'error', b'return', b'GError', b'session', b'plan', b'{', b'0']
    (folder / 'in').write_bytes(text)
    wanted = grep_all(folder / 'in', patterns)
    for chunk in ('4M', '10000', '333'):
        found, total = scan(folder / 'in', patterns, chunk=chunk)
        expect_same(found, wanted, f'chunk={chunk}')
        assert total == len(wanted) > 10000


def test_prefixes_of_each_other(folder):
    check(folder, b'aabaaabaaaababa' * 9, [b'a', b'aa', b'aba'])
    check(folder, b'aabaaabaaaababa' * 9, [b'aba', b'aa', b'a', b'aabaaabaaaababaa'], chunk=7)
    check(folder, b'a' * 500, [b'a' * n for n in range(20, 0, -1)], chunk=64)


def test_hundreds_of_patterns(folder):
    rng = random.Random(5)
    data = bytes(rng.choice(b'abcd') for _ in range(30000))
    patterns = sorted({bytes(rng.choice(b'abcd') for _ in range(rng.randint(4, 9))) for _ in range(400)})
    rng.shuffle(patterns)
    assert len(patterns) > 300
    assert check(folder, data, patterns, chunk=5000) > 1000


def test_hundreds_of_words_as_grep(folder):
    words = sorted({word for word in re.findall(rb'[a-z]{7,}', (GRAPHS.parent / 'LICENSE').read_bytes())})
    words = [word for word in words if not any(word != other and word in other for other in words)]
    assert len(words) > 200
    (folder / 'in').write_bytes((GRAPHS.parent / 'LICENSE').read_bytes())
    found, _ = scan(folder / 'in', words)
    expect_same(found, grep_all(folder / 'in', words), 'words')


def test_one_byte(folder):
    data = bytes(random.Random(6).randbytes(20000)).replace(b'\n', b'')
    check(folder, data, [b'a'])
    check(folder, data, [bytes([byte]) for byte in range(256) if byte != 10], chunk=4096)


def test_every_byte_value(folder):
    data = bytes(byte for pair in range(256) for byte in (pair, 0, 255 - pair, 255))
    data = data.replace(b'\n', b'\r')
    check(folder, data, [b'\0', b'\xff', b'\0\xff', b'\xff\0', b'\0\0', b'\xff\xff', b'\x80\0\x7f', b',', b'\\',
                         b'\0' * 3])
    check(folder, bytes(1000), [b'\0' * 31, b'\0'], chunk=100)


def test_empty_file(folder):
    assert check(folder, b'', [b'a', b'ab']) == 0


def test_file_of_one_byte(folder):
    assert check(folder, b'a', [b'ab', b'a']) == 1
    assert check(folder, b'b', [b'a', b'bb']) == 0
    assert check(folder, b'a', [b'a'], chunk=1) == 1


def test_no_occurrence(folder):
    assert check(folder, b'abcabcab' * 700, [b'abd', b'cc', b'abcabcabd'], chunk=512) == 0


def test_total_of_one(folder):
    (folder / 'in').write_bytes(b'a cat')
    out, err = run_graph('scan.leat', input=folder / 'in', patterns='cat')
    assert out == b'2:cat\n' and '1 occurrence\n' in err, (out, err)


def test_end_of_the_file(folder):
    """The last byte is the last of a pattern, for files that end at, before and after a chunk's border."""
    for size in (63, 64, 65, 127, 128, 129):
        data = b'.' * (size - 5) + b'whale'
        assert check(folder, data, [b'whale', b'whales', b'e'], chunk=64) == 2
    assert check(folder, b'.' * 60 + b'whal', [b'whale'], chunk=64) == 0


def test_every_offset_at_a_border(folder):
    """65 and 64 have no common divisor: each occurrence lies one byte further into its chunk than the one before."""
    for pattern in (b'xy', b'sea-captain', b'q' * 64, b'r' * 65 + b's' * 80):
        gap = 65 if len(pattern) < 65 else 193
        data = b''.join(pattern + b'.' * (gap - len(pattern)) for _ in range(130))
        assert check(folder, data, [pattern, pattern + b'!'], chunk=64) == 130


def test_chunks_of_every_small_size(folder):
    data = b'abcabca' + b'aaaa' * 3 + b'bcabc'
    for chunk in range(1, len(data) + 2):
        check(folder, data, [b'abc', b'aa', b'a', b'bcab', b'aaaaaaa'], chunk=chunk)


def test_pattern_longer_than_a_chunk(folder):
    long = letters_of(7, b'ab', 4096)
    data = b'a' * 777 + long + b'b' * 5 + long
    assert check(folder, data, [long, long[:4000]], chunk=100) == 4


def check_random(folder, seed):
    rng = random.Random(seed)
    letters = b'ab' if seed % 2 else b'abc\0'
    data = bytes(rng.choice(letters) for _ in range(rng.randint(9000, 20000)))
    patterns = sorted({bytes(rng.choice(letters) for _ in range(rng.randint(1, 12))) for _ in range(9)})
    rng.shuffle(patterns)
    assert check(folder, data, patterns, chunk=rng.randint(200, 3000)) > 100


def test_random_bytes_1(folder):
    check_random(folder, 1)


def test_random_bytes_2(folder):
    check_random(folder, 2)


def test_random_bytes_3(folder):
    check_random(folder, 3)


def test_random_bytes_4(folder):
    check_random(folder, 4)


def test_many_tiles(folder):
    """Some megabytes, so that all the blocks of the kernels have work."""
    rng = random.Random(8)
    data = bytearray(rng.randbytes(5_000_000).replace(b'\n', b'\0'))
    for _ in range(2000):
        at = rng.randrange(len(data) - 20)
        data[at:at + 12] = b'sperm whales'
    assert check(folder, bytes(data), [b'sperm whale', b'whales', b'\xfe\xff\xfe']) > 3900


def test_without_plain_variants(folder):
    if not on_cpu():
        raise Skip('the CPU driver alone has plain C variants')
    data = letters_of(9, b'abc', 40000)
    (folder / 'in').write_bytes(data)
    for patterns in ('abc,ca,a', 'abcab,bb', 'aaaaaaaa'):
        outs = [run_graph('scan.leat', input=folder / 'in', patterns=patterns, chunk=9000,
                          environment={'LEAT_CPU_VARIANTS': on})[0] for on in '01']
        expect_same(*outs, patterns)
        assert outs[0].count(b'\n') == len(find_all(data, patterns.encode().split(b',')))


def test_state_is_there_before_the_first_run(folder):
    """Opening waits for the fills of what is kept, so a fault in one of them is an error there."""
    if not on_cpu():
        raise Skip('the CPU driver alone has planted faults')
    (folder / 'in').write_bytes(b'a cat')
    for _ in range(20):
        code, out, err = launch('--plan', '--bound', GRAPHS / 'scan.leat', f'input={folder}/in',
                                environment={'LEAT_CPU_FAULT': 'set:1'})
        assert code != 0 and not out and 'ILLEGAL_ADDRESS' in err, (code, out, err)


def test_by_the_eager_executor(folder):
    data = letters_of(10, b'abc', 9000)
    (folder / 'in').write_bytes(data)
    code, out, err = launch('--executor=eager', GRAPHS / 'scan.leat', f'input={folder}/in', 'patterns=ab,bca,a',
                            'chunk=700')
    assert code == 0, err
    expect_same(out.count(b'\n'), len(find_all(data, [b'ab', b'bca', b'a'])), 'lines')


if __name__ == '__main__':
    graph_case.main(globals())
