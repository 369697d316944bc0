#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a preset and makes its packages, with their checksums:
#   tools/package.sh PRESET FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=$1
folder=$2
tools/build.sh "$preset" parley_packaged >&2
rm -rf "$folder"
mkdir -p "$folder"
log=build/$preset-cpack.log
if ! cpack --config "build/$preset/CPackConfig.cmake" -B "$folder" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
rm -rf "$folder/_CPack_Packages"
cp packaging/install.sh "$folder/"
for tarball in "$folder"/*.tar.gz; do
    tools/oci.py "$tarball" "${tarball%-linux-x86_64.tar.gz}-oci-amd64.tar"
done
cd "$folder"
for package in *.deb *.tar.gz *-oci-amd64.tar; do
    sha256sum "$package" >"$package.sha256"
    printf '%s\n' "$folder/$package"
done
