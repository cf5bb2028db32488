# SPDX-License-Identifier: LGPL-2.1-or-later
"""tests/bench/peers without a GPU: ratios and tables from made-up figures, and driver's cases, whose results the
program checks itself, on the CPU driver. test-peers.py CPU-DRIVER LEAT-KERNELC; writes TAP."""

import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent / 'peers'
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import report  # noqa: E402
import run  # noqa: E402


class Skip(Exception):
    pass


def program(**cases):
    """Figures as a program gives them, _ for -: case=(figure, us)."""
    return {'cases': [{'name': name.replace('_', '-'), 'figures': {figure: {'unit': 'us', 'median': us}}}
                      for name, (figure, us) in cases.items()]}


def made_up():
    rounds = [{'leat': program(chain_1=('replay', leat), start=('first-result', 2e5)),
               'driver': program(chain_1=('replay', 10), bare_chain_16=('replay', 21)),
               'torch': program(chain_1=('spin', 40), start=('first-result', 4e6)),
               'floor any': run.parse_floor('chain 16 graph            20.000 us  (p99 25.0)\nnonsense\n')}
              for leat in (8, 20, 10)]
    return {'ratios': run.compare(rounds), 'absolute': run.collect_absolute(rounds), 'floors': run.compare_floors(rounds),
            'rounds': rounds}


def test_ratios_are_of_rounds(_folder):
    rows = {(row['case'], row['figure'], row['with']): row['ratio'] for row in made_up()['ratios']}
    assert rows[('chain-1', 'replay', 'driver')] == {'median': 1, 'least': 0.8, 'most': 2, 'rounds': 3}, rows
    assert rows[('chain-1', 'replay', 'torch')]['median'] == 0.25
    assert rows[('start', 'first-result', 'torch')]['median'] == 0.05
    assert len(rows) == 3, rows


def test_a_program_that_failed_has_no_ratios(_folder):
    rounds = made_up()['rounds']
    rounds[1]['driver'] = None
    rows = {(row['case'], row['with']): row['ratio'] for row in run.compare(rounds)}
    assert rows[('chain-1', 'driver')] == {'median': 0.9, 'least': 0.8, 'most': 1, 'rounds': 2}, rows


def test_floors_are_put_beside_driver(_folder):
    rows = made_up()['floors']
    assert [(row['case'], row['with'], row['ratio']['median']) for row in rows] == \
        [('bare-chain-16', 'floor any: chain 16 graph', 1.05)], rows


def test_table_says_goals(_folder):
    found = made_up()
    found['ratios'][0]['limit'] = 0.5
    found['absolute'] = [{'case': 'argument', 'figure': 'over', 'leat': run.spread([0.3, 0.4]), 'limit': 0.5}]
    table = report.write_table(found)
    assert '| chain-1 | driver | 10 us | 10 us | 1.000 [0.800, 2.000] | at most 0.5: **missed** |' in table, table
    assert '| start, first-result | torch | 200 ms | 4 s | 0.050 [0.050, 0.050] |  |' in table, table
    assert '| argument | over | 0.35 us [0.3 us, 0.4 us] | at most 0.5 us: reached |' in table, table
    assert '| 1.050 [1.050, 1.050] | at most 1.05: reached |' in table, table


def test_report_goes_into_a_page(folder):
    (folder / 'peers.json').write_text(json.dumps(made_up()))
    (folder / 'page.md').write_text('before\n<!-- peers -->\nold\n<!-- /peers -->\nafter\n')
    subprocess.run([sys.executable, '-B', HERE / 'report.py', folder / 'peers.json', '--into', folder / 'page.md', '--svg',
                    folder / 'peers.svg'], check=True)
    page, drawn = (folder / 'page.md').read_text(), (folder / 'peers.svg').read_text()
    assert page.startswith('before\n<!-- peers -->\n| case | against |') and page.endswith('<!-- /peers -->\nafter\n'), page
    assert 'old' not in page
    assert drawn.count('<rect') == 1 + 3 and 'chain-1 / torch' in drawn and '>0.25</text>' in drawn, drawn


def test_driver_gives_right_results(folder):
    driver, kernelc = Path(sys.argv[1]), sys.argv[2]
    header = next((path for path in (Path('/usr/local/cuda/include/cuda.h'), Path('/usr/include/cuda.h')) if path.exists()), None)
    if header is None:
        raise Skip('there is no cuda.h')
    kernels = re.sub(r'extern "C"\n\{|\}\s*\Z', '', (HERE / 'kernels.cu').read_text())
    (folder / 'kernels.cu').write_text(kernels)
    subprocess.run([kernelc, '--target=x86-64', '-o', folder, folder / 'kernels.cu'], check=True)
    image = next(folder.glob('*.img')).read_bytes()
    (folder / 'image').write_bytes(image[image.index(b'LEATIMG1'):])
    subprocess.run(['cc', '-Wall', '-Wextra', '-Werror', '-O1', '-D_GNU_SOURCE', '-I', header.parent, HERE / 'peer.c',
                    *sorted(HERE.glob('driver*.c')), '-o', folder / 'driver', f'-L{driver.parent}', f'-l:{driver.name}',
                    f'-Wl,-rpath,{driver.parent}'], check=True)
    out = subprocess.run([folder / 'driver', '--block', folder / 'image', '5'], check=True, capture_output=True, text=True,
                         env={**os.environ, 'LEAT_CPU_PROFILE': 'h100'}).stdout
    names = {case['name'] for case in json.loads(out)['cases']}
    assert {'round-trip-16m-copy-mapped', 'reused-4k', 'chain-512', 'early-chain-512', 'fan-out-8', 'argument', 'rebind', 'open-1000',
            'start'} <= names, names


def main():
    tests = [(name, test) for name, test in globals().items() if name.startswith('test_')]
    failed = 0
    print(f'1..{len(tests)}')
    for index, (name, test) in enumerate(tests, 1):
        word, why = 'ok', ''
        with tempfile.TemporaryDirectory(prefix='leat-peers-') as folder:
            try:
                test(Path(folder))
            except Skip as skip:
                why = f' # SKIP {skip}'
            except Exception:  # pylint: disable=broad-except
                failed, word = failed + 1, 'not ok'
                print('# ' + traceback.format_exc().rstrip().replace('\n', '\n# '))
        print(f'{word} {index} /leat/bench/peers/{name[5:].replace("_", "-")}{why}', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
