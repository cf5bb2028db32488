# SPDX-License-Identifier: LGPL-2.1-or-later
"""Small mistakes in C texts: where one can be planted, and what stands there then.

All are found in a text in which comments, strings and the preprocessor's lines are blanked, so that places are those of
the text itself. The layout is that of clang-format: operators have spaces around them, a statement begins a line."""

import bisect
import re
from typing import NamedTuple

BLANKED = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*',
                     re.DOTALL | re.MULTILINE)
# What stands between spaces, and the mistake in its place.
SWAPPED = {
    'border': {'<': '<=', '<=': '<', '>': '>=', '>=': '>'},
    'equality': {'==': '!=', '!=': '=='},
    'arithmetic': {'+': '-', '-': '+', '*': '+', '/': '*', '%': '/', '<<': '>>', '>>': '<<', '+=': '-=', '-=': '+='},
    'bits': {'&': '|', '|': '&', '|=': '&=', '&=': '|='},
    'logic': {'&&': '||', '||': '&&'},
}
WORDS = {'truth': {'TRUE': 'FALSE', 'FALSE': 'TRUE'}, 'least-or-most': {'MIN': 'MAX', 'MAX': 'MIN'}}
NOT_CALLS = ('if', 'while', 'for', 'switch', 'return', 'sizeof', 'else', 'do', 'case')
LONGEST_STATEMENT = 600


class Mutant(NamedTuple):
    """One mistake: TEXT[start:end] becomes `new`."""
    path: str
    line: int
    operator: str
    start: int
    end: int
    old: str
    new: str

    def apply(self, text):
        assert text[self.start:self.end] == self.old, f'{self.path} is not what it was'
        return text[:self.start] + self.new + text[self.end:]


def blank(text):
    """TEXT with comments, strings and directives made spaces of the same length; line ends stay."""
    return BLANKED.sub(lambda found: re.sub(r'[^\n]', ' ', found.group()), text)


def find_end(masked, start):
    """Behind the bracket that closes the one at START, or -1."""
    depth = 0
    for at in range(start, len(masked)):
        if masked[at] in '([{':
            depth += 1
        elif masked[at] in ')]}':
            depth -= 1
            if depth == 0:
                return at + 1
    return -1


def find_swapped(masked):
    for operator, pairs in SWAPPED.items():
        names = '|'.join(re.escape(name) for name in sorted(pairs, key=len, reverse=True))
        for found in re.finditer(rf'(?<=[\w)\]] )({names})(?=[ \n])', masked):
            yield operator, found.start(), found.end(), pairs[found.group()]
    for operator, pairs in WORDS.items():
        for found in re.finditer(rf'\b({"|".join(pairs)})\b', masked):
            yield operator, found.start(), found.end(), pairs[found.group()]


def find_numbers(masked):
    for found in re.finditer(r'(?<![\w.])(0x[0-9a-fA-F]+|\d+)(?=u?l?l?\b)(?![.\w]*[.e])', masked):
        number = int(found.group(), 0) if found.group().startswith('0x') or not found.group().startswith('0') else 0
        yield 'number', found.start(), found.end(), str(number + 1)


def find_conditions(masked):
    for found in re.finditer(r'\b(if|while) \(', masked):
        start, end = found.end() - 1, find_end(masked, found.end() - 1)
        if end > 0:
            yield 'condition', start, end, None


def find_statement_end(masked, start):
    """Behind the semicolon, or -1 where what begins at START is no plain statement."""
    depth = 0
    for at in range(start, min(len(masked), start + LONGEST_STATEMENT)):
        if masked[at] in '([':
            depth += 1
        elif masked[at] in ')]':
            depth -= 1
        elif masked[at] in '{}' and depth == 0:
            return -1
        elif masked[at] == ';' and depth == 0:
            return at + 1
    return -1


def find_statements(masked):
    """Calls, assignments, and what leaves a loop; not declarations, of which others need the name."""
    for found in re.finditer(r'^ +((\w+) \(|\*?\w+(->\w+|\.\w+|\[[^\]\n]*\])* [-+*/|&^]?= |(break|continue);|\w+(->\w+|\.\w+)*'
                             r'(\+\+|--);)', masked, re.MULTILINE):
        if found.group(2) in NOT_CALLS:
            continue
        start, end = found.start(1), find_statement_end(masked, found.start(1))
        if end > 0:
            yield 'statement', start, end, ';'


def find_arguments(masked):
    """Two plain arguments side by side, exchanged."""
    for found in re.finditer(r'(?<=[(,])( ?)([\w>.-]+), ([\w>.-]+)(?=[,)])', masked):
        if found.group(2) != found.group(3) and re.match(r'[A-Za-z_]', found.group(2)) and re.match(r'[A-Za-z_]', found.group(3)):
            yield 'arguments', found.start(2), found.end(3), f'{found.group(3)}, {found.group(2)}'


def list_mutants(path, text):
    """All mistakes that can be planted in the text of a C file, by place."""
    masked = blank(text)
    begins = [0] + [found.end() for found in re.finditer('\n', text)]
    mutants = []
    for find in (find_swapped, find_numbers, find_conditions, find_statements, find_arguments):
        for operator, start, end, new in find(masked):
            old = text[start:end]
            if operator == 'condition':
                new = f'(!{old})'
            mutants.append(Mutant(path, bisect.bisect(begins, start), operator, start, end, old, new))
    return sorted(mutants, key=lambda mutant: (mutant.start, mutant.operator))


def choose(mutants, count, random):
    """COUNT of them: operators take turns, so that the commonest does not have all."""
    by_operator = {}
    for mutant in mutants:
        by_operator.setdefault(mutant.operator, []).append(mutant)
    for some in by_operator.values():
        random.shuffle(some)
    chosen = []
    while by_operator and len(chosen) < count:
        for operator in random.sample(sorted(by_operator), len(by_operator)):
            if len(chosen) < count:
                chosen.append(by_operator[operator].pop())
            if not by_operator[operator]:
                del by_operator[operator]
    return chosen
