// SPDX-License-Identifier: Apache-2.0
// What a person feels at the terminal:
//   key     from a key to the bytes of the next picture, in an inbox with many asks
//   text    the same in a text field, with a short and with a long text in it
//   start   from the start of `parley ask` on a terminal of its own to its first picture
// Beside the second stands the start of /bin/true on such a terminal.
//
// usage: terminal_bench [--asks N] [--program PATH]
#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "figures.h"
#include "prompt/inbox_state.h"
#include "prompt/inbox_view.h"
#include "prompt/prompt_view.h"
#include "term/painter.h"
#include "term/tty.h"

namespace {

using namespace parley;
using Clock = std::chrono::steady_clock;
using Ms = std::chrono::duration<double, std::milli>;

struct Figures {
    double median = 0;
    double p99 = 0;
    double worst = 0;
};

Figures figures_of(std::vector<double> samples) {
    std::ranges::sort(samples);
    return {.median = samples[samples.size() / 2],
            .p99 = samples[samples.size() * 99 / 100],
            .worst = samples.back()};
}

AskPtr make_ask(std::uint64_t number) {
    AskSpec spec{
        .questions = {{.text = fmt::format("Shall I go on with step {} of the plan?", number),
                       .header = "Go on",
                       .options = {{"Yes (Recommended)", "As planned"},
                                   {"No", "Stop here"},
                                   {"Later", "Ask me again"}}}},
        .context = "# Plan\n\n- one\n- two\n- three\n",
        .agent = "agent"};
    return std::make_shared<Ask>(Ask{.id = AskId(IdBits{.high = number}),
                                     .session = SessionId(IdBits{.high = number % 5}),
                                     .spec = std::make_shared<AskSpec>(std::move(spec)),
                                     .created_at = Instant(Millis(0))});
}

std::string shown_time(Instant) {
    return "14:03";
}

void measure_keys(std::uint64_t asks) {
    InboxState state;
    const InboxNow start = {};
    for (std::uint64_t i = 1; i <= asks; ++i)
        take(state, SnapshotAsk{make_ask(i)}, shown_time, start);
    take(state, SnapshotEnd{}, shown_time, start);
    const std::vector<Key> keys = {{.text = "j"},
                                   {.code = Key::Code::page_down},
                                   {.code = Key::Code::enter},
                                   {.text = "j"},
                                   {.text = "o"},
                                   {.text = "x"},
                                   {.code = Key::Code::escape},
                                   {.code = Key::Code::escape},
                                   {.text = "k"}};
    for (const TtySize& size : {TtySize{80, 24}, TtySize{200, 60}}) {
        Painter painter(Painter::Place::full_screen, Painter::Colors::ansi);
        std::vector<double> samples;
        for (int i = 0; i < 1000; ++i) {
            const auto before = Clock::now();
            const InboxNow now{Mono(std::chrono::hours(1)), Instant(std::chrono::hours(1))};
            (void)reduce(state, keys[static_cast<std::size_t>(i) % keys.size()], now);
            (void)painter.paint(draw_inbox(
                state, {.columns = size.columns, .rows = size.rows, .shown_time = shown_time},
                now.wall));
            samples.push_back(Ms(Clock::now() - before).count());
        }
        const Figures figures = figures_of(std::move(samples));
        fmt::print("key    {} asks, {}x{}: median {:.2f} ms, p99 {:.2f} ms, worst {:.2f} ms\n",
                   asks, size.columns, size.rows, figures.median, figures.p99, figures.worst);
        bench::record({.what = fmt::format("key to picture, inbox of {} asks, {}x{}", asks,
                                           size.columns, size.rows),
                       .unit = "ms",
                       .values = {figures.median}});
    }
}

void measure_text(std::size_t bytes) {
    const auto spec = std::make_shared<AskSpec>(
        AskSpec{.questions = {{.text = "What happened?", .header = "Log", .options = {}}}});
    PromptState state(spec, {});
    std::string pasted;
    while (pasted.size() < bytes)
        pasted += "2026-11-17 03:14:15 shop: the payment was tried again\n";
    const Mono now{std::chrono::hours(1)};
    const auto before = Clock::now();
    for (std::string_view rest = pasted; !rest.empty();
         rest.remove_prefix(std::min<std::size_t>(rest.size(), 4096)))
        (void)reduce(state, {.code = Key::Code::paste, .text = std::string(rest.substr(0, 4096))},
                     now);
    const double paste = Ms(Clock::now() - before).count();
    std::vector<double> samples;
    Painter painter(Painter::Place::in_line, Painter::Colors::ansi);
    for (int i = 0; i < 50; ++i) {
        const auto start = Clock::now();
        (void)reduce(state, {.text = "x"}, now);
        const PromptDrawing drawing = draw_prompt(state, {});
        (void)painter.paint(to_picture(drawing.block, 80, 23));
        samples.push_back(Ms(Clock::now() - start).count());
    }
    const Figures figures = figures_of(std::move(samples));
    fmt::print(
        "text   {} bytes pasted in {:.1f} ms; then a key: median {:.2f} ms, worst {:.2f} ms\n",
        pasted.size(), paste, figures.median, figures.worst);
    bench::record({.what = fmt::format("key to picture, a text of {} bytes", pasted.size()),
                   .unit = "ms",
                   .values = {figures.median}});
}

// From fork to the first bytes that hold `wanted`; to the end of the program without one.
double start_ms(const std::vector<std::string>& words, std::string_view wanted) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    winsize size = {.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    int terminal = -1;
    const auto before = Clock::now();
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
        ::setenv("TERM", "xterm-256color", 1);
        ::setenv("LANG", "C.UTF-8", 1);
        ::setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
        ::execv(arguments[0], arguments.data());
        ::_exit(127);
    }
    std::string seen;
    std::array<char, 65536> bytes;
    for (;;) {
        const ssize_t count = ::read(terminal, bytes.data(), bytes.size());
        if (count <= 0) break;
        seen.append(bytes.data(), static_cast<std::size_t>(count));
        if (!wanted.empty() && seen.find(wanted) != std::string::npos) break;
    }
    const double taken = Ms(Clock::now() - before).count();
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(terminal);
    return taken;
}

void measure_start(const std::string& program) {
    std::vector<double> ours;
    std::vector<double> bare;
    for (int i = 0; i < 50; ++i) {
        ours.push_back(
            start_ms({program, "ask", "Tea or coffee?", "-o", "Tea", "-o", "Coffee"}, "└"));
        bare.push_back(start_ms({"/bin/true"}, ""));
    }
    const Figures start = figures_of(std::move(ours));
    fmt::print(
        "start  `parley ask` to its first picture: median {:.1f} ms, worst {:.1f} ms; "
        "/bin/true: median {:.1f} ms\n",
        start.median, start.worst, figures_of(std::move(bare)).median);
}

}  // namespace

int main(int count, char** words) {
    std::uint64_t asks = 1000;
    // Beside the folder of the benchmarks.
    std::string program = std::filesystem::path(words[0]).parent_path().parent_path() / "parley";
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string_view name = words[i];
        const std::string_view value = words[i + 1];
        if (name == "--asks")
            (void)std::from_chars(value.data(), value.data() + value.size(), asks);
        if (name == "--program") program = value;
    }
    measure_keys(asks);
    for (const std::size_t bytes : {1'000U, 108'000U, 658'000U}) measure_text(bytes);
    measure_start(program);
    return 0;
}
