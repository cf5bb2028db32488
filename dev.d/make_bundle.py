# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a folder that runs the suite on a machine with a GPU, where neither GLib nor Meson need be.

    build/      the build folder without what only the compiler needs; programs find lib/ relative to themselves
    source/     what tests read of the source tree
    lib/        every shared library that Debian provided, except the C and C++ runtimes (the other machine has newer)
    pixbuf/     picture loaders
    env.sh      to be sourced: the environment of an uninstalled build, wherever the folder lies
    run-tests   runs the suite and writes the record (dev.d/run_bundle.py)
    run-peers   runs leat-bench in turns with other programs that do the same (tests/bench/peers/run.py)
    tests.json  what Meson knows of the tests, with @BUILD@ and @SOURCE@ for the folders
"""

import argparse
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

BUILD_ONLY = re.compile(r'(\.p|meson-private|meson-logs|meson-info|meson-uninstalled|logs|cache|__pycache__)$')
BUILD_ONLY_FILES = re.compile(r'(\.(o|a|d|gcda|gcno|ninja)|\.ninja_(deps|log)|compile_commands\.json|dev-\w+)$')
SOURCE_FOLDERS = ('core', 'plugins', 'tools', 'graphs', 'tests', 'docs', 'LICENSE', 'README.md')
# Newer ones are on any machine that has a C++ compiler; older ones beside them would break what that compiler builds.
NOT_BUNDLED = re.compile(r'(ld-linux.*|lib(c|m|pthread|dl|rt|resolv|util|anl|stdc\+\+|gcc_s|asan|ubsan|cuda|nvrtc.*))'
                         r'\.so(\.|$)')

MOST_LIBRARIES_OF_A_LOADER = 8


def is_elf(path):
    if path.is_symlink() or not path.is_file() or path.stat().st_size < 64:
        return False
    with path.open('rb') as file:
        return file.read(4) == b'\x7fELF'


def copy_build(build, target):
    def left_out(folder, names):
        return [name for name in names
                if (BUILD_ONLY.search(name) and (Path(folder) / name).is_dir()) or BUILD_ONLY_FILES.search(name)]
    shutil.copytree(build, target, symlinks=True, ignore=left_out)


def copy_source(source, target):
    listed = subprocess.run(['git', '-C', source, '-c', f'safe.directory={source}', 'ls-files', '-z', '--',
                             *SOURCE_FOLDERS], check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split('\0')):
        here, there = source / name, target / name
        # No test reads the C that it was compiled from.  Some compile programs of tests/bench/, or search the library.
        if here.is_file() and (here.suffix != '.c' or name.startswith(('core/', 'docs/', 'tests/bench/'))):
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(here, there)


def needed_libraries(programs):
    """Soname -> file of everything that the programs need, directly or not, from outside the build folder."""
    found = {}
    for program in programs:
        listed = subprocess.run(['ldd', str(program)], capture_output=True, text=True).stdout
        for name, file in re.findall(r'^\s*(\S+) => (/\S+)', listed, re.MULTILINE):
            if not NOT_BUNDLED.match(name):
                found[name] = Path(file)
    return found


def copy_mime_types(bundle):
    """GdkPixbuf asks the table of file types what a picture is; a bare machine has none."""
    table = Path('/usr/share/mime/mime.cache')
    if table.exists():
        (bundle / 'share' / 'mime').mkdir(parents=True, exist_ok=True)
        shutil.copy(table, bundle / 'share' / 'mime')


def copy_pixbuf_loaders(bundle, libraries):
    """The picture loaders, with a table of relative paths. Adds to LIBRARIES; SVG's would add forty and stays out."""
    folder = bundle / 'pixbuf'
    folder.mkdir()
    modules = subprocess.run(['pkg-config', '--variable=gdk_pixbuf_moduledir', 'gdk-pixbuf-2.0'],
                             capture_output=True, text=True).stdout.strip()
    table = Path(modules).parent / 'loaders.cache'
    if not modules or not table.exists():
        return
    kept = []
    for entry in table.read_text().split('\n\n'):
        loader = re.search(r'^"(/.*)"', entry, re.MULTILINE)
        needed = needed_libraries([loader.group(1)]) if loader else {}
        if loader and len(needed.keys() - libraries.keys()) <= MOST_LIBRARIES_OF_A_LOADER:
            libraries.update(needed)
            shutil.copy2(loader.group(1), folder)
            kept.append(entry.strip('\n').replace(modules, '@PIXBUF@'))
    (folder / 'loaders.cache.in').write_text('\n\n'.join(kept) + '\n')


def strip_and_find(bundle, library_folder):
    """Drops debug information and lets every program find the bundled libraries from where it lies.

    Programs with tests find their own library before LD_LIBRARY_PATH, so what they have of RPATH must stay one."""
    for file in sorted(bundle.rglob('*')):
        if not is_elf(file) or bundle / 'source' in file.parents:  # inputs of tests stay as they are
            continue
        file.chmod(file.stat().st_mode | stat.S_IWUSR)
        if not file.name.startswith('image-'):  # kernels: sanitizers say their lines
            subprocess.run(['strip', '--strip-debug', str(file)], check=True)
        back = os.path.relpath(library_folder, file.parent)
        subprocess.run(['patchelf', '--force-rpath', '--add-rpath', '$ORIGIN' if back == '.' else f'$ORIGIN/{back}', str(file)],
                       check=True)


def describe_tests(source, build, bundle, commit):
    def ask(kind):
        listed = subprocess.run(['meson', 'introspect', kind, str(build)], check=True, capture_output=True, text=True)
        return json.loads(listed.stdout)
    text = json.dumps({'commit': commit, 'tests': ask('--tests'), 'benchmarks': ask('--benchmarks')}, indent=1)
    for path, name in ((f'{build}/../', '@SOURCE@/'), (str(build), '@BUILD@'), (str(source), '@SOURCE@')):
        text = text.replace(path, name)
    (bundle / 'tests.json').write_text(text)


def write_environment(source, build, bundle):
    text = (build / 'dev-environment').read_text()
    text = text.replace(str(build), '$leat_bundle/build').replace(str(source), '$leat_bundle/source')
    (bundle / 'env.sh').write_text(f'''# Source this in bash: the tools, plugins and bindings of this folder, wherever it lies.
leat_bundle=$(cd -- "$(dirname -- "${{BASH_SOURCE[0]}}")" && pwd -P)
{text}
if [ -f "$leat_bundle/pixbuf/loaders.cache.in" ]; then
  sed "s|@PIXBUF@|$leat_bundle/pixbuf|" "$leat_bundle/pixbuf/loaders.cache.in" >"$leat_bundle/pixbuf/loaders.cache"
  export GDK_PIXBUF_MODULE_FILE="$leat_bundle/pixbuf/loaders.cache"
fi
export GIO_MODULE_DIR="$leat_bundle/pixbuf" GIO_USE_VFS=local
export XDG_DATA_DIRS="$leat_bundle/share:${{XDG_DATA_DIRS:-/usr/local/share:/usr/share}}"
''')


def write_run_peers(path):
    """Only leat-bench gets the bundle's libraries: the peers are programs of the machine."""
    path.write_text('''#!/usr/bin/env bash
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
exec python3 -B "$here/source/tests/bench/peers/run.py" --environment="$here/env.sh" "$@"
''')
    path.chmod(0o755)


def main():
    parser = argparse.ArgumentParser(description='make a bundle for a machine with a GPU')
    parser.add_argument('--source', type=Path, required=True)
    parser.add_argument('--build', type=Path, required=True)
    parser.add_argument('--commit', required=True)
    parser.add_argument('bundle', type=Path)
    given = parser.parse_args()
    copy_build(given.build, given.bundle / 'build')
    copy_source(given.source, given.bundle / 'source')
    library_folder = given.bundle / 'lib'
    library_folder.mkdir()
    # The build folder itself is asked, because there the build's own libraries are found.
    libraries = needed_libraries(file for file in given.build.rglob('*') if is_elf(file))
    copy_pixbuf_loaders(given.bundle, libraries)
    for name, file in libraries.items():
        if given.build not in file.parents:
            shutil.copy2(file.resolve(), library_folder / name)
    copy_mime_types(given.bundle)
    strip_and_find(given.bundle, library_folder)
    describe_tests(given.source, given.build, given.bundle, given.commit)
    write_environment(given.source, given.build, given.bundle)
    for name, kept in (('run_bundle.py', 'run-tests'), ('run_sanitizer.py', 'run_sanitizer.py'), ('tap.py', 'tap.py')):
        shutil.copy2(Path(__file__).parent / name, given.bundle / kept)
    (given.bundle / 'run-tests').chmod(0o755)
    write_run_peers(given.bundle / 'run-peers')


if __name__ == '__main__':
    sys.exit(main())
