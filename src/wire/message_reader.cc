// SPDX-License-Identifier: Apache-2.0
#include "wire/message_reader.h"

#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/assert.h"
#include "base/sizes.h"
#include "wire/limits.h"

namespace parley::wire {

namespace http = boost::beast::http;
using BeastError = boost::beast::error_code;
using BeastView = boost::beast::string_view;

// Writes into Fields; nobody else may.
class HeadReader {
public:
    static std::string& text(Fields& fields) { return fields.text_; }
    static void clear(Fields& fields) {
        fields.text_.clear();
        fields.places_.clear();
    }
    static void add(Fields& fields, BeastView name, BeastView value) {
        const char* base = fields.text_.data();
        ASSERT(name.data() >= base && value.data() + value.size() <= base + fields.text_.size());
        fields.places_.push_back({.name = static_cast<std::uint32_t>(name.data() - base),
                                  .name_bytes = static_cast<std::uint32_t>(name.size()),
                                  .value = static_cast<std::uint32_t>(value.data() - base),
                                  .value_bytes = static_cast<std::uint32_t>(value.size())});
    }
};

namespace {

// "0\r\n\r\n": a chunked body cannot end, nor a chunk begin, with fewer bytes to come. Beast 1.81
// runs into an assertion of its own when it sees the last chunk cut within these.
constexpr std::size_t kChunkHeaderSize = 5;

// Beast's callbacks, turned into our values.
template <bool kIsRequest>
class Callbacks final : public http::basic_parser<kIsRequest> {
public:
    Callbacks(Fields& fields, std::string& body, const ParserLimits& limits)
        : fields_(fields), body_(body), fields_max_(limits.fields_max) {
        this->eager(true);
        this->header_limit(std::numeric_limits<std::uint32_t>::max());
        this->body_limit(boost::none);
        body_bytes_max = limits.body_bytes_max;
    }

    StartLine start;
    std::size_t body_bytes_max = 0;
    std::size_t body_bytes = 0;
    std::uint64_t chunk_left = 0;  // of the chunk that is being read
    std::optional<ParseFault> fault;

private:
    static std::string_view view(BeastView text) { return {text.data(), text.size()}; }

    void refuse(int status, std::string detail, BeastError& error) {
        fault = ParseFault{status, std::move(detail)};
        error = http::error::bad_value;
    }

    void on_request_impl(http::verb, BeastView method, BeastView target, int version,
                         BeastError&) override {
        start.method = view(method);
        start.target = view(target);
        start.minor_version = version % 10;
    }
    void on_response_impl(int status, BeastView reason, int version, BeastError&) override {
        start.status = status;
        start.reason = view(reason);
        start.minor_version = version % 10;
    }
    void on_field_impl(http::field, BeastView name, BeastView value, BeastError& error) override {
        if (in_body_) return;  // a trailer; nobody here has a use for one
        if (fields_.size() == fields_max_) return refuse(431, "Too many header fields.", error);
        HeadReader::add(fields_, name, value);
    }
    void on_header_impl(BeastError&) override { in_body_ = true; }
    void on_body_init_impl(const boost::optional<std::uint64_t>& length, BeastError&) override {
        if (length) body_.reserve(std::min<std::uint64_t>(*length, limits::kBodyReserveBytes));
    }
    std::size_t on_body_impl(BeastView bytes, BeastError& error) override {
        if (bytes.size() > body_bytes_max - body_bytes) {
            refuse(413, "The body is larger than is accepted here.", error);
            return 0;
        }
        body_bytes += bytes.size();
        body_.append(bytes.data(), bytes.size());
        return bytes.size();
    }
    void on_chunk_header_impl(std::uint64_t size, BeastView, BeastError& error) override {
        if (size > body_bytes_max - body_bytes) {
            return refuse(413, "The body is larger than is accepted here.", error);
        }
        chunk_left = size;
    }
    std::size_t on_chunk_body_impl(std::uint64_t, BeastView bytes, BeastError& error) override {
        const std::size_t used = on_body_impl(bytes, error);
        chunk_left -= used;
        return used;
    }
    void on_finish_impl(BeastError&) override {}

    Fields& fields_;
    std::string& body_;
    std::size_t fields_max_;
    bool in_body_ = false;
};

const char* describe(const BeastError& error) {
    if (error == http::error::bad_method || error == http::error::bad_target ||
        error == http::error::bad_version || error == http::error::bad_status ||
        error == http::error::bad_reason) {
        return "The start line is malformed.";
    }
    if (error == http::error::bad_content_length || error == http::error::multiple_content_length ||
        error == http::error::bad_transfer_encoding) {
        return "The message's length is ambiguous.";
    }
    return "A header field is malformed.";
}

bool names_other_version(std::string_view head) {
    const std::string_view line = head.substr(0, head.find('\r'));
    return line.rfind(" HTTP/") != std::string_view::npos &&
           std::count(line.begin(), line.end(), ' ') == 2;
}

}  // namespace

template <HttpMessage kKind>
struct MessageReader<kKind>::Beast {
    // Beast's parser serves one message only.
    std::optional<Callbacks<kKind == HttpMessage::request>> parser;
};

template <HttpMessage kKind>
MessageReader<kKind>::MessageReader(const ParserLimits& limits, Fields& fields, std::string& body)
    : limits_(limits), fields_(fields), body_(body), beast_(std::make_unique<Beast>()) {}

template <HttpMessage kKind>
MessageReader<kKind>::~MessageReader() = default;

template <HttpMessage kKind>
bool MessageReader<kKind>::started() const {
    return phase_ != Phase::head || !HeadReader::text(fields_).empty();
}

template <HttpMessage kKind>
bool MessageReader<kKind>::collect_head(std::string_view& input) {
    std::string& text = HeadReader::text(fields_);
    const std::size_t before = text.size();
    const std::size_t room = limits_.head_bytes_max - before;
    text.append(input.substr(0, room));
    const auto found = scanner_.scan(text);
    if (found == HeadScanner::Found::nothing) {
        if (input.size() > room) return refuse_long_head();
        input = {};
        return false;
    }
    if (found != HeadScanner::Found::end) return refuse_scan(found);
    input.remove_prefix(scanner_.head_bytes() - before);
    text.resize(scanner_.head_bytes());
    // Beast knows no blank lines before the start line.
    const std::string_view head = std::string_view(text).substr(scanner_.skip_bytes());
    auto& parser = beast_->parser.emplace(fields_, body_, limits_);
    if (skip_body_) parser.skip(true);
    BeastError error;
    parser.put({head.data(), head.size()}, error);
    if (!error) return true;
    if (parser.fault) {
        refuse(parser.fault->status, parser.fault->detail);
    } else if (error == http::error::bad_version && names_other_version(head)) {
        refuse(505, "Only HTTP/1.0 and HTTP/1.1 are spoken here.");
    } else {
        refuse(400, describe(error));
    }
    return false;
}

template <HttpMessage kKind>
bool MessageReader<kKind>::refuse_long_head() {
    if (scanner_.start_line_complete()) {
        refuse(431, "The header fields are too large.");
    } else {
        refuse(414, "The start line is too long.");
    }
    return false;
}

template <HttpMessage kKind>
bool MessageReader<kKind>::refuse_scan(HeadScanner::Found found) {
    switch (found) {
        case HeadScanner::Found::bare_line_feed:
            refuse(400, "Header lines must end with CR LF.");
            break;
        case HeadScanner::Found::folded_line:
            refuse(400, "Folded header lines are not accepted.");
            break;
        default: refuse(400, "This is not an HTTP/1.1 message."); break;
    }
    return false;
}

template <HttpMessage kKind>
Step MessageReader<kKind>::feed_body(std::string_view& input) {
    auto& parser = *beast_->parser;
    if (!parser.is_done()) {
        if (input.empty()) return Step::need_more;
        // A chunk's size line that was cut must be whole when Beast sees it.
        const bool straddles = !pending_.empty();
        if (straddles) pending_.append(input);
        const std::string_view bytes = straddles ? std::string_view(pending_) : input;
        if (parser.chunked() && parser.chunk_left == 0 && bytes.size() < kChunkHeaderSize) {
            if (!straddles) pending_ = input;
            input = {};
            return Step::need_more;
        }
        BeastError error;
        const std::size_t used = parser.put({bytes.data(), bytes.size()}, error);
        if (error && error != http::error::need_more) {
            if (parser.fault) return refuse(parser.fault->status, parser.fault->detail);
            return refuse(400, "The chunked body is malformed.");
        }
        if (!accept_framing(used)) return Step::failed;
        const std::size_t left = bytes.size() - used;
        if (!parser.is_done()) {
            if (left > limits::kChunkLineBytes) {
                return refuse(400, "A chunk's size line or trailer is too long.");
            }
            pending_ = std::string(bytes.substr(used));
            input = {};
            return Step::need_more;
        }
        ASSERT(left <= input.size());
        pending_.clear();
        input.remove_prefix(input.size() - left);
    }
    phase_ = Phase::done;
    return Step::done;
}

// What is not body is framing, which costs work and must not come without end. In a response it
// may: an event stream lasts for as long as its reader wants it.
template <HttpMessage kKind>
bool MessageReader<kKind>::accept_framing(std::size_t used) {
    if (kKind == HttpMessage::response || !beast_->parser->chunked()) return true;
    used_ += used;
    if (used_ - beast_->parser->body_bytes <= limits::kChunkOverheadBytes) return true;
    refuse(400, "The chunked body is mostly framing.");
    return false;
}

template <HttpMessage kKind>
Step MessageReader<kKind>::end_of_input() {
    if (phase_ == Phase::done) return Step::done;
    if (phase_ == Phase::failed) return Step::failed;
    if (phase_ == Phase::body) {
        BeastError error;
        beast_->parser->put_eof(error);
        if (!error) {
            phase_ = Phase::done;
            return Step::done;
        }
    }
    return refuse(400, "The connection ended in the middle of a message.");
}

template <HttpMessage kKind>
Step MessageReader<kKind>::refuse(int status, std::string detail) {
    fault_ = {status, std::move(detail)};
    phase_ = Phase::failed;
    return Step::failed;
}

template <HttpMessage kKind>
const StartLine& MessageReader<kKind>::start() const {
    return beast_->parser->start;
}
template <HttpMessage kKind>
bool MessageReader<kKind>::keep_alive() const {
    return beast_->parser->keep_alive();
}
template <HttpMessage kKind>
bool MessageReader<kKind>::upgrade() const {
    return beast_->parser->upgrade();
}
template <HttpMessage kKind>
bool MessageReader<kKind>::chunked() const {
    return beast_->parser->chunked();
}
template <HttpMessage kKind>
std::optional<std::uint64_t> MessageReader<kKind>::content_length() const {
    const auto length = beast_->parser->content_length();
    if (!length) return std::nullopt;
    return *length;
}
template <HttpMessage kKind>
void MessageReader<kKind>::limit_body(std::size_t bytes_max) {
    beast_->parser->body_bytes_max = bytes_max;
}

template <HttpMessage kKind>
void MessageReader<kKind>::reset() {
    HeadReader::clear(fields_);
    body_.clear();
    // An idle connection must not keep what one large body needed.
    if (body_.capacity() > limits::kBodyReserveBytes) body_.shrink_to_fit();
    scanner_ = {};
    beast_->parser.reset();
    pending_.clear();
    used_ = 0;
    phase_ = Phase::head;
}

template class MessageReader<HttpMessage::request>;
template class MessageReader<HttpMessage::response>;

}  // namespace parley::wire
