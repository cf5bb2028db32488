# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs the suite of a build folder and counts its cases.

# A sanitizer's report is a failure. Paths are quoted for the sanitizers, which take a space for the end. Leaks that belong to others are named in the files given.
test_sanitizer_options () {
  local rules=$dev_root/tests/sanitize
  export ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1:abort_on_error=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
  export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
  export LSAN_OPTIONS="suppressions=\"$rules/leaks.supp\":print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
  export TSAN_OPTIONS="suppressions=\"$rules/races.supp\":halt_on_error=1:second_deadlock_stack=1${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
}

# Sanitized programs are slower, so their time limits are longer.
test_time_factor () {
  case $1 in
    build-sanitize | build-coverage) echo 4 ;;
    build-tsan) echo 10 ;;
    *) echo 1 ;;
  esac
}

# Programs that run at once: a quarter more than there are processors, since a fifth of their time is waiting.
test_jobs () {
  local processors
  processors=$(nproc 2>/dev/null || echo 2)
  echo "${LEAT_JOBS:-$(((processors * 5 + 3) / 4))}"
}

# What kernels the suite has compiled in build/ goes for FOLDER too, where there are none yet: images are kept by all that
# they depend on, and to compile them takes a third of the suite's time.
test_take_images () {
  local from=$dev_root/build/tests/cache/leat/images to=$dev_root/$1/tests/cache/leat/images
  [ -d "$from" ] && [ ! -d "$to" ] || return 0
  mkdir -p "${to%/*}"
  cp -r -- "$from" "$to"
}

# Files of the source tree that git neither has nor ignores, and those that graphs make where nothing else is named.
test_list_new () {
  git -C "$dev_root" -c safe.directory="$dev_root" ls-files --others --exclude='/build*/' --exclude='__pycache__/' \
    --exclude='/gpu-bundle/' 2>/dev/null || true
}

# A home and a folder for temporary files that are the suite's alone. Their path is short, as names of sockets are.
test_begin_watch () {
  test_own=$(mktemp -d "${TMPDIR:-/tmp}/leat-suite-XXXXXX")
  mkdir -- "$test_own/home" "$test_own/tmp"
  chmod 755 "$test_own"
  chmod 1777 "$test_own/tmp" # tests that are other users for a while
  test_before=$(test_list_new)
}

# Fills test_left with what the suite wrote in those and in the source tree, and is there still: a test that leaves things,
# or depends on what is there, fails on another day.
test_end_watch () {
  local line
  test_left=()
  while IFS= read -r line; do
    test_left+=("${line#"$test_own"/}")
  done < <(find "$test_own" -mindepth 2 -maxdepth 2)
  while IFS= read -r line; do
    [ -z "$line" ] || test_left+=("source tree: $line")
  done < <(comm -13 <(sort <<<"$test_before") <(test_list_new | sort))
  rm -rf -- "$test_own"
}

# test_folder FOLDER [--all] [MESON-TEST-ARGUMENT ...]: the last line is the count; false when a case failed or none ran.
# What runs where nothing is named is what the setup test_setup of tests/meson.build says.
test_folder () {
  local folder=$1 known=$dev_root/$1/meson-info/intro-tests.json setup=${test_setup:-quick} verb=${1#build} names code=0
  local -a arguments=() told=()
  shift
  if [ "${1:-}" = --all ]; then
    setup=all
    shift
  fi
  if [ $# -gt 0 ]; then
    names=$(python3 -B "$dev_root/dev.d/check_names.py" "$known" "$@") || exit 2
    readarray -t arguments <<<"$names"
    setup=named # the others leave out what is slow, also where it is named
  else
    verb=${verb#-}
    told=(--known "$known" --verb "${verb:-test}")
  fi
  lock_take "$dev_root/$folder/meson-logs" "another ./dev is running the tests of $folder/; waiting"
  rm -f -- "$dev_root/$folder/meson-logs/testlog-$setup.json"
  test_begin_watch
  HOME=$test_own/home PYTHONUSERBASE=${PYTHONUSERBASE:-$HOME/.local} TMPDIR=$test_own/tmp LEAT_TEST_TIME_FACTOR=$(test_time_factor "$folder") \
    meson test -C "$dev_root/$folder" --no-rebuild --print-errorlogs --num-processes "$(test_jobs)" \
    --timeout-multiplier "$(test_time_factor "$folder")" --setup "$setup" "${arguments[@]}" </dev/null || true
  test_end_watch
  python3 "$dev_root/dev.d/count_tests.py" "$dev_root/$folder/meson-logs/testlog-$setup.json" "${told[@]}" -- "${test_left[@]}" || code=$?
  lock_release
  return "$code"
}

# Where a toolkit may lie: its folders, and single files that are on PATH or known to the dynamic linker.
test_list_toolkit () {
  local place
  for place in /usr/local/cuda* /opt/cuda* /usr/lib/cuda* "${CUDA_HOME:-}" "${CUDA_PATH:-}"; do
    [ ! -d "$place" ] || printf '%s\n' "$place"
  done
  type -ap nvcc nvlink ptxas || true
  find /usr/include -maxdepth 1 -name cuda.h 2>/dev/null || true
  /sbin/ldconfig -p | sed -n 's/.*libnvrtc.* => //p' || true
}

# Covers each of those in a mount namespace, so that nothing is left to be found by any path, by this process and its
# children only. Where the kernel allows no namespace that would be a test of nothing, so it fails.
test_hide_toolkit () {
  local verb=$1 place
  shift
  if [ "${LEAT_TOOLKIT_HIDDEN:-}" != 1 ]; then
    LEAT_TOOLKIT_HIDDEN=1 exec unshare --mount --map-root-user "$dev_root/dev" "$verb" "$@"
  fi
  while read -r place; do
    say "hiding $place"
    if [ -d "$place" ]; then
      mount -t tmpfs none "$place"
    elif [ -e "$place" ]; then
      mount --bind /dev/null "$place"
    fi
  done < <(test_list_toolkit | xargs -r readlink -f -- | sort -u)
  hash -r
  unset CUDA_HOME CUDA_PATH CUDA_ROOT
  ! nvcc --version >/dev/null 2>&1 || die "nvcc still runs: $(command -v nvcc)"
}

# One fuzzer for SECONDS, from its seeds; what it said is told as a whole, as others run beside it. What makes it fail
# stays in the build folder.
test_fuzzer () {
  local folder=$1 fuzzer=$2 seconds=$3 name=${2##*/} status=0
  local log=$folder/logs/$name.log
  (cd "$folder/tests/fuzz" && env -u LEAT_PLUGIN_PATH -u LEAT_CPU_DRIVER LEAT_PLUGIN_SYSTEM_PATH='' \
    XDG_CACHE_HOME=$folder/tests/cache LEAT_LEARNED='' timeout $((seconds * 3 + 60)) \
    "$fuzzer" "$dev_root/tests/fuzz/${name#fuzz-}" "$seconds") >"$log" 2>&1 </dev/null || status=$?
  { say "$name for $seconds s"; cat "$log"; } >&2
  [ "$status" = 0 ] || say "$name failed"
  return "$status"
}

# As many at once as there are processors.
test_fuzzers () {
  local folder=$dev_root/$1 seconds=$2 fuzzer failed=0 ran=0 running=() each
  mkdir -p "$folder/logs"
  for fuzzer in "$folder"/tests/fuzz/fuzz-*; do
    [ -f "$fuzzer" ] && [ -x "$fuzzer" ] || continue
    if [ "${#running[@]}" -ge "$(nproc)" ]; then
      wait "${running[0]}" || failed=$((failed + 1))
      running=("${running[@]:1}")
    fi
    test_fuzzer "$folder" "$fuzzer" "$seconds" &
    running+=($!)
    ran=$((ran + 1))
  done
  for each in "${running[@]}"; do
    wait "$each" || failed=$((failed + 1))
  done
  [ "$ran" -gt 0 ] || die "there is no fuzzer in $1/tests/fuzz"
  echo "fuzzers: $((ran - failed)) passed, $failed failed"
  [ "$failed" = 0 ]
}

test_benchmarks () {
  local folder=$1
  shift
  meson test -C "$dev_root/$folder" --no-rebuild --benchmark --verbose --num-processes 1 "$@" </dev/null
}
