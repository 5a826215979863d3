#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Rules that leave a call to one thread wake nobody, those that share it out do, and the search for the
# crossover of each group ends in a table. Where it lies is not tested.
# Usage: level1-crossover.sh FAULTLINE
set -euo pipefail
faultline=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

(($(nproc) > 1)) || {
    echo "skipped: one processor has no team"
    exit 77
}
"$faultline" run level1-crossover --short --quiet --store "$folder/l.db" ||
    { (($? == 5)) && echo "some cells could not be measured"; }
"$faultline" show --store "$folder/l.db" --expectations >"$folder/expectations"
held=$(grep -c '^held ' "$folder/expectations" || true)
[[ $held == 10 ]] || {
    cat "$folder/expectations"
    echo "$held instead of 10 expectations hold"
    exit 1
}
"$faultline" crossover --store "$folder/l.db" >"$folder/crossovers"
grep -qE '^[0-2] of 2 crossovers lie inside the search' "$folder/crossovers" || {
    cat "$folder/crossovers"
    echo "not every group was searched"
    exit 1
}
echo "$held counts hold, both groups were searched"
