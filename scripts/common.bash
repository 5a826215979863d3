# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts of this folder: where the project is, how to talk, packages, builds.
# Source it; it changes to the project's root.
# shellcheck shell=bash

set -euo pipefail
# shellcheck disable=SC2034 # file arguments of the scripts are relative to it
called_from=$PWD
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
export LC_ALL=C.UTF-8

say() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
  say "$*"
  exit 1
}

# The files of the project, also those not committed yet; arguments are path patterns as in git.
# Outside a git tree (a release archive) all files that match.
project_files() {
  if git -c safe.directory='*' rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git -c safe.directory='*' ls-files --cached --others --exclude-standard -- "$@" | sort -u |
      while IFS= read -r file; do
        if [[ -f $file ]]; then printf '%s\n' "$file"; fi
      done
  else
    local pattern args=()
    for pattern in "$@"; do
      args+=(-o -path "./$pattern" -o -path "./$pattern/*")
    done
    find . -path './build*' -prune -o -type f \( "${args[@]:1}" \) -print | sed 's|^\./||' | sort
  fi
}

# --- packages ------------------------------------------------------------------------------------

is_installed() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

is_known() {
  apt-cache policy "$1" 2>/dev/null |
    awk '$1 == "Candidate:" && $2 != "(none)" { known = 1 } END { exit !known }'
}

# Prints "CLASS NAMES" of the given classes, NAMES still with their '|'.
package_rows() {
  local class
  for class in "$@"; do
    awk -v class="$class" '$1 == class { print $1, $2 }' scripts/packages
  done
}

# The rows of which no name is installed.
missing_rows() {
  local class names name found
  while read -r class names; do
    found=no
    for name in ${names//|/ }; do
      if is_installed "$name"; then found=yes; fi
    done
    if [[ $found == no ]]; then printf '%s %s\n' "$class" "$names"; fi
  done < <(package_rows "$@")
}

# How to become root: "" as root, "sudo" where that works without a question or a terminal is there
# to answer it; fails otherwise.
root_prefix() {
  if ((EUID == 0)); then return 0; fi
  command -v sudo >/dev/null || return 1
  if sudo -n true 2>/dev/null || [[ -t 0 && -t 2 ]]; then
    printf 'sudo'
    return 0
  fi
  return 1
}

# Of each row the first name that this release has. An optional, test or lint package that it does
# not have is named and passed over.
choose_packages() {
  local class names name chosen
  while read -r class names; do
    chosen=
    for name in ${names//|/ }; do
      if [[ -z $chosen ]] && is_known "$name"; then chosen=$name; fi
    done
    if [[ -n $chosen ]]; then
      printf '%s\n' "$chosen"
    elif [[ $class == required ]]; then
      die "this system's package lists have no ${names//|/ or }, which faultline needs"
    else
      say "this release has no ${names//|/ or }: $(reason_of "$names")"
    fi
  done
}

reason_of() {
  awk -v names="$1" '$2 == names { sub(/^[^ ]+ +[^ ]+ +/, ""); print "it is for " $0; exit }' \
    scripts/packages
}

# Installs what is missing of the given classes. Where that cannot be done: stops with the list when
# a required package is missing, goes on without the others.
ensure_packages() {
  local rows prefix packages
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "this is no Debian: install what corresponds to these packages, then use --no-install:"
    package_rows "$@" | awk '{ print "  " $2 " (" $1 ")" }' >&2
    exit 1
  fi
  rows=$(missing_rows "$@")
  if [[ -z $rows ]]; then
    say "all packages are installed"
    return
  fi
  if ! prefix=$(root_prefix); then
    without_root "$rows"
    return
  fi
  say "updating the package lists"
  apt_quietly "$prefix" update
  packages=$(choose_packages <<<"$rows")
  if [[ -z $packages ]]; then return; fi
  say "installing: ${packages//$'\n'/ }"
  # shellcheck disable=SC2086 # a list of words
  apt_quietly "$prefix" install -y --no-install-recommends $packages
}

# apt_quietly PREFIX ARGUMENT...: the log only when it fails.
apt_quietly() {
  local prefix=$1 log=build/packages.log
  shift
  mkdir -p build
  if ! $prefix env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >"$log" 2>&1 </dev/null; then
    tail -n 30 "$log" >&2
    die "apt-get $1 failed"
  fi
}

without_root() {
  local names
  names=$(awk '{ sub(/\|.*/, "", $2); printf " %s", $2 }' <<<"$1")
  if grep -q '^required' <<<"$1"; then
    say "packages are missing and can be installed only by root; run"
    printf '  apt-get install --no-install-recommends%s\n' "$names" >&2
    exit 1
  fi
  say "not root, so these stay uninstalled, and what they are for is left out:$names"
}

# --- builds --------------------------------------------------------------------------------------

# Uses ccache where it is installed, in a way that lets clones in different folders share it. HOME
# may be unset or read-only (CI): then the cache lives in the build folder.
use_ccache() {
  command -v ccache >/dev/null || return 0
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
  if [[ -z ${CCACHE_DIR:-} && ! -w ${HOME:-/nonexistent} ]]; then
    export CCACHE_DIR=$root/build/ccache
  fi
}

# The folder of a preset.
build_folder() {
  if [[ $1 == release ]]; then printf build; else printf 'build-%s' "$1"; fi
}

# configure PRESET: quiet unless it fails, apart from what the build leaves out. A folder that was
# configured at another place (a copied clone) is made anew.
configure() {
  local preset=$1 folder fresh=()
  folder=$(build_folder "$preset")
  mkdir -p "$folder"
  if [[ -f $folder/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    fresh=(--fresh)
  fi
  if ! cmake --preset "$preset" "${fresh[@]}" >"$folder/configure.log" 2>&1 </dev/null; then
    cat "$folder/configure.log" >&2
    return 1
  fi
  if [[ $preset == release ]]; then sed -n 's/^-- faultline: /  /p' "$folder/configure.log" >&2; fi
}

# build PRESET [TARGET...]: configures and builds; the whole log when it fails.
build() {
  local preset=$1 folder start=$SECONDS
  shift
  folder=$(build_folder "$preset")
  say "building $preset into $folder/"
  configure "$preset" || return 1
  if ! cmake --build "$folder" ${1:+--target "$@"} >"$folder/build.log" 2>&1 </dev/null; then
    cat "$folder/build.log" >&2
    return 1
  fi
  say "built $preset in $((SECONDS - start)) s"
}
