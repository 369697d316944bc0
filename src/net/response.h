// SPDX-License-Identifier: Apache-2.0
// What a handler answers with: a status, header lines and a body that is owned, shared or static.
// Refusal is what the server itself, or the gate, answers with; a door gives it its own shape.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "wire/http_writer.h"

namespace parley::net {

using SharedText = std::shared_ptr<const std::string>;

class Body {
public:
    Body() = default;
    Body(std::string text) : own_(std::move(text)) {}    // NOLINT(google-explicit-constructor)
    Body(SharedText text) : shared_(std::move(text)) {}  // NOLINT(google-explicit-constructor)
    Body(const char* text) : own_(text) {}               // NOLINT(google-explicit-constructor)
    // Bytes that live as long as the program, such as the embedded page.
    static Body literal(std::string_view text) {
        Body body;
        body.literal_ = text;
        return body;
    }

    std::string_view view() const {
        if (shared_) return *shared_;
        return literal_.empty() ? std::string_view(own_) : literal_;
    }
    std::size_t size() const { return view().size(); }

private:
    friend class OutQueue;

    std::string own_;
    SharedText shared_;
    std::string_view literal_;
};

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kProblemJson = "application/problem+json";
inline constexpr std::string_view kEventStream = "text/event-stream";
inline constexpr std::string_view kPlainText = "text/plain; charset=utf-8";
inline constexpr std::string_view kHtml = "text/html; charset=utf-8";

struct Response {
    int status = 200;
    std::string_view content_type = {};  // a literal; "" writes none
    wire::HeaderBlock headers = {};      // further lines; never Content-Length or Connection
    Body body = {};
};

struct Refusal {
    int status = 400;
    std::string detail;              // a sentence for people; repeats nothing secret
    std::string_view type = {};      // a literal that programs can branch on, "" for none
    wire::HeaderBlock headers = {};  // Allow, WWW-Authenticate, Retry-After…
};

}  // namespace parley::net
