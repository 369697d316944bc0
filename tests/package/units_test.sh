#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The units of the Debian package under a real systemd: a bare Debian 12 with nothing but systemd
# and the package is booted in a container. The socket starts the broker, as a user of its own and
# with nothing that it may not do; a question is asked and answered, and outlives a restart.
#
#     tests/package/units_test.sh FOLDER      as root; makes its bare Debian by tools/fresh.sh
set -euo pipefail
folder=$(realpath "$1")
cd "$(dirname "$0")/../.."
# shellcheck source=tools/packages.sh
source tools/packages.sh

made=$(mktemp -d)
trap 'rm -rf --one-file-system "$made"' EXIT
root=$made/root
mkdir "$root"

fail() {
    echo "units_test: $*" >&2
    exit 1
}

# Where it cannot have a container of its own, this machine is one of another kind.
container() { # OPTION…
    systemd-nspawn --quiet --register=no --keep-unit --private-network --link-journal=no \
        --console=pipe -D "$root" "$@"
}

require_packages fresh
# shellcheck disable=SC2016 # the inner shell expands these
tools/fresh.sh --with "$folder" --fetch "$made" sh -c '
    export DEBIAN_FRONTEND=noninteractive
    apt-get -q update >/dev/null &&
        apt-get -q -y --no-install-recommends install systemd systemd-sysv dbus \
            /srv/with/parley_*_amd64.deb >/dev/null &&
        tar -C / --one-file-system --exclude=./srv --exclude=./proc/* --exclude=./sys/* \
            --exclude=./dev/* -cf /srv/fetch/root.tar .'
tar -C "$root" -xf "$made/root.tar"
mkdir -p "$root/srv"
rm "$made/root.tar"
if ! container true 2>"$made/refused"; then
    echo "NOT TESTED: the units, which a container would boot: $(tail -n 1 "$made/refused")"
    exit 0
fi

cat >"$root/srv/try" <<'TRY'
#!/bin/bash
# Says "served" if all is as it should be, and else what is not.
set -euo pipefail
export PARLEY_SERVER=unix:/run/parley/parley.sock
check() { # WHAT IS WANTED
    [[ $2 == "$3" ]] || { echo "$1: $2, not $3" && exit 1; }
}
ask() { parley ask "Tea or coffee?" -o Tea -o Coffee --key drink --background; }
state() { systemctl is-active parley.service || true; }
systemctl -q enable --now parley.socket
check "before anybody came" "$(state)" inactive
id=$(ask)
check "once somebody came" "$(state)" active
systemctl restart parley.service
check "after a restart the ask" "$(ask)" "$id"
parley answer "$id" Coffee >/dev/null 2>&1
check "the answer" "$(parley wait "$id" 2>/dev/null)" Coffee
pid=$(systemctl show -p MainPID --value parley.service)
of() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$pid/status"; }
check "the user" "$(($(of Uid) >= 61184 && $(of Uid) <= 65519))" 1 # of those that systemd makes
check "its store" "$(stat -Lc '%a %u' /var/lib/parley/)" "700 $(of Uid)"
check "its rights" "$(of CapEff) $(of NoNewPrivs) $(of Seccomp)" "0000000000000000 1 2"
systemctl stop parley.socket parley.service
check "its end" "$(systemctl show -p Result --value parley.service)" success
echo served
TRY
chmod +x "$root/srv/try"
cat >"$root/etc/systemd/system/try.service" <<'UNIT'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
Environment=HOME=/root
ExecStart=/bin/sh -c '/srv/try >/srv/said 2>&1'
ExecStopPost=/bin/systemctl --no-block poweroff
TimeoutStartSec=60
[Install]
WantedBy=default.target
UNIT
container systemctl enable -q try.service 2>/dev/null
timeout 120 bash -c "$(declare -f container); root=$root; container --boot" \
    >"$made/boot" 2>&1 || true
[[ -s $root/srv/said ]] || fail "it did not boot: $(tail -n 5 "$made/boot")"
[[ $(<"$root/srv/said") == served ]] || fail "$(<"$root/srv/said")"
echo "the units of the package start a broker when it is wanted, hold it in, and end it"
