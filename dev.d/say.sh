# SPDX-License-Identifier: LGPL-2.1-or-later
# How ./dev speaks: to standard error only, because standard output belongs to what it runs.

say () {
  printf 'dev: %s\n' "$*" >&2
}

die () {
  say "$@"
  exit 1
}

# need_command NAME: a shell's own words would name the line of ./dev
need_command () {
  [ -n "$(type -P -- "$1")" ] || {
    say "there is no command \"$1\""
    exit 127
  }
}

# say_log FILE LINES: the end of a log that tells why something failed
say_log () {
  tail -n "$2" -- "$1" >&2
  say "the whole log is ${1#"$dev_root"/}"
}

# say_count_edits ONE OTHER: how many letters must be put in, left out, replaced or swapped with the next
say_count_edits () {
  local one=$1 other=$2 i j best
  local -A rest
  for ((i = ${#one}; i >= 0; i--)); do
    for ((j = ${#other}; j >= 0; j--)); do
      if ((i == ${#one} || j == ${#other})); then
        rest[$i,$j]=$((${#one} - i + ${#other} - j))
        continue
      fi
      best=${rest[$((i + 1)),$((j + 1))]}
      if [ "${one:i:1}" != "${other:j:1}" ]; then
        best=$((best + 1))
      fi
      ((rest[$((i + 1)),$j] + 1 >= best)) || best=$((rest[$((i + 1)),$j] + 1))
      ((rest[$i,$((j + 1))] + 1 >= best)) || best=$((rest[$i,$((j + 1))] + 1))
      if [ "${one:i:1}${one:i+1:1}" = "${other:j+1:1}${other:j:1}" ] && ((i + 2 <= ${#one} && j + 2 <= ${#other})); then
        ((rest[$((i + 2)),$((j + 2))] + 1 >= best)) || best=$((rest[$((i + 2)),$((j + 2))] + 1))
      fi
      rest[$i,$j]=$best
    done
  done
  echo "${rest[0,0]}"
}

# say_nearest WORD KNOWN...: the known word that is nearest, if any is at most two edits away
say_nearest () {
  local word=$1 known edits best=3 nearest=''
  shift
  for known; do
    edits=$(say_count_edits "$word" "$known")
    if ((edits < best && edits < ${#word})); then
      best=$edits nearest=$known
    fi
  done
  printf '%s' "$nearest"
}
