#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cross-compiles the products for AArch64 and runs their cases under qemu: results only, since an
# emulator says nothing about speed or page faults. Usage: gebp-neon.sh SOURCE-TREE WORK-FOLDER
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
aarch64-linux-gnu-gcc -std=c11 -D_GNU_SOURCE -O2 -ffp-contract=fast -fopenmp-simd -Wall -Wextra -Wno-format-truncation -Werror -static \
    -I "$source/harness/include" -I "$kernels" \
    "$kernels/tests/neon-cases.c" "$kernels/tests/product-cases.c" \
    "$kernels/gebp-f64.c" "$kernels/gebp-f32.c" "$kernels/micro.c" "$kernels/micro-neon.c" \
    "$kernels/micro-portable.c" "$kernels/isa.c" "$kernels/scalar-f64.c" "$kernels/scalar-f32.c" \
    "$kernels/small/tests/small-cases.c" "$kernels/small/small-path.c" \
    "$kernels/small/small-neon.c" "$kernels/small/small-portable.c" \
    "$source/harness/registry/error.c" -lm -o "$work/neon-cases"
exec qemu-aarch64 "$work/neon-cases"
