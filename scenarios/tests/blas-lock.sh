#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pools take the locks that they are said to take, and libraries those of their version: with one
# thread and with two. The scenario's expectations are the test; here they are counted.
# Usage: blas-lock.sh FAULTLINE
set -euo pipefail
faultline=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$faultline" run blas-lock --short --quiet --set d=3 --rounds 1 --store "$folder/b.db"
"$faultline" show --store "$folder/b.db" --expectations >"$folder/shown"

# holds WORKSPACE LOCKS: with one thread and with two.
holds() {
    local held
    held=$(grep -c "^held .*workspace=$1 .*locks expected $2, measured $2\$" "$folder/shown") || true
    [[ $held == 2 ]] && return
    cat "$folder/shown"
    echo "$held instead of 2 counts hold for workspace=$1"
    exit 1
}
holds slots-mutex 2
holds slots-tls-mutex 3
for workspace in slots-lock slots-hint slots-percpu thread-local malloc; do
    holds "$workspace" 0
done
echo "pools take 2, 3 and 0 locks a call; $(grep -c '^held .*library=' "$folder/shown" || true)" \
    "counts of libraries hold"
