#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the suite of a bundle and writes what came out, with what it ran on, to RECORD-FOLDER/record.txt."""

import argparse
import concurrent.futures
import datetime
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import run_sanitizer
import tap

BUNDLE = Path(__file__).resolve().parent


def placed(value):
    return value.replace('@BUILD@', str(BUNDLE / 'build')).replace('@SOURCE@', str(BUNDLE / 'source'))


def path_here(value):
    """Of the building machine's PATH, only the bundle's own folders are of use here."""
    own = [folder for folder in value.split(':') if folder.startswith('@BUILD@')]
    return ':'.join([placed(folder) for folder in own] + [os.environ.get('PATH', '/usr/bin:/bin')])


def program_here(path):
    """Interpreters lie elsewhere on this machine, and the python3 that has NumPy is the one on PATH."""
    name = os.path.basename(path)
    if name.startswith('python3'):
        return shutil.which('python3') or path
    return path if os.path.exists(path) or '/' not in path else shutil.which(name) or path


def base_environment(device, cache):
    """What env.sh sets, asked of a shell, because it is a shell that has to understand it."""
    shell = subprocess.run(['bash', '-c', f'. "{BUNDLE}/env.sh" && env -0'], check=True, capture_output=True, text=True)
    environment = dict(pair.split('=', 1) for pair in shell.stdout.split('\0') if '=' in pair)
    environment.update(LEAT_DEVICE=device, XDG_CACHE_HOME=cache)
    return environment


def reason_to_skip(test, device):
    """Bindings need an interpreter with its bridge to GObject; a machine without it says so."""
    if test['name'].endswith('-as-gpu') and device != 'cpu':
        return 'the device runs what a GPU runs already'
    if any(suite.endswith(':tree') for suite in test['suite']):
        return 'it is about the source tree'
    program = program_here(placed(test['cmd'][0]))
    if not os.path.exists(program):
        return f'no {os.path.basename(program)} here'
    if any('bindings' in suite for suite in test['suite']) and os.path.basename(program).startswith('python3'):
        if subprocess.run([program, '-c', 'import gi'], capture_output=True).returncode != 0:
            return 'python3 here has no PyGObject'
    return None


class Stop:
    """A run that is told to end takes its test programs with it, and what has not begun does not begin."""

    def __init__(self):
        self.asked = threading.Event()
        self.running = set()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self.end)

    def end(self, _number, _frame):
        self.asked.set()
        for child in list(self.running):
            self.kill(child)

    def kill(self, child):
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def begin(self, child):
        self.running.add(child)
        if self.asked.is_set():
            self.kill(child)


def run_one(test, base, factor, stop):
    """Returns (stdout, stderr, end, seconds) of one test program; its whole process group goes when time is up."""
    if stop.asked.is_set():
        return '', '', 'STOPPED', 0.0
    reason = reason_to_skip(test, base['LEAT_DEVICE'])
    if reason:
        return f'1..0 # SKIP {reason}\n', '', 'SKIP', 0.0
    kept = {'XDG_CACHE_HOME': base['XDG_CACHE_HOME'], 'LEAT_DEVICE': base['LEAT_DEVICE'], 'LEAT_TEST_TIME_FACTOR': str(factor)}
    environment = {**base, **{name: path_here(value) if name == 'PATH' else program_here(placed(value))
                              for name, value in test['env'].items()}, **kept}
    command = [program_here(placed(test['cmd'][0]))] + [placed(word) for word in test['cmd'][1:]]
    began = time.monotonic()
    child = subprocess.Popen(command, env=environment, cwd=placed(test['workdir'] or '@BUILD@'), text=True,
                             errors='replace', stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, start_new_session=True)
    stop.begin(child)
    try:
        stdout, stderr = child.communicate(timeout=(test['timeout'] or 30) * factor)
        end = {0: 'OK', 77: 'SKIP'}.get(child.returncode, f'exit status {child.returncode}')
    except subprocess.TimeoutExpired:
        stop.kill(child)
        stdout, stderr = child.communicate()
        end = 'TIMEOUT'
    stop.running.discard(child)
    return stdout, stderr, end, time.monotonic() - began


def device_lines():
    """What the driver's own tool says of the devices; a machine without one says that."""
    try:
        asked = subprocess.run(['nvidia-smi', '--query-gpu=name,driver_version,memory.total', '--format=csv,noheader'],
                               capture_output=True, text=True, timeout=60)
        return asked.stdout.strip().splitlines() or ['none found']
    except (OSError, subprocess.TimeoutExpired):
        return ['none (no nvidia-smi here)']


def write_record(folder, about, outputs, programs):
    folder.mkdir(parents=True, exist_ok=True)
    cases = [case for each in programs.values() for case in each]
    count = ', '.join(f'{sum(1 for case in cases if case.state == state)} {state}'
                      for state in ('passed', 'failed', 'skipped'))
    with (folder / 'record.txt').open('w', encoding='utf-8') as record:
        for name, value in about.items():
            record.write(f'{name}: {value}\n')
        record.write(f'count: {count}\n')
        for name, (stdout, stderr, end, seconds) in outputs.items():
            record.write(f'\n== {name}: {end}, {seconds:.2f} s\n{stdout}')
            if end not in tap.GOOD_ENDS and stderr:
                record.write(f'-- standard error\n{stderr[-20000:]}')


def wanted_tests(described, given):
    tests = described['benchmarks'] if given.benchmarks else described['tests']
    if given.sanitize:
        names = given.names or run_sanitizer.PROGRAMS
        return run_sanitizer.tests_under(
            given.sanitize, [test for test in tests if any(name in test['name'] for name in names)
                             and not test['name'].endswith('-as-gpu')], run_sanitizer.find())
    if given.names:
        return [test for test in tests if any(name in test['name'] for name in given.names)]
    return [test for test in tests if not any(suite.endswith(':slow') for suite in test['suite'])]


def run_at_once(tests, jobs, base, given, stop):
    outputs = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(run_one, test, base, given.time_factor, stop): test['name'] for test in tests}
        for done in concurrent.futures.as_completed(running):
            name = running[done]
            outputs[name] = done.result()
            print(f'{outputs[name][2]:>8} {outputs[name][3]:7.2f} s  {name}', flush=True)
            if outputs[name][2] not in tap.GOOD_ENDS:
                print(outputs[name][0][-4000:] + outputs[name][1][-4000:], flush=True)
            elif given.benchmarks:
                print(outputs[name][0], flush=True)
    return outputs


def run_all(tests, base, given, stop):
    """Those that say so run by themselves, as benchmarks do, and on a GPU those of the suite "alone"."""
    def is_alone(test):
        return given.benchmarks or not test.get('is_parallel', True) or (
            given.device != 'cpu' and any(suite.endswith(':alone') for suite in test['suite']))

    together = [test for test in tests if not is_alone(test)]
    outputs = run_at_once(together, given.jobs, base, given, stop)
    outputs.update(run_at_once([test for test in tests if test not in together], 1, base, given, stop))
    return dict(sorted(outputs.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('record', type=Path, metavar='RECORD-FOLDER')
    parser.add_argument('names', nargs='*', help='only tests whose name contains one of these')
    parser.add_argument('--device', default=os.environ.get('LEAT_DEVICE', 'cuda:0'))
    parser.add_argument('--jobs', type=int, default=min(6, os.cpu_count() or 1))
    parser.add_argument('--time-factor', type=float, default=2.0, help='multiplies every time limit')
    parser.add_argument('--benchmarks', action='store_true', help='the benchmarks instead of the tests')
    parser.add_argument('--sanitize', nargs='?', const=','.join(run_sanitizer.TOOLS), metavar='TOOL,...',
                        type=lambda text: text.split(','),
                        help='the primitives, or the tests named, under compute-sanitizer; all its tools if none is named')
    given = parser.parse_intermixed_args()  # names may come behind options
    if given.sanitize and run_sanitizer.find() is None:
        parser.error('there is no compute-sanitizer on PATH or in /usr/local/cuda/bin; it comes with the CUDA toolkit')
    described = json.loads((BUNDLE / 'tests.json').read_text())
    with tempfile.TemporaryDirectory(prefix='leat-cache-') as cache:
        base = base_environment(given.device, cache)
        outputs = run_all(wanted_tests(described, given), base, given, Stop())
    programs = {name: tap.cases_of_program(output[0], output[2], output[1]) for name, output in outputs.items()}
    about = {'commit': described['commit'], 'date': datetime.datetime.now(datetime.timezone.utc).isoformat('T', 'minutes'),
             'LEAT_DEVICE': given.device, 'devices (name, driver, memory)': '; '.join(device_lines()),
             'system': f'{platform.platform()}, {os.cpu_count()} cores'}
    write_record(given.record, about, outputs, programs)
    good = tap.report(programs)
    if given.sanitize:
        good = run_sanitizer.report(outputs) and good
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
