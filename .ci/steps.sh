# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Counted steps of .ci/run: step, tests, skip, finish.
logs=$PWD/build/ci
mkdir -p "$logs"
passed=0 failed=0 skipped=0 number=0
told=()
last_log=/dev/null

begin() { # name
  number=$((number + 1))
  last_log=$logs/$(printf '%02d' $number)-$(tr -cs 'A-Za-z0-9\n' _ <<<"$1").log
  SECONDS=0
}

# step NAME COMMAND...: counts one.
step() {
  local name=$1
  shift
  begin "$name"
  if "$@" >"$last_log" 2>&1 </dev/null; then
    passed=$((passed + 1))
    printf 'ci: ok      %4d s  %s\n' $SECONDS "$name"
  else
    failed=$((failed + 1))
    told+=("failed: $name")
    printf 'ci: FAILED  %4d s  %s; the end of %s:\n' $SECONDS "$name" "$last_log"
    tail -n 40 "$last_log" | sed 's/^/    /'
  fi
}

# tests NAME COMMAND...: counts as its last line `N passed, N failed, N skipped` says.
tests() {
  local name=$1 counts
  shift
  begin "$name"
  printf 'ci: testing %s\n' "$name"
  "$@" </dev/null 2>&1 | tee "$last_log"
  counts=$(tail -n 1 "$last_log")
  if [[ $counts =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + BASH_REMATCH[3]))
    [ "${BASH_REMATCH[2]}" = 0 ] || told+=("failed: ${BASH_REMATCH[2]} tests of $name ($last_log)")
  else
    failed=$((failed + 1))
    told+=("failed: $name closed with no count ($last_log)")
  fi
  printf 'ci: tested %s in %d s: %s\n' "$name" $SECONDS "$counts"
}

# skip NAME REASON: counts one.
skip() {
  skipped=$((skipped + 1))
  told+=("skipped: $1: $2")
  printf 'ci: skipped         %s: %s\n' "$1" "$2"
}

finish() {
  echo
  [ ${#told[@]} = 0 ] || printf '%s\n' "${told[@]}"
  echo "$passed passed, $failed failed, $skipped skipped"
  [ $failed = 0 ] && [ $passed -gt 0 ]
  exit
}
