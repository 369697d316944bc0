#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command on a bare Debian 12, as a stranger's machine would be: no compiler, no Node,
# nothing that somebody installed by hand. Needs root.
#   tools/fresh.sh COMMAND…      for example: tools/fresh.sh ./parley-dev test
#   tools/fresh.sh --with FOLDER COMMAND…      FOLDER is /srv/with there
#   tools/fresh.sh --fetch FOLDER COMMAND…     what the command leaves in /srv/fetch goes to FOLDER
#   tools/fresh.sh --prepare     makes the bare system and tries it; fails where it cannot be had
# The bare system is made once (debootstrap, from the Debian sources of this machine) and kept in
# the cache folder. Each call works on a copy that is thrown away, in a clean clone of the last
# commit, and ends with the status of its command. All mounts and processes are in namespaces of
# their own: whichever way this script ends, none is left.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/packages.sh
source tools/packages.sh

HOME=${HOME:-/root}
readonly CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/parley/fresh
readonly BASE=$CACHE/bookworm
readonly BASE_DAYS_MAX=30
# The ways to the package registries are this machine's; nothing else of its environment is.
readonly KEPT_VARIABLES=(http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY
    npm_config_registry NPM_CONFIG_REGISTRY NODE_EXTRA_CA_CERTS SSL_CERT_FILE CI)

machine=  # the copy that is thrown away
inside=0  # the process that runs in it

# shellcheck disable=SC2317 # the trap calls it
clean_up() {
    [[ $inside -eq 0 ]] || kill -KILL "$inside" 2>/dev/null || true
    [[ -z $machine ]] || rm -rf --one-file-system "$machine" "$machine.lock"
}

# Copies of calls that were killed: nobody holds their locks.
remove_leftovers() {
    local lock
    for lock in "$CACHE"/*.lock; do
        [[ -f $lock ]] || continue
        flock --nonblock "$lock" rm -rf --one-file-system "${lock%.lock}" "$lock" || true
    done
}

# shellcheck disable=SC2016 # apt-get expands this
debian_mirror() {
    apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Codename: bookworm' \
        2>/dev/null | head -n 1
}

# The updates too, as every installed Debian has them.
copy_debian_sources() {
    if [[ -f /etc/apt/sources.list.d/debian.sources ]]; then
        cp /etc/apt/sources.list.d/debian.sources "$BASE/etc/apt/sources.list.d/"
        : >"$BASE/etc/apt/sources.list"
    elif grep -qs '^deb .*bookworm' /etc/apt/sources.list; then
        grep '^deb .*bookworm' /etc/apt/sources.list >"$BASE/etc/apt/sources.list"
    fi
}

make_base() {
    [[ -z $(find "$BASE.done" -mtime "-$BASE_DAYS_MAX" 2>/dev/null) ]] || return 0
    local mirror
    mirror=$(debian_mirror)
    say "making a bare Debian 12 in $BASE"
    rm -rf --one-file-system "$BASE" "$BASE.done"
    if ! debootstrap --variant=minbase --include=ca-certificates bookworm "$BASE" \
        ${mirror:+"$mirror"} >"$CACHE/debootstrap.log" 2>&1; then
        tail -n 5 "$CACHE/debootstrap.log" >&2
        stop "debootstrap failed; all of it is in $CACHE/debootstrap.log"
    fi
    copy_debian_sources
    # No copy of it has to survive a power cut.
    echo force-unsafe-io >"$BASE/etc/dpkg/dpkg.cfg.d/unsafe-io"
    touch "$BASE.done"
}

# A command in the copy, as the first process of its own namespace, so that all ends with it.
# shellcheck disable=SC2016 # the inner shell expands these
enter() { # COMMAND…
    local variables=() name
    for name in "${KEPT_VARIABLES[@]}"; do
        [[ -z ${!name:-} ]] || variables+=("$name=${!name}")
    done
    exec env -i PARLEY_BARE_MACHINE=1 HOME=/root LANG=C.UTF-8 TERM="${TERM:-xterm-256color}" \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${variables[@]}" \
        setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --ipc sh -c '
            root=$1; shift
            mount --bind "$root" "$root" &&
            mount -t proc proc "$root/proc" &&
            mount --rbind /sys "$root/sys" &&
            mount --rbind /dev "$root/dev" || exit 125
            chroot "$root" sh -c "cd /srv/parley; \"\$@\"" sh "$@"
            exit $?' sh "$machine" "$@"
}

# Runs a command in a fresh copy; Ctrl-C reaches it as it would reach any program in front.
run_inside() { # COMMAND…
    local status=0
    (
        trap - INT TERM EXIT
        enter "$@"
    ) <&0 8>&- &
    inside=$!
    wait "$inside" || status=$?
    while kill -0 "$inside" 2>/dev/null; do # a signal ended the wait, not the command
        wait "$inside" || status=$?
    done
    inside=0
    return "$status"
}

copy_base() {
    machine=$(mktemp -d "$CACHE/run.XXXXXX")
    exec 8>"$machine.lock"
    flock 8
    cp -a --reflink=auto "$BASE/." "$machine/"
    mkdir "$machine/srv/parley"
    # Names and certificates of this machine's network, where a proxy has some of its own.
    cp -L /etc/resolv.conf /etc/hosts "$machine/etc/" 2>/dev/null || true
    cp -L /etc/ssl/certs/ca-certificates.crt "$machine/etc/ssl/certs/" 2>/dev/null || true
    if [[ -f $HOME/.npmrc ]]; then
        grep -v '^nodedir' "$HOME/.npmrc" >"$machine/root/.npmrc" || true
    fi
}

brought= # a folder of this machine that the command finds at /srv/with
fetched= # where to what it leaves in /srv/fetch goes
while [[ ${1:-} == --with || ${1:-} == --fetch ]]; do
    if [[ $1 == --with ]]; then brought=$2; else fetched=$2; fi
    shift 2
done
[[ $# -gt 0 ]] || { sed -n '3,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2; }
[[ $EUID -eq 0 ]] || stop "a bare Debian needs root, for its mounts: sudo ./parley-dev fresh …"
require_packages fresh
mkdir -p "$CACHE"
(
    flock 9 # one call at a time makes it
    make_base
) 9>"$CACHE/making"
trap clean_up EXIT
trap : INT # the command has it as well, and decides
trap 'exit 143' TERM
remove_leftovers
copy_base
if [[ $1 == --prepare ]]; then
    run_inside true || stop "this machine does not let the bare system have mounts of its own"
    exit 0
fi
git clone -q . "$machine/srv/parley"
[[ -z $brought ]] || cp -r "$brought" "$machine/srv/with"
mkdir "$machine/srv/fetch"
[[ -z $(git status --porcelain) ]] || say "what is not committed is not in the clone"
status=0
run_inside "$@" || status=$?
[[ -z $fetched ]] || cp -r "$machine/srv/fetch/." "$fetched/"
exit "$status"
