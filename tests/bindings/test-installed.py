#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An installed tree serves a program: headers, pkg-config file, library, plugins, tools, manual pages. Writes TAP.

test-installed.py BUILD-FOLDER PROGRAM.c"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD, PROGRAM = Path(sys.argv[1]), Path(sys.argv[2])


def skip(reason):
    print(f"1..0 # SKIP {reason}")
    sys.exit(0)


def call(*words, env=None):
    """What the command prints; it must end well."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


class Tree:
    """What `meson install` puts below a folder that stands for the root of a system."""

    def __init__(self, root):
        self.root = root
        call("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", root)
        self.pc = self.find("leat-1.0.pc")
        self.prefix = next(line for line in self.pc.read_text().splitlines() if line.startswith("prefix="))[7:]
        # A staged tree lies elsewhere than its file says; on a real system it does not.
        self.pc.write_text(self.pc.read_text().replace(f"prefix={self.prefix}", f"prefix={root}{self.prefix}", 1))
        libdir = self.find("libleat-1.0.so").parent
        plugins = Path(f"{root}{self.pkg_config('--variable=plugindir')}")
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("LEAT_") or name == "LEAT_DEVICE"}
        self.env.update(LEAT_PLUGIN_SYSTEM_PATH="", LD_LIBRARY_PATH=str(libdir), LEAT_PLUGIN_PATH=str(plugins),
                        LEAT_CPU_DRIVER=str(plugins / "libleat-cpu.so.1"))

    def find(self, name):
        found = sorted(self.root.rglob(name))
        assert found, f"nothing installed is called {name}"
        return found[0]

    def pkg_config(self, *words):
        env = dict(os.environ, PKG_CONFIG_PATH=str(self.pc.parent))
        return call("pkg-config", *words, "leat-1.0", env=env).strip()


def test_program_compiles_and_runs(tree):
    program = tree.root / "program"
    flags = tree.pkg_config("--cflags", "--libs").split()
    assert f"-I{tree.root}{tree.prefix}/include/leat-1.0" in flags, flags
    call("cc", "-Wall", "-Werror", PROGRAM, "-o", program, *flags)
    assert call(program, env=tree.env) == "2 5 -6\n"


def test_program_compiles_against_the_build(tree):
    """The same include line, with the pkg-config file that is for programs before anything is installed."""
    env = dict(os.environ, PKG_CONFIG_PATH=str(BUILD / "meson-uninstalled"))
    flags = call("pkg-config", "--cflags", "--libs", "leat-1.0", env=env).split()
    call("cc", "-Wall", "-Werror", PROGRAM, "-o", tree.root / "program-of-the-build", *flags)


def test_every_header_compiles_alone(tree):
    folder = tree.find("leat.h").parent
    headers = sorted(folder.rglob("*.h"))
    assert len(headers) > 10, headers
    flags = tree.pkg_config("--cflags").split()
    for header in headers:
        # They may only be reached through leat.h, which is checked: each is included first, as leat.h would.
        text = f"#define LEAT_INSIDE\n#include <leat/{header.relative_to(folder)}>\n"
        source = tree.root / "header.c"
        source.write_text(text)
        call("cc", "-Wall", "-Werror", "-fsyntax-only", *flags, source)
    # And nothing of the library's inside is among them.
    assert not [header for header in headers if "private" in header.name], headers


def test_tool_runs(tree):
    tool = tree.find("leat-launch")
    assert call(tool, "--version", env=tree.env).startswith("leat-launch ")
    out = call(tool, "-q", "io:file", f"path={PROGRAM}", "+", "upload", "+", "readback", "+", "io:file", "path=-", env=tree.env)
    assert out == PROGRAM.read_text()


def test_python_finds_it(tree):
    """By the variables that docs/guide/languages.md names."""
    if not sorted(tree.root.rglob("Leat-1.0.typelib")):
        return "built without introspection"
    program = "import gi; gi.require_version('Leat', '1.0'); from gi.repository import Leat; print(Leat.Session.__name__)"
    asked = subprocess.run([sys.executable, "-c", "import gi"], capture_output=True)
    if asked.returncode != 0:
        return "this Python has no gi"
    env = {name: value for name, value in tree.env.items() if name != "GI_TYPELIB_PATH"}
    env["GI_TYPELIB_PATH"] = f"{tree.root}{tree.pkg_config('--variable=typelibdir')}"
    assert call(sys.executable, "-c", program, env=env) == "Session\n"
    return None


def share(tree, *names):
    return Path(f"{tree.root}{tree.prefix}/share").joinpath(*names)


def away(tree, *words, environment=None):
    """The tool in a folder where nothing else is, on a system whose share/ is the tree's: (exit status, what it says)."""
    folder = Path(tempfile.mkdtemp(dir=tree.root))
    env = {**tree.env, "XDG_DATA_DIRS": str(share(tree)), "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), **(environment or {})}
    done = subprocess.run([str(tree.find(words[0])), *map(str, words[1:])], capture_output=True, text=True, env=env, cwd=folder,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def test_graphs_and_documents_are_there(tree):
    """Every graph and page of the source tree, and all that README.md names of both, where it stands."""
    source = PROGRAM.parents[2]
    for kind, folder in (("graphs/*.leat", share(tree, "leat")), ("graphs/*.cu", share(tree, "leat")),
                         ("docs/**/*.md", share(tree, "doc", "leat")), ("docs/examples/*", share(tree, "doc", "leat"))):
        names = [path.relative_to(source) for path in source.glob(kind)]
        assert names, kind
        for name in names:
            assert (folder / name).read_bytes() == (source / name).read_bytes(), name
    readme = share(tree, "doc", "leat", "README.md")
    named = set(re.findall(r"\]\(([\w./-]+)\)", readme.read_text())) | set(re.findall(r"graphs/\w+\.leat", readme.read_text()))
    assert len(named) > 15 and not [name for name in named if not (readme.parent / name).exists()], named
    assert not list(share(tree, "doc", "leat").rglob("meson.build"))


def test_graphs_are_found(tree):
    """A graph that is named as the documents do is not there, and the one that is installed is told and runs."""
    graph, kernel = share(tree, "leat", "graphs", "scan.leat"), share(tree, "leat", "graphs", "edges.cu")
    for name in ("graphs/scan.leat", "scan.leat", "./scan.leat"):
        code, said = away(tree, "leat-launch", name)
        assert code == 2 and f'(the one that comes with Leat is "{graph}")' in said, said
    code, said = away(tree, "leat-launch", "other/scan.leat")
    assert code == 2 and "comes with" not in said, said
    code, said = away(tree, "leat-inspect", "kernel", "source=graphs/edges.cu")
    assert code != 0 and f'(the one that comes with Leat is "{kernel}")' in said, said
    assert away(tree, "leat-launch", "--check", graph)[0] == 0
    assert f"leat-launch {graph} patterns=" in away(tree, "leat-launch", "--help")[1]


def test_every_plugin_is_whole(tree):
    # What is found where an installation looks by itself, too.
    for variable in ("LEAT_PLUGIN_PATH", "LEAT_PLUGIN_SYSTEM_PATH"):
        env = {name: value for name, value in tree.env.items() if name != "LEAT_PLUGIN_PATH"}
        env.update(LEAT_PLUGIN_SYSTEM_PATH="")
        env[variable] = tree.env["LEAT_PLUGIN_PATH"]
        out = call(tree.find("leat-inspect"), env=env)
        there = [path for path in Path(tree.env["LEAT_PLUGIN_PATH"]).glob("libleat-*.so") if path.stem != "libleat-cpu"]
        assert len(there) >= 6, there
        assert f"in {len(there)} plugins" in out and "broken" not in out, f"{variable}: {out}"


def test_manual_pages_are_there(tree):
    for name in ("leat-launch.1", "leat-inspect.1"):
        assert "@" not in tree.find(name).read_text().split("\n", 4)[2], name


def main():
    for program in ("meson", "pkg-config", "cc"):
        if shutil.which(program) is None:
            skip(f"there is no {program}")
    if not (BUILD / "build.ninja").exists():
        skip("this is no build folder that could be installed from")
    tests = [(name, run) for name, run in globals().items() if name.startswith("test_")]
    failed = 0
    print(f"1..{len(tests)}")
    with tempfile.TemporaryDirectory(prefix="leat-installed-") as root:
        tree = Tree(Path(root))
        for number, (name, run) in enumerate(tests, 1):
            word, why_not = "ok", None
            try:
                why_not = run(tree)
            except AssertionError as error:
                failed, word = failed + 1, "not ok"
                print("# " + str(error).rstrip().replace("\n", "\n# "))
            print(f"{word} {number} /leat/bindings/installed/{name[5:].replace('_', '-')}{f' # SKIP {why_not}' if why_not else ''}",
                  flush=True)
    return 1 if failed else 0


sys.exit(main())
