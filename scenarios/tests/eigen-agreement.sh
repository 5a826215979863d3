#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Eigen itself and our own kernel under Eigen's blocking rule fault alike, size by size.
# Usage: eigen-agreement.sh FAULTLINE
set -euo pipefail
faultline=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if ! "$faultline" list libraries | grep -q '^  eigen  *yes'; then
    echo "skipped: Eigen was not there when this was built"
    exit 77
fi
"$faultline" run eigen-agreement --short --quiet --store "$folder/e.db"
"$faultline" export --store "$folder/e.db" >"$folder/e.csv"

# kernel and n -> faults of ours and of Eigen's; every pair is whole, equal, and alike in all samples.
awk -F, '
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
  {
    least = $column["minor-faults.min"]; most = $column["minor-faults.max"]
    if (least == "" || least != most) { print "no single count: " $0; bad++ }
    pair = $column["kernel"] " " $column["n"]
    faults[pair, $column["library"]] = least
    pairs[pair]++
  }
  END {
    for (pair in pairs) {
      count++
      ours = faults[pair, "faultline"]; eigen = faults[pair, "eigen"]
      if (pairs[pair] != 2 || ours != eigen) {
        print pair ": ours " ours ", Eigen " eigen; bad++
      }
      faulting += eigen > 0
    }
    if (count != 40) { print count " pairs instead of 40"; bad++ }
    if (faulting < 10) { print "only " faulting " pairs fault: nothing was compared"; bad++ }
    exit bad > 0
  }' "$folder/e.csv"
echo "Eigen and our kernel fault alike at 20 sizes, dgemm and dsyrk"
