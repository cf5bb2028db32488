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

# build_find_targets FOLDER WHAT: fills build_targets with what ninja is asked for: all of it, what only "run" or "shell"
# needs, or the tests of the suite "threads". What tests need is not all in "all" with newer Meson.
build_find_targets () {
  case $2 in
    run | shell) build_targets=("for-$2") ;;
    threads)
      # The list is of the tests as Meson knows them: after a move it is old until the build folder has been made anew.
      ninja -C "$1" build.ninja >/dev/null 2>&1
      readarray -t build_targets < <(python3 -B "$dev_root/dev.d/list_targets.py" "$1" "$2")
      ;;
    *) build_targets=(all meson-test-prereq meson-benchmark-prereq) ;;
  esac
}

# How many steps there are to build, but for those that are of the commit's name: ninja looks for that each time, and takes
# it and what is made of it for out of date before it has looked. All that ninja says is read: what ends a pipe early ends
# ninja too, and that looks like a failure of it.
build_count_steps () {
  { ninja -C "$1" -n "${build_targets[@]}" 2>&1 || true; } \
    | grep -cvE '^ninja: Entering|no work to do|leat-bench-commit\.h|leat-bench\.p/|Linking target tools/leat-bench$' || true
}

# build_tell_time STEPS: "about N minutes", by what a step takes of a processor on common machines
build_tell_time () {
  local seconds=$(($1 * 35 / 100 / $(build_jobs)))
  if ((seconds < 20)); then
    echo "some seconds"
  elif ((seconds < 90)); then
    echo "about $((seconds / 10 * 10)) seconds"
  else
    echo "about $(((seconds + 30) / 60)) minutes"
  fi
}

# Keeps what ninja says in LOG, and says now and then how far it is.
build_watch () {
  local log=$1 line told=$SECONDS
  while IFS= read -r line; do
    printf '%s\n' "$line" >&3
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] && ((SECONDS - told >= ${build_tell_seconds:-10})); then
      told=$SECONDS
      say "${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} steps"
    fi
  done 3>"$log"
}

# The first errors, which later ones follow from, and the end.
build_tell_failure () {
  grep -A 20 -E '^FAILED:|error:|ninja: error' "$1" >"$1.errors" || true
  head -n 120 "$1.errors" >&2
  rm -f -- "$1.errors"
  say_log "$1" 5
  die "the build failed"
}

# On a terminal ninja shows its progress; elsewhere a line now and then does. With nothing to do there is not a word.
build_compile () {
  local folder=$dev_root/$1 log=$dev_root/build/logs/$1-compile.log steps
  build_find_targets "$folder" "${2:-all}"
  mkdir -p "${log%/*}"
  local -a ninja=(ninja -C "$folder" -j "$(build_jobs)" "${build_targets[@]}")
  steps=$(build_count_steps "$folder")
  if [ "$steps" = 0 ]; then
    "${ninja[@]}" >"$log" 2>&1 </dev/null || build_tell_failure "$log"
    return
  fi
  say "building $1/: $steps step$([ "$steps" = 1 ] || echo s), $(build_tell_time "$steps")"
  if [ -t 2 ]; then
    NINJA_STATUS='[%f/%t, %es] ' "${ninja[@]}" >&2 </dev/null || die "the build failed"
    return
  fi
  "${ninja[@]}" 2>&1 </dev/null | build_watch "$log" || build_tell_failure "$log"
}

# build_folder FOLDER [run | shell | threads]
build_folder () {
  lock_take "$dev_root/$1" "another ./dev is configuring or building $1/; waiting"
  build_configure "$1"
  build_compile "$@"
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
