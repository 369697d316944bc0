#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the npm packages of folders, as their lock files name them, unless they are there:
#   tools/npm.sh FOLDER…
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for folder in "$@"; do
    stamp=$folder/node_modules/.installed-for
    # Tests that run side by side may want the same folder.
    exec 9<"$folder/package-lock.json"
    flock 9
    if cmp -s "$folder/package-lock.json" "$stamp"; then continue; fi
    (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error)
    mkdir -p "$folder/node_modules"
    # The npm of Debian 12 links no program of a package for one platform alone.
    for program in "$folder"/node_modules/node-linux-*/bin/node; do
        [[ -x $program && ! -e $folder/node_modules/.bin/node ]] || continue
        mkdir -p "$folder/node_modules/.bin"
        ln -s "../${program#"$folder"/node_modules/}" "$folder/node_modules/.bin/node"
    done
    cp "$folder/package-lock.json" "$stamp"
done
