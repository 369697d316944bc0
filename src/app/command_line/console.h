// SPDX-License-Identifier: Apache-2.0
// The three streams of the process and what is known about them. Answers go to stdout, words for
// people to stderr. One per process, used from the main thread.
#pragma once

#include <string_view>

#include "base/environment.h"
#include "prompt/plain_page.h"

namespace parley::app {

class Console {
public:
    static constexpr int kIn = 0;
    static constexpr int kOut = 1;
    static constexpr int kErr = 2;

    explicit Console(const Environment& environment);

    void print(std::string_view text) { write(kOut, text); }
    // One JSON document on a line of its own; what it holds can do nothing to a terminal.
    void print_json(std::string_view document);
    void tell(std::string_view text) { write(kErr, text); }
    // What was printed did not arrive: the reader is gone, or the disk is full.
    bool has_lost_output() const { return has_lost_output_; }
    // Nobody can read any more what would be printed.
    bool is_reader_gone() const;

    bool is_in_tty() const { return is_in_tty_; }
    bool is_out_tty() const { return is_out_tty_; }
    bool is_err_tty() const { return is_err_tty_; }
    // A person can read a prompt and type an answer.
    bool is_interactive() const { return is_in_tty_ && is_err_tty_; }

    // How text for people is laid out: on stderr, and help on stdout.
    PlainStyle err_style() const;
    PlainStyle out_style() const;
    // For rows on stdout that are cut, not wrapped: as wide as the terminal, whole without one.
    PlainStyle row_style() const;

private:
    void write(int fd, std::string_view text);
    PlainStyle style_of(int fd, bool is_tty) const;

    bool is_in_tty_;
    bool is_out_tty_;
    bool is_err_tty_;
    bool is_utf8_;
    bool wants_emphasis_;
    bool has_lost_output_ = false;
};

}  // namespace parley::app
