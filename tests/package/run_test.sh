#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# README's first command as a newcomer gives it: `./parley-dev run` gets what is missing, builds,
# says where the page is, has an agent that asks, and ends with Ctrl-C; with arguments it is
# `parley`. It installs packages and builds: .ci/run has it in a bare Debian 12, before the tests.
#
#     tests/package/run_test.sh
set -euo pipefail
set -m # Ctrl-C reaches what runs in front, the whole group of it
cd "$(dirname "$0")/../.."
# The port that is usual may be taken: a bare system shares those of the machine around it.
export PARLEY_SERVE_LISTEN=127.0.0.1:0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_STATE_HOME=$folder XDG_RUNTIME_DIR=$folder

fail() {
    echo "run_test: $*" >&2
    exit 1
}

mkfifo "$folder/said"
./parley-dev run >"$folder/said" 2>&1 &
running=$!
trap 'kill -- "-$running" 2>/dev/null || true; rm -rf "$folder"' EXIT
exec 3<"$folder/said"
port=
while read -r line <&3; do
    echo "$line"
    [[ ! $line =~ ^page\ +http://127.0.0.1:([0-9]+)$ ]] || port=${BASH_REMATCH[1]}
    [[ $line != *"Stop with Ctrl-C."* ]] || break
done
[[ -n $port ]] || fail "it did not say where the page is"
cat <&3 >"$folder/log" & # nothing that it says later may keep it waiting

exec 4<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$port" >&4
read -r line <&4
[[ $line == "HTTP/1.1 200 "* ]] || fail "nothing is served there: $line"
eval "$(sed -n 's/^    \(export PATH=.*\)/\1/p' README.md)"
[[ $(command -v parley) == "$PWD/build/release/parley" ]] || fail "README's PATH has no parley"
until parley list | grep -q 'What shall I show you?'; do
    kill -0 "$running" || fail "it ended before its agent asked: $(cat "$folder/log")"
done
said=$(echo 2 | ./parley-dev run -- ask "Tea or coffee?" -o Tea -o Coffee --here)
[[ $said == Coffee ]] || fail "with arguments it said $said"

kill -INT -- "-$running"
wait "$running" || fail "it did not end as it was told: $(cat "$folder/log")"
echo "./parley-dev run serves, asks, and ends"
