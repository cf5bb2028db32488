#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""graphs/hops.leat against a search in Python, and what <leat-frontier.h> promises against sets of Python."""

import random
import struct

import graph_case
from graph_case import GRAPHS, expect_same, launch

NONE = 0xffffffff


def search(edges, source):
    """The numbers of edges to all vertices up to the largest, as csr:read counts them."""
    ways = {}
    for one, other in edges:
        ways.setdefault(one, []).append(other)
        ways.setdefault(other, []).append(one)
    away, last = {source: 0}, [source]
    while last:
        found = []
        for v in last:
            for to in ways.get(v, []):
                if to not in away:
                    away[to] = away[v] + 1
                    found.append(to)
        last = found
    return [away.get(v, NONE) for v in range(max(map(max, edges)) + 1)]


def make_graphs():
    rng = random.Random(5)
    side = 70
    yield 'path', [(v, v + 1) for v in range(900)], 450
    yield 'star', [(0, v) for v in range(1, 20000)], 7
    yield 'grid', [(y * side + x, to) for y in range(side) for x in range(side)
                   for to in ([y * side + x + 1] if x + 1 < side else []) + ([(y + 1) * side + x] if y + 1 < side else [])], 0
    yield 'random', [(rng.randrange(6000), rng.randrange(6000)) for _ in range(20000)], 3
    yield 'parts', [(3 * v, 3 * v + 1) for v in range(2000)], 9
    yield 'loop', [(0, 0)], 0


def read_words(path):
    data = path.read_bytes()
    return list(struct.unpack(f'<{len(data) // 4}I', data))


def run_hops(folder, edges, source, **variables):
    (folder / 'in.txt').write_text(''.join(f'{one} {other}\n' for one, other in edges))
    code, _, err = launch(GRAPHS / 'hops.leat', f'input={folder}/in.txt', f'output={folder}/out.bin', f'from={source}',
                          *(f'{name}={value}' for name, value in variables.items()))
    return code, read_words(folder / 'out.bin') if code == 0 else None, err


def test_hops_are_those_of_python(folder):
    for name, edges, source in make_graphs():
        code, found, err = run_hops(folder, edges, source)
        assert code == 0 and 'warning' not in err, (name, err)
        expect_same(found, search(edges, source), name)


def test_short_lists_change_nothing(folder):
    """With memory for the bits alone every round goes through the bits, with a little more some do."""
    name, edges, source = next(graph for graph in make_graphs() if graph[0] == 'random')
    vertices = max(map(max, edges)) + 1
    least = 96 + 3 * ((vertices + 31) // 32)
    for memory in (least, least + 3, least + 300):
        code, found, err = run_hops(folder, edges, source, memory=memory)
        assert code == 0, (memory, err)
        expect_same(found, search(edges, source), f'memory={memory}')


def test_too_little_memory_is_told(folder):
    name, edges, source = next(make_graphs())
    code, _, err = run_hops(folder, edges, source, memory=96)
    assert code != 0 and 'too little memory for a frontier of so many vertices; memory= is to be at least: 183' in err, err


def test_vertex_out_of_range_is_told(folder):
    name, edges, _ = next(make_graphs())
    for source in (901, 4294967295):
        code, _, err = run_hops(folder, edges, source)
        assert code != 0 and f'from= is no vertex of the graph: {source}' in err, err


# Adds the vertices of each round, whose first is at starts[round], several times and by all threads; tells of every round
# how many were in it, their sum, whether it was dense, how many leat_frontier_has () knows, and how often an addition was
# said to be the first.
KERNEL = '''
#include <leat-frontier.h>
#include <leat-frontier.h>

__device__ void
add_all (const LeatFrontier &frontier, const uint32_t *vertices, uint64_t first, uint64_t last, uint32_t *fresh)
{
  GRID_FOR (i, 3 * (last - first))
    if (leat_frontier_add (frontier, vertices[first + i % (last - first)]))
      atomicAdd (fresh, 1u);
}

__global__ void
rounds (const uint32_t *starts, const uint32_t *vertices, uint64_t starts_count, uint32_t n, uint32_t *told,
        uint32_t *memory, uint64_t memory_capacity)
{
  LeatFrontier frontier = leat_frontier_begin (memory, memory_capacity, n);

  for (uint64_t round = 0; round + 1 < starts_count; round++)
    {
      uint32_t *of_round = told + 5 * round;

      add_all (frontier, vertices, starts[round], starts[round + 1], of_round + 4);
      leat_frontier_turn (&frontier);
      if (blockIdx.x == 0 && threadIdx.x == 0)
        {
          of_round[0] = (uint32_t) leat_frontier_size (frontier);
          of_round[2] = leat_frontier_is_dense (frontier);
        }
      FRONTIER_EACH (v, frontier)
        {
          if (v % 2 == 0)
            {
              atomicAdd (of_round + 1, v);
              continue;
            }
          atomicAdd (of_round + 1, v);
        }
      GRID_FOR (v, n)
        if (leat_frontier_has (frontier, (uint32_t) v))
          atomicAdd (of_round + 3, 1u);
    }
}
'''


def test_sets_of_rounds(folder):
    rng, n = random.Random(8), 3000
    rounds = [rng.sample(range(n), size) for size in (1, 0, 90, 94, 95, n, 3, 1, n // 2, n, n, 0, 0, 17)]
    rounds[6] += [n, n + 1, NONE]  # which are no vertices
    starts = [sum(map(len, rounds[:at])) for at in range(len(rounds) + 1)]
    vertices = [v for each in rounds for v in each]
    (folder / 'rounds.cu').write_text(KERNEL)
    (folder / 'starts.bin').write_bytes(struct.pack(f'<{len(starts)}I', *starts))
    (folder / 'vertices.bin').write_bytes(struct.pack(f'<{len(vertices)}I', *vertices))
    (folder / 'rounds.leat').write_text(f'''leat 1
k = kernel source=rounds.cu cooperative=true grid=occupancy block=64 clear=told told=u32[{len(rounds)},5] memory=u32[660] n={n}
io:file path=starts.bin out=u32[{len(starts)}] -> upload -> k.starts
io:file path=vertices.bin out=u32[{len(vertices)}] -> upload -> k.vertices
k.told -> readback -> io:file path=told.bin
k.memory -> discard
''')
    code, _, err = launch(folder / 'rounds.leat', cwd=folder)
    assert code == 0, err
    found = read_words(folder / 'told.bin')
    for at, each in enumerate(rounds):
        members = {v for v in each if v < n}
        dense = len(members) > (n + 31) // 32
        wanted = [len(members), sum(members) % 2**32, dense, len(members), len(members)]
        expect_same(found[5 * at:5 * at + 5], wanted, f'round {at}')


# Neighbouring threads add to one frontier or to the other, in one and the same call.
TWO = '''
#include <leat-frontier.h>

__global__ void
parts (uint32_t n, uint32_t *told, uint32_t *memory, uint64_t memory_capacity, uint32_t *other_memory,
       uint64_t other_memory_capacity)
{
  LeatFrontier thirds = leat_frontier_begin (memory, memory_capacity, n);
  LeatFrontier others = leat_frontier_begin (other_memory, other_memory_capacity, n);

  GRID_FOR (v, 30u)
    leat_frontier_add (v % 3 == 0 ? thirds : others, (uint32_t) v);
  leat_frontier_turn (&thirds);
  leat_frontier_turn (&others);
  FRONTIER_EACH (v, thirds)
    atomicAdd (told + v, 1u);
  FRONTIER_EACH (v, others)
    atomicAdd (told + v, 16u);
}
'''


def test_two_frontiers(folder):
    """Lists, of which there is room for 31 members: 10 and 20 of 30 vertices."""
    n = 990
    (folder / 'parts.cu').write_text(TWO)
    (folder / 'parts.leat').write_text(f'''leat 1
k = kernel source=parts.cu cooperative=true grid=occupancy block=64 clear=told told=u32[{n}] memory=u32[282] other_memory=u32[282] n={n}
k.told -> readback -> io:file path=told.bin
k.memory -> discard
k.other_memory -> discard
''')
    code, _, err = launch(folder / 'parts.leat', cwd=folder)
    assert code == 0, err
    expect_same(read_words(folder / 'told.bin'), [0 if v >= 30 else 1 if v % 3 == 0 else 16 for v in range(n)], 'told')


def test_unknown_header_is_told(folder):
    (folder / 'k.cu').write_text('#include <leat-frontiers.h>\n__global__ void k (uint32_t *x) { x[0] = 1; }\n')
    code, _, err = launch('--check', 'kernel', 'source=k.cu', 'x=u32[1]', '+', 'discard', cwd=folder)
    assert code == 3 and "k.cu:1: cannot include <leat-frontiers.h>: of Leat's own there is <leat-frontier.h>" in err, (code, err)


if __name__ == '__main__':
    graph_case.main(globals())
