#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""graphs/edges.leat against the same arithmetic in NumPy, byte for byte."""

import shutil

import graph_case
from graph_case import GRAPHS, Skip, expect_same, launch, on_cpu, png_read, png_write, run_graph

np = graph_case.import_numpy()
SIZES = ((1, 1), (1, 40), (40, 1), (2, 2), (17, 33), (16, 16), (15, 17), (64, 48))


def shifted(image, dy, dx):
    """The image moved, its border repeated."""
    height, width = image.shape
    rows = np.clip(np.arange(height) + dy, 0, height - 1)
    columns = np.clip(np.arange(width) + dx, 0, width - 1)
    return image[np.ix_(rows, columns)]


def edges(rgb, limit):
    """Each step in f32 and in the order of the kernels."""
    f = np.float32
    red, green, blue = (rgb[:, :, channel].astype(f) for channel in range(3))
    grey = f(0.299) * red + f(0.587) * green + f(0.114) * blue
    weights = [f(0.0625), f(0.25), f(0.375), f(0.25), f(0.0625)]
    soft = np.zeros_like(grey)
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            soft = soft + weights[dy + 2] * weights[dx + 2] * shifted(grey, dy, dx)

    def at(dy, dx):
        return shifted(soft, dy, dx)
    gx = (at(-1, 1) + f(2) * at(0, 1) + at(1, 1)) - (at(-1, -1) + f(2) * at(0, -1) + at(1, -1))
    gy = (at(1, -1) + f(2) * at(1, 0) + at(1, 1)) - (at(-1, -1) + f(2) * at(-1, 0) + at(-1, 1))
    steep = np.sqrt(gx * gx + gy * gy)
    assert steep.dtype == f
    return np.where(steep > f(limit), np.uint8(255), np.uint8(0))


def picture(height, width, seed=1):
    """A ramp, two squares and noise."""
    rng = np.random.default_rng(seed)
    rgb = rng.integers(0, 40, (height, width, 3))
    rgb[:, :, 1] += (np.arange(width) * 100 // max(width - 1, 1))[None, :]
    rgb[height // 4:height // 2 + 1, width // 4:width // 2 + 1] += 100
    rgb[height * 3 // 4:, :width // 3] += 60
    return rgb.astype(np.uint8)


def run_edges(folder, rgb, environment=None, **variables):
    height, width, _ = rgb.shape
    png_write(folder / 'in.png', rgb.tobytes(), width, height, 3)
    run_graph('edges.leat', environment, input=folder / 'in.png', output=folder / 'out.png', **variables)
    return grey_of(folder / 'out.png')


def grey_of(path):
    pixels, width, height, channels = png_read(path)
    planes = np.frombuffer(pixels, np.uint8).reshape(height, width, channels)
    for plane in range(1, channels):
        assert (planes[:, :, plane] == planes[:, :, 0]).all(), 'the output is not grey'
    return planes[:, :, 0]


def check(folder, rgb, limit=60, **variables):
    found = run_edges(folder, rgb, threshold=limit, **variables)
    wanted = edges(rgb, limit)
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    wrong = np.argwhere(found != wanted)
    assert len(wrong) == 0, f'{rgb.shape}, {variables}: {len(wrong)} pixels differ, the first at {wrong[0]}'
    return wanted.mean() / 255


def test_photo(folder):
    """The photograph of the graph, as Leat decodes it."""
    shutil.copy(GRAPHS / 'photo.jpg', folder)
    code, _, err = launch('image:read', f'path={folder}/photo.jpg', '+', 'io:npy', f'path={folder}/photo.npy')
    assert code == 0, err
    run_graph('edges.leat', output=folder / 'edges.png')
    found, wanted = grey_of(folder / 'edges.png'), edges(np.load(folder / 'photo.npy'), 60)
    assert 0.005 < wanted.mean() / 255 < 0.5
    assert np.array_equal(found, wanted), f'{(found != wanted).sum()} pixels differ'


def test_sizes(folder):
    for height, width in SIZES:
        check(folder, picture(height, width))


def test_tiled_blur_in_sizes(folder):
    for height, width in SIZES:
        check(folder, picture(height, width, seed=2), blur='blur_tiled')


def test_thresholds(folder):
    rgb = picture(41, 57)
    shares = [check(folder, rgb, limit) for limit in (0, 10.5, 60, 200, 2000)]
    assert shares == sorted(shares, reverse=True) and shares[0] > 0.9 and shares[-1] == 0, shares


def test_flat_picture_has_no_edge(folder):
    flat = np.full((20, 30, 3), 119, np.uint8)
    assert check(folder, flat, 1) == 0


def test_tiled_blur_is_the_plain_one(folder):
    rgb = picture(70, 91, seed=3)
    plain, tiled = (run_edges(folder, rgb, blur=blur, threshold=35) for blur in ('blur', 'blur_tiled'))
    expect_same(tiled.tobytes(), plain.tobytes(), 'pixels')


def test_without_plain_variants(folder):
    if not on_cpu():
        raise Skip('the CPU driver alone has plain C variants')
    rgb = picture(50, 60, seed=4)
    for blur in ('blur', 'blur_tiled'):
        found = run_edges(folder, rgb, {'LEAT_CPU_VARIANTS': '0'}, blur=blur)
        expect_same(found.tobytes(), edges(rgb, 60).tobytes(), blur)


def test_by_the_eager_executor(folder):
    rgb = picture(33, 20, seed=5)
    png_write(folder / 'in.png', rgb.tobytes(), 20, 33, 3)
    code, _, err = launch('--executor=eager', GRAPHS / 'edges.leat', f'input={folder}/in.png',
                          f'output={folder}/out.png')
    assert code == 0, err
    expect_same(grey_of(folder / 'out.png').tobytes(), edges(rgb, 60).tobytes(), 'pixels')


def test_grey_input(folder):
    """A picture that is stored in grey has three equal channels."""
    grey = np.random.default_rng(6).integers(0, 256, 19 * 23).astype(np.uint8).tobytes()
    png_write(folder / 'in.png', grey, 23, 19, 1)
    run_graph('edges.leat', input=folder / 'in.png', output=folder / 'out.png')
    rgb = np.repeat(np.frombuffer(grey, np.uint8).reshape(19, 23, 1), 3, axis=2)
    expect_same(grey_of(folder / 'out.png').tobytes(), edges(rgb, 60).tobytes(), 'pixels')


def test_kernel_that_is_not_there(folder):
    code, _, err = launch(GRAPHS / 'edges.leat', f'output={folder}/out.png', 'blur=blurr')
    assert code != 0 and 'blurr' in err, err
    assert not list(folder.iterdir())


if __name__ == '__main__':
    graph_case.main(globals())
