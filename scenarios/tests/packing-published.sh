#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every published fault count is met in every sample: the scenario's expectations are the test.
# Usage: packing-published.sh FAULTLINE
set -euo pipefail
faultline=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$faultline" run packing-published --short --quiet --store "$folder/p.db"
"$faultline" show --store "$folder/p.db" --expectations >"$folder/shown"
# 53 counts are judged, 60 published speeds stand beside ours
held=$(grep -c '^held' "$folder/shown")
[[ $held == 53 ]] || {
    cat "$folder/shown"
    echo "$held of 53 published counts hold"
    exit 1
}
echo "53 of 53 published counts hold"
