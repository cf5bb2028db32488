#!/usr/bin/env -S gjs -m
// SPDX-License-Identifier: LGPL-2.1-or-later
// Typed arrays through a pipeline: pushed into an app source, pulled from an app sink.

import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Leat from 'gi://Leat?version=1.0';
import System from 'system';

const ARRAYS = {
    f32: Float32Array, f64: Float64Array, u8: Uint8Array, i8: Int8Array, u16: Uint16Array, i16: Int16Array,
    u32: Uint32Array, i32: Int32Array, u64: BigUint64Array, i64: BigInt64Array, bool: Uint8Array,
    f16: Uint16Array, bf16: Uint16Array, f8e4m3: Uint8Array, f8e5m2: Uint8Array,
    c64: Float32Array, c128: Float64Array,
};

/* The class of arrays that hold a spec's items; of f16, bf16 and f8 their bits, of a complex number two in a row. */
export function arrayOf(spec) {
    const name = Leat.dtype_get_name(spec.get_dtype());
    if (!(name in ARRAYS))
        throw new TypeError(`JavaScript has no array of ${name}`);
    return ARRAYS[name];
}

/* Gives the pipeline the items of one run. The bytes alone do not say what they are, so it is checked here. */
export function push(source, array) {
    const wanted = arrayOf(source.dup_spec());
    if (!(array instanceof wanted))
        throw new TypeError(`the pipeline takes ${wanted.name}, not ${array.constructor.name}`);
    source.push_bytes(new GLib.Bytes(new Uint8Array(array.buffer, array.byteOffset, array.byteLength)));
}

/* Takes the items of one run, or null at the end of the stream. */
export function pull(sink, timeoutUs = -1) {
    const bytes = sink.pull_bytes(timeoutUs);
    if (bytes === null)
        return null;
    const wanted = arrayOf(sink.dup_spec());
    const data = bytes.toArray();
    return new wanted(data.buffer, data.byteOffset, data.byteLength / wanted.BYTES_PER_ELEMENT);
}

function main() {
    const pipeline = Leat.parse_text(
        'app name=source spec=f32:2x3 + upload + map expr=gain*x+1 gain=2 + readback + app name=sink',
        Leat.TextStyle.TERMINAL, null);
    const source = pipeline.get_node('source');
    const sink = pipeline.get_node('sink');

    // null: what LEAT_DEVICE says, else the first GPU, else the CPU
    const session = Leat.Session.new(pipeline, null);
    session.open(null);
    for (let run = 0; run < 3; run++) {
        push(source, Float32Array.from({length: 6}, (_, i) => i + run));
        session.replay(true, null);
        print(pull(sink).join(' '));
    }
    session.close();
}

if (Gio.File.new_for_path(System.programPath).get_uri() === import.meta.url)
    main();
