#!/usr/bin/env -S gjs -m
// SPDX-License-Identifier: LGPL-2.1-or-later
// Resident buffers, states, repeated runs and many runs in a launch, from JavaScript.  Writes TAP.

import GLib from 'gi://GLib';
import Leat from 'gi://Leat?version=1.0';
import System from 'system';

const SUM = `leat 1
total = state spec=u8[4]
sum = map inputs=a,x expr="a+x"
app name=source spec=u8[4] -> upload -> sum.x
total -> sum.a -> total
sum -> readback -> app name=sink
`;

const bytes = (...items) => new GLib.Bytes(new Uint8Array(items));

function equal(actual, expected) {
    if (`${actual}` !== `${expected}`)
        throw new Error(`${actual} is not ${expected}`);
}

function refused(domain, code, call) {
    try {
        call();
    } catch (error) {
        if (error.matches(domain, code))
            return;
        throw error;
    }
    throw new Error('nothing was thrown');
}

function open(text, style, set = {}) {
    const pipeline = Leat.parse_text(text, style, null);
    const session = Leat.Session.new(pipeline, null);
    Object.assign(session, set);
    session.open(null);
    return {session, source: pipeline.get_node('source'), sink: pipeline.get_node('sink')};
}

const tests = {
    'ranges-are-merged'() {
        const buffer = Leat.DeviceBuffer.new(Leat.Device.open(null), 16), batch = Leat.TransferBatch.new();
        batch.upload(buffer, 0, bytes(1, 2, 3, 4));
        batch.upload(buffer, 2, bytes(9, 9, 9));
        const first = batch.download(buffer, 0, 4), second = batch.download(buffer, 3, 4);
        batch.run();
        equal(batch.get_download(first).toArray().join(), '1,2,9,9');
        equal(batch.get_download(second).toArray().join(), '9,9,0,0');
        refused(Leat.DeviceBufferError, Leat.DeviceBufferError.RANGE, () => buffer.upload(15, bytes(1, 2)));
        buffer.release();
        refused(Leat.DeviceBufferError, Leat.DeviceBufferError.RELEASED, () => buffer.download(0, 1));
    },

    'state-is-changed-and-repeated'() {
        const {session, source, sink} = open(SUM, Leat.TextStyle.FILE);
        const total = session.get_state('total');
        total.upload(1, bytes(7, 8));
        source.push_bytes(bytes(1, 1, 1, 2));
        session.repeat = 10;
        session.replay(true, null);
        equal(sink.pull_bytes(0).toArray().join(), '10,17,18,20');
        equal(total.download(0, 4).toArray().join(), '10,17,18,20');
        refused(Leat.StateError, Leat.StateError.UNKNOWN_NAME, () => session.get_state('totl'));
        session.close();
    },

    'many-runs-go-into-a-launch'() {
        const {session, source, sink} = open('app name=source spec=u8:2 + upload + map expr=x+1 + map expr=x*2 + ' +
            'readback + app name=sink', Leat.TextStyle.TERMINAL, {batch: 8});
        for (let i = 0; i < 20; i++)
            source.push_bytes(bytes(i, i));
        source.end();
        session.run(null);
        for (let i = 0; i < 20; i++)
            equal(sink.pull_bytes(0).toArray().join(), [2 * i + 2, 2 * i + 2]);
        equal(sink.pull_bytes(0), null);
        const stats = session.stats.recursiveUnpack();
        equal(stats['batch-entries'], 20);
        equal(stats['batch-launches'], 3);
        equal(Object.keys(session.dup_stats().recursiveUnpack()).sort(), Object.keys(stats).sort());
        session.close();
    },
};

let number = 0, failed = 0;
print(`1..${Object.keys(tests).length}`);
for (const [name, run] of Object.entries(tests)) {
    let word = 'ok';
    try {
        run();
    } catch (error) {
        failed++;
        word = 'not ok';
        print(`# ${error}\n${error.stack}`.trimEnd().replaceAll('\n', '\n# '));
    }
    print(`${word} ${++number} /leat/bindings/javascript/${name}`);
}
System.exit(failed > 0 ? 1 : 0);
