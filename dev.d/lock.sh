# SPDX-License-Identifier: LGPL-2.1-or-later
# One ./dev at a time where two would break each other. The kernel keeps the locks, so whatever ends leaves none.

# lock_take FOLDER MESSAGE: waits until no other ./dev has the folder, saying MESSAGE when that is not at once. The
# descriptor is lock_fd. Without flock (util-linux) nobody waits.
lock_take () {
  local folder=$1 message=$2
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
