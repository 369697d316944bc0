# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The stages of `parley-dev test`. Each prints a line when it starts and one when it ends; one that
# fails shows the end of its log, and those that do not need it still run. Sourced by parley-dev.

readonly FUZZ_SECONDS=3 FUZZ_SECONDS_ALL=60
readonly FURTHER_SEEDS_FROM=10001 FURTHER_SEEDS=200000 # the tests proper run those before
readonly LINT_FILES_MAX=40
readonly JOBS_PER_CORE=3 # PARLEY_WHOLE_CORE of cmake/ParleyTargets.cmake

passed=0
failed=0
remarks=() # what failed, and what is unsteady (run_tests.py), for the end
stage_group=0 # the process group of the stage that runs, if any
watcher=0     # the process that shows its progress, if any
beside_group=0 # the process group of what is built beside it, if anything
build_asan=() # the builds of the sanitizers, beside the tests and then by themselves
build_tsan=(tools/build.sh tsan thread_tests)
lint=() # the options of tools/lint.sh

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

# Tests wait more than they work. What they leave of the processor goes to clang-tidy and the builds
# that come later, and nothing that they could want: the kernel runs those only where a core would
# be idle.
start_beside() {
    rm -f build/lint-beside.status
    # shellcheck disable=SC2016 # the inner shell expands these
    setsid chrt --idle 0 bash -c '
        status=0
        tools/lint.sh "$@" >build/lint-beside.log 2>&1 || status=$?
        echo "$status" >build/lint-beside.status
        '"${build_asan[*]}; ${build_tsan[*]}" beside "${lint[@]}" \
        </dev/null >/dev/null 2>&1 &
    beside_group=$!
}

# The stages of those builds go on from where they are, as fast as any.
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
    remarks+=("FAILED $1")
    grep -E 'error:|FAILED:' "$log" | head -n 15 | cut -c 1-300 | sed 's/^/      | /' || true
    tail -n 15 "$log" | cut -c 1-300 | sed 's/^/      | /'
    end_stage "FAILED, all of it in $log"
    return 1
}

test_stage() { # TITLE PRESET [--once-more LABELS] CTEST_OPTIONS…
    local count_file=build/$2/test-count stage_passed=0 stage_failed=1 word name
    begin_stage "$1"
    rm -f "$count_file"
    run_grouped python3 -B tools/run_tests.py "build/$2" "$count_file" "${@:3}" \
        -j "$((JOBS_PER_CORE * $(nproc)))" || true
    if [[ -f $count_file ]]; then
        {
            read -r stage_passed stage_failed
            while read -r word name; do remarks+=("$word $1: $name"); done
        } <"$count_file"
    else
        remarks+=("FAILED $1")
    fi
    passed=$((passed + stage_passed))
    failed=$((failed + stage_failed))
    end_stage "$stage_passed passed, $stage_failed failed"
}

run_release_stages() {
    logged_stage "configure" configure cmake --preset release -DPARLEY_TESTS=ON || return 0
    test_stage "checks of the tree" release -L '^check$'
    logged_stage "release build" release tools/build.sh release all benchmarks || return 0
    start_beside
    test_stage "release tests" release --once-more '^(clients|program)$' -LE '^check$'
    stop_beside
}

# How many inputs the fuzzers tried, by their own counts.
say_fuzzed() {
    awk '/^stat::number_of_executed_units:/ { tried += $2 }
        END { printf "   the fuzzers tried %d inputs\n", tried }' \
        build/asan/Testing/Temporary/LastTest.log
}

run_sanitizer_stages() {
    if logged_stage "address and undefined-behaviour build" asan "${build_asan[@]}"; then
        test_stage "address and undefined-behaviour tests, fuzzers" asan -L '^(unit|fuzz)$'
        say_fuzzed || true
    fi
    if logged_stage "thread build" tsan "${build_tsan[@]}"; then
        test_stage "thread tests" tsan -L '^threads$'
    fi
}

# A logged stage that is a test in itself.
checked_stage() { # TITLE LOG COMMAND…
    if logged_stage "$@"; then passed=$((passed + 1)); fi
}

# What was found beside the tests, if it came to an end there.
# shellcheck disable=SC2016 # the inner shell expands these
lint_stage() {
    checked_stage "clang-tidy" lint bash -c '
        [[ -f build/lint-beside.status ]] || exec tools/lint.sh "$@"
        cat build/lint-beside.log
        exit "$(<build/lint-beside.status)"' lint "${lint[@]}"
    rm -f build/lint-beside.status
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

# As a stranger gets them: tests/package/install_test.sh. A bare machine can have none inside it.
install_packages() {
    local title="packages in a bare Debian 12"
    if [[ $EUID -eq 0 && -z ${PARLEY_BARE_MACHINE:-} ]] && tools/fresh.sh --prepare; then
        checked_stage "$title" fresh-package ./parley-dev fresh package
    else
        printf '── %s\n   NOT TESTED: it takes root, and mounts of its own\n' "$title"
    fi
}

run_all_stages() { # [--all]
    local all=${1:-} seconds=$FUZZ_SECONDS
    lint=(--changed "$LINT_FILES_MAX")
    if [[ $all == --all ]]; then
        seconds=$FUZZ_SECONDS_ALL
        lint=()
        export PARLEY_SLOW_PROXY=1 PARLEY_SLOW_AGENTS=1 PARLEY_SLOW_NODES=1 # tests that take long
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
        install_packages
    fi
    lint_stage
    run_sanitizer_stages
    [[ ${#remarks[@]} -eq 0 ]] || printf '%s\n' "${remarks[@]}"
    printf 'in %d min %d s\n%d passed, %d failed\n' \
        "$((SECONDS / 60))" "$((SECONDS % 60))" "$passed" "$failed"
    [[ $failed -eq 0 ]]
}
