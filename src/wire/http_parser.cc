// SPDX-License-Identifier: Apache-2.0
#include "wire/http_parser.h"

#include <utility>

#include "base/assert.h"
#include "wire/http_rules.h"
#include "wire/message_reader.h"

namespace parley::wire {

struct RequestParser::Impl {
    using Reader = MessageReader<HttpMessage::request>;

    explicit Impl(ParserLimits given)
        : limits(given), reader(limits, message.fields, message.body) {}

    Step take_head();

    ParserLimits limits;
    Request message;
    Reader reader;
};

RequestParser::RequestParser(ParserLimits limits) : impl_(std::make_unique<Impl>(limits)) {}
RequestParser::~RequestParser() = default;
RequestParser::RequestParser(RequestParser&&) noexcept = default;
RequestParser& RequestParser::operator=(RequestParser&&) noexcept = default;

Step RequestParser::step(std::string_view& input) {
    auto& reader = impl_->reader;
    switch (reader.phase()) {
        case Impl::Reader::Phase::head:
            if (reader.collect_head(input)) return impl_->take_head();
            return reader.phase() == Impl::Reader::Phase::failed ? Step::failed : Step::need_more;
        case Impl::Reader::Phase::body: return reader.feed_body(input);
        case Impl::Reader::Phase::done: return Step::done;
        case Impl::Reader::Phase::failed: break;
    }
    return Step::failed;
}

Step RequestParser::Impl::take_head() {
    const StartLine& start = reader.start();
    message.method = method_from(start.method);
    message.method_text = start.method;
    message.target = start.target;
    message.minor_version = start.minor_version;
    message.keep_alive = reader.keep_alive();
    message.wants_upgrade = reader.upgrade();
    message.chunked = reader.chunked();
    message.content_length = reader.content_length();
    message.expects_continue = start.minor_version >= 1 && message.fields.find("expect");
    if (const auto wrong = find_request_fault(message, limits)) {
        return reader.refuse(wrong->status, wrong->detail);
    }
    reader.accept_head();
    return Step::head;
}

void RequestParser::limit_body(std::size_t bytes_max) {
    ASSERT(impl_->reader.phase() == Impl::Reader::Phase::body);
    impl_->reader.limit_body(bytes_max);
}

Request& RequestParser::message() {
    return impl_->message;
}
const ParseFault& RequestParser::fault() const {
    return impl_->reader.fault();
}
bool RequestParser::started() const {
    return impl_->reader.started();
}
void RequestParser::next() {
    impl_->reader.reset();
    impl_->message.target.clear();
}
void RequestParser::next_and_release() {
    next();
    impl_->message = Request{};
}

struct ResponseParser::Impl {
    using Reader = MessageReader<HttpMessage::response>;

    explicit Impl(ParserLimits given) : limits(given), reader(limits, head.fields, body) {}

    Step take_head();

    ParserLimits limits;
    ResponseHead head;
    std::string body;
    Reader reader;
};

ResponseParser::ResponseParser(ParserLimits limits) : impl_(std::make_unique<Impl>(limits)) {}
ResponseParser::~ResponseParser() = default;
ResponseParser::ResponseParser(ResponseParser&&) noexcept = default;
ResponseParser& ResponseParser::operator=(ResponseParser&&) noexcept = default;

void ResponseParser::expect_answer_to(Method method) {
    impl_->reader.skip_bodies(method == Method::head);
}

Step ResponseParser::step(std::string_view& input) {
    auto& reader = impl_->reader;
    switch (reader.phase()) {
        case Impl::Reader::Phase::head:
            while (reader.collect_head(input)) {
                const int status = reader.start().status;
                if (status / 100 != 1 || status == 101) return impl_->take_head();
                reader.reset();
            }
            return reader.phase() == Impl::Reader::Phase::failed ? Step::failed : Step::need_more;
        case Impl::Reader::Phase::body: return reader.feed_body(input);
        case Impl::Reader::Phase::done: return Step::done;
        case Impl::Reader::Phase::failed: break;
    }
    return Step::failed;
}

Step ResponseParser::Impl::take_head() {
    const StartLine& start = reader.start();
    head.status = start.status;
    head.reason = start.reason;
    head.minor_version = start.minor_version;
    head.keep_alive = reader.keep_alive();
    head.chunked = reader.chunked();
    head.content_length = reader.content_length();
    if (const char* wrong = find_ambiguous_length(head.fields, head.minor_version)) {
        return reader.refuse(400, wrong);
    }
    reader.accept_head();
    return Step::head;
}

Step ResponseParser::end_of_input() {
    return impl_->reader.end_of_input();
}
const ResponseHead& ResponseParser::head() const {
    return impl_->head;
}
std::string ResponseParser::take_body() {
    return std::exchange(impl_->body, {});
}
const ParseFault& ResponseParser::fault() const {
    return impl_->reader.fault();
}
bool ResponseParser::started() const {
    return impl_->reader.started();
}
void ResponseParser::next() {
    impl_->reader.reset();
}

}  // namespace parley::wire
