# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Debian packages: which are missing, and how they get here. Sourced by parley-dev, in the root of
# the repository.

say() { printf 'parley-dev: %s\n' "$*" >&2; }
stop() { say "$@"; exit 1; }

# The packages of some groups of tools/debian-packages.txt.
packages_of() { # GROUP…
    local group
    for group in "$@"; do
        sed -n "/^\[$group\]/,/^\[/p" tools/debian-packages.txt | grep -v '^[[#]' | grep . || true
    done
}

packages_missing() { # PACKAGE…
    comm -13 \
        <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
            sed -n 's/^installed //p' | sort -u) \
        <(printf '%s\n' "$@" | sort -u)
}

# apt-get without questions, waiting for another apt-get to end.
apt_get() { # COMMAND…
    local as_root=()
    if [[ $EUID -ne 0 ]]; then
        as_root=(sudo)
        [[ ${CI:-} != true ]] || as_root+=(--non-interactive)
    fi
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=300 "$@" </dev/null >>build/packages.log 2>&1
}

# Installs what is missing of these groups. Asking dpkg takes some hundredths of a second, so this
# runs every time.
require_packages() { # GROUP…
    local wanted missing install
    mapfile -t wanted < <(packages_of "$@")
    if ! command -v dpkg-query >/dev/null; then
        say "this is not Debian; going on in the hope that these are here: ${wanted[*]}"
        return 0
    fi
    mapfile -t missing < <(packages_missing "${wanted[@]}")
    [[ ${#missing[@]} -gt 0 ]] || return 0

    install=(install -y --no-install-recommends "${missing[@]}")
    local by_hand="as root, run:
  apt-get update && apt-get ${install[*]}"
    if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
        stop "packages are missing and there is no sudo; $by_hand"
    fi
    say "installing ${#missing[@]} Debian packages: ${missing[*]}"
    mkdir -p build
    : >build/packages.log
    if ! apt_get update || ! apt_get "${install[@]}"; then
        tail -n 20 build/packages.log >&2
        stop "the packages could not be installed (all of it in build/packages.log); $by_hand"
    fi
}

# The packages of these groups and Node: from wherever the machine has it, else Debian's.
require_toolchain() { # GROUP…
    local groups=("$@") version
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        groups+=(node)
    fi
    require_packages "${groups[@]}"
    version=$(node --version)
    [[ $version =~ ^v([0-9]+) && ${BASH_REMATCH[1]} -ge 18 ]] ||
        stop "node $version is too old: 18 or later is needed"
}
