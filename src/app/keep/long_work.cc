// SPDX-License-Identifier: Apache-2.0
#include "app/keep/long_work.h"

#include <fmt/format.h>

#include <array>
#include <csignal>

#include "app/limits.h"

namespace parley::app {

namespace {

volatile std::sig_atomic_t shall_end = 0;

constexpr std::array kEndings = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, kEndings.size()> old_actions;

extern "C" void note_ending(int) {
    shall_end = 1;
}

}  // namespace

// Without SA_RESTART: who waits for input is woken.
LongWork::LongWork(Console& console) : console_(console), last_(clock_.mono()) {
    shall_end = 0;
    struct sigaction action = {};
    action.sa_handler = note_ending;
    for (std::size_t i = 0; i < kEndings.size(); ++i)
        sigaction(kEndings[i], &action, &old_actions[i]);
}

LongWork::~LongWork() {
    clear();
    for (std::size_t i = 0; i < kEndings.size(); ++i)
        sigaction(kEndings[i], &old_actions[i], nullptr);
}

Result<void> LongWork::go_on() {
    if (shall_end == 0) return {};
    return reject(ErrorCode::interrupted, "interrupted; nothing was changed");
}

bool LongWork::is_due() {
    if (!console_.is_err_tty() || clock_.mono() - last_ < limits::kProgressEvery) return false;
    last_ = clock_.mono();
    return true;
}

Result<void> LongWork::tell(std::string_view words) {
    if (is_due()) {
        console_.tell(fmt::format("\r{}\x1b[K", words));
        has_line_ = true;
    }
    return go_on();
}

Result<void> LongWork::tell_rows(std::string_view verb, const ArchiveCounts& counts) {
    if (is_due()) {
        console_.tell(fmt::format("\r{} {} rows\x1b[K", verb, counts.all()));
        has_line_ = true;
    }
    return go_on();
}

void LongWork::clear() {
    if (has_line_) console_.tell("\r\x1b[K");
    has_line_ = false;
}

}  // namespace parley::app
