#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The packages of a build: what they hold, that the program of the tarball needs the C library of
# the system and nothing more, that it asks and answers where there is nothing else, as it does in
# the OCI image, and that install.sh installs, also over another version, refuses what is damaged,
# and removes all that it installed.
#
#     tests/package/packages_test.sh BUILD_FOLDER
set -euo pipefail

source=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
stage=$build/packages-test
rm -rf "$stage"
mkdir -p "$stage"

fail() {
    echo "packages_test: $*" >&2
    exit 1
}

ninja -C "$build" parley_packaged >"$stage/build.log" || { cat "$stage/build.log" && exit 1; }
cpack --config "$build/CPackConfig.cmake" -B "$stage" >"$stage/cpack.log" 2>&1 ||
    { cat "$stage/cpack.log" && exit 1; }
deb=$(echo "$stage"/parley_*_amd64.deb)
tarball=$(echo "$stage"/parley-*-linux-x86_64.tar.gz)

mkdir "$stage/deb"
dpkg-deb -x "$deb" "$stage/deb"
for file in usr/bin/parley usr/share/man/man1/parley.1.gz usr/share/man/man1/parley-ask.1.gz \
    usr/share/bash-completion/completions/parley usr/share/zsh/vendor-completions/_parley \
    usr/share/fish/vendor_completions.d/parley.fish usr/lib/systemd/user/parley.service \
    lib/systemd/system/parley.service lib/systemd/system/parley.socket \
    usr/share/doc/parley/notify.md usr/share/doc/parley/doors/native.md; do
    [[ -s $stage/deb/$file ]] || fail "the Debian package has no $file"
done
"$stage/deb/usr/bin/parley" --version | grep -q "^parley $(dpkg-deb -f "$deb" Version) (" ||
    fail "the program and its package have different versions"
dpkg-deb -f "$deb" Depends | grep -q libpq && fail "libpq is to be loaded where it is needed"
if grep -q "$source" "$stage/deb/usr/bin/parley"; then
    fail "the program names its source folder"
fi

(cd "$stage" && for file in *.tar.gz; do sha256sum "$file" >"$file.sha256"; done)
prefix=$stage/prefix
# An older version, which had a library, and a folder, that this one has not.
older=$stage/older
mkdir "$older"
tar -xzf "$tarball" -C "$older" --strip-components=1
mkdir -p "$older"/{lib,share}/parley/older
for file in lib/parley/older/libolder.so.9 share/parley/older/words; do
    echo older >"$older/$file"
done
"$older/install.sh" --prefix "$prefix" >/dev/null
[[ -e $prefix/lib/parley/older/libolder.so.9 ]] || fail "the older version was not installed"
"$source/packaging/install.sh" --prefix "$prefix" "$tarball" >/dev/null
[[ -z $(find "$prefix" -name '*older*') ]] ||
    fail "left behind by the older version: $(find "$prefix" -name '*older*')"
[[ -x $prefix/bin/parley ]] || fail "what both versions have was taken away"
for file in share/parley/parley.service share/doc/parley/notify.md share/doc/parley/install.md; do
    [[ -s $prefix/$file ]] || fail "the tarball has no $file"
done
needed=$(for file in "$prefix/bin/parley" "$prefix"/lib/parley/*; do
    readelf -d "$file" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'
done | sort -u)
for name in $needed; do
    case $name in
        libc.so.6 | libm.so.6 | libpthread.so.0 | ld-linux-x86-64.so.2) ;;
        *) [[ -e $prefix/lib/parley/$name ]] ||
            fail "$name is neither a bare system's nor beside it" ;;
    esac
done

check_hardening() { # PROGRAM
    readelf -h "$1" | grep -q 'Type: *DYN' || fail "$1 is not position-independent"
    readelf -d "$1" | grep -q BIND_NOW || fail "$1: its table of functions stays writable"
    readelf -lW "$1" | grep -q GNU_RELRO || fail "$1: its relocations stay writable"
    readelf -lW "$1" | grep GNU_STACK | grep -q RWE && fail "$1: its stack can be executed"
    readelf -W --dyn-syms "$1" >"$stage/symbols"
    grep -q __stack_chk_fail "$stage/symbols" || fail "$1: its stack is not protected"
    grep -Eq '__(mem|str|read|recv|poll|v?snprintf)[a-z]*_chk' "$stage/symbols" ||
        fail "$1: its copies are not checked"
    # -fcf-protection: where functions may be called from, there is an endbr64.
    (($(LC_ALL=C grep -aoP '\xf3\x0f\x1e\xfa' "$1" | wc -l) > 1000)) ||
        fail "$1: it is not built for indirect-branch tracking"
}

# Where a build is not optimised, nothing of it is shipped.
if grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Release$' "$build/CMakeCache.txt"; then
    check_hardening "$stage/deb/usr/bin/parley"
    check_hardening "$prefix/bin/parley"
fi

# The units name a program that is not installed here.
check_units() { # WHOSE OPTION…
    local whose=$1 units=$stage/units/$1 unit
    mkdir -p "$units"
    for unit in "$stage"/deb/{usr/,}lib/systemd/"$whose"/parley.*; do
        [[ -f $unit ]] || continue
        sed "s|ExecStart=/usr/bin/parley|ExecStart=$stage/deb/usr/bin/parley|" "$unit" \
            >"$units/$(basename "$unit")"
    done
    XDG_RUNTIME_DIR=$stage systemd-analyze verify --man=no "${@:2}" "$units"/parley.* \
        2>"$units.log" || fail "the units of the $whose: $(cat "$units.log")"
    grep "$units" "$units.log" && fail "the units of the $whose have faults"
    return 0
}
if command -v systemd-analyze >/dev/null; then
    check_units system
    check_units user --user
else
    echo "NOT TESTED: the units, which systemd-analyze would read"
fi

# Nothing but the program and the C library: no shell, no user, no folder of the system.
bare=$stage/bare
mkdir -p "$bare"/{tmp,lib64,lib/x86_64-linux-gnu}
cp -r "$prefix" "$bare/parley"
cp -L /lib64/ld-linux-x86-64.so.2 "$bare/lib64/"
cp -L /lib/x86_64-linux-gnu/{libc.so.6,libm.so.6,libpthread.so.0} "$bare/lib/x86_64-linux-gnu/"

# Where $inside runs the program: a broker, a question, its answer.
ask_inside() { # WHERE OPTION…
    mkfifo "$stage/ready"
    "${inside[@]}" serve --listen 127.0.0.1:0 --json "${@:2}" >"$stage/ready" \
        2>"$stage/serve.log" &
    broker=$!
    trap 'kill $broker 2>/dev/null || true' EXIT
    read -r _ <"$stage/ready" || fail "no start in $1: $(cat "$stage/serve.log")"
    rm "$stage/ready"
    "${inside[@]}" ask 'Tea or coffee?' -o Tea -o Coffee --key drink --background >"$stage/id"
    "${inside[@]}" answer "$(cat "$stage/id")" Coffee >/dev/null
    [[ $("${inside[@]}" wait "$(cat "$stage/id")") == Coffee ]] || fail "no answer in $1"
    kill "$broker"
    wait "$broker" || fail "the broker did not stop as it was told: $(cat "$stage/serve.log")"
}

image=$stage/image.tar
"$source/tools/oci.py" "$tarball" "$image"
python3 -B "$source/tests/package/unpack_image.py" "$image" "$stage/image"
"$source/tools/oci.py" "$tarball" "$stage/again.tar"
cmp "$image" "$stage/again.tar" || fail "the same tarball makes another image"

# The loader asks /proc where a program stands, and is told here.
if ((EUID == 0)); then
    inside=(env -i HOME=/tmp LD_ORIGIN_PATH=/parley/bin /usr/sbin/chroot "$bare"
        /parley/bin/parley)
    ask_inside "a bare system" --store memory:
    mapfile -t run <"$stage/image.run"
    inside=(env -i "${run[@]:1:${#run[@]}-2}" LD_ORIGIN_PATH=/usr/local/bin
        /usr/sbin/chroot "--userspec=${run[0]}" "$stage/image" "${run[-1]}")
    ask_inside "the image"
    [[ $(stat -c %u "$stage/image/var/lib/parley/parley.db") == 65532 ]] ||
        fail "the image does not keep its store in its volume"
else
    echo "NOT TESTED: a start in a bare system and of the image, which need root"
fi

cp "$tarball" "$stage/damaged.tar.gz"
cp "$tarball.sha256" "$stage/damaged.tar.gz.sha256"
printf x >>"$stage/damaged.tar.gz"
if "$source/packaging/install.sh" --prefix "$stage/other" "$stage/damaged.tar.gz" \
    2>"$stage/refusal"; then
    fail "a damaged tarball was installed"
fi
grep -q 'SHA-256' "$stage/refusal" || fail "the refusal does not say why: $(cat "$stage/refusal")"
"$source/packaging/install.sh" --prefix "$prefix" --remove >/dev/null
[[ ! -e $prefix || -z $(find "$prefix" -type f) ]] || fail "left behind: $(find "$prefix" -type f)"
echo "$(basename "$deb"), $(basename "$tarball") and its image hold what they should"
