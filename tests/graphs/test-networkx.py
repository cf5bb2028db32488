#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The nodes csr:bfs, csr:reach, csr:components, csr:sssp and csr:pagerank against NetworkX."""

import random
import struct
from array import array

import graph_case
from graph_case import expect_same, launch

nx = graph_case.import_oracle('networkx', 'NetworkX')
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python as pagerank  # the one that needs no SciPy

NONE = 0xffffffff


def make_rmat(scale, degree, rng):
    for _ in range(degree << scale):
        one = other = 0
        for _ in range(scale):
            part = rng.random()
            one, other = 2 * one + (part >= 0.76), 2 * other + (0.57 <= part < 0.76 or part >= 0.95)
        yield one, other


def make_graphs():
    """(name, vertices, edges): directed ones."""
    rng = random.Random(3)
    side = 40
    yield 'rmat', 1024, list(make_rmat(10, 8, rng))
    yield 'grid', side * side, [(y * side + x, (y + down) * side + x + right) for y in range(side) for x in range(side)
                                for right, down in ((1, 0), (0, 1)) if x + right < side and y + down < side]
    yield 'path', 1200, [(v, v + 1) for v in range(1199)]
    yield 'star', 3000, [(0, v) for v in range(1, 3000)]
    yield 'random', 2000, [(rng.randrange(2000), rng.randrange(2000)) for _ in range(6000)]
    yield 'parts', 900, [(3 * v + i, 3 * v + (i + 1) % 3) for v in range(250) for i in range(3)]
    yield 'empty', 50, []
    yield 'one', 1, []


def make_oracle(vertices, edges):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(vertices))
    for one, other, weight in edges:
        if not graph.has_edge(one, other) or graph[one][other]['weight'] > weight:
            graph.add_edge(one, other, weight=weight)
    return graph


def weigh(edges):
    """Weights of which all sums are exact in f32, so that their order does not count."""
    rng = random.Random(7)
    return [(one, other, rng.randrange(1, 64) / 4) for one, other in edges]


def run_node(folder, vertices, edges, node, links, output, code, kind='directed'):
    """What an output of a node is, for a graph that csr:read reads; each edge once, with the least weight."""
    (folder / 'in.txt').write_text(''.join(f'{one} {other} {weight}\n' for one, other, weight in edges) or '# none\n')
    (folder / 'sources.bin').write_bytes(struct.pack('<3I', 0, vertices // 2, vertices - 1))
    lines = ['leat 1', f'g = csr:read path=in.txt format=edges dedup=true edges={kind} vertices={vertices}', f'n = {node}']
    lines += [f'g.{port} -> n.{port}' for port in links if port != 'sources']
    lines += ['io:file path=sources.bin out=u32[3] -> upload -> n.sources'] if 'sources' in links else []
    lines += [f'n.{output} -> readback -> io:file path=out.bin']
    (folder / 'run.leat').write_text('\n'.join(lines) + '\n')
    status, _, err = launch(folder / 'run.leat', cwd=folder)
    assert status == 0, err
    return array(code, (folder / 'out.bin').read_bytes()).tolist()


def each_graph():
    for name, vertices, edges in make_graphs():
        weighted = weigh(edges)
        yield name, vertices, weighted, make_oracle(vertices, weighted)


def test_levels(folder):
    for name, vertices, edges, oracle in each_graph():
        for kind, symmetric in (('directed', 'false'), ('undirected', 'true')):
            graph = oracle if kind == 'directed' else oracle.to_undirected()
            lengths = nx.single_source_shortest_path_length(graph, vertices // 2)
            found = run_node(folder, vertices, edges, f'csr:bfs source={vertices // 2} symmetric={symmetric}',
                             ['offsets', 'indices'], 'levels', 'I', kind)
            expect_same(found, [lengths.get(v, NONE) for v in range(vertices)], (name, kind))


def test_parents(folder):
    """The least of those that are one edge nearer."""
    for name, vertices, edges, graph in each_graph():
        lengths = nx.single_source_shortest_path_length(graph, 0)
        wanted = [0 if v == 0 else min((u for u in graph.predecessors(v) if lengths.get(u, NONE) + 1 == lengths.get(v)),
                                       default=NONE) for v in range(vertices)]
        found = run_node(folder, vertices, edges, 'csr:bfs', ['offsets', 'indices', 'back_offsets', 'back_indices'],
                         'parents', 'I')
        expect_same(found, wanted, name)


def test_reach(folder):
    for name, vertices, edges, graph in each_graph():
        wanted = [0] * vertices
        for bit, source in enumerate((0, vertices // 2, vertices - 1)):
            for v in nx.descendants(graph, source) | {source}:
                wanted[v] |= 1 << bit
        found = run_node(folder, vertices, edges, 'csr:reach', ['offsets', 'indices', 'sources'], 'reached', 'Q')
        expect_same(found, wanted, name)


def test_components(folder):
    for name, vertices, edges, graph in each_graph():
        wanted = [0] * vertices
        for part in nx.weakly_connected_components(graph):
            for v in part:
                wanted[v] = min(part)
        found = run_node(folder, vertices, edges, 'csr:components', ['offsets', 'indices'], 'labels', 'I')
        expect_same(found, wanted, name)


def test_distances(folder):
    for name, vertices, edges, graph in each_graph():
        lengths = nx.multi_source_dijkstra_path_length(graph, {0, vertices // 2, vertices - 1})
        found = run_node(folder, vertices, edges, 'csr:sssp', ['offsets', 'indices', 'weights', 'sources'], 'distances', 'f')
        expect_same(found, [lengths.get(v, float('inf')) for v in range(vertices)], name)


def test_ranks(folder):
    """Ranks are f32, and NetworkX ends when all have changed by less than its tolerance for each vertex."""
    for name, vertices, edges, graph in each_graph():
        wanted = pagerank(graph, tol=1e-10 / vertices, max_iter=1000, weight=None)
        found = run_node(folder, vertices, edges, 'csr:pagerank tolerance=1e-8 max-iterations=1000',
                         ['offsets', 'back_offsets', 'back_indices'], 'ranks', 'f')
        assert abs(sum(found) - 1) < 1e-5, (name, sum(found))
        for v, rank in enumerate(found):
            assert abs(rank - wanted[v]) < 1e-7 + 1e-6 * wanted[v], (name, v, rank, wanted[v])


if __name__ == '__main__':
    graph_case.main(globals())
