# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints figures of the structure: measure.py [BUILD-FOLDER]

How large files are, how many fields a session has, how many files a reader enters who follows a session from a public
call, and, by the symbols of the library's objects, calls that the table of folders does not have and circles of files."""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from lint import read_table

ROOT = Path(__file__).resolve().parent.parent
FUNCTION = re.compile(r'^([a-z_]\w*) \(([^{};]*?)\)\n\{\n(.*?)^\}', re.MULTILINE | re.DOTALL)
WALKS = ('leat_session_replay', 'leat_session_open', 'leat_session_run')


def list_sources(*folders):
    out = subprocess.run(['git', 'ls-files', *folders], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for path in out.splitlines() if path.endswith('.c')]


def measure_sizes():
    sizes = sorted(len((ROOT / path).read_text().splitlines()) for path in list_sources('core', 'plugins', 'tools'))
    print(f'files: {len(sizes)}, median {sizes[len(sizes) // 2]} lines, p90 {sizes[len(sizes) * 9 // 10]}, most {sizes[-1]}')


def measure_fields():
    """Of struct _LeatSession, wherever it stands."""
    for path in sorted(ROOT.glob('core/*/*.h')):
        found = re.search(r'^struct _LeatSession\n\{\n(.*?)^\};', path.read_text(), re.MULTILINE | re.DOTALL)
        if found:
            text = re.sub(r'/\*.*?\*/', '', found[1], flags=re.DOTALL)
            fields = sum(line.count(',') + 1 for line in text.splitlines() if line.strip().endswith(';'))
            print(f'fields of LeatSession: {fields} ({path.relative_to(ROOT)})')


def read_functions():
    """{function: (file, names of its sessions, body)} of core/."""
    found = {}
    for path in list_sources('core'):
        for name, params, body in FUNCTION.findall((ROOT / path).read_text()):
            sessions = set(re.findall(r'\bLeatSession \*(\w+)', params))
            if sessions:
                found[name] = (path, sessions | set(re.findall(r'\bLeatSession \*(\w+)\b', body)), body)
    return found


def list_calls(body):
    """(function, its arguments as one text) of each call, those within arguments too."""
    for found in re.finditer(r'\b(leat_\w+) \(', body):
        depth, end = 1, found.end()
        while depth > 0 and end < len(body):
            depth += {'(': 1, ')': -1}.get(body[end], 0)
            end += 1
        yield found[1], body[found.end():end - 1]


def walk(functions, start):
    """Functions that get the session of @start from it or from each other."""
    seen, todo = set(), [start]
    while todo:
        name = todo.pop()
        if name in seen or name not in functions:
            continue
        seen.add(name)
        _, sessions, body = functions[name]
        names = '|'.join(map(re.escape, sessions))
        passes = re.compile(rf'(?:^|, )(?:{names})(?:$|,)')
        todo += [call for call, arguments in list_calls(body) if passes.search(arguments)]
    return seen


def measure_walks():
    functions = read_functions()
    for start in WALKS:
        seen = walk(functions, start)
        files = {functions[name][0] for name in seen}
        print(f'who follows a session from {start} () enters {len(files)} files, {len(seen)} functions')


def read_symbols(build):
    """{object: (defined, undefined)} of the library."""
    found = {}
    for path in sorted((build / 'core').glob('libleat-*.so.*.p/*.o')):
        lines = subprocess.run(['nm', '-P', str(path)], capture_output=True, text=True, check=True).stdout.splitlines()
        symbols = [(line.split()[0], line.split()[1]) for line in lines if len(line.split()) > 1]
        found[path.name[:-2]] = ({name for name, kind in symbols if kind in 'TDBR'},
                                 {name for name, kind in symbols if kind == 'U' and not name.endswith('_get_type')})
    return found


def find_circles(uses):
    """Strongly connected sets of more than one, by Tarjan (1972), without recursion."""
    order, low, stack, circles = {}, {}, [], []
    for root in uses:
        work = [(root, iter(uses[root]))] if root not in order else []
        if work:
            order[root] = low[root] = len(order)
            stack.append(root)
        while work:
            node, rest = work[-1]
            target = next(rest, None)
            if target is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    at = stack.index(node)
                    circles += [stack[at:]] if len(stack) - at > 1 else []
                    for left in stack[at:]:
                        low[left] = len(uses)
                    del stack[at:]
            elif target not in order:
                order[target] = low[target] = len(order)
                stack.append(target)
                work.append((target, iter(uses[target])))
            else:
                low[node] = min(low[node], order[target] if target in stack else low[node])
    return circles


def measure_circles(build):
    symbols = read_symbols(build)
    homes = {name: path for path, (defined, _) in symbols.items() for name in defined}
    uses = {path: sorted({homes[name] for name in wanted if name in homes and homes[name] != path}) for path, (_, wanted) in symbols.items()}
    table = read_table((ROOT / 'docs/design.md').read_text())
    for path, (_, wanted) in symbols.items():
        for name in sorted(wanted):
            above, below = path.split('_')[0], homes.get(name, path).split('_')[0]
            if above in table and below in table and below != above and below not in table[above]:
                print(f'a call that the table in docs/design.md does not have: {path} uses {name} of {homes[name]}')
    circles = sorted(find_circles(uses), key=len, reverse=True)
    print(f'files of the library in circles: {sum(map(len, circles))} of {len(symbols)}, in {len(circles)} circles')
    folders = defaultdict(list)
    for circle in circles:
        folders['/'.join(sorted({name.split('_')[0] for name in circle}))].append(len(circle))
    for folder, sizes in sorted(folders.items()):
        print(f'  {folder}: {", ".join(map(str, sizes))}')


def main(build=ROOT / 'build'):
    measure_sizes()
    measure_fields()
    measure_walks()
    if (Path(build) / 'core').is_dir():
        measure_circles(Path(build))


if __name__ == '__main__':
    main(*sys.argv[1:])
