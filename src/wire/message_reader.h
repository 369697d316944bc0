// SPDX-License-Identifier: Apache-2.0
// What the request and the response parser have in common: collecting a head, feeding a body to
// Beast, turning what it finds wrong into a ParseFault. Part of the parsers; its .cc file is the
// only one that sees Beast's HTTP headers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "wire/head_scanner.h"
#include "wire/http_message.h"
#include "wire/http_parser.h"

namespace parley::wire {

enum class HttpMessage { request, response };

// Views into the head's text.
struct StartLine {
    std::string_view method;
    std::string_view target;
    std::string_view reason;
    int status = 0;
    int minor_version = 1;
};

template <HttpMessage kKind>
class MessageReader {
public:
    enum class Phase { head, body, done, failed };

    // Both must outlive the reader.
    MessageReader(const ParserLimits& limits, Fields& fields, std::string& body);
    ~MessageReader();

    Phase phase() const { return phase_; }
    const ParseFault& fault() const { return fault_; }
    bool started() const;

    // True once the head is complete and understood. Then accept_head() or refuse() must follow.
    bool collect_head(std::string_view& input);
    void accept_head() { phase_ = Phase::body; }
    Step feed_body(std::string_view& input);
    Step end_of_input();
    Step refuse(int status, std::string detail);

    // Valid after collect_head() was true.
    const StartLine& start() const;
    bool keep_alive() const;
    bool upgrade() const;
    bool chunked() const;
    std::optional<std::uint64_t> content_length() const;
    void limit_body(std::size_t bytes_max);

    void skip_bodies(bool skip) { skip_body_ = skip; }
    void reset();

private:
    struct Beast;

    bool refuse_long_head();
    bool refuse_scan(HeadScanner::Found found);
    bool accept_framing(std::size_t used);

    const ParserLimits& limits_;
    Fields& fields_;
    std::string& body_;
    std::unique_ptr<Beast> beast_;
    HeadScanner scanner_;
    std::string pending_;   // a chunk's size line that is not complete yet
    std::size_t used_ = 0;  // by the body, framing included
    Phase phase_ = Phase::head;
    ParseFault fault_;
    bool skip_body_ = false;
};

extern template class MessageReader<HttpMessage::request>;
extern template class MessageReader<HttpMessage::response>;

}  // namespace parley::wire
