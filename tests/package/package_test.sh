#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The installed package as a stranger uses it: the public headers and nothing else are there, each
# compiles alone, and the examples build and run against the install tree, by CMake and by
# pkg-config, with what docs/embedding.md types. The program `parley` answers what they ask.
#
#     tests/package/package_test.sh BUILD_FOLDER CLANG++ G++
set -euo pipefail

source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath "$1")
stage=$build/package-test
prefix=$stage/prefix

# A checkout as that page has it; `prefix` is its name too.
checkout=$stage/checkout

rm -rf "$stage"
mkdir -p "$checkout/build"
ln -s "$build" "$checkout/build/release"
ln -s "$source/examples" "$checkout/examples"
cd "$checkout"

# The line of the page that begins so, typed as it stands there.
type_line() { # BEGINNING
    local line
    line=$(grep "^    $1" "$source/docs/embedding.md") ||
        { echo "docs/embedding.md shows no line that begins with $1" >&2 && exit 1; }
    eval "$line"
}
type_line 'cmake --install build/release --component embedded' >"$stage/install.log"

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
{
    type_line 'cmake -G Ninja -S '
    type_line 'cmake --build build/embed'
} </dev/null >"$stage/typed.log" || { cat "$stage/typed.log" && exit 1; }
printf 'seven\n2\n1\n1\n' | type_line 'build/embed/embed' >"$stage/embed.out"
diff "$source/tests/package/expected_embed.txt" "$stage/embed.out"

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

type_line 'cmake --install build/release --component client' >>"$stage/install.log"
type_line 'cmake --install build/release --component server' >>"$stage/install.log"
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
type_line 'export PKG_CONFIG_PATH='
if pkg-config --print-requires parley-embedded | grep -qiE 'openssl|libssl'; then
    echo "parley-embedded.pc names what an embedding program must not need" >&2
    exit 1
fi
link_example() { # NAME PACKAGE
    # shellcheck disable=SC2046
    "$3" -std=c++20 "$source/examples/$1/main.cc" -o "$stage/$1-linked" \
        $(pkg-config --cflags --libs "$2")
}
type_line 'g++ '
printf 'seven\n2\n1\n1\n' | type_line './embed' >"$stage/embed.out"
diff "$source/tests/package/expected_embed.txt" "$stage/embed.out"
link_example server parley-server "$3"
ask_with "$stage/server-linked" "$socket"
"$build/parley" --server "unix:$socket" answer "$id" All >/dev/null
expect_answer 'All, by the door terminal'
echo "installed, compiled and run with $2 and $3, by CMake and pkg-config"
