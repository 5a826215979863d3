# SPDX-License-Identifier: Apache-2.0
# Shared by the tests of the scripts: a scratch folder that goes away, and a verdict.
# shellcheck shell=bash

set -euo pipefail
# shellcheck disable=SC2034 # for the tests
source_dir=$1 build_dir=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

skip() {
  echo "skipped: $*"
  exit 77
}

# expect WHAT TEXT PATTERN: a line of the text matches the pattern.
expect() {
  grep -qE -- "$3" <<<"$2" && return
  printf 'wrong: %s\nexpected a line like: %s\ngot:\n%s\n' "$1" "$3" "$2"
  exit 1
}
