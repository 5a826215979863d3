#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Teams with a busy neighbour, and teams larger than the machine, come to their end, right, and count
# as many read-modify-writes as undisturbed ones. The scenario's expectations are the test.
# Usage: oversubscribed.sh FAULTLINE
set -euo pipefail
faultline=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$faultline" run oversubscribed --short --quiet --store "$folder/o.db"
held=$("$faultline" show --store "$folder/o.db" --expectations | grep -c '^held ' || true)
[[ $held == 30 ]] || {
    "$faultline" show --store "$folder/o.db" --expectations
    echo "$held instead of 30 expectations hold"
    exit 1
}
echo "$held counts of oversubscribed teams hold"
