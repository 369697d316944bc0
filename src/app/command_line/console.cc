// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/console.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "term/tty.h"
#include "text/safe_text.h"

namespace parley::app {

namespace {

constexpr int kColumnsDefault = 80;
// Longer lines are hard to read.
constexpr int kWidestText = 100;

// The accessible form is text alone, and a dumb terminal shows escape codes as noise.
bool wants_emphasis(const Environment& environment) {
    return !environment.find("NO_COLOR") && !environment.find("ACCESSIBLE") &&
           environment.find("TERM").value_or("dumb") != "dumb";
}

}  // namespace

Console::Console(const Environment& environment)
    : is_in_tty_(is_tty(kIn)),
      is_out_tty_(is_tty(kOut)),
      is_err_tty_(is_tty(kErr)),
      is_utf8_(environment.is_utf8()),
      wants_emphasis_(wants_emphasis(environment)) {}

PlainStyle Console::style_of(int fd, bool is_tty) const {
    int columns = kColumnsDefault;
    if (const auto size = tty_size(fd)) columns = std::min(size->columns, kWidestText);
    return {.columns = columns,
            .charset = is_utf8_ ? Charset::utf8 : Charset::ascii,
            .emphasis = is_tty && wants_emphasis_ ? Emphasis::ansi : Emphasis::none};
}

PlainStyle Console::err_style() const {
    return style_of(kErr, is_err_tty_);
}

PlainStyle Console::out_style() const {
    return style_of(kOut, is_out_tty_);
}

PlainStyle Console::row_style() const {
    PlainStyle style = out_style();
    const auto size = tty_size(kOut);
    style.columns = size ? size->columns : std::numeric_limits<int>::max();
    return style;
}

void Console::print_json(std::string_view document) {
    print(escape_unsafe_json(document) + "\n");
}

bool Console::is_reader_gone() const {
    ::pollfd out{.fd = kOut, .events = 0, .revents = 0};
    return ::poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

void Console::write(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            if (fd == kOut) has_lost_output_ = true;
            return;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace parley::app
