#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures a preset and builds targets of it:
#   tools/build.sh PRESET [-DNAME=VALUE…] [TARGET…]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=$1
shift
settings=()
while [[ ${1:-} == -D* ]]; do
    settings+=("$1")
    shift
done
mkdir -p build
cmake --preset "$preset" "${settings[@]}" >"build/$preset-configure.log" 2>&1 || {
    tail -n 25 "build/$preset-configure.log" >&2
    exit 1
}
exec cmake --build "build/$preset" --target "${@:-all}"
