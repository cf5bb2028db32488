# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the Test Anything Protocol as GLib writes it, flat or with subtests, and counts single cases."""

import os
import re
import subprocess
from typing import NamedTuple

RESULT = re.compile(r'^( *)(not ok|ok)\b *(\d+)? *(?:- )?([^#]*)(?:# *(?:(SKIP|TODO)\S* *(.*)|.*))?$', re.IGNORECASE)
PLAN = re.compile(r'^1\.\.(\d+)\s*(?:# *SKIP\S* *(.*))?$', re.IGNORECASE)
GOOD_ENDS = ('OK', 'SKIP', 'EXPECTEDFAIL')
ABORTED = 'aborted: '
NEVER_RAN = '(never ran)'


class Case(NamedTuple):
    """One case of one test program: state is passed, failed or skipped."""
    state: str
    name: str
    reason: str

    def describe(self):
        return self.name + (f' - {self.reason}' if self.reason else '')


def case_of(match):
    verdict, name, directive, reason = match.group(2), match.group(4).strip(), match.group(5), match.group(6)
    if directive and directive.upper() == 'SKIP':
        return Case('skipped', name, reason or 'no reason given')
    if directive and directive.upper() == 'TODO':
        return Case('skipped', name, 'to do: ' + (reason or ''))
    return Case('passed' if verdict.lower() == 'ok' else 'failed', name, '')


def read_cases(text):
    """Returns (cases, planned, bail): a line that closes a block of subtests is not a case of its own, unless it alone
    fails; BAIL is why the program gave up, or None."""
    cases, planned, bail, block = [], None, None, []
    for line in text.splitlines():
        plan = PLAN.match(line)
        if plan:
            planned = int(plan.group(1))
            if planned == 0:
                cases.append(Case('skipped', '(all)', plan.group(2) or 'no reason given'))
            continue
        match = RESULT.match(line)
        if not match:
            if line.startswith('Bail out!'):
                bail = line[9:].strip()
            continue
        case, depth = case_of(match), len(match.group(1))
        inner = [at for at in block if at > depth]
        block = [at for at in block if at <= depth]
        if depth:
            block.append(depth)
        if not inner or (case.state == 'failed' and all(past.state != 'failed' for past in cases)):
            cases.append(case)
    nested = any(re.match(r'^ +(not )?ok\b', line) for line in text.splitlines())
    return cases, None if nested else planned, bail


def list_names(command, environment):
    """The cases of a GLib test program in the order in which they run; nothing for a script, which might run them."""
    try:
        with open(command[0], 'rb') as file:
            if file.read(4) != b'\x7fELF':
                return []
        asked = subprocess.run([*(word for word in command if word != '--tap'), '-l'], env={**os.environ, **environment}, text=True, errors='replace',
                               stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line for line in asked.stdout.splitlines() if line.startswith('/')]


def last_words(stderr):
    """What of standard error tells why a program died: the line that a sanitizer or an assertion wrote, or the last."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r'\bERROR\b|runtime error|[Aa]ssertion', line)]
    return telling[0] if telling else lines[-1] if lines else ''


def cases_cut_off(seen, planned, why, names):
    """The case that a program died in, by name where that is known, and those that it never came to."""
    known = names[seen] if len(names) == planned else f'(case {seen + 1} of {planned})'
    return [Case('failed', known, ABORTED + why)] + [Case('failed', NEVER_RAN, why)] * (planned - seen - 1)


def cases_of_program(stdout, end, stderr='', ask_names=list):
    """Cases of one test program; END is how Meson or a runner calls the way it ended (OK, FAIL, TIMEOUT, ...).
    ASK_NAMES gives the names of all its cases, and is called only when it did not come to all of them."""
    cases, planned, bail = read_cases(stdout)
    why = 'ended with ' + end + ''.join(f': {words}' for words in [bail or last_words(stderr)] if words)
    if not cases and planned is None:
        state = {'OK': 'passed', 'EXPECTEDFAIL': 'passed', 'SKIP': 'skipped'}.get(end, 'failed')
        return [Case(state, '(program)', '' if state == 'passed' else why)]
    seen = sum(1 for case in cases if case.name != '(all)')
    if seen < (planned or 0):
        return cases + cases_cut_off(seen, planned, why, ask_names())
    if (bail is not None or end not in GOOD_ENDS) and all(case.state != 'failed' for case in cases):
        cases.append(Case('failed', '(program)', why))
    return cases


def print_failures(programs):
    """First the cases that ended their program, since they explain the others; of those a program never came to, the
    number."""
    failed = [(name, case) for name, cases in programs.items() for case in cases if case.state == 'failed']
    lines = [(not case.reason.startswith(ABORTED), name, case) for name, case in failed if case.name != NEVER_RAN]
    for _, name, case in sorted(lines, key=lambda line: line[0]):
        print(f'  {name}: {case.describe()}')
    for program in programs:
        count = sum(1 for name, case in failed if name == program and case.name == NEVER_RAN)
        if count:
            print(f'  {program}: {count} case{"s" if count > 1 else ""} after that never ran')


def report(programs, notes=()):
    """Prints failures and skips of {program: cases}, the NOTES and, last, the plain count. Returns whether all is well."""
    listed = [(name, case) for name, cases in programs.items() for case in cases]
    for state in ('failed', 'skipped'):
        some = [(name, case) for name, case in listed if case.state == state]
        if some:
            print(f'\n{state}:')
        if state == 'failed':
            print_failures(programs)
            continue
        for name, case in some:
            print(f'  {name}: {case.describe()}')
    count = {state: sum(1 for _, case in listed if case.state == state) for state in ('passed', 'failed', 'skipped')}
    print()
    for line in notes:
        print(line)
    print(f'{len(programs)} test programs')
    print('{passed} passed, {failed} failed, {skipped} skipped'.format(**count))
    return count['failed'] == 0 and count['passed'] > 0
