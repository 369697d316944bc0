#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a link with archives instead of the system's shared libraries, where there are archives:
#   link_archives.sh CLANG++ ARGUMENT…
# Not the C++ library's: the one that libfmt, which has no archive, brings along serves both.
set -eu
compiler=$1
shift
count=$#
while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    count=$((count - 1))
    case $argument in
        /usr/lib/*.so) [ ! -f "${argument%.so}.a" ] || argument=${argument%.so}.a ;;
    esac
    set -- "$@" "$argument"
done
exec "$compiler" "$@"
