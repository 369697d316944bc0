#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The packages on a machine that has nothing else, as a stranger gets them: installed, a question
# asked and answered, brought up to date over a store of the oldest format, removed without a trace.
# It changes the system that it runs on: `.ci/run` and `./parley-dev fresh package` run it in one
# that is thrown away.
#
#     tests/package/install_test.sh FOLDER
set -eu
folder=$1
seconds_max=60 # from what was downloaded to an answer, as the product promises
export HOME=/root DEBIAN_FRONTEND=noninteractive
# The port that is usual may be taken: a bare system shares those of the machine around it.
export PARLEY_SERVE_LISTEN=127.0.0.1:0

fail() {
    echo "install_test: $*" >&2
    exit 1
}

# Starts a broker with the program $1, and returns when it serves.
start_broker() {
    rm -f /tmp/ready
    mkfifo /tmp/ready
    "$1" serve --json >/tmp/ready 2>/tmp/serve.log &
    broker=$!
    read -r _ </tmp/ready || fail "no broker started: $(cat /tmp/serve.log)"
}

stop_broker() {
    kill "$broker"
    wait "$broker" || fail "the broker did not stop as it was told: $(cat /tmp/serve.log)"
}

# Asks with the program $1, which waits, and answers with it; the ask's id is in `id`.
ask_and_answer() {
    "$1" ask 'Tea or coffee?' -o Tea -o Coffee >/tmp/answer &
    asking=$!
    id=
    while [ -z "$id" ]; do
        kill -0 "$asking" 2>/dev/null || fail "the question was not asked"
        id=$("$1" list --json | grep -o 'que_[0-9A-Za-z]*' | head -n 1)
    done
    "$1" answer "$id" Coffee
    wait "$asking" || fail "the question was not answered"
    [ "$(cat /tmp/answer)" = Coffee ] || fail "the answer was $(cat /tmp/answer)"
}

# Leaves the store as a program of its first format would have: src/store/sqlite_filing_test.cc.
make_store_old() {
    sqlite3 -bail /root/.local/state/parley/parley.db <<'SQL'
DROP TABLE marks;
DROP TABLE filed_events; DROP TABLE filed_settled; DROP TABLE filed_by_asker;
ALTER TABLE asks DROP COLUMN asker; DROP INDEX sessions_ended;
ALTER TABLE tokens DROP COLUMN principal; ALTER TABLE tokens DROP COLUMN person;
ALTER TABLE tokens DROP COLUMN device; ALTER TABLE tokens DROP COLUMN used_ms;
ALTER TABLE tokens DROP COLUMN session;
ALTER TABLE drafts RENAME COLUMN record TO answers;
DROP TABLE filed_by_session; DROP TABLE filed_by_state; DROP TABLE filed_pending_by_session;
CREATE INDEX asks_state ON asks(state, id); CREATE INDEX asks_session ON asks(session, id);
DELETE FROM meta WHERE name = 'filed'; UPDATE events SET doc = NULL WHERE type = 2;
DELETE FROM events WHERE type > 10;
PRAGMA user_version=1;
SQL
}

# There is no systemd here, only what the package's scripts look for and call: what they have said
# to it since the last look, one call a line.
check_systemd() { # WHEN WANTED
    [ "$(cat /tmp/told)" = "$2" ] || fail "$1: systemd was told $(cat /tmp/told)"
    : >/tmp/told
}
[ ! -e /usr/bin/systemctl ] || fail "this is no bare machine: it has systemd"
mkdir -p /run/systemd/system
printf '#!/bin/sh\necho "$*" >>/tmp/told\n' >/usr/bin/systemctl
chmod +x /usr/bin/systemctl
: >/tmp/told

apt-get -q update >/dev/null
install_package() { # OPTION…
    apt-get -q -y --no-install-recommends "$@" install "$folder"/parley_*_amd64.deb >/dev/null
}
install_package --download-only
began=$(date +%s)
install_package
command -v cc clang g++ node >/dev/null && fail "this is no bare machine"
start_broker /usr/bin/parley
ask_and_answer /usr/bin/parley
took=$(($(date +%s) - began))
echo "the Debian package is installed and a question answered after $took s"
[ "$took" -le "$seconds_max" ] || fail "that is more than $seconds_max s"
check_systemd installed daemon-reload
[ -f /usr/share/man/man1/parley-ask.1.gz ] || [ -f /etc/dpkg/dpkg.cfg.d/docker ] || fail "no manual"
first=$id
waiting=$(parley ask 'With milk?' -o Yes -o No --background)
stop_broker

apt-get -q -y --no-install-recommends install sqlite3 >/dev/null
make_store_old
apt-get -q -y --reinstall install "$folder"/parley_*_amd64.deb >/dev/null
check_systemd "brought up to date" "daemon-reload
daemon-reload
try-restart parley.service"
start_broker /usr/bin/parley
[ "$(parley wait "$first")" = Coffee ] || fail "the answer of before was lost"
[ "$(parley list --json | grep -o 'que_[0-9A-Za-z]*' | sort -u)" = "$waiting" ] ||
    fail "the ask of before does not wait any more"
parley answer "$waiting" Yes
ask_and_answer /usr/bin/parley
stop_broker
parley store check || fail "the store that was brought up to date is not sound"

# As the machine's own broker would have left them.
mkdir -p /etc/parley /var/lib/private/parley
ln -s private/parley /var/lib/parley
echo '[serve]' >/etc/parley/config.toml
apt-get -q -y purge parley >/dev/null
check_systemd purged "disable --now parley.socket parley.service
daemon-reload
daemon-reload"
left=$(find / -xdev \( -path /proc -o -path /srv -o -path /root -o -path /var/cache \) -prune -o \
    -name '*parley*' -print)
[ -z "$left" ] || fail "left behind: $left"

rm -rf /root/.local
"$folder/install.sh" "$folder"/parley-*-linux-x86_64.tar.gz
start_broker /root/.local/bin/parley
ask_and_answer /root/.local/bin/parley
stop_broker
"$folder/install.sh" --remove
[ ! -e /root/.local/bin ] || fail "left behind: $(ls -R /root/.local/bin)"
echo "both packages were installed, used and removed"
