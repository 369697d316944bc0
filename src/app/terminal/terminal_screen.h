// SPDX-License-Identifier: Apache-2.0
// A terminal that shows pictures and gives keys: raw mode, painting, resizing, stopping and going
// on, and lending the terminal to an editor. Its owner says what is to be shown. Lives on the loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/lifetime.h"
#include "base/loop_thread.h"
#include "base/result.h"
#include "net/loop.h"
#include "net/readable_watch.h"
#include "term/key_decoder.h"
#include "term/painter.h"
#include "term/raw_mode.h"
#include "term/tty.h"

namespace parley::app {

class TerminalScreen {
public:
    class Owner {
    public:
        virtual ~Owner() = default;
        virtual void on_key(const Key& key) = 0;
        // What is to be shown in so much room.
        virtual Picture picture(TtySize size) = 0;
        // The terminal is gone: there is nobody to show anything to.
        virtual void on_hang_up() = 0;
    };

    struct Options {
        int in = 0;
        int out = 2;
        Painter::Place place = Painter::Place::in_line;
        Painter::Colors colors = Painter::Colors::ansi;
    };

    // `owner` outlives the screen.
    [[nodiscard]] static Result<std::unique_ptr<TerminalScreen>> open(net::Loop& loop,
                                                                      const Options& options,
                                                                      Owner& owner);
    // Takes an inline picture away and gives the terminal back.
    ~TerminalScreen();
    TerminalScreen(const TerminalScreen&) = delete;
    TerminalScreen& operator=(const TerminalScreen&) = delete;

    void redraw();
    // As Ctrl-Z does. Nothing where the shell lets nobody stop.
    void suspend();
    void beep(std::string_view words);

    // Lends the terminal to the person's editor, with `text` in a file.
    using Edited = UniqueFunction<void(Result<std::string>)>;
    void edit(const Environment& environment, std::string text, Edited done);
    bool is_lent() const { return editing_ != nullptr; }

private:
    struct Editing;

    TerminalScreen(net::Loop& loop, const Options& options, Owner& owner);

    void watch();
    void watch_signals();
    void read();
    void give(std::vector<Key> keys);
    void await_rest();
    void stop_process();
    void go_on();
    void resize();
    void editor_ended(int status);
    void write(std::string_view bytes);

    net::Loop& loop_;
    const Options options_;
    Owner& owner_;
    KeyDecoder decoder_;
    Painter painter_;
    std::unique_ptr<RawMode> raw_;
    std::unique_ptr<net::ReadableWatch> watch_;
    std::uint64_t reads_ = 0;  // tells a patience that is over from one that was not needed
    bool is_stale_ = false;    // keys came after the last picture
    bool can_stop_ = false;
    bool is_left_ = false;  // stopped: the terminal is the shell's until the process goes on
    std::unique_ptr<Editing> editing_;
    Lifetime alive_;
};

// Whether a picture can be shown at all: two terminals that know their size, and not a dumb one.
bool can_show_pictures(const Environment& environment, int in, int out);

}  // namespace parley::app
