# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The stages of `parley-dev test`. Each prints a line when it starts and one when it ends; one that
# fails shows the end of its log, and those that do not need it still run. Sourced by parley-dev.

readonly FUZZ_SECONDS=3 FUZZ_SECONDS_ALL=60
readonly FURTHER_SEEDS_FROM=10001 FURTHER_SEEDS=200000 # the tests proper run those before
readonly LINT_FILES_MAX=40

passed=0
failed=0
stage_group=0 # the process group of the stage that runs, if any
watcher=0     # the process that shows its progress, if any
beside_group=0 # the process group of what is built beside it, if anything
build_asan=() # the build of the sanitizers, beside the tests and then by itself

stop_children() {
    [[ $watcher -eq 0 ]] || kill "$watcher" 2>/dev/null || true
    [[ $stage_group -eq 0 ]] || kill -TERM -- "-$stage_group" 2>/dev/null || true
    [[ $beside_group -eq 0 ]] || kill -TERM -- "-$beside_group" 2>/dev/null || true
}

on_signal() { # NUMBER
    trap - INT TERM
    stop_children
    printf '\nparley-dev: stopped\n' >&3
    exit $((128 + $1))
}

# Runs a command in a process group of its own, so that a signal reaches all that it has started.
run_grouped() {
    local status=0
    setsid "$@" </dev/null &
    stage_group=$!
    wait "$stage_group" || status=$?
    stage_group=0
    return "$status"
}

# Tests wait more than they work. What they leave of the processor goes to a build that comes later,
# and nothing that they could want: the kernel runs it only where a core would be idle.
start_beside() { # COMMAND…
    setsid chrt --idle 0 "$@" </dev/null >/dev/null 2>&1 &
    beside_group=$!
}

# The stage of that build goes on from where it is, as fast as any.
stop_beside() {
    [[ $beside_group -ne 0 ]] || return 0
    kill -TERM -- "-$beside_group" 2>/dev/null || true
    wait "$beside_group" 2>/dev/null || true
    beside_group=0
}

begin_stage() { # TITLE
    stage_started=$SECONDS
    printf '── %s\n' "$1"
}

end_stage() { # WHAT
    printf '   %s (%d s)\n' "$1" "$((SECONDS - stage_started))"
}

show_last_line() { # LOG
    while sleep 1; do
        printf '\r\033[K   %s' "$(tail -n 1 "$1" 2>/dev/null | cut -c 1-90)"
    done
}

# A build or another program that is silent when all is well: its output goes to a log. Failing
# counts as one failed test.
logged_stage() { # TITLE LOG COMMAND…
    local log=build/$2.log status=0
    begin_stage "$1"
    : >"$log"
    if [[ -t 1 ]]; then
        show_last_line "$log" &
        watcher=$!
    fi
    run_grouped "${@:3}" >"$log" 2>&1 || status=$?
    if [[ $watcher -ne 0 ]]; then
        kill "$watcher" 2>/dev/null || true
        wait "$watcher" 2>/dev/null || true
        watcher=0
        printf '\r\033[K'
    fi
    if [[ $status -eq 0 ]]; then
        end_stage "ok"
        return 0
    fi
    failed=$((failed + 1))
    grep -E 'error:|FAILED:' "$log" | head -n 15 | cut -c 1-300 | sed 's/^/      | /' || true
    tail -n 15 "$log" | cut -c 1-300 | sed 's/^/      | /'
    end_stage "FAILED, all of it in $log"
    return 1
}

test_stage() { # TITLE PRESET CTEST_OPTIONS…
    local count_file=build/$2/test-count stage_passed=0 stage_failed=1
    begin_stage "$1"
    rm -f "$count_file"
    run_grouped python3 -B tools/run_tests.py "build/$2" "$count_file" -j "$(nproc)" "${@:3}" ||
        true
    [[ ! -f $count_file ]] || read -r stage_passed stage_failed <"$count_file"
    passed=$((passed + stage_passed))
    failed=$((failed + stage_failed))
    end_stage "$stage_passed passed, $stage_failed failed"
}

run_release_stages() {
    logged_stage "configure" configure cmake --preset release -DPARLEY_TESTS=ON || return 0
    test_stage "checks of the tree" release -L '^check$'
    logged_stage "release build" release tools/build.sh release all benchmarks || return 0
    start_beside "${build_asan[@]}"
    test_stage "release tests" release -LE '^check$'
    stop_beside
}

run_sanitizer_stages() {
    if logged_stage "address and undefined-behaviour build" asan "${build_asan[@]}"; then
        test_stage "address and undefined-behaviour tests, fuzzers" asan -L '^(unit|fuzz)$'
    fi
    if logged_stage "thread build" tsan tools/build.sh tsan thread_tests; then
        test_stage "thread tests" tsan -L '^threads$'
    fi
}

# A logged stage that is a test in itself.
checked_stage() { # TITLE LOG COMMAND…
    if logged_stage "$@"; then passed=$((passed + 1)); fi
}

find_program() { # NAME
    find build/release -name "$1" -type f -perm -u+x | head -n 1
}

simulate_further() {
    checked_stage "simulator, $FURTHER_SEEDS further seeds" simulator \
        "$(find_program parley_simulator)" --from "$FURTHER_SEEDS_FROM" --seeds "$FURTHER_SEEDS"
}

# The sizes that the product promises; the tests proper take a part of them.
fill_stores() {
    checked_stage "stores of 1,000,000 events and 10,000 pending asks" scale \
        env PARLEY_SCALE=1 "$(find_program engine_conformance_test)" \
        --gtest_filter='*FoundAmongMany*:*ManyPendingAsks*'
}

run_all_stages() { # [--all]
    local all=${1:-} seconds=$FUZZ_SECONDS lint=(--changed "$LINT_FILES_MAX")
    if [[ $all == --all ]]; then
        seconds=$FUZZ_SECONDS_ALL
        lint=()
        export PARLEY_SLOW_PROXY=1 PARLEY_SLOW_AGENTS=1 # tests that take minutes
    fi
    exec 3>&2 # a signal may come while the output of a stage goes to its log
    trap 'on_signal 2' INT
    trap 'on_signal 15' TERM
    mkdir -p build
    build_asan=(tools/build.sh asan "-DPARLEY_FUZZ_SECONDS=$seconds" unit_tests fuzzers)
    run_release_stages
    if [[ $all == --all ]]; then
        simulate_further
        fill_stores
    fi
    checked_stage "clang-tidy" lint tools/lint.sh "${lint[@]}"
    run_sanitizer_stages
    printf 'in %d min %d s\n%d passed, %d failed\n' \
        "$((SECONDS / 60))" "$((SECONDS % 60))" "$passed" "$failed"
    [[ $failed -eq 0 ]]
}
