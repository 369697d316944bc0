#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs Parley below a prefix. It needs no root and changes nothing else.
set -eu

usage() {
    cat <<'TEXT'
usage: install.sh [--prefix FOLDER] [TARBALL]
       install.sh [--prefix FOLDER] --remove

  TARBALL          parley-VERSION-linux-x86_64.tar.gz, checked by the file TARBALL.sha256
                   beside it. Without one, what stands in the folder of this script.
  --prefix FOLDER  where to: FOLDER/bin/parley (default ~/.local)
  --remove         remove what was installed there. Asks and answers stay: they are in
                   ~/.local/state/parley.
TEXT
}

stop() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

prefix=${HOME:-}/.local
tarball=
remove=no
while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            [ $# -ge 2 ] || stop "--prefix needs a folder"
            prefix=$2
            shift
            ;;
        --remove) remove=yes ;;
        -h | --help)
            usage
            exit 0
            ;;
        -*)
            usage >&2
            exit 2
            ;;
        *) tarball=$1 ;;
    esac
    shift
done
case $prefix in
    /.local) stop "there is no HOME; say where to with --prefix FOLDER" ;;
    /*) ;;
    *) prefix=$PWD/$prefix ;;
esac
list=$prefix/share/doc/parley/installed

# Takes away the files whose names it reads, and the folders that are empty then.
take_away() {
    while IFS= read -r file; do
        rm -f "$prefix/$file"
        rmdir -p "$(dirname "$prefix/$file")" 2>/dev/null || true
    done
}

# The list is the last that is written and the last that goes: a call that was interrupted can be
# made again.
if [ "$remove" = yes ]; then
    [ -f "$list" ] || stop "nothing of Parley is installed in $prefix"
    take_away <"$list"
    rm -f "$list"
    rmdir -p "$(dirname "$list")" 2>/dev/null || true
    echo "removed from $prefix"
    exit 0
fi

[ "$(uname -sm)" = "Linux x86_64" ] || stop "this is for Linux on x86_64, not for $(uname -sm)"
source=$(cd "$(dirname "$0")" && pwd)
if [ -n "$tarball" ]; then
    [ -f "$tarball" ] || stop "there is no file $tarball"
    [ -f "$tarball.sha256" ] ||
        stop "there is no $tarball.sha256 to check it by; it is published beside the tarball"
    wanted=$(cut -d ' ' -f 1 <"$tarball.sha256")
    found=$(sha256sum "$tarball" | cut -d ' ' -f 1)
    [ "$wanted" = "$found" ] ||
        stop "$tarball is damaged, or another than was published:" \
            "its SHA-256 is $found, not $wanted"
    unpacked=$(mktemp -d)
    trap 'rm -rf "$unpacked"' EXIT
    tar -xzf "$tarball" -C "$unpacked" --strip-components=1
    source=$unpacked
fi
[ -f "$source/bin/parley" ] ||
    stop "there is no bin/parley beside this script; name the tarball: install.sh TARBALL"
# Before anything is copied: what cannot run here must not replace what does.
if ! version=$("$source/bin/parley" --version 2>&1); then
    libc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || libc=
    case $libc in glibc*) ;; *) libc="another one" ;; esac
    stop "nothing was installed: the program does not run on this system. It needs the GNU C" \
        "library 2.36 or later, and this system has $libc. What was said of it: $version"
fi

mkdir -p "$prefix/share/doc/parley" || stop "cannot write to $prefix; choose another --prefix"
(cd "$source" && find bin lib share \( -type f -o -type l \) -print) >"$list.new"
while IFS= read -r file; do
    mkdir -p "$prefix/$(dirname "$file")"
    # A program that runs keeps its own file.
    rm -f "$prefix/$file"
    cp -P -p "$source/$file" "$prefix/$file"
done <"$list.new"
# systemd wants the whole path of the program, and takes some characters for its own.
path=$(printf '%s' "$(cd "$prefix" && pwd)/bin/parley" | sed 's/[\\"]/\\&/g; s/%/%%/g')
unit=share/parley/parley.service
rm -f "$prefix/$unit"
while IFS= read -r line; do
    case $line in
        ExecStart=/usr/bin/parley*) line="ExecStart=\"$path\"${line#ExecStart=/usr/bin/parley}" ;;
    esac
    printf '%s\n' "$line"
done <"$source/$unit" >"$prefix/$unit"
# What the version before had and this one has not: nothing would know of it once the list is new.
if [ -f "$list" ]; then
    grep -Fxv -f "$list.new" "$list" | take_away
fi
mv "$list.new" "$list"
echo "installed: $version"
case ":$PATH:" in
    *":$prefix/bin:"*) echo "try: parley ask 'Tea or coffee?' -o Tea -o Coffee" ;;
    *) echo "$prefix/bin is not in PATH; add it, or call $prefix/bin/parley" ;;
esac
