#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every barrier, the C library's and the OpenMP runtime's included, meets in real samples, and counts
# the read-modify-writes that it is said to. The scenario's expectations are the test.
# Usage: barriers.sh FAULTLINE
set -euo pipefail
faultline=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$faultline" run barriers --short --quiet --store "$folder/b.db"
held=$("$faultline" show --store "$folder/b.db" --expectations | grep -c '^held ' || true)
[[ $held == 11 ]] || {
    "$faultline" show --store "$folder/b.db" --expectations
    echo "$held instead of 11 expectations hold"
    exit 1
}
echo "$held counts of barriers hold"
