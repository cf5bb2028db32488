# SPDX-License-Identifier: LGPL-2.1-or-later
# How ./dev speaks: to standard error only, because standard output belongs to what it runs.

say () {
  printf 'dev: %s\n' "$*" >&2
}

die () {
  say "$@"
  exit 1
}

# say_log FILE LINES: the end of a log that tells why something failed
say_log () {
  tail -n "$2" -- "$1" >&2
  say "the whole log is ${1#"$dev_root"/}"
}
