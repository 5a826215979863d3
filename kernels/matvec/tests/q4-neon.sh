#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cross-compiles the quantised products for AArch64 and runs their cases under qemu: on a processor
# with dot products, and on one without, which must say so. Usage: q4-neon.sh SOURCE-TREE WORK-FOLDER
set -eu
source=$1 work=$2
for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: no $tool here (apt-get install gcc-aarch64-linux-gnu qemu-user)"
        exit 77
    fi
done
mkdir -p "$work"
kernels=$source/kernels
compile() {
    aarch64-linux-gnu-gcc -std=c11 -D_GNU_SOURCE -O2 -ffp-contract=off -Wall -Wextra \
        -Wno-format-truncation -Werror -static -I "$source/harness/include" -I "$kernels" \
        -I "$kernels/matvec" "$@"
}
compile -march=armv8.2-a+dotprod -c "$kernels/matvec/q4-neon.c" -o "$work/q4-neon.o"
compile "$kernels/matvec/tests/q4-neon-main.c" "$kernels/matvec/tests/q4-cases.c" \
    "$kernels/matvec/q4.c" "$kernels/matvec/q4-portable.c" "$work/q4-neon.o" "$kernels/isa.c" \
    "$source/harness/registry/error.c" -lm -o "$work/q4-neon"
qemu-aarch64 -cpu max "$work/q4-neon"
if qemu-aarch64 -cpu cortex-a72 "$work/q4-neon" 2>"$work/reason"; then
    echo "a processor without dot products was taken for one with them" >&2
    exit 1
fi
grep -q "got 'portable'" "$work/reason"
