# SPDX-FileCopyrightText: Koinon contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the scripts share that read options; they source it.

# value_of OPTION WHAT VALUE: gives the value, or says what the option needs.
value_of() {
  [ -n "$3" ] || { echo "${0##*/}: $1 needs $2" >&2; return 2; }
  printf '%s' "$3"
}
