# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the Test Anything Protocol as GLib writes it, flat or with subtests, and counts single cases."""

import re
from typing import NamedTuple

RESULT = re.compile(r'^( *)(not ok|ok)\b *(\d+)? *(?:- )?([^#]*)(?:# *(?:(SKIP|TODO)\S* *(.*)|.*))?$', re.IGNORECASE)
PLAN = re.compile(r'^1\.\.(\d+)\s*(?:# *SKIP\S* *(.*))?$', re.IGNORECASE)
GOOD_ENDS = ('OK', 'SKIP', 'EXPECTEDFAIL')


class Case(NamedTuple):
    """One case of one test program: state is passed, failed or skipped."""
    state: str
    name: str
    reason: str


def case_of(match):
    verdict, name, directive, reason = match.group(2), match.group(4).strip(), match.group(5), match.group(6)
    if directive and directive.upper() == 'SKIP':
        return Case('skipped', name, reason or 'no reason given')
    if directive and directive.upper() == 'TODO':
        return Case('skipped', name, 'to do: ' + (reason or ''))
    return Case('passed' if verdict.lower() == 'ok' else 'failed', name, '')


def read_cases(text):
    """Returns (cases, planned): a line that closes a block of subtests is not a case of its own, unless it alone fails."""
    cases, planned, block = [], None, []
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
                cases.append(Case('failed', '(bailed out)', line[9:].strip()))
            continue
        case, depth = case_of(match), len(match.group(1))
        inner = [at for at in block if at > depth]
        block = [at for at in block if at <= depth]
        if depth:
            block.append(depth)
        if not inner or (case.state == 'failed' and all(past.state != 'failed' for past in cases)):
            cases.append(case)
    nested = any(re.match(r'^ +(not )?ok\b', line) for line in text.splitlines())
    return cases, None if nested else planned


def cases_of_program(stdout, end):
    """Cases of one test program; END is how Meson or a runner calls the way it ended (OK, FAIL, TIMEOUT, ...)."""
    cases, planned = read_cases(stdout)
    if not cases and planned is None:
        state = {'OK': 'passed', 'EXPECTEDFAIL': 'passed', 'SKIP': 'skipped'}.get(end, 'failed')
        return [Case(state, '(program)', '' if state == 'passed' else 'ended with ' + end)]
    seen = sum(1 for case in cases if case.name != '(all)')
    for missing in range(max(0, (planned or 0) - seen)):
        cases.append(Case('failed', f'(case {seen + missing + 1} of {planned} never ran)', 'ended with ' + end))
    if end not in GOOD_ENDS and all(case.state != 'failed' for case in cases):
        cases.append(Case('failed', '(program)', 'ended with ' + end))
    return cases


def report(programs):
    """Prints failures and skips of {program: cases} and, last, the plain count. Returns whether all is well."""
    listed = [(name, case) for name, cases in programs.items() for case in cases]
    for state in ('failed', 'skipped'):
        some = [(name, case) for name, case in listed if case.state == state]
        if some:
            print(f'\n{state}:')
        for name, case in some:
            print(f'  {name}: {case.name}' + (f' - {case.reason}' if case.reason else ''))
    count = {state: sum(1 for _, case in listed if case.state == state) for state in ('passed', 'failed', 'skipped')}
    print(f'\n{len(programs)} test programs')
    print('{passed} passed, {failed} failed, {skipped} skipped'.format(**count))
    return count['failed'] == 0 and count['passed'] > 0
