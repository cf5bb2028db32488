#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the tables in docs/reference/ that follow from the code: write_reference.py [--check]

The ports and properties of a node come from `leat-inspect --json`, the API from Leat-1.0.gir beside it in the build
folder. A table stands between `<!-- node: ID -->` and `<!-- end -->`; `<!-- nodes -->` begins the list of all nodes, `<!-- api -->`
the API. With --check nothing is written: pages that differ are named, and the exit status is 1."""

import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

REFERENCE = Path(__file__).resolve().parents[1] / 'docs' / 'reference'
COMMAND = './dev reference'
# Built only where what they need is there; without it their tables stay as they are.
OPTIONAL = {'cub:sort'}
MARK = re.compile(r'^<!-- (node: [\w:-]+|nodes|api) -->\n(.*?)^<!-- end -->$', re.MULTILINE | re.DOTALL)
GIR = '{http://www.gtk.org/introspection/core/1.0}'
C = '{http://www.gtk.org/introspection/c/1.0}'
GLIB = '{http://www.gtk.org/introspection/glib/1.0}'
KINDS = {'class': 'Classes', 'record': 'Structures', 'enumeration': 'Enumerations', 'bitfield': 'Flags',
         'callback': 'Callbacks'}


class Wrong(Exception):
    """Why a page cannot be written."""


def code(text):
    """TEXT as code in a cell of a table."""
    return '`' + text.replace('|', r'\|') + '`' if text else ''


def plain(text):
    """TEXT in Markdown, as it is."""
    return re.sub(r'([\\|*_<`\[\]])', r'\\\1', text)


def mark(text, pattern):
    """TEXT in a cell of a table, with what matches PATTERN as code."""
    parts = re.split(f'({pattern})', ' '.join((text or '').split()))
    return ''.join(code(part) if i % 2 else plain(part) for i, part in enumerate(parts))


def table(head, rows):
    return '\n'.join(['| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head),
                      *('| ' + ' | '.join(row) + ' |' for row in rows)]) + '\n'


def write_blurb(blurb, choices=()):
    """What a plugin says of a port or property; settings, specs and the names of choices are code."""
    words = [re.escape(choice) + '(?=:|, )' for choice in choices]
    return mark(blurb, '|'.join(words + [r'(?<!\w)(?:[\w-]+=(?:[\w*+<>?:.-]*\w)?|[uif](?:8|16|32|64)\b(?:\[[^]]*\])?)']))


def write_ports(ports):
    rows = [(code(port['name']), port['direction'] + (', optional' if port['optional'] else ''), code(port['spec']),
             port['memory'] if port['memory'] != 'any' else 'host or device', write_blurb(port['blurb']))
            for port in ports]
    return table(('port', 'direction', 'spec', 'memory', 'meaning'), rows)


def size(value):
    """A number of bytes as people write it."""
    for unit in ('', 'K', 'M', 'G', 'T'):
        if value == 0 or value % 1024:
            return f'{value}{unit}'
        value //= 1024
    return f'{value}P'


def number(prop, value):
    return size(int(value)) if prop['type'] == 'bytes' else f'{value:.12g}' if isinstance(value, float) else str(value)


def write_type(prop):
    """What PROP takes: the choices, or the type and its range."""
    if prop['type'] == 'choice':
        return ', '.join(code(choice) for choice in prop['choices'])
    words = {'bool': '`true`, `false`', 'int': 'integer', 'uint': 'integer', 'bytes': 'bytes', 'double': 'number',
             'string': 'text', 'path': 'file'}[prop['type']]
    least, most = prop.get('min'), prop.get('max')
    most = None if most == (1 << 63) - 1 else most  # as good as no limit
    if least is None and most is None:
        return words
    if most is None:
        return f'{words}, {number(prop, least)} or more' if least > 0 or prop['type'] == 'double' else words
    return f'{words}, {number(prop, least or 0)} to {number(prop, most)}'


def write_props(props):
    rows = []
    for prop in props:
        default = prop.get('default')
        if prop['type'] == 'bytes' and default:
            default = size(int(default))
        rows.append((code(prop['name']), write_type(prop), 'required' if prop['required'] else code(default),
                     write_blurb(prop['blurb'], prop.get('choices', ('true', 'false')))))
    return table(('property', 'takes', 'default', 'meaning'), rows)


def write_node(node):
    parts = [write_ports(node['ports'])] if node['ports'] else []
    parts += [write_props(node['properties'])] if node['properties'] else []
    return '\n' + '\n'.join(parts) + '\n'


def first_sentence(element):
    """The first sentence of an element's documentation, as Markdown."""
    doc = element.find(f'{GIR}doc')
    text = ' '.join((doc.text if doc is not None else '').split('\n\n')[0].split())
    text = re.split(r'(?<=[^.][.:;])\s+(?=[A-Z@%#`])', text, maxsplit=1)[0].rstrip('.:;')
    parts = re.split(r'(`[^`]+`|[@%#]\w(?:\w|[:-](?=\w))*|\bleat_\w+ ?\(\))', text)
    return ''.join(code(part.strip('`@%#')) if i % 2 else plain(part) for i, part in enumerate(parts))


def write_type_section(kind, element):
    name = element.get(f'{C}type') or element.get('name')
    lines = [f'### {name}\n', first_sentence(element) + '.\n' if first_sentence(element) else '']
    rows = []
    for tag in ('constructor', 'function', 'method'):
        rows += [(code(one.get(f'{C}identifier') + ' ()'), first_sentence(one)) for one in element.findall(GIR + tag)
                 if not one.get('shadowed-by')]
    if kind in ('enumeration', 'bitfield'):
        rows = [(code(one.get(f'{C}identifier')), first_sentence(one)) for one in element.findall(f'{GIR}member')] + rows
    rows += [(f'property {code(one.get("name"))}', first_sentence(one)) for one in element.findall(f'{GIR}property')]
    rows += [(f'signal {code(one.get("name"))}', first_sentence(one)) for one in element.findall(f'{GLIB}signal')]
    if rows:
        lines.append(table(('name', 'meaning'), rows))
    return '\n'.join(line for line in lines if line)


def write_api(gir):
    space = ElementTree.parse(gir).getroot().find(f'{GIR}namespace')
    parts = []
    for kind, title in KINDS.items():
        found = [one for one in space.findall(GIR + kind) if not one.get(f'{GLIB}is-gtype-struct-for')
                 and (one.get(f'{C}type') or one.get('name')).startswith('Leat')]
        if kind == 'callback':
            rows = [(code(one.get(f'{C}type')), first_sentence(one)) for one in found]
            parts.append(f'## {title}\n\n' + table(('type', 'meaning'), rows))
        elif found:
            parts.append(f'## {title}\n\n' + '\n'.join(write_type_section(kind, one) for one in found))
    rows = [(code(one.get(f'{C}identifier') + ' ()'), first_sentence(one)) for one in space.findall(f'{GIR}function')
            if not one.get('moved-to')]
    parts.append('## Functions\n\n' + table(('function', 'meaning'), rows))
    return '\n' + '\n'.join(parts) + '\n'


def find_gir():
    """The GIR file of the build that leat-inspect is of, or None where there is none."""
    inspect = shutil.which('leat-inspect')
    gir = Path(inspect).resolve().parents[1] / 'core' / 'Leat-1.0.gir' if inspect else None
    return gir if gir and gir.exists() else None


def list_nodes():
    """{id: what its plugin declares}"""
    done = subprocess.run(['leat-inspect', '--json'], capture_output=True, text=True, check=True)
    return {node['id']: node for node in json.loads(done.stdout)['nodes']}


def write_list(nodes, body):
    """A row for each node, with its page; an optional one that is not built keeps the row that BODY has."""
    rows = {line.split('`')[1]: line for line in body.splitlines() if line.startswith('| [`')}
    for page in sorted(REFERENCE.rglob('*.md')):
        for what, _ in MARK.findall(page.read_text()):
            node = what.removeprefix('node: ')
            if node in nodes:
                rows[node] = f'| [`{node}`]({page.relative_to(REFERENCE)}) | {plain(nodes[node]["summary"])} |'
    kept = [row for node, row in sorted(rows.items()) if node in nodes or node in OPTIONAL]
    return '\n'.join(['', '| node | |', '|---|---|', *kept, '', ''])


def write_page(path, nodes, gir, seen, absent):
    """The text that a page should have; what cannot be looked at here goes to ABSENT."""
    def fill(found):
        what, body = found.groups()
        node = what.removeprefix('node: ')
        seen[what] = seen.get(what, 0) + 1
        if what == 'api':
            body = write_api(gir) if gir else absent.append('the API: no Leat-1.0.gir') or body
        elif what == 'nodes':
            body = write_list(nodes, body)
        elif node in nodes:
            body = write_node(nodes[node])
        elif node in OPTIONAL:
            absent.append(f'{node}: not built here')
        else:
            raise Wrong(f'{path.name} has a table for "{node}", and there is no such node')
        return f'<!-- {what} -->\n{body}<!-- end -->'
    return MARK.sub(fill, path.read_text())


def write_pages(nodes=None, gir=None):
    """([(path, text that it should have)], what cannot be looked at here)"""
    nodes, seen, absent = nodes or list_nodes(), {}, []
    pages = [(path, write_page(path, nodes, gir, seen, absent)) for path in sorted(REFERENCE.rglob('*.md'))]
    missing = [node for node in nodes if f'node: {node}' not in seen]
    twice = [what for what, times in seen.items() if times > 1]
    if missing or twice:
        raise Wrong(f'nodes on no page in docs/reference/nodes: {missing}; twice: {twice}')
    return pages, absent


def show_difference(path, wanted):
    """The first line of a page that is not as it should be."""
    have, want = path.read_text().splitlines(), wanted.splitlines()
    at = next((i for i, pair in enumerate(zip(have, want)) if pair[0] != pair[1]), min(len(have), len(want)))
    line, other = (lines[at] if at < len(lines) else '(nothing)' for lines in (have, want))
    return f'{path.relative_to(REFERENCE.parents[1])}:{at + 1} is\n  {line}\nnot\n  {other}\n'


def main(check):
    pages, absent = write_pages(gir=find_gir())
    for why in absent:
        print(f'left as it is: {why}', file=sys.stderr)
    changed = [(path, wanted) for path, wanted in pages if path.read_text() != wanted]
    for path, wanted in changed:
        if check:
            print(show_difference(path, wanted), end='')
        else:
            path.write_text(wanted)
            print(f'wrote {path.relative_to(REFERENCE.parents[1])}')
    if check and changed:
        print(f'{COMMAND} rewrites these tables')
    return 1 if check and changed else 0


if __name__ == '__main__':
    try:
        sys.exit(main('--check' in sys.argv[1:]))
    except Wrong as wrong:
        sys.exit(f'write_reference.py: {wrong}')
