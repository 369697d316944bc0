#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the npm packages of folders, as their lock files name them, unless they are there:
#   tools/npm.sh FOLDER…
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for folder in "$@"; do
    stamp=$folder/node_modules/.installed-for
    if cmp -s "$folder/package-lock.json" "$stamp"; then continue; fi
    (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error)
    mkdir -p "$folder/node_modules"
    cp "$folder/package-lock.json" "$stamp"
done
