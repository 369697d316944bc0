#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The packages of a build: what they hold, that the program of the tarball needs the C library of
# the system and nothing more, that it asks and answers where there is nothing else, as it does in
# the OCI image, and that install.sh installs, also over another version, refuses what is damaged or
# does not run here, and removes all that it installed.
#
#     tests/package/packages_test.sh BUILD_FOLDER
set -euo pipefail

source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath "$1")
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
    usr/share/doc/parley/README.md usr/share/doc/parley/docs/README.md \
    usr/share/doc/parley/docs/doors/native.md; do
    [[ -s $stage/deb/$file ]] || fail "the Debian package has no $file"
done
version=$("$stage/deb/usr/bin/parley" --version)
[[ $version == "parley $(dpkg-deb -f "$deb" Version) ("* ]] ||
    fail "the program and its package have different versions"
lto=$(sed -n 's/^PARLEY_LTO:BOOL=//p' "$build/CMakeCache.txt")
[[ $lto == ON && $version == *", LTO, "* || $lto != ON && $version != *LTO* ]] ||
    fail "PARLEY_LTO is $lto, and it says $version"
dpkg-deb -f "$deb" Maintainer | grep -Eq '^[^<>@]+ <[^<>@ ]+@[^<>@ ]+\.[^<>@ ]+>$' ||
    fail "its maintainer has not the form that Debian wants"
dpkg-deb -f "$deb" Depends | grep -q libpq && fail "libpq is to be loaded where it is needed"
if grep -q "$source" "$stage/deb/usr/bin/parley"; then
    fail "the program names its source folder"
fi

(cd "$stage" && for file in *.tar.gz; do sha256sum "$file" >"$file.sha256"; done)
prefix="$stage/100% of \$HOME" # a path may have any of it
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
for file in share/doc/parley/README.md share/doc/parley/docs/install.md; do
    [[ -s $prefix/$file ]] || fail "the tarball has no $file"
done
grep -qxF "ExecStart=\"$stage/100%% of \$HOME/bin/parley\" serve" \
    "$prefix/share/parley/parley.service" ||
    fail "the unit of the tarball does not name its program"
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

# Links between installed pages lead somewhere, but for those to what is in the repository alone.
check_links() { # FOLDER
    local page target place checked=0
    while read -r page target; do
        place=$(realpath -m --relative-to="$1" "$(dirname "$page")/$target")
        checked=$((checked + 1))
        [[ ! -e $1/$place ]] || continue
        case $place in
            CONTRIBUTING.md | LICENSE | bench/* | clients/* | docs/pictures/* | examples | \
                examples/* | fuzz/* | include/* | packaging/* | src/* | tests/* | tools/*) ;;
            *) fail "$page links to $target, which is not installed" ;;
        esac
    done < <(links_of "$1")
    ((checked > 150)) || fail "$1 has $checked links: they are not found any more"
}
# PAGE TARGET; a page may have none.
# shellcheck disable=SC2016 # the backticks are those around blocks
links_of() { # FOLDER
    find "$1" -name '*.md' -print0 | while IFS= read -r -d '' page; do
        sed '/^```/,/^```/d' "$page" | { grep -oE '\]\([^)# ]+|src="[^"]+' || true; } |
            sed -E 's/^(\]\(|src=")//' | { grep -v '://' || true; } | sed "s|^|$page |"
    done
}
check_links "$stage/deb/usr/share/doc/parley"

# What of ours is linked into both programs. Debian's archives call the same checks, so that a
# program of ours that calls none would still have them.
check_objects() {
    local option object objects
    ninja -C "$build" -t commands parley | grep -E -- ' -c [^ ]+\.c(c|xx)$' >"$stage/compiled"
    for option in -fstack-protector-strong -fstack-clash-protection -fcf-protection \
        -D_FORTIFY_SOURCE=2; do
        grep -v -e " $option " "$stage/compiled" && fail "that was compiled without $option"
    done
    mapfile -t objects < <(ninja -C "$build" -t inputs parley |
        grep -E '\.c(c|xx)\.o$' | sed "s|^|$build/|")
    for object in "${objects[@]}"; do
        readelf -nW "$object" | grep -q 'IBT, SHSTK' ||
            fail "$object is not built for indirect-branch tracking"
    done
    nm -uA "${objects[@]}" >"$stage/wanted"
    grep -q '/main\.cc\.o:.*__stack_chk_fail' "$stage/wanted" || fail "main() is not protected"
    (($(grep -c __stack_chk_fail "$stage/wanted") * 2 > ${#objects[@]})) ||
        fail "most of ours has no protected stack"
    grep -Eq '__(mem|str|read|recv|poll|v?snprintf)[a-z]*_chk' "$stage/wanted" ||
        fail "no copy of ours is checked"
}

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
    check_objects
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
    XDG_RUNTIME_DIR=$stage systemd-analyze verify --man=no --user \
        "$prefix/share/parley/parley.service" 2>"$stage/unit.log" ||
        fail "the unit of the tarball: $(cat "$stage/unit.log")"
else
    echo "NOT TESTED: the units, which systemd-analyze would read"
fi

# Nothing but the program and the C library: no shell, no user, no folder of the system.
bare=$stage/bare
mkdir -p "$bare"/{tmp,lib64,lib/x86_64-linux-gnu}
cp -r "$prefix" "$bare/parley"
cp -L /lib64/ld-linux-x86-64.so.2 "$bare/lib64/"
cp -L /lib/x86_64-linux-gnu/{libc.so.6,libm.so.6,libpthread.so.0} "$bare/lib/x86_64-linux-gnu/"

# Sets `inside` to what runs a program in another root; the options of chroot, the root and the
# program are to follow. There is /proc, as in every system: the loader asks it where a program
# stands. The mount is gone with the program.
enter() { # ROOT WHERE_THE_PROGRAM_IS VARIABLE…
    local root=$1 origin=$2
    shift 2
    mkdir -p "$root/proc"
    # shellcheck disable=SC2016 # the inner shell expands these
    inside=(unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec "$@"' "$root")
    if ! "${inside[@]}" true 2>/dev/null; then
        echo "NOT TESTED: how the loader finds $origin in $root, which may not have /proc here"
        inside=()
        set -- "LD_ORIGIN_PATH=$origin" "$@"
    fi
    inside+=(env -i "$@" /usr/sbin/chroot)
}

# Where $inside runs the program: a broker, and what it says of itself in `ready`.
start_inside() { # WHERE OPTION…
    mkfifo "$stage/ready"
    "${inside[@]}" serve --listen 127.0.0.1:0 --json "${@:2}" >"$stage/ready" \
        2>"$stage/serve.log" &
    broker=$!
    trap 'kill $broker 2>/dev/null || true' EXIT
    read -r ready <"$stage/ready" || fail "no start in $1: $(cat "$stage/serve.log")"
    rm "$stage/ready"
}

stop_inside() {
    kill "$broker"
    wait "$broker" || fail "the broker did not stop as it was told: $(cat "$stage/serve.log")"
}

# A question and its answer.
ask_inside() { # WHERE OPTION…
    start_inside "$@"
    "${inside[@]}" ask 'Tea or coffee?' -o Tea -o Coffee --key drink --background >"$stage/id"
    "${inside[@]}" answer "$(cat "$stage/id")" Coffee >/dev/null
    [[ $("${inside[@]}" wait "$(cat "$stage/id")") == Coffee ]] || fail "no answer in $1"
    stop_inside
}

# Authorities are found where Fedora has them, though the OpenSSL in the program is Debian's.
trust_inside() {
    local certificates=$source/tests/app/certificates port reach
    mkdir -p "$bare"/etc/pki/tls/certs
    echo '127.0.0.1 localhost' >"$bare/etc/hosts"
    cp "$certificates"/server.{pem,key} "$bare/tmp/"
    start_inside "a bare system, with TLS" --store memory: --token-file /tmp/token \
        --tls-cert /tmp/server.pem --tls-key /tmp/server.key
    port=$(grep -o '"url":"https://[^"]*' <<<"$ready" | grep -oE '[0-9]+/?$' | tr -d /)
    reach=(--server "https://localhost:$port" --token "$(cat "$bare/tmp/token")")
    "${inside[@]}" list "${reach[@]}" 2>"$stage/untrusted" && fail "any certificate is taken"
    grep -q -- --ca "$stage/untrusted" || fail "not told why: $(cat "$stage/untrusted")"
    cp "$certificates/authority.pem" "$bare/etc/pki/tls/certs/ca-bundle.crt"
    "${inside[@]}" list "${reach[@]}" >/dev/null || fail "the system's authorities are not found"
    stop_inside
}

image=$stage/image.tar
"$source/tools/oci.py" "$tarball" "$image"
python3 -B "$source/tests/package/unpack_image.py" "$image" "$stage/image"
"$source/tools/oci.py" "$tarball" "$stage/again.tar"
cmp "$image" "$stage/again.tar" || fail "the same tarball makes another image"
# As other people's tools read it, which compare every digest when they copy.
if command -v skopeo >/dev/null; then
    [[ $(skopeo inspect "oci-archive:$image") == *'"Architecture": "amd64"'* ]] ||
        fail "skopeo does not know what the image is for"
    skopeo --insecure-policy copy -q "oci-archive:$image" "dir:$stage/copied"
    [[ -s $stage/copied/manifest.json ]] || fail "skopeo has copied no image"
else
    echo "NOT TESTED: the image by other people's tools, of which skopeo would read it"
fi

if ((EUID == 0)); then
    enter "$bare" /parley/bin HOME=/tmp
    inside+=("$bare" /parley/bin/parley)
    ask_inside "a bare system" --store memory:
    trust_inside
    mapfile -t run <"$stage/image.run"
    enter "$stage/image" /usr/local/bin "${run[@]:1:${#run[@]}-2}"
    inside+=("--userspec=${run[0]}" "$stage/image" "${run[-1]}")
    ask_inside "the image"
    [[ -s $stage/image/etc/ssl/certs/ca-certificates.crt ]] || fail "the image trusts nobody"
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
# As a program says it whose C library is older than its own.
printf '#!/bin/sh\necho "version \`GLIBC_9.9'\'' not found" >&2\nexit 1\n' >"$older/bin/parley"
if "$older/install.sh" --prefix "$stage/other" 2>"$stage/refusal"; then
    fail "a program that does not run here was installed"
fi
grep -q "library 2\.36 or later, and this system has glibc .*GLIBC_9\.9' not found" \
    "$stage/refusal" || fail "the refusal does not say why: $(cat "$stage/refusal")"
[[ ! -e $stage/other ]] || fail "installed in spite of a refusal: $(find "$stage/other")"
"$source/packaging/install.sh" --prefix "$prefix" --remove >/dev/null
[[ ! -e $prefix || -z $(find "$prefix" -type f) ]] || fail "left behind: $(find "$prefix" -type f)"
echo "$(basename "$deb"), $(basename "$tarball") and its image hold what they should"
