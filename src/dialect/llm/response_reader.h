// SPDX-License-Identifier: Apache-2.0
// What a model says, from the events of its server's stream: text as it grows, and in the end all
// of it. A fold over the events, without I/O. An Error is `unavailable` if asking again may help,
// anything else if it would not.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dialect/llm/conversation.h"
#include "dialect/llm/request.h"

namespace parley::llm {

class ResponseReader {
public:
    // More of the text that has this place among the blocks.
    struct Piece {
        std::size_t block = 0;
        std::string text;
    };

    virtual ~ResponseReader() = default;

    // The data of one event.
    [[nodiscard]] virtual Result<std::vector<Piece>> take(std::string_view data) = 0;
    // Nothing more is to come.
    virtual bool is_whole() const = 0;
    // A stream that ends here has not lost anything.
    virtual bool may_end() const = 0;
    // What there is so far; blocks keep their places.
    virtual Response response() const = 0;
};

std::unique_ptr<ResponseReader> make_reader(Api api);

}  // namespace parley::llm
