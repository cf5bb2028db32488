#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""graphs/denoise.leat against the same arithmetic in NumPy, byte for byte, and step for step."""

import graph_case
from graph_case import GRAPHS, expect_same, launch, png_read, png_write, run_graph

np = graph_case.import_numpy()
f = np.float32
SIZES = ((1, 1), (1, 40), (40, 1), (2, 3), (16, 16), (17, 33), (48, 61))


def flow(difference, edge):
    steepness = difference / edge
    return difference / (f(1) + steepness * steepness)


def step(here, edge):
    padded = np.pad(here, 1, mode='edge')
    up, down, left, right = padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]
    total = flow(up - here, edge) + flow(down - here, edge) + flow(left - here, edge) + flow(right - here, edge)
    moved = f(0.2) * total
    assert moved.dtype == f
    return here + moved, np.abs(moved).max()


def denoise(rgb, edge, calm, steps):
    red, green, blue = (rgb[:, :, channel].astype(f) for channel in range(3))
    picture = f(0.299) * red + f(0.587) * green + f(0.114) * blue
    moves = []
    for _ in range(steps):
        picture, most = step(picture, f(edge))
        moves.append(most)
        if most < calm:
            break
    return (picture + f(0.5)).astype(np.uint8), np.array(moves, f)


def picture(height, width, seed):
    rng = np.random.default_rng(seed)
    rgb = rng.integers(90, 110, (height, width, 3))
    rgb[height // 3:, width // 2:] += 80
    return rgb.astype(np.uint8)


def check(folder, rgb, edge=6, calm=0.5, steps=60, **more):
    height, width, _ = rgb.shape
    png_write(folder / 'in.png', rgb.tobytes(), width, height, 3)
    run_graph('denoise.leat', input=folder / 'in.png', output=folder / 'out.png', moves=folder / 'moves', edge=edge,
              calm=calm, steps=steps, **more)
    wanted, moves = denoise(rgb, edge, calm, steps)
    pixels, found_width, found_height, channels = png_read(folder / 'out.png')
    found = np.frombuffer(pixels, np.uint8).reshape(found_height, found_width, channels)[:, :, 0]
    expect_same((folder / 'moves').read_bytes(), moves.tobytes(), 'bytes of the moves')
    expect_same(found.tobytes(), wanted.tobytes(), 'pixels')
    return len(moves)


def test_sizes(folder):
    for height, width in SIZES:
        check(folder, picture(height, width, 1))


def test_ends(folder):
    rgb = picture(30, 40, 2)
    counts = [check(folder, rgb, calm=calm) for calm in (1000, 2, 1, 0.25, 0)]
    assert counts == sorted(counts) and counts[0] == 1 and counts[-1] == 60, counts
    assert check(folder, rgb, steps=1) == 1


def test_edges_stay(folder):
    rgb = picture(40, 40, 3)
    height, width, _ = rgb.shape
    check(folder, rgb, calm=0.1, steps=200)
    pixels, _, _, channels = png_read(folder / 'out.png')
    found = np.frombuffer(pixels, np.uint8).reshape(height, width, channels)[:, :, 0].astype(int)
    assert (np.diff(found[20:], axis=1)[:, width // 2 - 1] > 50).all(), 'the edge has gone'
    assert np.abs(np.diff(found[20:, :width // 2 - 2], axis=1)).max() <= 4, 'the grain has stayed'


def test_executors(folder):
    """Whoever does the steps, they are the same."""
    rgb = picture(25, 37, 4)
    text = (GRAPHS / 'denoise.leat').read_text().replace('"edges.cu"', f'"{GRAPHS}/edges.cu"')
    text = text.replace('"denoise.cu"', f'"{GRAPHS}/denoise.cu"')
    results = []
    png_write(folder / 'in.png', rgb.tobytes(), 37, 25, 3)
    for executor in ('while', 'host', 'unrolled'):
        graph = folder / f'{executor}.leat'
        graph.write_text(text.replace('= loop until', f'= loop method={executor} until'))
        code, _, err = launch(graph, f'input={folder}/in.png', f'output={folder}/out.png', f'moves={folder}/moves')
        assert code == 0, err
        results.append((folder / 'moves').read_bytes() + (folder / 'out.png').read_bytes())
    assert results[0] == results[1] == results[2]


def test_profiles(folder):
    """As many blocks at once, with stacks for all their threads, as the largest device has."""
    rgb = picture(260, 270, 5)
    for profile in ('small', 'laptop', 'h100'):
        check(folder, rgb, calm=0, steps=3, environment={'LEAT_CPU_PROFILE': profile})


if __name__ == '__main__':
    graph_case.main(globals())
