#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cross-compiles level 1 for AArch64 and compares it with portable C under qemu: results only, since
# an emulator says nothing about speed. Usage: level1-neon.sh SOURCE-TREE WORK-FOLDER
set -eu
source=$1 work=$2
for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: no $tool here (apt-get install gcc-aarch64-linux-gnu qemu-user)"
        exit 77
    fi
done
mkdir -p "$work"
level1=$source/kernels/level1
aarch64-linux-gnu-gcc -std=c11 -D_GNU_SOURCE -O3 -ffp-contract=fast -Wall -Wextra \
    -Wno-format-truncation -Werror -static -I "$source/harness/include" -I "$level1" \
    "$level1/tests/level1-neon-main.c" "$level1/level1-sets.c" "$level1/level1-neon.c" \
    "$level1/level1-portable.c" "$source/kernels/isa.c" "$source/harness/registry/error.c" \
    -lm -o "$work/level1-neon"
exec qemu-aarch64 "$work/level1-neon"
