#!/usr/bin/env -S gjs -m
// SPDX-License-Identifier: LGPL-2.1-or-later
// Typed arrays through a pipeline: pushed into an app source, pulled from an app sink.

import GLib from 'gi://GLib';
import Leat from 'gi://Leat?version=1.0';

const pipeline = Leat.parse_text(
    'app name=source spec=f32:2x3 + upload + map expr=gain*x+1 gain=2 + readback + app name=sink',
    Leat.TextStyle.TERMINAL,
    null,
);
const source = pipeline.get_node('source');
const sink = pipeline.get_node('sink');

// null: what LEAT_DEVICE says, else the first GPU, else the CPU
const session = Leat.Session.new(pipeline, null);
session.open(null);
for (let run = 0; run < 3; run++) {
    const numbers = Float32Array.from({length: 6}, (_, i) => i + run);
    source.push_bytes(new GLib.Bytes(new Uint8Array(numbers.buffer)));
    session.replay(true, null);
    const bytes = sink.pull_bytes(-1).toArray();
    print(new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4).join(' '));
}
session.close();
