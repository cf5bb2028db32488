# SPDX-License-Identifier: LGPL-2.1-or-later
"""The parts of ./dev: how it waits for another ./dev, what it says, how it counts. Writes TAP."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ROOT / 'dev.d'
WAITING = 'dev: another one; waiting\n'


def bash(folder, script):
    """A shell in FOLDER that has the parts, under way."""
    begin = f'set -euo pipefail; dev_root={folder}; for part in say lock setup build; do . "{PARTS}/$part.sh"; done; '
    return subprocess.Popen(['bash', '-c', begin + script], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(child):
    out, err = child.communicate(timeout=20)
    return child.returncode, out, err


def hold(folder, then):
    """A shell that has the lock of FOLDER/build, and what it does with it."""
    child = bash(folder, f'lock_take "$PWD/build" waiting; echo locked; {then}')
    assert child.stdout.readline() == 'locked\n', child.communicate()
    return child


def wait_for(folder):
    """A shell that wants that lock and has said so."""
    child = bash(folder, 'lock_take "$PWD/build" "another one; waiting"; ls build; lock_release')
    assert child.stderr.readline() == WAITING, child.communicate()
    return child


def test_build_is_silent_with_nothing_to_do(folder):
    """But for the commit's name, which ninja looks for each time."""
    ninja = folder / 'ninja'
    ninja.write_text('#!/bin/sh\ncase " $* " in *" -n "*) cat todo;; *) echo built; touch built;; esac\n')
    ninja.chmod(0o755)
    commit = ('ninja: Entering directory `build\'\n[1/3] Generating tools/leat-bench-commit.h with a custom command\n'
              '[2/3] Compiling C object tools/leat-bench.p/leat-bench-evidence.c.o\n[3/3] Linking target tools/leat-bench\n')
    for todo, says in (('ninja: no work to do.\n', ''), (commit, ''), (commit + '[4/4] Linking target core/x\n', 'building')):
        (folder / 'todo').write_text(todo)
        code, out, err = finish(bash(folder, 'PATH="$PWD:$PATH" build_compile build'))
        assert code == 0 and out == '' and (says in err if says else err == ''), (todo, out, err)
        assert (folder / 'built').exists()


def write_ninja(folder, steps, then):
    """A ninja with STEPS to do, which with -n tells more of them than a pipe holds, and else does what THEN says."""
    ninja = folder / 'ninja'
    ninja.write_text('#!/bin/sh\n'
                     f'case " $* " in *" -n "*) n=0; while [ $n -lt {steps} ]; do n=$((n + 1))\n'
                     f'echo "[$n/{steps}] Compiling C object tests/a-name-as-long-as-those-of-real-steps-are.p/$n.c.o"; done; exit;; esac\n'
                     + then)
    ninja.chmod(0o755)


def test_build_tells_how_far_it_is(folder):
    write_ninja(folder, 3000, 'echo "[1/3000] Compiling"; sleep 1.2; echo "[2000/3000] Linking"; echo "$*" >asked\n')
    code, out, err = finish(bash(folder, 'PATH="$PWD:$PATH"; LEAT_JOBS=2; build_tell_seconds=1; build_compile build run'))
    assert (code, out) == (0, ''), err
    assert err == 'dev: building build/: 3000 steps, about 9 minutes\ndev: 2000 of 3000 steps\n', err
    assert (folder / 'asked').read_text().endswith(' for-run\n')
    assert (folder / 'build' / 'logs' / 'build-compile.log').read_text() == '[1/3000] Compiling\n[2000/3000] Linking\n'


def test_build_that_fails_says_why(folder):
    """The first error, which is far from the end."""
    write_ninja(folder, 3000, 'echo "FAILED: a.o"; echo "a.c:1: error: first"; seq 5000; echo "ninja: build stopped"; exit 1\n')
    code, out, err = finish(bash(folder, 'PATH="$PWD:$PATH"; build_compile build'))
    assert (code, out) == (1, '') and 'a.c:1: error: first\n' in err, err
    assert err.endswith('ninja: build stopped\ndev: the whole log is build/logs/build-compile.log\ndev: the build failed\n'), err
    assert len(err.splitlines()) < 40, err


def test_folder_that_is_not_writable(folder):
    (folder / 'build').write_text('')  # as root everything else may be written
    code, out, err = finish(bash(folder, 'lock_take "$PWD/build" waiting; echo has'))
    assert (code, out) == (1, ''), err
    assert err == f'dev: cannot write in {folder}/build, and ./dev builds in the source tree\n' \
        f'dev: make a copy that is yours (git clone "{folder}" leat), and call ./dev there\n', err


LOCKED = {'lists': 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 77 (apt-get)',
          'dpkg': 'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 77 (apt-get)',
          'dpkg itself': 'dpkg: error: dpkg frontend lock was locked by another process with pid 77'}


def call_apt(folder, locked, times, begin=''):
    """setup_apt with an apt-get that finds a lock taken that many times."""
    (folder / 'apt-get').write_text('#!/bin/sh\necho "$*" >>calls\n'
                                    f'[ "$(wc -l <calls)" -gt {times} ] || {{ echo "{locked}"; exit 100; }}\necho Done\n')
    (folder / 'apt-get').chmod(0o755)
    return finish(bash(folder, f'PATH="$PWD:$PATH"; setup_as=(); setup_lock_pause=0.1; {begin} : >log; setup_apt log update; cat log'))


def test_apt_waits_for_another(folder):
    for place, locked in LOCKED.items():
        (folder / 'calls').unlink(missing_ok=True)
        who = '' if place == 'dpkg itself' else ', process 77 (apt-get),'
        assert call_apt(folder, locked, 3) == \
            (0, f'{locked}\n' * 3 + 'Done\n',
             f'dev: another program that installs packages{who} is at work; waiting for it to end\n'), place
        assert (folder / 'calls').read_text() == '-y -q update\n' * 4


def test_apt_does_not_wait_for_ever(folder):
    code, _, err = call_apt(folder, LOCKED['lists'], 1000, 'setup_lock_seconds=0;')
    assert code == 1 and err.endswith('dev: waited for 0 minutes; end the other one, then call ./dev again\n'), err


def test_apt_that_fails_otherwise_fails_at_once(folder):
    assert call_apt(folder, 'E: Unable to locate package nosuch', 1000)[0] == 100
    assert (folder / 'calls').read_text() == '-y -q update\n'


def test_lock_at_once_is_silent(folder):
    assert finish(bash(folder, 'lock_take "$PWD/build" waiting; echo has; lock_release')) == (0, 'has\n', '')


def test_lock_waits_for_another(folder):
    holder = hold(folder, 'sleep 0.5; touch build/done; lock_release; sleep 30')
    assert finish(wait_for(folder)) == (0, 'done\n', '')
    assert holder.poll() is None
    holder.kill()
    holder.communicate()


def test_lock_of_what_was_killed_is_free(folder):
    holder = hold(folder, 'read -r -t 30 <> <(:)')
    waiting = wait_for(folder)
    holder.kill()
    holder.communicate()
    assert finish(waiting) == (0, '', '')


def test_lock_of_a_folder_that_is_removed(folder):
    holder = hold(folder, 'sleep 0.5; rm -r build; lock_release')
    assert finish(wait_for(folder)) == (0, '', '')
    assert (folder / 'build').is_dir()
    holder.communicate()


def test_lock_is_not_kept_by_what_runs_after_it(folder):
    holder = hold(folder, 'lock_release; echo released; exec sleep 30')
    assert holder.stdout.readline() == 'released\n'
    assert finish(bash(folder, 'lock_take "$PWD/build" waiting')) == (0, '', '')
    holder.kill()
    holder.communicate()


def test_command_that_is_not_there(folder):
    assert finish(bash(folder, 'need_command nosuchcommand')) == (127, '', 'dev: there is no command "nosuchcommand"\n')
    assert finish(bash(folder, 'need_command ./none'))[0] == 127
    assert finish(bash(folder, 'need_command sh; need_command /bin/sh')) == (0, '', '')


def test_network_is_doubted_for_a_reason(folder):
    (folder / 'log').write_text("Err:1 http://deb.debian.org bookworm\n  Temporary failure resolving 'deb.debian.org'\n")
    assert finish(bash(folder, 'setup_doubt_network log')) == (0, '; is there a network?', '')
    (folder / 'log').write_text('E: Unable to locate package gcc\n')
    assert finish(bash(folder, 'setup_doubt_network log')) == (0, '', '')


KNOWN = [('a', 'unit'), ('a-as-gpu', 'as-gpu'), ('b-as-gpu', 'as-gpu'), ('c', 'slow'), ('d', 'dear'), ('d-as-gpu', 'dear as-gpu'),
         ('fuzz', 'fuzz'), ('lint', 'tree'), ('soak', 'slow')]
LEFT_SLOW = 'left out: 2 slow programs; ./dev test --suite slow runs them\n'
LEFT_GPU = 'left out: 3 programs as on a GPU; ./dev test --all runs them\n'
LEFT_QUICK = LEFT_GPU + 'left out: 1 dear programs; ./dev test --all runs them\n' + LEFT_SLOW
LEFT_WATCHED = LEFT_GPU + 'left out: 1 fuzzers; ./dev fuzz runs them\n' \
    'left out: 1 programs without C of ours; ./dev test runs them\n' + LEFT_SLOW
QUICK = ('a', 'fuzz', 'lint')
ALL = (*QUICK, 'a-as-gpu', 'b-as-gpu', 'd', 'd-as-gpu')


def run_suite(folder, then='', words='build', ran=QUICK, setup=''):
    """test_folder WORDS with a meson whose tests pass, and does THEN."""
    for name in ('build/meson-logs', 'build/meson-info', 'dev.d'):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name in ('count_tests.py', 'check_names.py'):
        (folder / 'dev.d' / name).unlink(missing_ok=True)
        (folder / 'dev.d' / name).symlink_to(PARTS / name)
    subprocess.run(['git', 'init', '-q', folder], check=True)
    (folder / 'build' / 'meson-info' / 'intro-tests.json').write_text(
        json.dumps([{'name': name, 'suite': [f'leat:{suite}' for suite in suites.split()]} for name, suites in KNOWN]))
    (folder / 'log').write_text(''.join(json.dumps(
        {'name': f'leat:unit / {name}', 'stdout': '1..1\nok 1 /a/b\n', 'result': 'OK', 'command': ['x'], 'env': {},
         'duration': number + 0.25}) + '\n' for number, name in enumerate(ran)))
    (folder / 'meson').write_text('#!/bin/sh\necho "$*" >build/asked\nwhile [ "$1" != --setup ]; do shift; done\n'
                                  f'cp log build/meson-logs/testlog-$2.json\n{then}\n')
    (folder / 'meson').chmod(0o755)
    return finish(bash(folder, f'. "{PARTS}/test.sh"; export PYTHONPATH="{PARTS}" PATH="$PWD:$PATH"; {setup} test_folder {words}'))


def test_suite_that_leaves_nothing(folder):
    found = run_suite(folder, 'mkdir "$TMPDIR/x"; rmdir "$TMPDIR/x"; touch build/y')
    assert found == (0, f'\n{LEFT_QUICK}3 test programs\n3 passed, 0 failed, 0 skipped\n', ''), found


def test_suite_says_what_it_left_out(folder):
    for words, ran, chosen, setup, left in (
            ('build', QUICK, '', 'quick', LEFT_QUICK), ('build --all', ALL, '', 'all', LEFT_SLOW), ('build a', ('a',), '', 'named', ''),
            ('build', ('a', 'd'), 'test_setup=watched;', 'watched', LEFT_WATCHED), ('build --all', ALL, 'test_setup=watched;', 'all', LEFT_SLOW),
            ('build --all --suite slow', ('soak',), '', 'named', '')):
        found = run_suite(folder, words=words, ran=ran, setup=chosen)
        count = f'{len(ran)} test programs\n{len(ran)} passed, 0 failed, 0 skipped\n'
        assert found == (0, f'\n{left}{count}', ''), (words, found)
        assert f' --setup {setup}' in (folder / 'build' / 'asked').read_text(), words


def test_suite_runs_more_at_once_than_there_are_processors(folder):
    for processors, jobs in ((1, 2), (2, 3), (4, 5), (16, 20)):
        run_suite(folder, setup=f'nproc () {{ echo {processors}; }};')
        assert f' --num-processes {jobs} ' in (folder / 'build' / 'asked').read_text(), processors
    run_suite(folder, setup='LEAT_JOBS=7;')
    assert ' --num-processes 7 ' in (folder / 'build' / 'asked').read_text()


def test_suite_names_the_verb_that_runs_the_rest(folder):
    (folder / 'build-x').symlink_to('build')
    code, out, err = run_suite(folder, words='build-x')
    assert code == 0 and LEFT_QUICK.replace('./dev test', './dev x') in out, out + err


def test_suite_tells_the_ten_slowest(folder):
    out = run_suite(folder, ran=[f'p{number}' for number in range(12)])[1]
    slowest = ''.join(f'{number + 0.25:8.1f} s  p{number}\n' for number in range(11, 1, -1))
    assert f'\nslowest, of 69 s that all programs took one by one:\n{slowest}\nleft out' in out, out


def test_suite_that_leaves_things_fails(folder):
    """In its home, in the folder for temporary files, in the source tree: all of it is told, and the first two are removed."""
    (folder / 'graphs').mkdir()
    (folder / 'graphs' / 'there').write_text('')
    code, out, err = run_suite(folder, 'mkdir "$TMPDIR/leat-x"; touch "$TMPDIR/leat-x/y" "$HOME/.z"; touch graphs/out graphs/there; '
                                     'echo "$TMPDIR" >build/where', ran=('a',))
    assert code == 1 and out.endswith('2 test programs\n1 passed, 3 failed, 0 skipped\n'), out + err
    for name in ('tmp/leat-x', 'home/.z', 'source tree: graphs/out'):
        assert f'  (left behind): {name}\n' in out, out
    assert not Path((folder / 'build' / 'where').read_text().strip()).exists()


RELEASE = """
dpkg-query () { if [ "${*: -1}" = here ]; then echo -n '1:0.9.1-2'; else return 1; fi; }
apt-cache () { printf '%s:\\n  Installed: (none)\\n  Candidate: 2.4.0~rc1-1\\n' "$2"; }
setup_read_list build
setup_check_release
echo goes on
"""


def test_release_that_is_too_old_is_said_first(folder):
    (folder / 'dev.d').mkdir()
    (folder / 'dev.d' / 'packages.txt').write_text('here  command:nosuchcommand>=1.0   build  does this\n'
                                                   'there command:nosuchcommand>=2.5   build  does that\n'
                                                   'new   command:nosuchcommand>=2.3.9 build  is new enough\n'
                                                   'any   command:nosuchcommand        build  is any\n')
    assert finish(bash(folder, RELEASE)) == \
        (1, '', 'dev: here is version 0.9.1 here: Leat needs 1.0 (does this)\n'
                'dev: there is version 2.4.0 here: Leat needs 2.5 (does that)\n'
                'dev: nothing was installed; install newer ones, or use Debian 12, Ubuntu 23.04 or later\n')


def test_release_with_newer_ones_from_elsewhere(folder):
    (folder / 'dev.d').mkdir()
    (folder / 'dev.d' / 'packages.txt').write_text('here command:python3>=3.0 build does this\n'
                                                   'new  command:nosuchcommand>=2.4 build does that\n')
    assert finish(bash(folder, RELEASE)) == (0, 'goes on\n', '')


def told(*programs):
    """What is reported of programs, each (stdout, how it ended, stderr, names)."""
    import tap
    with contextlib.redirect_stdout(io.StringIO()) as text:
        well = tap.report({f'p{i}': tap.cases_of_program(*program[:3], lambda p=program: p[3])
                           for i, program in enumerate(programs)})
    return well, text.getvalue()


NAMES = ['/x/a', '/x/b', '/x/c', '/x/d']


def test_count_says_which_case_aborted(folder):
    well, text = told(('1..1\nnot ok 1 /y/plain\n', 'FAIL', '', ['/y/plain']),
                      ('1..4\n# Start of x tests\nok 1 /x/a\nBail out! ERROR:t.c:2:b: assertion failed\n', 'FAIL', '', NAMES))
    assert not well
    assert text.startswith('\nfailed:\n'
                           '  p1: /x/b - aborted: ended with FAIL: ERROR:t.c:2:b: assertion failed\n'
                           '  p0: /y/plain\n'
                           '  p1: 2 cases after that never ran\n'), text
    assert text.endswith('\n1 passed, 4 failed, 0 skipped\n'), text


def test_count_of_a_signal_has_the_last_words(folder):
    end = ('1..2\nok 1 /x/a\n', 'exit status -11', 'noise\n==1==ERROR: AddressSanitizer: SEGV\n #0 in f\n', NAMES[:2])
    assert '/x/b - aborted: ended with exit status -11: ==1==ERROR: AddressSanitizer: SEGV\n' in told(end)[1]


def test_count_without_names_has_the_number(folder):
    assert 'p0: (case 2 of 4) - aborted: ended with TIMEOUT\n' in told(('1..4\nok 1 /x/a\n', 'TIMEOUT', '', []))[1]


def test_count_of_what_ends_well(folder):
    assert told(('1..2\nok 1 /x/a\nok 2 /x/b # SKIP why\n', 'OK', '', NAMES)) == \
        (True, '\nskipped:\n  p0: /x/b - why\n\n1 test programs\n1 passed, 0 failed, 1 skipped\n')


def test_count_of_a_failure_after_the_last_case(folder):
    assert 'p0: (program) - ended with FAIL: leaked\n' in told(('1..1\nok 1 /x/a\n', 'FAIL', 'leaked\n', NAMES))[1]


def is_there(pid):
    try:
        return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] != 'Z'
    except FileNotFoundError:
        return False


def make_bundle(folder, tool):
    """One with a test that passes, and in bin/ a compute-sanitizer that does with it what TOOL says."""
    for name, kept in (('run_bundle.py', 'run-tests'), ('tap.py', 'tap.py'), ('run_sanitizer.py', 'run_sanitizer.py')):
        shutil.copy2(PARTS / name, folder / kept)
    (folder / 'env.sh').write_text(':\n')
    program = folder / 'program'
    program.write_text('#!/bin/sh\necho 1..1; echo "ok 1 /x/$LEAT_TEST_REPEAT"\n')
    program.chmod(0o755)
    tests = [{'name': name, 'suite': ['unit'], 'cmd': [str(program)], 'env': {}, 'workdir': str(folder), 'timeout': 30}
             for name in ('plugins/primitives/repeat-order', 'plugins/primitives/repeat-order-as-gpu', 'plugins/other')]
    (folder / 'tests.json').write_text(json.dumps({'commit': 'none', 'tests': tests, 'benchmarks': []}))
    (folder / 'bin').mkdir()
    sanitizer = folder / 'bin' / 'compute-sanitizer'
    sanitizer.write_text('#!/bin/sh\nused=$2; shift 4\n"$@" || exit\n' + tool)
    sanitizer.chmod(0o755)


def run_bundle(folder, *words):
    environment = {**os.environ, 'PATH': f'{folder}/bin:{os.environ["PATH"]}'}
    ran = subprocess.run([sys.executable, '-B', str(folder / 'run-tests'), str(folder / 'record'), *words], text=True,
                         env=environment, capture_output=True, timeout=20)
    return ran.returncode, ran.stdout + ran.stderr


def test_sanitizer_that_finds_nothing(folder):
    make_bundle(folder, 'echo "========= ERROR SUMMARY: 0 errors"\n')
    code, said = run_bundle(folder, '--sanitize')
    assert code == 0 and said.endswith('compute-sanitizer: 4 of 4 runs clean\n'), said
    assert '  plugins/primitives/repeat-order under synccheck: clean: 0 errors\n' in said, said
    assert 'ok 1 /x/watched' in (folder / 'record' / 'record.txt').read_text()


def test_sanitizer_that_finds_something(folder):
    make_bundle(folder, '[ "$used" != racecheck ] || { echo "========= RACECHECK SUMMARY: 2 hazards displayed"; exit 86; }\n'
                        'echo "========= ERROR SUMMARY: 0 errors"\n')
    code, said = run_bundle(folder, 'other', '--sanitize=memcheck,racecheck')
    assert code == 1 and said.endswith('compute-sanitizer: 1 of 2 runs clean\n'), said
    assert '  plugins/other under racecheck: found something: 2 hazards displayed\n' in said, said


def test_sanitizer_that_does_not_end_or_says_nothing(folder):
    make_bundle(folder, '[ "$used" != racecheck ] || sleep 20\n')
    code, said = run_bundle(folder, 'other', '--sanitize=memcheck,racecheck', '--time-factor=0.02')
    assert code == 1 and said.endswith('compute-sanitizer: 0 of 2 runs clean\n'), said
    assert 'under racecheck: did not come to its end in time\n' in said, said
    assert 'under memcheck: said nothing of what it found\n' in said, said


def test_bundle_takes_names_behind_options(folder):
    make_bundle(folder, '')
    for words in (('--device', 'cpu', 'other'), ('other', '--device', 'cpu')):
        code, said = run_bundle(folder, *words)
        assert code == 0 and said.endswith('1 test programs\n1 passed, 0 failed, 0 skipped\n'), said


def test_bundle_that_is_told_to_end_leaves_nothing(folder):
    make_bundle(folder, '')
    (folder / 'program').write_text('#!/bin/sh\nsleep 60 & echo $! >> sleeps; wait\n')
    run = subprocess.Popen([sys.executable, '-B', str(folder / 'run-tests'), str(folder / 'record'), '--jobs=1'], text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    until = time.monotonic() + 20
    while not (folder / 'sleeps').exists() and time.monotonic() < until:
        time.sleep(0.01)
    run.terminate()
    said = run.communicate(timeout=20)[0]
    assert run.returncode == 1 and 'STOPPED' in said, said
    begun = [int(pid) for pid in (folder / 'sleeps').read_text().split()]
    while any(is_there(pid) for pid in begun) and time.monotonic() < until:
        time.sleep(0.01)
    assert len(begun) == 1 and not is_there(begun[0]), said
    assert '== plugins/other: STOPPED' in (folder / 'record' / 'record.txt').read_text()


def main():
    if not PARTS.is_dir():
        print('1..0 # SKIP ./dev is not here')
        return 0
    sys.path.insert(0, str(PARTS))
    tests = [(name, run) for name, run in globals().items() if name.startswith('test_')]
    failed = 0
    print(f'1..{len(tests)}')
    for number, (name, run) in enumerate(tests, 1):
        word = 'ok'
        with tempfile.TemporaryDirectory(prefix='leat-dev-') as folder:
            try:
                run(Path(folder))
            except Exception:  # pylint: disable=broad-except
                failed, word = failed + 1, 'not ok'
                print('# ' + traceback.format_exc().rstrip().replace('\n', '\n# '))
        print(f'{word} {number} /leat/dev/{name[5:].replace("_", "-")}', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
