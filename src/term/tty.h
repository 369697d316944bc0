// SPDX-License-Identifier: Apache-2.0
// What a program may ask of the terminal behind a file descriptor. Free functions without state; a
// descriptor that is no terminal is no error.
#pragma once

#include <optional>

namespace parley {

struct TtySize {
    int columns = 0;
    int rows = 0;
};

bool is_tty(int fd);
// nullopt if it is no terminal, or one that does not know its size.
std::optional<TtySize> tty_size(int fd);
// Drops what was typed and not read yet, so that it reaches neither a prompt that the person has
// not seen nor, after the prompt has ended by itself, the shell. Gives whether there was anything,
// also a line that was only begun.
bool discard_typed(int fd);

}  // namespace parley
