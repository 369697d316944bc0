#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formats every C++ file of the repository, or with --check only says which ones differ.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
    --check) mode=(--dry-run -Werror --ferror-limit=3) ;;
    "") mode=(-i) ;;
    *) echo "usage: tools/format.sh [--check]" >&2; exit 2 ;;
esac

python3 -B tools/source_text.py | xargs -r -P "$(nproc)" -n 16 clang-format-19 "${mode[@]}"
