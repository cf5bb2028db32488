# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plants small mistakes, one at a time, and tells which of them no test notices.

All happens in copies of the source tree, FOLDER/1/source, each with a build folder of its own, FOLDER/1/build (under
sanitizers FOLDER/sanitized-1); nothing else is written.  What came out of each mistake is a line of
FOLDER/results.jsonl, from which a later call goes on."""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mutants
import mutate_tests

BUILD_SECONDS = 1800
MADE_FOR_TESTS = ('-Ddebug=false', '-Dintrospection=disabled', '-Dcub=disabled')
SANITIZED = ('-Db_sanitize=address,undefined', '-Doptimization=1')


def say(text):
    print(f'dev: {text}', file=sys.stderr, flush=True)


def fail(text):
    say(text)
    sys.exit(1)


def ask_git(root, *words):
    done = subprocess.run(['git', '-C', str(root), '-c', f'safe.directory={root}', *words], capture_output=True, text=True)
    if done.returncode != 0:
        fail(f'git {words[0]} failed: {done.stderr.strip()}')
    return [name for name in done.stdout.split('\0') if name]


def copy_source(root, target):
    """The files of the tree as they are now, those not yet committed among them; what is the same stays as it is, so that
    little is built again."""
    wanted = ask_git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard')
    wanted = {name for name in wanted if (root / name).is_file()}
    for name in wanted:
        here, there = root / name, target / name
        if there.is_file() and not there.is_symlink() and here.read_bytes() == there.read_bytes():
            continue
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(here, there)
        shutil.copymode(here, there)
    for there in sorted(target.rglob('*')):
        if not there.is_dir() and str(there.relative_to(target)) not in wanted:
            there.unlink()


class Build:
    """The build folder of the copy."""

    def __init__(self, folder, jobs, options):
        self.source, self.folder, self.jobs = folder / 'source', folder / 'build', jobs
        self.log = folder / 'build.log'
        if not (self.folder / 'build.ninja').exists():
            say('configuring the copy')
            self.call(['meson', 'setup', *options, str(self.folder), str(self.source)]) or self.give_up()
        say('building the copy')
        self.ninja('build.ninja') or self.give_up()
        self.tests = json.loads((self.folder / 'meson-info' / 'intro-tests.json').read_text())
        self.targets = json.loads((self.folder / 'meson-info' / 'intro-targets.json').read_text())
        self.objects = self.read_objects()
        self.ninja('all', 'meson-test-prereq') or self.give_up()

    def call(self, words):
        with self.log.open('w') as log:
            return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=BUILD_SECONDS).returncode == 0

    def give_up(self):
        print(self.log.read_text()[-3000:], file=sys.stderr)
        fail(f'the copy cannot be built; the whole log is {self.log}')

    def ninja(self, *targets):
        return self.call(['ninja', '-C', str(self.folder), '-j', str(self.jobs), *targets])

    def read_objects(self):
        """{source, from the tree's root: [object, from the build folder]}"""
        found = {}
        for command in json.loads((self.folder / 'compile_commands.json').read_text()):
            source = os.path.relpath(os.path.join(command['directory'], command['file']), self.source)
            found.setdefault(source, []).append(command['output'])
        return found

    def read_code(self, path):
        """What was compiled of a file, without what tells of lines."""
        code = []
        for name in self.objects.get(path, []):
            stripped = self.folder / 'mutate-stripped.o'
            subprocess.run(['strip', '--strip-debug', '-o', str(stripped), str(self.folder / name)], check=True)
            code.append(stripped.read_bytes())
        return code

    def list_needed(self, tests):
        """What ninja is to build for TESTS: they, what they name, and the programs and plugins that any of them may open.
        Texts made for other languages and compiled kernels are not among it."""
        wanted = {target for test in tests for target in test['depends']}
        needed = []
        for target in self.targets:
            linked = target['type'] in ('executable', 'shared library', 'shared module')
            of_tests = Path(target['defined_in']).is_relative_to(self.source / 'tests')
            if target['id'] in wanted or (linked and not of_tests):
                needed += [os.path.relpath(name, self.folder) for name in target['filename']]
        return needed


def make_copy(root, folder, options):
    (folder / 'source').mkdir(parents=True, exist_ok=True)
    copy_source(root, folder / 'source')
    made = options.option if options.option is not None else MADE_FOR_TESTS
    return Build(folder, options.jobs, [*made, *(SANITIZED if options.sanitize else ())])


class Planter:
    """Tries one mistake after another, in one copy."""

    def __init__(self, build, programs):
        self.build, self.programs = build, programs

    def plant(self, mutant):
        """(outcome, detail): noticed, unnoticed, same code, not compiled."""
        path = self.build.source / mutant.path
        text = path.read_text()
        before = self.build.read_code(mutant.path)
        try:
            path.write_text(mutant.apply(text))
            return self.look(mutant, before)
        finally:
            path.write_text(text)

    def look(self, mutant, before):
        objects = self.build.objects.get(mutant.path, [])
        if objects and not self.build.ninja(*objects):
            return 'not compiled', ''
        if objects and self.build.read_code(mutant.path) == before:
            return 'same code', ''
        tests = self.programs.choose(mutant.path)
        if not self.build.ninja(*self.build.list_needed(tests)):
            return 'not compiled', 'or not linked'
        return self.programs.run(mutant.path, tests)

    def restore(self, mutant):
        """Leaves the objects as the text is, for the comparison with the next."""
        self.build.ninja(*self.build.objects.get(mutant.path, []))


def key_of(mutant, line):
    return f'{mutant.path}:{mutant.operator}:{mutant.old}>{mutant.new}@{line}:{mutant.start}'


def describe(mutant):
    def short(text):
        text = ' '.join(text.split())
        return text if len(text) <= 48 else text[:45] + '...'
    return f'{mutant.path}:{mutant.line}  {short(mutant.old)}  ->  {short(mutant.new)}'


def select(root, options):
    """The mistakes asked for, in the order in which they are tried."""
    if options.files:
        names = [os.path.relpath(os.path.abspath(name), root) for name in options.files]
    elif options.changed:
        names = ask_git(root, 'diff', '--name-only', '-z', options.changed)
        names = [name for name in names if name.endswith('.c') and not name.startswith('tests/')]
    else:
        names = ask_git(root, 'ls-files', '-z', 'core/*.c', 'plugins/*.c')
    found = []
    for name in names:
        if name.startswith('..') or not (root / name).is_file():
            if options.files:
                fail(f'there is no file {name} in this tree')
            continue
        found += mutants.list_mutants(name, (root / name).read_text())
    if options.operator:
        found = [mutant for mutant in found if mutant.operator in options.operator]
    if not found:
        fail('there is no place for a mistake in what was named')
    count = options.random or (len(found) if options.files or options.changed else 40)
    return mutants.choose(found, count, random.Random(options.seed))


def read_results(path):
    try:
        return {result['key']: result for result in map(json.loads, path.read_text().splitlines())}
    except FileNotFoundError:
        return {}


def report(results):
    """The table, and the score: of those that are mistakes, how many were noticed."""
    counts = {}
    for result in results:
        counts[result['outcome']] = counts.get(result['outcome'], 0) + 1
    for outcome in ('noticed', 'unnoticed'):
        some = [result for result in results if result['outcome'] == outcome]
        if some:
            print(f'\n{outcome}:')
        for result in some:
            print(f'  {result["mistake"]}' + (f'  [{result["detail"]}]' if result['detail'] else ''))
    tried = counts.get('noticed', 0) + counts.get('unnoticed', 0)
    other = [f'{counts[name]} {words}' for name, words in (('not compiled', 'that do not compile'), ('same code', 'of the same code'))
             if name in counts]
    print(f'\n{counts.get("noticed", 0)} of {tried} mistakes noticed'
          + (f' ({100 * counts.get("noticed", 0) // tried} %)' if tried else '') + (f'; besides {", ".join(other)}' if other else ''))


class Trials:
    """What is still to be tried, for all copies; each result is on disk before its copy begins another."""

    def __init__(self, chosen, results, path, root):
        self.chosen, self.results, self.path, self.lock = chosen, results, path, threading.Lock()
        lines = {name: (root / name).read_text().splitlines() for name in {mutant.path for mutant in chosen}}
        self.keys = {mutant: key_of(mutant, lines[mutant.path][mutant.line - 1]) for mutant in chosen}
        self.left = [mutant for mutant in chosen if self.keys[mutant] not in results]
        self.next, self.ended = iter(self.left), False

    def take(self):
        with self.lock:
            return None if self.ended else next(self.next, None)

    def end(self):
        self.ended = True

    def write(self, mutant, outcome, detail, seconds):
        key = self.keys[mutant]
        result = {'key': key, 'mistake': describe(mutant), 'operator': mutant.operator, 'outcome': outcome, 'detail': detail,
                  'seconds': round(seconds, 1)}
        with self.lock:
            self.results[key] = result
            with self.path.open('a') as file:
                file.write(json.dumps(result) + '\n')
            done = sum(self.keys[mutant] in self.results for mutant in self.chosen)
            say(f'{done} of {len(self.chosen)}: {result["mistake"]}: {outcome}' + (f' by {detail}' if detail and outcome == 'noticed' else ''))

    def list_done(self):
        return [self.results[self.keys[mutant]] for mutant in self.chosen]


def try_some(planter, trials):
    """In one copy, until none is left."""
    try:
        while (mutant := trials.take()) is not None:
            begun = time.monotonic()
            outcome, detail = planter.plant(mutant)
            planter.restore(mutant)
            if trials.ended:  # and so maybe this one, half tried
                return
            trials.write(mutant, outcome, detail, time.monotonic() - begun)
    except BaseException:
        trials.end()
        raise


def try_all(planters, trials):
    """A stop from outside reaches the main thread alone, which then ends what the others run."""
    with ThreadPoolExecutor(len(planters)) as pool:
        running = [pool.submit(try_some, planter, trials) for planter in planters]
        try:
            for each in running:
                each.result()
        except BaseException:
            trials.end()
            for planter in planters:
                planter.programs.give_up()
            raise


def read_options(words):
    parser = argparse.ArgumentParser(prog='./dev mutate', description='Plants small mistakes, one at a time, in a copy of the '
                                     'tree, and tells which of them no test notices.')
    parser.add_argument('files', nargs='*', metavar='FILE.c', help='where; without any, 40 places in core/ and plugins/')
    parser.add_argument('--changed', metavar='REV', help='in the C files that differ from REV')
    parser.add_argument('--random', type=int, metavar='N', help='only N places, by chance')
    parser.add_argument('--seed', type=int, default=1, help='of that chance (1)')
    parser.add_argument('--operator', action='append', help='only this kind of mistake; more than once for more kinds')
    parser.add_argument('--programs', type=int, default=60, help='how many test programs look at a mistake, the nearest first (60)')
    parser.add_argument('--time', type=float, default=180, help='seconds of running programs for a mistake (180)')
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 2, help='programs and compilers at a time')
    parser.add_argument('--copies', type=int, default=1, help='of the tree, in each of which another mistake is tried at the same '
                        'time (1); they share the jobs')
    parser.add_argument('--again', action='store_true', help='try again what no test noticed before')
    parser.add_argument('--sanitize', action='store_true', help='under AddressSanitizer and UndefinedBehaviorSanitizer, which see more '
                        'and are slower: with --again for what is left')
    parser.add_argument('--list', action='store_true', help='only list the mistakes')
    parser.add_argument('--least', type=float, default=10, help='seconds before a program can count as one that hangs (10)')
    parser.add_argument('--root', default=Path(__file__).resolve().parents[1], type=Path, help=argparse.SUPPRESS)
    parser.add_argument('--folder', type=Path, help=argparse.SUPPRESS)
    parser.add_argument('--option', action='append', help=argparse.SUPPRESS)
    return parser.parse_args(words)


def main(words):
    options = read_options(words)
    root = options.root.resolve()
    folder = (options.folder or root / 'build-mutate').resolve()
    chosen = select(root, options)
    if options.list:
        print(*(f'{mutant.operator}: {describe(mutant)}' for mutant in chosen), sep='\n')
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    path = folder / 'results.jsonl'
    begin = 'sanitized-' if options.sanitize else ''
    builds = [make_copy(root, folder / f'{begin}{number}', options) for number in range(1, options.copies + 1)]
    results = {key: result for key, result in read_results(path).items() if not options.again or result['outcome'] != 'unnoticed'}
    trials = Trials(chosen, results, path, root)
    known = mutate_tests.Known()
    first = mutate_tests.Programs(builds[0], options, known, root / 'build' / 'tests' / 'cache' / 'leat' / 'images')
    first.learn(results.values())
    first.try_unchanged({mutant.path for mutant in trials.left}, options.jobs)
    programs = [first] + [mutate_tests.Programs(build, options, known, first.cache / 'leat' / 'images') for build in builds[1:]]
    try:
        try_all([Planter(build, some) for build, some in zip(builds, programs)], trials)
    except KeyboardInterrupt:
        say('stopped; the same call goes on from here')
        return 130
    report(trials.list_done())
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
