#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The installed package as a stranger uses it: the public headers and nothing else are there, each
# compiles alone, and the examples build and run against the install tree, by CMake and by
# pkg-config. The program `parley` answers what they ask.
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

build_example() { # NAME COMPILER
    folder=$stage/$1-$(basename "$2")
    cmake -G Ninja -S "$source/examples/$1" -B "$folder" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_CXX_COMPILER="$2" -DCMAKE_CXX_FLAGS='-Wall -Wextra -Werror' \
        </dev/null >"$folder.log"
    cmake --build "$folder" </dev/null >>"$folder.log" || { cat "$folder.log" && exit 1; }
}

run_example() { # NAME COMPILER < INPUT
    local folder
    build_example "$1" "$2"
    timeout 30 "$folder/$1" >"$folder.out"
    diff "$source/tests/package/expected_$1.txt" "$folder.out"
}

for compiler in "$2" "$3"; do
    printf 'seven\n2\n1\n1\n' | run_example embed "$compiler"
    printf '3\nDuckDB\n' | run_example tools "$compiler"
done

# Programs that wait for somebody else. Each says on standard error how to answer it.
ask_with() { # PROGRAM ARGUMENTS…: sets asker and id
    mkfifo "$stage/said"
    timeout 60 "$@" >"$stage/answer" 2>"$stage/said" &
    asker=$!
    exec 5<"$stage/said"
    rm "$stage/said"
    read -r line <&5
    id=${line##* }
}
expect_answer() { # TEXT
    wait "$asker"
    grep -qx "$1" "$stage/answer" || { cat "$stage/answer" && exit 1; }
}

cmake --install "$build" --component client --prefix "$prefix" >>"$stage/install.log"
cmake --install "$build" --component server --prefix "$prefix" >>"$stage/install.log"
build_example client "$2"
build_example server "$2"
socket=$stage/asks.sock
ask_with "$stage/server-$(basename "$2")/server" "$socket"
serving=$asker rollout=$id
mv "$stage/answer" "$stage/rollout"
ask_with "$stage/client-$(basename "$2")/client" "unix:$socket"
"$build/parley" --server "unix:$socket" answer "$id" Yes >/dev/null
expect_answer "Yes, says $(id -un)"
"$build/parley" --server "unix:$socket" answer "$rollout" One >/dev/null
wait "$serving"
grep -qx 'One, by the door terminal' "$stage/rollout"

# By pkg-config alone; what a component needs comes with it.
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name parley-embedded.pc)")
if pkg-config --print-requires parley-embedded | grep -qiE 'openssl|libssl'; then
    echo "parley-embedded.pc names what an embedding program must not need" >&2
    exit 1
fi
link_example() { # NAME PACKAGE
    # shellcheck disable=SC2046
    "$3" -std=c++20 "$source/examples/$1/main.cc" -o "$stage/$1-linked" \
        $(pkg-config --cflags --libs "$2")
}
link_example embed parley-embedded "$3"
printf 'seven\n2\n1\n1\n' | timeout 30 "$stage/embed-linked" >"$stage/embed.out"
diff "$source/tests/package/expected_embed.txt" "$stage/embed.out"
link_example server parley-server "$3"
ask_with "$stage/server-linked" "$socket"
"$build/parley" --server "unix:$socket" answer "$id" All >/dev/null
expect_answer 'All, by the door terminal'
echo "installed, compiled and run with $2 and $3, by CMake and pkg-config"
