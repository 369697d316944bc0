#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The installed package as a stranger uses it: the public headers and nothing else are there, each
# compiles alone, and the example builds and runs against the install tree with both compilers.
#
#     tests/package/package_test.sh BUILD_FOLDER CLANG++ G++
set -euo pipefail

source=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
stage=$build/package-test
prefix=$stage/prefix

rm -rf "$stage"
mkdir -p "$stage"
cmake --install "$build" --component embedded --prefix "$prefix" >"$stage/install.log"

headers() { (cd "$1" && find . -type f | sort); }
if ! diff <(headers "$source/include") <(headers "$prefix/include"); then
    echo "the installed headers are not those of include/" >&2
    exit 1
fi
if grep -riE 'openssl|asio|/src[;"]' "$prefix"/lib*/cmake/parley; then
    echo "the package leads to what an embedding program must not need" >&2
    exit 1
fi

for header in "$prefix"/include/parley/*.h; do
    "$3" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -x c++ -I "$prefix/include" \
        -include "$header" /dev/null
done

run_example() { # NAME COMPILER < INPUT
    local folder
    folder=$stage/$1-$(basename "$2")
    cmake -G Ninja -S "$source/examples/$1" -B "$folder" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_CXX_COMPILER="$2" -DCMAKE_CXX_FLAGS='-Wall -Wextra -Werror' \
        </dev/null >"$folder.log"
    cmake --build "$folder" </dev/null >>"$folder.log" || { cat "$folder.log" && exit 1; }
    timeout 30 "$folder/$1" >"$folder.out"
    diff "$source/tests/package/expected_$1.txt" "$folder.out"
}

for compiler in "$2" "$3"; do
    printf 'seven\n2\n1\n1\n' | run_example embed "$compiler"
    printf '3\nDuckDB\n' | run_example tools "$compiler"
done
echo "installed, compiled and run with $2 and $3"
