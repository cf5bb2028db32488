# SPDX-License-Identifier: LGPL-2.1-or-later
"""The test programs that look at a planted mistake: which, in which order, and how they are run."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tap

SLOWER = 4  # a program that takes so many times what it took without the mistake hangs
PATHS = ('PATH', 'LD_LIBRARY_PATH', 'GI_TYPELIB_PATH')
# They want kernels that were compiled with the tree; these are not compiled again for each mistake, so they would notice
# any in core/kernel, which is part of what such an image is known by.
LEFT_OUT = ('kernel/image-shipped',)
# For the same reason a mistake there has all kernels compiled again: a program is given the time that the suite gives it.
COMPILES_AGAIN = 'core/kernel/'
# What whole sessions try is as near to programs with sessions as to those of its own folder, which are few or none.
SESSIONS = ('behaviour', 'sessions')
IN_SESSIONS = ('core/lane', 'core/state', 'core/tune', 'core/tell', 'core/stream', 'core/session')
GOOD, BAD, HANGS, STOPPED = 'passes', 'fails', 'hangs', 'stopped'
WORDS_SHOWN = 160  # of why a case failed


def split_words(text):
    words = {word for word in re.split(r'[^a-z0-9]+', text.lower()) if word not in ('', 'leat', 'c', 'test', 'tests')}
    return {word.rstrip('s') or word for word in words}


def list_folders(test, build):
    """Where a program's text is, from tests/, which mirrors the tree: two programs of core/ may be of different folders."""
    texts = list(test['cmd'])
    for target in build.targets:
        if test['cmd'][0] in target['filename']:
            texts += [text for part in target['target_sources'] for text in part.get('sources', [])]
    for text in map(Path, texts):
        if text.name.startswith(('test-', 'fuzz-')) and text.is_relative_to(build.source / 'tests'):
            return text.relative_to(build.source / 'tests').parts[:-1]
    return tuple(test['name'].split('/')[:-1])


def end_group(child):
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def offer_to_oom_killer():
    """A mistake may ask for all memory of the machine; then its own program goes, and nobody else's."""
    try:
        Path('/proc/self/oom_score_adj').write_text('1000')
    except OSError:
        pass


class Known:
    """What is known of the programs, in whichever copy they ran: how long they take without a mistake, which fail without
    one, and how often each noticed one in a file or folder."""

    def __init__(self):
        self.seconds, self.useless, self.noticed = {}, {}, {}


class Programs:
    """Those of the suite, in one copy."""

    def __init__(self, build, options, known, images):
        self.build, self.options, self.known, self.cache = build, options, known, build.folder / 'tests' / 'cache'
        self.jobs = max(1, options.jobs // options.copies)
        if images.is_dir() and not (self.cache / 'leat' / 'images').is_dir():
            shutil.copytree(images, self.cache / 'leat' / 'images')
        self.cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.tests = {test['name']: test for test in build.tests
                      if not any('slow' in suite for suite in test['suite']) and test['name'] not in LEFT_OUT}
        self.words = {name: split_words(name) for name in self.tests}
        self.folders = {name: list_folders(test, build) for name, test in self.tests.items()}
        self.stop, self.ended = threading.Event(), False

    def learn(self, results):
        """Who noticed a mistake in a file is asked first of the next one there."""
        for result in results:
            if result['outcome'] == 'noticed':
                self.count_noticed(result['mistake'].split(':', 1)[0], result['detail'].split(' ')[0])

    def count_noticed(self, path, name):
        for place in (path, os.path.dirname(path)):
            self.known.noticed[place, name] = self.known.noticed.get((place, name), 0) + 1

    def rank(self, path, name):
        """How near a program is to a file: where both are, what both are called, of which rare words say more, and what it
        noticed there."""
        common = split_words(path) & self.words[name]
        near = sum(1 / sum(word in words for words in self.words.values()) for word in common)
        folder = os.path.dirname(path)
        same = len(os.path.commonprefix([tuple(folder.split('/')), self.folders[name]]))
        if folder in IN_SESSIONS and self.folders[name] == SESSIONS:
            same = len(IN_SESSIONS[0].split('/'))
        return 4 * near + same + 3 * self.known.noticed.get((path, name), 0) + 0.5 * self.known.noticed.get((folder, name), 0)

    def choose(self, path):
        names = [name for name in self.tests if name not in self.known.useless]
        names.sort(key=lambda name: (-self.rank(path, name), self.known.seconds.get(name, 1), name))
        return [self.tests[name] for name in names[:self.options.programs]]

    def give_up(self):
        """Ends what runs now and lets nothing more begin; from another thread."""
        self.ended = True
        self.stop.set()

    def try_unchanged(self, paths, jobs):
        """A program that fails without a mistake would notice each."""
        wanted = {test['name']: test for path in sorted(paths) for test in self.choose(path)}
        if wanted:
            print(f'dev: running {len(wanted)} programs without a mistake', file=sys.stderr, flush=True)
        for name, (verdict, seconds, why) in self.run_some(list(wanted.values()), None, jobs, lambda verdict: False).items():
            self.known.seconds[name] = seconds
            if verdict != GOOD:
                self.known.useless[name] = verdict
                print(f'dev: {name} {verdict} without a mistake, and is left out' + (f': {why}' if why else ''), file=sys.stderr, flush=True)

    def run(self, path, tests):
        """(outcome, detail) of the mistake that is planted."""
        until = time.monotonic() + self.options.time
        found = self.run_some(tests, until, self.jobs, lambda verdict: verdict in (BAD, HANGS), path)
        for name, (verdict, _, why) in found.items():
            if verdict in (BAD, HANGS):
                self.count_noticed(path, name)
                return 'noticed', f'{name} {verdict}' + (f': {why}' if why else '')
        return 'unnoticed', f'{sum(verdict == GOOD for verdict, _, _ in found.values())} programs'

    def run_some(self, tests, until, jobs, enough, path=None):
        """{name: (verdict, seconds, why)} of TESTS in their order, JOBS at a time, until ENOUGH says so of one. UNTIL is when no
        further one begins, PATH where the mistake is; None where there is none."""
        found = {}
        self.stop.clear()
        if self.ended:
            self.stop.set()
        with tempfile.TemporaryDirectory(prefix='run-', dir=self.build.folder.parent) as folder:
            os.chmod(folder, 0o755)  # some tests are other users for a while
            def look(test):
                if self.stop.is_set() or (until is not None and time.monotonic() > until):
                    return
                begun = time.monotonic()
                verdict, why = self.run_one(test, Path(folder), path)
                if until is not None and verdict in (BAD, HANGS):  # not by chance, or for want of time
                    verdict, why = self.run_one(test, Path(folder), path)
                if verdict != STOPPED:
                    found[test['name']] = (verdict, time.monotonic() - begun, why)
                if enough(verdict):
                    self.stop.set()
            self.lend_images(Path(folder), until is None)
            with ThreadPoolExecutor(jobs) as pool:
                try:
                    list(pool.map(look, [test for test in tests if test['is_parallel']]))
                except BaseException:
                    self.stop.set()
                    raise
            for test in tests:
                if not test['is_parallel']:
                    look(test)
        return found

    def lend_images(self, folder, keep):
        """Kernels that were compiled before: without a mistake in the cache itself, else as links in one of its own, since a
        mistake in what names images must not spoil them for the next."""
        if keep:
            (folder / 'cache').symlink_to(self.cache)
            return
        (folder / 'cache' / 'leat').mkdir(parents=True, mode=0o700)
        if (self.cache / 'leat' / 'images').is_dir():
            shutil.copytree(self.cache / 'leat' / 'images', folder / 'cache' / 'leat' / 'images', copy_function=os.link)

    def make_environment(self, test, folder):
        environment = {**os.environ, **test['env'], 'HOME': str(folder), 'TMPDIR': str(folder), 'XDG_CACHE_HOME': str(folder / 'cache')}
        for name in PATHS:
            if test['env'].get(name) and os.environ.get(name):
                environment[name] = test['env'][name] + ':' + os.environ[name]
        return environment

    def find_limit(self, test, path):
        """Seconds after which a program hangs, with a mistake in PATH, or None."""
        name = test['name']
        if name not in self.known.seconds or (path or '').startswith(COMPILES_AGAIN):
            return test['timeout']
        beside = 1 if test['is_parallel'] else self.options.copies  # what has to run alone does not, with other copies at work
        return max(self.options.least, SLOWER * self.known.seconds[name]) * beside

    def run_one(self, test, folder, path):
        """(verdict, why it failed)"""
        child = subprocess.Popen(test['cmd'], cwd=test['workdir'] or self.build.folder, env=self.make_environment(test, folder),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                 errors='replace', start_new_session=True, preexec_fn=offer_to_oom_killer)
        until, verdict, why = time.monotonic() + self.find_limit(test, path), None, None
        while verdict is None:
            try:
                out, _ = child.communicate(timeout=0.2)
                cases = tap.cases_of_program(out, 'OK' if child.returncode == 0 else f'exit status {child.returncode}')
                why = next((case.describe()[:WORDS_SHOWN] for case in cases if case.state == 'failed'), None)
                verdict = GOOD if why is None else BAD
            except subprocess.TimeoutExpired:
                verdict = HANGS if time.monotonic() > until else STOPPED if self.stop.is_set() else None
        end_group(child)
        child.communicate()
        return verdict, why
