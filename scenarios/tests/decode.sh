#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A token is made by 1, 2, 4 and 8 threads under every barrier, on as few processors as there are:
# all cells end, and each counts the read-modify-writes that its barrier is said to make.
# Usage: decode.sh FAULTLINE
set -euo pipefail
faultline=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$faultline" run decode --short --quiet --store "$folder/d.db"
held=$("$faultline" show --store "$folder/d.db" --expectations | grep -c '^held ' || true)
[[ $held == 45 ]] || {
    "$faultline" show --store "$folder/d.db" --expectations
    echo "$held instead of 45 expectations hold"
    exit 1
}
# 12 barriers of ours, the C library's and OpenMP's, each by four numbers of threads.
measured=$("$faultline" show --store "$folder/d.db" --metrics tokens |
    grep -cE ' (spin-futex|runtime) +[0-9]' || true)
[[ $measured == 56 ]] || {
    echo "$measured instead of 56 cells made tokens"
    exit 1
}
echo "$held counts hold, $measured cells made tokens"
