#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Run by `meson dist`: a release has the images that ./dev images made.
set -eu
if ! ls "$MESON_SOURCE_ROOT"/images/*.leati >/dev/null 2>&1; then
  echo "dist: there are no images; ./dev images makes them, and without them nodes are compiled where they run" >&2
  exit 0
fi
mkdir -p "$MESON_DIST_ROOT/images"
cp -- "$MESON_SOURCE_ROOT"/images/*.leati "$MESON_DIST_ROOT/images/"
chmod go-w -- "$MESON_DIST_ROOT"/images/*.leati
