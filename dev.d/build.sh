# SPDX-License-Identifier: LGPL-2.1-or-later
# Configures and compiles one build folder, silently when there is nothing to do.

build_jobs () {
  echo "${LEAT_JOBS:-$(nproc 2>/dev/null || echo 2)}"
}

# Fills build_options with what Meson is given for the build folder named.
build_find_options () {
  case $1 in
    build) build_options=() ;;
    # The typelib's dumper and the interpreters are not instrumented, so the bindings stay out of these two; nor is what
    # nvcc compiles, which takes a minute.  More than -O1 is a third more of compiling, for programs that are slow anyway.
    build-sanitize)
      build_options=(-Db_sanitize=address,undefined -Doptimization=1 -Dintrospection=disabled -Dcub=disabled) ;;
    build-tsan) build_options=(-Db_sanitize=thread -Doptimization=1 -Dintrospection=disabled -Dcub=disabled) ;;
    build-no-toolkit) build_options=(-Dnvcc=disabled) ;;
    build-coverage) build_options=(-Db_coverage=true -Dbuildtype=debug) ;;
    *) die "no options are known for the build folder $1" ;;
  esac
}

# What a folder was configured with: the options, and which programs are here that Meson looks for and can do without.
build_describe () {
  local program found=''
  for program in gjs nvcc /usr/local/cuda/bin/nvcc; do
    ! command -v "$program" >/dev/null || found+=" $program"
  done
  echo "${build_options[*]} with:$found"
}

# Configures when the folder is new, or when it was made with other options or other programs.
build_configure () {
  local folder=$dev_root/$1 log=$dev_root/build/logs/$1-configure.log stamp
  build_find_options "$1"
  stamp=$(build_describe)
  if [ -f "$folder/build.ninja" ] && [ "$(cat "$folder/dev-options" 2>/dev/null || echo none)" = "$stamp" ]; then
    return
  fi
  setup_check_versions
  mkdir -p "${log%/*}"
  say "configuring $1/"
  rm -rf -- "$folder/meson-private" "$folder/build.ninja"
  meson setup "${build_options[@]}" "$folder" "$dev_root" >"$log" 2>&1 </dev/null || {
    say_log "$log" 40
    die "meson could not configure $1/"
  }
  printf '%s\n' "$stamp" >"$folder/dev-options"
}

# What tests need is not all in "all" with newer Meson.
build_targets=(all meson-test-prereq meson-benchmark-prereq)

# Whether there is more to build than what has the commit's name in it: ninja looks for that each time, and takes it and
# what is made of it for out of date before it has looked.
build_has_work () {
  ninja -C "$1" -n "${build_targets[@]}" 2>&1 \
    | grep -qvE '^ninja: Entering|no work to do|leat-bench-commit\.h|leat-bench\.p/|Linking target tools/leat-bench$'
}

# On a terminal ninja shows its progress; elsewhere its words matter only when it fails.
build_compile () {
  local folder=$dev_root/$1 log=$dev_root/build/logs/$1-compile.log
  mkdir -p "${log%/*}"
  if ! build_has_work "$folder"; then
    ninja -C "$folder" -j "$(build_jobs)" "${build_targets[@]}" >"$log" 2>&1 </dev/null || {
      say_log "$log" 40
      die "the build failed"
    }
    return
  fi
  if [ -t 2 ]; then
    say "building $1/"
    ninja -C "$folder" -j "$(build_jobs)" "${build_targets[@]}" >&2 </dev/null || die "the build failed"
    return
  fi
  say "building $1/; the first time takes some minutes, and build/logs/$1-compile.log shows how far it is"
  ninja -C "$folder" -j "$(build_jobs)" "${build_targets[@]}" >"$log" 2>&1 </dev/null || {
    grep -A 20 -E '^FAILED:|error:|ninja: error' "$log" | head -n 120 >&2 || true
    say_log "$log" 5
    die "the build failed"
  }
}

build_folder () {
  lock_take "$dev_root/$1" "another ./dev is configuring or building $1/; waiting"
  build_configure "$1"
  build_compile "$1"
  lock_release
}

# Meson's own list of what lets the folder's programs run without being installed, asked once a configure, with one
# change: a path list that was empty stays without an empty entry, which would mean the current folder.
build_write_environment () {
  local folder=$dev_root/$1
  if [ "$folder/dev-environment" -nt "$folder/build.ninja" ]; then
    return
  fi
  meson devenv -C "$folder" --dump 2>/dev/null | sed 's/:\$\([A-Z_]*\)"/${\1:+:$\1}"/' >"$folder/dev-environment.new" \
    || die "meson devenv failed in $1/"
  mv -- "$folder/dev-environment.new" "$folder/dev-environment"
}

build_enter () {
  lock_take "$dev_root/$1" "another ./dev is configuring or building $1/; waiting"
  build_write_environment "$1"
  lock_release
  # shellcheck source=/dev/null
  . "$dev_root/$1/dev-environment"
}
