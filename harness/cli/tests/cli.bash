# SPDX-License-Identifier: Apache-2.0
# Shared by the tests of the command line: a scratch folder, a copy of the programs in it, so that
# this test's workers can be told from everybody else's, and assertions over status, stdout, stderr.
# Source it with the build's folder as first argument.
# shellcheck shell=bash

set -euo pipefail
export LC_ALL=C.UTF-8
build_dir=$(cd "$1" && pwd -P)
scratch=$(mktemp -d)
prefix=$scratch/prefix
faultline=$prefix/bin/faultline
worker=$prefix/bin/faultline-worker
out=$scratch/stdout err=$scratch/stderr status=0
checks=0

skip() {
    echo "skipped: $*"
    exit 77
}

# The workers of this test that are alive, one process id a line. Processes that end meanwhile make
# find fail.
workers() {
    { find /proc -maxdepth 2 -name exe -lname "$worker*" 2>/dev/null || true; } |
        sed 's|/proc/\(.*\)/exe|\1|'
}

finish() {
    local code=$? left
    left=$(workers)
    if [[ -n $left ]]; then
        echo "wrong: workers are left behind: ${left//$'\n'/ }"
        # shellcheck disable=SC2086 # a list of process ids
        kill -9 $left 2>/dev/null || true
        code=1
    fi
    chmod -R u+rwX "$scratch"
    rm -rf "$scratch"
    exit "$code"
}
trap finish EXIT

# Copies the programs of the build to a prefix of this test.
install_programs() {
    mkdir -p "$prefix/bin" "$prefix/lib" "$prefix/share/faultline"
    cp "$build_dir"/bin/faultline{,-worker} "$prefix/bin/"
    find "$build_dir/lib" -name 'libfaultline-*.so' -exec cp -t "$prefix/lib" {} +
    cp -rL "$build_dir/share/faultline/scenarios" "$prefix/share/faultline/"
}

# fl ARGUMENT...: runs faultline; leaves $status, and what it said in $out and $err.
fl() {
    status=0
    command_line="faultline $*"
    timeout -k 5 100 "$faultline" "$@" >"$out" 2>"$err" </dev/null || status=$?
}

wrong() {
    printf 'wrong: %s\ncommand: %s\nstatus: %s\n--- stdout\n%s\n--- stderr\n%s\n' "$*" \
        "${command_line:-}" "$status" "$(head -c 2000 "$out")" "$(head -c 4000 "$err")"
    exit 1
}

# What faultline says while it waits for others to finish measuring is nobody's mistake.
complaints() {
    grep -v '^faultline: waiting: ' "$err" || true
}

exits() {
    checks=$((checks + 1))
    ((status == $1)) || wrong "exit status $status instead of $1"
}

# says PATTERN...: each matches a line of stderr.
says() {
    local pattern
    for pattern in "$@"; do
        grep -qE -- "$pattern" "$err" || wrong "stderr has no line like: $pattern"
    done
}

prints() {
    local pattern
    for pattern in "$@"; do
        grep -qE -- "$pattern" "$out" || wrong "stdout has no line like: $pattern"
    done
}

# refuses PATTERN... -- ARGUMENT...: status 2, nothing on stdout, and one line on stderr with all
# the patterns in it, which are fixed strings.
refuses() {
    local patterns=()
    while [[ $1 != -- ]]; do
        patterns+=("$1")
        shift
    done
    shift
    fl "$@"
    refused "${patterns[@]}"
}

refused() {
    local line word
    exits 2
    [[ -s $out ]] && wrong "stdout is not empty"
    line=$(complaints)
    [[ $line == 'faultline: '* && $line != *$'\n'* ]] || wrong "stderr is not one line"
    for word in "$@"; do
        [[ $line == *"$word"* ]] || wrong "the line does not say: $word"
    done
}

# A scenario of one cell that takes a few milliseconds; arguments are lines for [factors].
tiny_scenario() {
    local name=$1
    shift
    {
        printf '[scenario]\nname = %s\n[factors]\n' "$name"
        printf '%s\n' "$@"
        printf '[measure]\nsettle = 0ms\nwindow = 1ms\nrounds = 1\ncounting-rounds = 1\ncalls = 5\n'
        printf 'metrics = time, minor-faults\n'
    } >"$scratch/$name.ini"
}

# sql STORE STATEMENT
sql() {
    sqlite3 -batch -noheader "$1" "$2"
}

needs() {
    command -v "$1" >/dev/null || skip "$1 is not installed"
}

is_root() {
    ((EUID == 0))
}
