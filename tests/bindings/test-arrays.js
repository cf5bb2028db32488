// SPDX-License-Identifier: LGPL-2.1-or-later
// The library from JavaScript: the very program of the documentation, and what it gets for bad input. Writes TAP.
//
//   gjs -m test-arrays.js FILE-OF-THE-EXAMPLE

import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Leat from 'gi://Leat?version=1.0';
import System from 'system';

const example = Gio.File.new_for_path(ARGV[0]);
const {push, pull} = await import(example.get_uri());

function equal(got, want) {
    if (String(got) !== String(want))
        throw new Error(`${got} is not ${want}`);
}

function raises(domain, code, words, run) {
    try {
        run();
    } catch (error) {
        if (!(error instanceof GLib.Error) || !error.matches(domain, code))
            throw error;
        words.filter(word => !error.message.includes(word)).forEach(word => {
            throw new Error(`"${error.message}" does not say "${word}"`);
        });
        return;
    }
    throw new Error('nothing was thrown');
}

function withSession(spec, expr, run) {
    const pipeline = Leat.parse_text(
        `app name=source spec=${spec} + upload + map expr=${expr} + readback + app name=sink`,
        Leat.TextStyle.TERMINAL, null);
    const session = Leat.Session.new(pipeline, null);
    session.open(null);
    try {
        run({session, source: pipeline.get_node('source'), sink: pipeline.get_node('sink')});
    } finally {
        session.close();
    }
}

const tests = {
    'example-prints-what-it-computes'() {
        const process = Gio.Subprocess.new(['gjs', '-m', example.get_path()], Gio.SubprocessFlags.STDOUT_PIPE);
        const [, out] = process.communicate_utf8(null, null);
        equal(process.get_exit_status(), 0);
        equal(out, '1 3 5 7 9 11\n3 5 7 9 11 13\n5 7 9 11 13 15\n');
    },

    'types-equal-javascript'() {
        const rows = [
            ['f32', Float32Array, i => Math.fround(i / 3), x => Math.fround(2 * x)],
            ['f64', Float64Array, i => i / 3, x => 2 * x],
            ['i32', Int32Array, i => i - 50, x => 2 * x],
            ['u32', Uint32Array, i => i, x => 2 * x],
            ['i64', BigInt64Array, i => BigInt(i) * -10000000000n, x => 2n * x],
        ];
        for (const [name, type, make, compute] of rows) {
            withSession(`${name}:100`, '2*x', ({session, source, sink}) => {
                const array = type.from({length: 100}, (_, i) => make(i));
                push(source, array);
                equal(session.replay(true, null), Leat.Flow.DATA);
                const result = pull(sink);
                equal(result.constructor.name, type.name);
                equal(result, array.map(compute));
            });
        }
    },

    'part-of-a-buffer'() {
        withSession('f32:2', 'x', ({session, source, sink}) => {
            push(source, new Float32Array([1, 2, 3, 4]).subarray(1, 3));
            session.replay(true, null);
            equal(pull(sink), '2,3');
        });
    },

    'end-of-stream'() {
        withSession('f32:2', 'x', ({session, source, sink}) => {
            source.end();
            equal(session.replay(true, null), Leat.Flow.END);
            equal(pull(sink), null);
        });
    },

    'parse-error'() {
        raises(Leat.GraphError, Leat.GraphError.UNKNOWN_NODE, ['no node "uplod"', 'did you mean "upload"'],
            () => Leat.parse_text('app + uplod + discard', Leat.TextStyle.TERMINAL, null));
        raises(Leat.ParseError, Leat.ParseError.VERSION, [],
            () => Leat.parse_text('app -> discard\n', Leat.TextStyle.FILE, null));
    },

    'wrong-type'() {
        withSession('f32:2', 'x', ({source}) => {
            try {
                push(source, new Float64Array(1));
            } catch (error) {
                equal(error.message, 'the pipeline takes Float32Array, not Float64Array');
                return;
            }
            throw new Error('nothing was thrown');
        });
    },

    'wrong-number-of-items'() {
        withSession('f32:2', 'x', ({source}) => raises(Leat.GraphError, Leat.GraphError.DATA,
            ['12 bytes were pushed; f32[2] takes 8 bytes'], () => push(source, new Float32Array(3))));
    },

    'session-not-open'() {
        const pipeline = Leat.parse_text('app spec=u8:1 + discard', Leat.TextStyle.TERMINAL, null);
        raises(Leat.SessionError, Leat.SessionError.STATE, ['not open'],
            () => Leat.Session.new(pipeline, null).replay(false, null));
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
