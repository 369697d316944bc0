#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over all sources, or as the options of tools/lint.py say. It has a build folder of its
# own, configured without precompiled headers, so that nothing has to be built first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mkdir -p build
cmake --preset release -B build/lint -DPARLEY_TESTS=ON -DPARLEY_JOIN=0 \
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    >build/lint-configure.log 2>&1 || {
    tail -n 25 build/lint-configure.log >&2
    exit 1
}
ninja -C build/lint parley_source_commit >/dev/null # a header that is made
exec python3 -B tools/lint.py build/lint "$@"
