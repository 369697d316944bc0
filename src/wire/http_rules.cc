// SPDX-License-Identifier: Apache-2.0
#include "wire/http_rules.h"

#include <algorithm>
#include <string_view>

namespace parley::wire {

namespace {

bool is_host_text(std::string_view host) {
    static constexpr std::string_view kAllowed = "-._~%!$&'()*+;=:[]";
    return std::all_of(host.begin(), host.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               kAllowed.find(c) != std::string_view::npos;
    });
}

bool is_visible_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x21 && c <= 0x7e; });
}

}  // namespace

const char* find_ambiguous_length(const Fields& fields, int minor_version) {
    std::size_t lengths = 0;
    std::size_t codings = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const Field field = fields.at(i);
        if (equals_ignoring_case(field.name, "content-length")) {
            ++lengths;
            if (field.value.empty() ||
                field.value.find_first_not_of("0123456789") != std::string_view::npos) {
                return "Content-Length must be one number.";
            }
        } else if (equals_ignoring_case(field.name, "transfer-encoding")) {
            ++codings;
            if (!equals_ignoring_case(field.value, "chunked")) {
                return "The only Transfer-Encoding accepted is \"chunked\".";
            }
        }
    }
    if (lengths > 1) return "Content-Length is given twice.";
    if (codings > 1) return "Transfer-Encoding is given twice.";
    if (codings == 1 && lengths == 1) return "Both Content-Length and Transfer-Encoding are given.";
    if (codings == 1 && minor_version == 0) return "HTTP/1.0 has no Transfer-Encoding.";
    return nullptr;
}

std::optional<ParseFault> find_request_fault(const Request& request, const ParserLimits& limits) {
    if (request.target.size() > limits.target_bytes_max) {
        return ParseFault{414, "The request target is too long."};
    }
    if (!is_visible_ascii(request.target)) {
        return ParseFault{400, "The request target must be ASCII."};
    }
    if (const char* wrong = find_ambiguous_length(request.fields, request.minor_version)) {
        return ParseFault{400, wrong};
    }
    const std::size_t hosts = request.fields.count("host");
    if (hosts > 1) return ParseFault{400, "Host is given twice."};
    if (hosts == 0 && request.minor_version >= 1) return ParseFault{400, "Host is missing."};
    if (!is_host_text(request.fields.get("host"))) return ParseFault{400, "Host is malformed."};
    const auto expect = request.fields.find("expect");
    if (expect && !equals_ignoring_case(*expect, "100-continue")) {
        return ParseFault{417, "The only expectation met here is 100-continue."};
    }
    return std::nullopt;
}

}  // namespace parley::wire
