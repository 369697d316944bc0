// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/terminal_screen.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "app/limits.h"
#include "app/terminal/editor_process.h"
#include "base/assert.h"

namespace parley::app {

namespace {

constexpr TtySize kSmallest = {.columns = 20, .rows = 6};

// Pastes are marked as such, so that a newline in one is no Enter.
constexpr std::string_view kOn = "\x1b[?2004h";
constexpr std::string_view kOff = "\x1b[?2026l\x1b[?2004l\x1b[0m\x1b[?25h";
constexpr std::string_view kFullOn = "\x1b[?1049h\x1b[?1004h";
constexpr std::string_view kFullOff = "\x1b[?1004l\x1b[?1049l";

// A shell that runs us inside $(…) lets nobody stop: it would wait for us for ever.
bool is_stopping_ignored() {
    struct sigaction action = {};
    return ::sigaction(SIGTSTP, nullptr, &action) != 0 || action.sa_handler == SIG_IGN;
}

}  // namespace

struct TerminalScreen::Editing {
    EditorProcess process;
    Edited done;
};

bool can_show_pictures(const Environment& environment, int in, int out) {
    const auto size = tty_size(out);
    return is_tty(in) && size && size->columns >= kSmallest.columns &&
           size->rows >= kSmallest.rows && environment.find("TERM").value_or("dumb") != "dumb";
}

TerminalScreen::TerminalScreen(net::Loop& loop, const Options& options, Owner& owner)
    : loop_(loop), options_(options), owner_(owner), painter_(options.place, options.colors) {}

Result<std::unique_ptr<TerminalScreen>> TerminalScreen::open(net::Loop& loop,
                                                             const Options& options, Owner& owner) {
    std::unique_ptr<TerminalScreen> screen(new TerminalScreen(loop, options, owner));
    const bool is_full = options.place == Painter::Place::full_screen;
    TRY(raw, RawMode::enter({.in = options.in,
                             .out = options.out,
                             .on = std::string(kOn) + std::string(is_full ? kFullOn : ""),
                             .off = std::string(kOff) + std::string(is_full ? kFullOff : "")}));
    screen->raw_ = std::move(raw);
    screen->can_stop_ = !is_stopping_ignored();
    screen->watch_signals();
    screen->watch();
    screen->redraw();
    return screen;
}

TerminalScreen::~TerminalScreen() {
    alive_.end();
    if (editing_) editing_->process.stop();
    watch_.reset();
    if (options_.place == Painter::Place::in_line) write(painter_.erase());
}

void TerminalScreen::watch() {
    watch_ = std::make_unique<net::ReadableWatch>(loop_, options_.in, [this] { read(); });
}

void TerminalScreen::watch_signals() {
    const auto on = [this](int signal, void (TerminalScreen::*handle)()) {
        loop_.on_signals({signal}, alive_.guard([this, handle](int) { (this->*handle)(); }));
    };
    on(SIGWINCH, &TerminalScreen::resize);
    on(SIGCONT, &TerminalScreen::go_on);
    if (can_stop_) on(SIGTSTP, &TerminalScreen::stop_process);
}

void TerminalScreen::read() {
    std::array<char, 65536> bytes;
    const ssize_t count = ::read(options_.in, bytes.data(), bytes.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count <= 0) {
        watch_.reset();
        return owner_.on_hang_up();
    }
    ++reads_;
    give(decoder_.feed({bytes.data(), static_cast<std::size_t>(count)}));
}

void TerminalScreen::give(std::vector<Key> keys) {
    const auto alive = alive_.watch();
    bool is_shown = !is_stale_;
    for (const Key& key : keys) {
        // Enter settles what is shown: what came before it in the same breath is shown first.
        if (key.is(Key::Code::enter) && !std::exchange(is_shown, true)) redraw();
        owner_.on_key(key);
        is_shown = false;
        // A key may end the screen, or lend the terminal away: what follows was not meant for it.
        if (alive.expired() || editing_) return;
    }
    is_stale_ = is_stale_ || !keys.empty();
    // A long paste comes in many pieces, and nobody reads what stands between two of them.
    if (is_stale_ && !decoder_.is_pasting()) redraw();
    await_rest();
}

void TerminalScreen::await_rest() {
    const auto patience = decoder_.patience();
    if (!patience) return;
    loop_.post_at(loop_.now() + *patience, alive_.guard([this, reads = reads_] {
        if (reads != reads_) return;
        give(decoder_.time_out());
    }));
}

void TerminalScreen::redraw() {
    if (editing_ || is_left_) return;
    is_stale_ = false;
    const auto size = tty_size(options_.out).value_or(TtySize{.columns = 80, .rows = 24});
    write(painter_.paint(owner_.picture(size)));
}

void TerminalScreen::resize() {
    if (editing_ || is_left_) return;
    const auto size = tty_size(options_.out);
    write(painter_.resized(size ? size->columns : 0));
    redraw();
}

void TerminalScreen::suspend() {
    // To all of a pipeline, ourselves included, as the terminal would do it.
    if (can_stop_) (void)::kill(0, SIGTSTP);
}

void TerminalScreen::stop_process() {
    if (editing_) return;
    if (options_.place == Painter::Place::in_line) write(painter_.erase());
    raw_->leave();
    struct sigaction ours = {};
    struct sigaction stopping = {};
    stopping.sa_handler = SIG_DFL;
    (void)::sigaction(SIGTSTP, &stopping, &ours);
    // The system decides: where no shell could continue us, this does not stop.
    (void)::raise(SIGTSTP);
    (void)::sigaction(SIGTSTP, &ours, nullptr);
    // SIGCONT, which comes by the loop, brings the picture back: drawn here too, it would be twice.
    is_left_ = true;
    loop_.post_at(loop_.now() + limits::kContinuePatience, alive_.guard([this] {
        if (is_left_) go_on();
    }));
}

void TerminalScreen::go_on() {
    if (editing_) return;
    is_left_ = false;
    raw_->enter_again();
    painter_.forget();
    redraw();
}

void TerminalScreen::beep(std::string_view words) {
    // Nothing in the words can end the sequence: they are safe text.
    write("\a");
    if (!words.empty())
        write(fmt::format("\x1b]9;{}\x1b\\\x1b]777;notify;parley;{}\x1b\\", words, words));
}

void TerminalScreen::edit(const Environment& environment, std::string text, Edited done) {
    ASSERT(!editing_);
    auto process = EditorProcess::prepare(environment, text);
    if (!process) return done(reject(std::move(process).error()));
    if (options_.place == Painter::Place::in_line) write(painter_.erase());
    watch_.reset();
    raw_->leave();
    editing_ = std::make_unique<Editing>(std::move(*process), std::move(done));
    editing_->process.start({.in = options_.in, .out = options_.out}, loop_,
                            alive_.guard([this](int status) { editor_ended(status); }));
}

void TerminalScreen::editor_ended(int status) {
    const auto ended = std::exchange(editing_, nullptr);
    raw_->enter_again();
    painter_.forget();
    watch();
    const auto alive = alive_.watch();
    ended->done(ended->process.result(status));
    if (!alive.expired()) redraw();
}

void TerminalScreen::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(options_.out, bytes.data(), bytes.size());
        if (written > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
            continue;
        }
        if (written < 0 && errno == EINTR) continue;
        // Another program may have made the terminal nonblocking.
        pollfd ready = {options_.out, POLLOUT, 0};
        if (written < 0 && errno == EAGAIN && ::poll(&ready, 1, -1) > 0) continue;
        return;
    }
}

}  // namespace parley::app
