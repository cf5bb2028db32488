#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether a kernel that Leat wraps is as fast as the same text compiled by NVRTC alone with the same options.

Compiles wrapped.cu both ways for this machine's GPU, launches each kernel of both images in turns on the same data, and
compares the bytes that they write. Prints a line for each kernel, then the median and the worst ratio. Needs leat-kernelc
(--kernelc), NVRTC, the toolkit's headers and NumPy."""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().with_suffix('.cu')
OPTIONS = ['--std=c++17', '--device-as-default-execution-space', '--disable-warnings', '--device-int128', '--fmad=false',
           '--ftz=false', '--prec-div=true', '--prec-sqrt=true', '--no-cache']
ITEMS = 1 << 22
SIDE = 2048


def flat(items, block=256):
    return (-(-items // block), 1), (block, 1)


def tiles(side, block=16):
    return (side // block, side // block), (block, block)


# Grid and block of each kernel; those that are not named have a thread for each item.
SHAPES = {'copy_4': flat(ITEMS // 4), 'complex_product': flat(ITEMS // 2), 'stencil_2d': tiles(SIDE), 'convolve': tiles(SIDE),
          'transpose': tiles(SIDE), 'transpose_tiles': tiles(SIDE), 'matmul': tiles(512), 'matmul_tiles': tiles(512),
          'bodies': flat(8192), 'sums_tree': flat(264 * 256), 'sums_warp': flat(264 * 256), 'histogram': flat(264 * 256),
          'softmax': flat(4096 * 256), 'layer_norm': flat(4096 * 256)}
KERNELS = ('copy scale add triad relu gelu sigmoid softplus length direction wave doubles polynomial logistic mandelbrot '
           'black_scholes hash xorshift copy_4 halves complex_product powers gather scatter stencil_7 stencil_shared '
           'stencil_2d convolve transpose transpose_tiles matmul matmul_tiles bodies sums_tree sums_warp scan_blocks '
           'softmax layer_norm sort_blocks histogram votes').split()


def must(code, what):
    if code:
        sys.exit(f'wrapped.py: {what} failed with {code}')


def find_nvrtc():
    for name in ('libnvrtc.so.13', 'libnvrtc.so.12', 'libnvrtc.so', '/usr/local/cuda/lib64/libnvrtc.so'):
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    sys.exit('wrapped.py: found no NVRTC; set LD_LIBRARY_PATH to the folder of libnvrtc.so')


def compile_alone(target, include):
    nvrtc, program, size = find_nvrtc(), ctypes.c_void_p(), ctypes.c_size_t()
    options = [f'--gpu-architecture={target}', f'--include-path={include}', f'--include-path={include}/cccl', *OPTIONS]
    must(nvrtc.nvrtcCreateProgram(ctypes.byref(program), SOURCE.read_bytes(), b'wrapped.cu', 0, None, None),
         'nvrtcCreateProgram')
    code = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*map(str.encode, options)))
    if code:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        sys.exit(f'wrapped.py: NVRTC does not compile {SOURCE}:\n{log.value.decode()}')
    must(nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)), 'nvrtcGetCUBINSize')
    image = ctypes.create_string_buffer(size.value)
    must(nvrtc.nvrtcGetCUBIN(program, image), 'nvrtcGetCUBIN')
    return image.raw


def compile_wrapped(kernelc, target):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([kernelc, '--apart', f'--target={target}', f'--output={folder}', SOURCE], check=True)
        sealed = next(Path(folder).iterdir()).read_bytes()
    return sealed[sealed.index(b'\x7fELF'):]


class Gpu:
    """Both images on one device, with two inputs and an output for each."""

    def __init__(self):
        self.cuda = ctypes.CDLL('libcuda.so.1')
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call('cuInit', 0)
        self.call('cuDeviceGet', ctypes.byref(device), 0)
        self.call('cuDevicePrimaryCtxRetain', ctypes.byref(context), device)
        self.call('cuCtxSetCurrent', context)
        major, minor, name = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(100)
        self.call('cuDeviceGetAttribute', ctypes.byref(major), 75, device)
        self.call('cuDeviceGetAttribute', ctypes.byref(minor), 76, device)
        self.call('cuDeviceGetName', name, 100, device)
        self.target, self.name = f'sm_{major.value}{minor.value}', name.value.decode()
        self.events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in self.events:
            self.call('cuEventCreate', ctypes.byref(event), 0)

    def call(self, name, *arguments):
        must(getattr(self.cuda, name)(*arguments), name)

    def upload(self, data):
        memory = ctypes.c_uint64()
        self.call('cuMemAlloc_v2', ctypes.byref(memory), ctypes.c_size_t(data.nbytes))
        self.call('cuMemcpyHtoD_v2', memory, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.nbytes))
        return memory

    def load(self, image):
        module = ctypes.c_void_p()
        self.call('cuModuleLoadData', ctypes.byref(module), image)
        return module

    def find(self, module, name):
        function = ctypes.c_void_p()
        self.call('cuModuleGetFunction', ctypes.byref(function), module, name.encode())
        return function

    def time(self, function, shape, arguments, repeat):
        """Microseconds of one launch."""
        (columns, rows), (width, height) = shape
        values = [*arguments, ctypes.c_int(ITEMS), ctypes.c_int(0)]  # the last is the wrapped kernel's: wait for nobody
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        milliseconds = ctypes.c_float()
        self.call('cuEventRecord', self.events[0], None)
        for _ in range(repeat):
            self.call('cuLaunchKernel', function, columns, rows, 1, width, height, 1, 0, None, pointers, None)
        self.call('cuEventRecord', self.events[1], None)
        self.call('cuEventSynchronize', self.events[1])
        self.call('cuEventElapsedTime', ctypes.byref(milliseconds), *self.events)
        return milliseconds.value * 1000 / repeat


def measure(gpu, name, functions, inputs, outputs, numpy, rounds):
    shape, times, written = SHAPES.get(name, flat(ITEMS)), [[], []], []
    for function, output in zip(functions, outputs):
        gpu.call('cuMemsetD8_v2', output, 0, ctypes.c_size_t(ITEMS * 4))
        gpu.time(function, shape, [*inputs, output], 1)
        bytes_there = numpy.empty(ITEMS, numpy.uint32)
        gpu.call('cuMemcpyDtoH_v2', bytes_there.ctypes.data_as(ctypes.c_void_p), output, ctypes.c_size_t(ITEMS * 4))
        written.append(bytes_there)
    if not (written[0] == written[1]).all() or not written[0].any():
        sys.exit(f'wrapped.py: {name} writes other bytes when it is wrapped, or none')
    repeat = max(20, int(2000 / gpu.time(functions[0], shape, [*inputs, outputs[0]], 20)))
    for number in range(rounds):
        # Each side writes into the same memory, and each goes first in every second round.
        for side in ((0, 1), (1, 0))[number % 2]:
            times[side].append(gpu.time(functions[side], shape, [*inputs, outputs[0]], repeat))
    ratios = [wrapped / alone for alone, wrapped in zip(*times)]
    return {'kernel': name, 'alone-us': statistics.median(times[0]), 'wrapped-us': statistics.median(times[1]),
            'ratio': statistics.median(ratios), 'least': min(ratios), 'most': max(ratios)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--kernelc', default='leat-kernelc', help='the program leat-kernelc')
    parser.add_argument('--include', default=os.environ.get('CUDA_HOME', '/usr/local/cuda') + '/include')
    parser.add_argument('--rounds', type=int, default=15)
    parser.add_argument('--json', help='write the figures to this file')
    options = parser.parse_args()
    import numpy

    gpu = Gpu()
    modules = [gpu.load(compile_alone(gpu.target, options.include)), gpu.load(compile_wrapped(options.kernelc, gpu.target))]
    random = numpy.random.default_rng(28)
    inputs = [gpu.upload(random.uniform(-1, 1, ITEMS).astype(numpy.float32)) for _ in range(2)]
    outputs = [gpu.upload(numpy.zeros(ITEMS, numpy.float32)) for _ in range(2)]
    rows = []
    print(f'{gpu.name}, {len(KERNELS)} kernels, {options.rounds} rounds; us a launch')
    for name in KERNELS:
        rows.append(measure(gpu, name, [gpu.find(module, name) for module in modules], inputs, outputs, numpy,
                            options.rounds))
        print('{kernel:16} alone {alone-us:8.2f}  wrapped {wrapped-us:8.2f}  ratio {ratio:.3f} ({least:.3f} to {most:.3f})'
              .format(**rows[-1]), flush=True)
    worst = max(rows, key=lambda row: row['ratio'])
    print(f"median {statistics.median(row['ratio'] for row in rows):.3f}, worst {worst['ratio']:.3f} ({worst['kernel']})")
    if options.json:
        Path(options.json).write_text(json.dumps({'device': gpu.name, 'rows': rows}, indent=1) + '\n')


if __name__ == '__main__':
    main()
