# SPDX-License-Identifier: LGPL-2.1-or-later
# The folder that goes to a machine with a GPU and no GLib: see dev.d/make_bundle.py.

# bundle_make BUILD BUNDLE
bundle_make () {
  local size commit
  commit=$(git -C "$dev_root" describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null || echo unknown)
  rm -rf -- "$2"
  build_write_environment "${1##*/}"
  python3 "$dev_root/dev.d/make_bundle.py" --source "$dev_root" --build "$1" --commit "$commit" "$2"
  size=$(du -sm -- "$2" | cut -f 1)
  [ "$size" -lt 60 ] || die "${2##*/} takes $size MiB; at most 60 can travel"
  say "${2##*/}/ is ready ($size MiB): run ${2##*/}/run-tests RECORD-FOLDER on a machine with a GPU"
}
