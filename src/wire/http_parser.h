// SPDX-License-Identifier: Apache-2.0
// Incremental parsers for HTTP/1.1 requests and responses: bytes in, messages out, no I/O. They
// stand on Beast's parser and refuse what it lets through and two servers could read differently
// (any transfer coding but exactly "chunked", folded lines, a missing or second Host, …).
// One parser serves one connection; it holds no bytes beyond the message it is in.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "wire/http_message.h"
#include "wire/limits.h"

namespace parley::wire {

struct ParserLimits {
    std::size_t head_bytes_max = limits::kHttpHeadBytes;
    std::size_t target_bytes_max = limits::kHttpTargetBytes;
    std::size_t fields_max = limits::kHttpFields;
    std::size_t body_bytes_max = limits::kBodyBytes;
};

// Why a message was refused: the status that a server answers with, and a sentence for people that
// repeats nothing of the message.
struct ParseFault {
    int status = 400;
    std::string detail;
};

enum class Step {
    need_more,  // the input is used up
    head,       // the head is complete; step again for the body
    done,       // the message is complete; what is left of the input is the next message's
    failed,     // see fault(); the connection cannot be used for another message
};

class RequestParser {
public:
    explicit RequestParser(ParserLimits limits = {});
    ~RequestParser();
    RequestParser(RequestParser&&) noexcept;
    RequestParser& operator=(RequestParser&&) noexcept;

    // Takes what it can use from the front of `input`. After `done`, next() must come first.
    [[nodiscard]] Step step(std::string_view& input);
    // Between `head` and the next step: what this request's body may have.
    void limit_body(std::size_t bytes_max);

    // Valid from `head` until next(). The body is complete at `done`.
    Request& message();
    const ParseFault& fault() const;
    // Whether anything of the current message was seen.
    bool started() const;
    // Ready for the next message; memory of the last one is kept for it.
    void next();
    // The same, and gives large buffers back.
    void next_and_release();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

class ResponseParser {
public:
    explicit ResponseParser(ParserLimits limits = {});
    ~ResponseParser();
    ResponseParser(ResponseParser&&) noexcept;
    ResponseParser& operator=(ResponseParser&&) noexcept;

    // Before the first step of each response: the method that it answers, since HEAD has no body.
    void expect_answer_to(Method method);
    // Interim responses (1xx but 101) are skipped.
    [[nodiscard]] Step step(std::string_view& input);
    // The connection ended: `done` where that is how the body ends, else `failed`.
    [[nodiscard]] Step end_of_input();

    const ResponseHead& head() const;
    // The body bytes decoded since the last call.
    std::string take_body();
    const ParseFault& fault() const;
    bool started() const;
    void next();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace parley::wire
