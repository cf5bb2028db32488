# SPDX-License-Identifier: LGPL-2.1-or-later
# One ./dev at a time where two would break each other. The kernel keeps the locks, so whatever ends leaves none.

# Everything that ./dev makes lies in the source tree, whose owner may be another or which may be mounted read-only.
lock_check_writable () {
  { mkdir -p -- "$1" && [ -w "$1" ]; } 2>/dev/null || {
    say "cannot write in $1, and ./dev builds in the source tree"
    die "make a copy that is yours (git clone \"$dev_root\" leat), and call ./dev there"
  }
}

# lock_take FOLDER MESSAGE: waits until no other ./dev has the folder, saying MESSAGE when that is not at once. The
# descriptor is lock_fd. Without flock (util-linux) nobody waits.
lock_take () {
  local folder=$1 message=$2
  lock_check_writable "$folder"
  command -v flock >/dev/null || return 0
  while true; do
    mkdir -p -- "$folder"
    exec {lock_fd}<"$folder"
    if ! flock -n "$lock_fd"; then
      say "$message"
      flock "$lock_fd"
    fi
    # Who had it may have removed the folder.
    [ ! "/proc/self/fd/$lock_fd" -ef "$folder" ] || return 0
    exec {lock_fd}<&-
  done
}

# What runs from here on does not keep the lock.
lock_release () {
  [ -n "${lock_fd:-}" ] || return 0
  exec {lock_fd}<&-
  lock_fd=
}
