# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing of dev.d/packages.txt. When nothing is, this is one call of dpkg-query.

# Fills setup_names, setup_probes and setup_reasons with the lines for VERB ("test" includes "build").
setup_read_list () {
  local name probe verb reason
  setup_names=() setup_probes=() setup_reasons=()
  while read -r name probe verb reason; do
    case $name in '' | '#'*) continue ;; esac
    if [ "$verb" = "$1" ] || { [ "$1" = test ] && [ "$verb" = build ]; }; then
      setup_names+=("$name") setup_probes+=("$probe") setup_reasons+=("$reason")
    fi
  done <"$dev_root/dev.d/packages.txt"
}

# setup_is_at_least HAVE WANT: versions in the order of sort -V
setup_is_at_least () {
  [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | sed -n 1p)" = "$2" ]
}

# setup_probe KIND:NAME[>=VERSION]: whether the thing itself is there, whoever put it there
setup_probe () {
  local kind=${1%%:*} name=${1#*:} version=''
  case $name in *'>='*) version=${name#*>=} name=${name%%>=*} ;; esac
  case $kind in
    command)
      command -v "$name" >/dev/null || return 1
      [ -z "$version" ] || setup_is_at_least "$("$name" --version | grep -om 1 '[0-9][0-9.]*')" "$version"
      ;;
    pkg-config)
      command -v pkg-config >/dev/null && pkg-config --exists "$name${version:+ >= $version}"
      ;;
    python3)
      python3 -c "import $name" 2>/dev/null
      ;;
    *) die "dev.d/packages.txt has no probe \"$kind\"" ;;
  esac
}

# Fills setup_missing with the indices of the lines that neither dpkg nor the probe finds.
setup_find_missing () {
  local installed='' i
  setup_missing=()
  if command -v dpkg-query >/dev/null; then
    installed=$(dpkg-query -W -f='${Package}:${db:Status-Status}\n' "${setup_names[@]}" 2>/dev/null || true)
  fi
  for i in "${!setup_names[@]}"; do
    case $'\n'$installed$'\n' in *$'\n'"${setup_names[i]}:installed"$'\n'*) continue ;; esac
    setup_probe "${setup_probes[i]}" || setup_missing+=("$i")
  done
}

setup_list_missing () {
  local i
  for i in "${setup_missing[@]}"; do
    printf '  %-23s %s\n' "${setup_names[i]}" "${setup_reasons[i]}" >&2
  done
}

# Fills setup_as with what runs a command as root.
setup_find_root () {
  setup_as=()
  if [ "$(id -u)" = 0 ]; then
    return
  fi
  if ! command -v sudo >/dev/null; then
    say "installing needs root and there is no sudo here; as root, run:"
    die "apt-get update && apt-get install --no-install-recommends ${setup_wanted[*]}"
  fi
  setup_as=(sudo)
}

# setup_is_locked LOG: whether apt-get failed as another apt or dpkg has one of its locks; there are three of them, with
# words of their own, and apt's own option for a patient wait covers one.
setup_is_locked () {
  grep -E '^E: (Could not get lock|Unable to (acquire|lock))|lock was locked by another process' -- "$1" >/dev/null
}

# setup_apt LOG ARGUMENT...: apt-get that asks nothing, and waits while another one is at work
setup_apt () {
  local log=$1 part=$1.part told='' status=0 until=$((SECONDS + ${setup_lock_seconds:-1800}))
  shift
  while true; do
    status=0
    "${setup_as[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -y -q "$@" >"$part" 2>&1 </dev/null || status=$?
    cat -- "$part" >>"$log"
    # apt-get update says that it got no lock and may still end with 0.
    if ! setup_is_locked "$part"; then
      rm -f -- "$part"
      return "$status"
    fi
    if [ -z "$told" ]; then
      told=$(sed -n 's/.*held by process \([0-9]* ([^)]*)\).*/, process \1,/p;T;q' "$part")
      say "another program that installs packages$told is at work; waiting for it to end"
      told=said
    fi
    ((SECONDS < until)) || die "waited for $((${setup_lock_seconds:-1800} / 60)) minutes; end the other one, then call ./dev again"
    sleep "${setup_lock_pause:-2}"
  done
}

# setup_doubt_network LOG: what to add to a failure that looks like it. apt-get update may find none and still end with 0.
setup_doubt_network () {
  if grep -qE 'Could not (resolve|connect)|Temporary failure|Network is unreachable|Failed to fetch' -- "$1"; then
    printf '; is there a network?'
  fi
}

# Packages that this release does not have are said by name before anything is installed.
setup_check_known () {
  local i unknown=0
  for i in "${setup_missing[@]}"; do
    if [ -z "$(apt-cache madison "${setup_names[i]}" 2>/dev/null)" ] \
      && [ -z "$(apt-cache showpkg "${setup_names[i]}" 2>/dev/null | sed -n '/^Reverse Provides:/,$p' | sed 1d)" ]; then
      say "apt-get knows no package ${setup_names[i]} (${setup_reasons[i]}); looked for as ${setup_probes[i]}"
      unknown=1
    fi
  done
  [ "$unknown" = 0 ] || die "install the named things by hand, then call ./dev again$(setup_doubt_network "$dev_root/build/logs/apt.log")"
}

# setup_find_version PACKAGE: the version that is installed, or that apt-get would install, without Debian's part
setup_find_version () {
  local version
  version=$(dpkg-query -W -f='${Version}' "$1" 2>/dev/null || true)
  [ -n "$version" ] || version=$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *//p')
  version=${version#*:}
  echo "${version%%[-+~]*}"
}

# A release whose packages are too old is said before anything is installed.
setup_check_release () {
  local i want have old=0
  for i in "${!setup_names[@]}"; do
    case ${setup_probes[i]} in *'>='*) want=${setup_probes[i]##*>=} ;; *) continue ;; esac
    setup_probe "${setup_probes[i]}" && continue
    have=$(setup_find_version "${setup_names[i]}")
    if [ -z "$have" ] || [ "$have" = '(none)' ] || setup_is_at_least "$have" "$want"; then
      continue
    fi
    say "${setup_names[i]} is version $have here: Leat needs $want (${setup_reasons[i]})"
    old=1
  done
  [ "$old" = 0 ] || die "nothing was installed; install newer ones, or use Debian 12, Ubuntu 23.04 or later"
}

setup_install () {
  local log=$dev_root/build/logs/apt.log i
  setup_wanted=()
  for i in "${setup_missing[@]}"; do
    setup_wanted+=("${setup_names[i]}")
  done
  setup_find_root
  mkdir -p "${log%/*}"
  : >"$log"
  say "installing ${#setup_missing[@]} packages with apt-get${setup_as[0]:+ through sudo}:"
  setup_list_missing
  say "this takes a minute or two; build/logs/apt.log shows how far it is"
  # A machine without a network may still have the packages: so a failed update is not the end.
  setup_apt "$log" update \
    || say "apt-get update failed$(setup_doubt_network "$log"); going on with the lists that are here"
  setup_check_known
  setup_check_release
  setup_apt "$log" install --no-install-recommends "${setup_wanted[@]}" || {
    say_log "$log" 30
    die "apt-get could not install ${setup_wanted[*]}$(setup_doubt_network "$log")"
  }
  say "installed"
}

# setup_packages VERB: when this returns, all that VERB needs is there
setup_packages () {
  setup_read_list "$1"
  setup_find_missing
  [ ${#setup_missing[@]} -gt 0 ] || return 0
  lock_take "$dev_root/dev.d" "another ./dev is installing packages; waiting"
  setup_find_missing
  if [ ${#setup_missing[@]} -eq 0 ]; then
    lock_release
    return
  fi
  if ! command -v apt-get >/dev/null; then
    say "this system has no apt-get; these are missing (Debian's names):"
    setup_list_missing
    die "install them your system's way, then call ./dev again"
  fi
  setup_install
  lock_release
}

# Installed is not enough on a release that is too old: says which is, by name. Called before the first configure.
setup_check_versions () {
  local i old=0
  setup_read_list build
  for i in "${!setup_names[@]}"; do
    setup_probe "${setup_probes[i]}" && continue
    say "${setup_names[i]} is missing or too old: Leat needs ${setup_probes[i]#*:} (${setup_reasons[i]})"
    old=1
  done
  [ "$old" = 0 ] || die "install newer ones, or use Debian 12, Ubuntu 23.04 or later"
}
