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

for compiler in "$2" "$3"; do
    example=$stage/$(basename "$compiler")
    cmake -G Ninja -S "$source/examples/embed" -B "$example" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS='-Wall -Wextra -Werror' \
        >"$example.log"
    cmake --build "$example" >>"$example.log" || { cat "$example.log" && exit 1; }
    printf 'seven\n2\n1\n1\n' | timeout 30 "$example/embed" >"$example.out"
    diff "$source/tests/package/expected.txt" "$example.out"
done
echo "installed, compiled and run with $2 and $3"
