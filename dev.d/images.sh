# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes images/: a pack for each plugin with a list of pipelines, which a build installs and a release takes along.

# The best first: machine code for CPUs and for GPUs, then PTX for all other GPUs.
images_targets=x86-64-v4,x86-64-v3,x86-64,sm_90,sm_80,compute_75

# images_make BUILD TO [FAMILY ...]: what is compiled is kept, so that a call that was ended goes on.
images_make () {
  local build=$1 to=$2 family ptxas
  shift 2
  mkdir -p "$to"
  for family in "$@"; do
    say "images of $family"
    env XDG_CACHE_HOME="$build/images-cache" LEAT_IMAGE_CACHE_MIB=8192 LEAT_IMAGE_PATH='' \
      "$build/core/leat-kernelc" --target="${LEAT_IMAGE_TARGETS:-$images_targets}" --pack="$to/$family.leati" \
      "$dev_root/plugins/$family/images.list" || die "the images of $family cannot be made"
    ptxas=$(command -v ptxas /usr/local/cuda/bin/ptxas | head -n 1)
    [ -z "$ptxas" ] || python3 -B "$dev_root/dev.d/check_images.py" "$ptxas" "$to/$family.leati" \
      || die "the PTX of $family names a version that has not all of it; see core/kernel/leat-image-ptx-version.c"
  done
}
