# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Counted steps of .ci/run: step, beside and join, tests, skip, finish.
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
  "$@" >"$last_log" 2>&1 </dev/null
  count_step $? $SECONDS "$name" "$last_log"
}

count_step() { # exit-status seconds name log
  if [ "$1" = 0 ]; then
    passed=$((passed + 1))
    printf 'ci: ok      %4d s  %s\n' "$2" "$3"
  else
    failed=$((failed + 1))
    told+=("failed: $3")
    printf 'ci: FAILED  %4d s  %s; the end of %s:\n' "$2" "$3" "$4"
    tail -n 40 "$4" | sed 's/^/    /'
  fi
}

# ratios OPERATION: prints how the last step's rival did in the same run: the mean, of all_reduce the whole table. Not counted.
ratios() {
  local lines='^# [a-z]+: .* times Koinon'
  [ "$1" != all_reduce ] || lines+='|^# +bytes|^ +[0-9]'
  grep -E "$lines" "$last_log" | sed 's/^/    /'
}

# beside NAME COMMAND...: a step of one thread that shares nothing with its neighbours; two run at a time.
# join: waits for those begun and counts each.
begun=()
beside() {
  local name=$1
  shift
  [ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n || true # its end is read by join
  begin "$name"
  begun+=("$last_log" "$name")
  rm -f "$last_log.end"
  {
    "$@" >"$last_log" 2>&1 </dev/null
    echo "$? $SECONDS" >"$last_log.end"
  } &
}
join() {
  local status seconds
  wait
  set -- "${begun[@]}"
  while [ $# -gt 0 ]; do
    status=1 seconds=0
    read -r status seconds <"$1.end"
    count_step "$status" "$seconds" "$2" "$1"
    shift 2
  done
  begun=()
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
