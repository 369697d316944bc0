// SPDX-License-Identifier: Apache-2.0
#include "door/mcp/request_headers.h"

#include <fmt/format.h>

#include "bridge/mcp/call.h"
#include "wire/header_text.h"

namespace parley::mcp {

namespace {

constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";
constexpr std::string_view kEncodedStart = "=?base64?";
constexpr std::string_view kEncodedEnd = "?=";

// A header's value as it was meant; nothing if its encoding is broken.
std::optional<std::string> decoded(std::string_view value) {
    if (!value.starts_with(kEncodedStart) || !value.ends_with(kEncodedEnd))
        return std::string(value);
    value.remove_prefix(kEncodedStart.size());
    value.remove_suffix(kEncodedEnd.size());
    return wire::base64_decode(value);
}

// What Mcp-Name must repeat; nothing where the method has no name.
std::optional<std::string_view> named(const wire::rpc::Request& request) {
    const std::string_view method = request.method;
    if (method == "tools/call" || method == "prompts/get") return "name";
    if (method == "resources/read") return "uri";
    if (method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel")
        return "taskId";
    return std::nullopt;
}

bool accepts(const net::Exchange& exchange, std::string_view type) {
    return wire::accept_quality(exchange.header("Accept"), type) > 0;
}

HeaderFault differs(std::string_view header) {
    return {.code = kHeaderMismatch,
            .message = fmt::format("{} is missing, or not as in the body", header)};
}

}  // namespace

bool says_modern(const net::Exchange& exchange) {
    return exchange.header(kVersionHeader) == kModernVersion;
}

std::optional<HeaderFault> check_posted(const net::Exchange& exchange) {
    if (accepts(exchange, net::kJson) && accepts(exchange, net::kEventStream)) return std::nullopt;
    return HeaderFault{.status = 406,
                       .message = "Accept must name both application/json and text/event-stream"};
}

std::optional<HeaderFault> check_listening(const net::Exchange& exchange) {
    if (auto fault = check_ending(exchange)) return fault;
    if (accepts(exchange, net::kEventStream)) return std::nullopt;
    return HeaderFault{.status = 406, .message = "Accept must name text/event-stream"};
}

std::optional<HeaderFault> check_ending(const net::Exchange& exchange) {
    if (!says_modern(exchange)) return std::nullopt;
    return HeaderFault{.status = 405, .message = "this version has POST only"};
}

std::optional<HeaderFault> check_legacy(const net::Exchange& exchange) {
    const std::string_view version = exchange.header(kVersionHeader);
    if (!version.empty() && !is_legacy_version(version))
        return HeaderFault{.message = fmt::format("the version {} is not supported", version)};
    if (!exchange.request().fields.find(kSessionHeader))
        return HeaderFault{.message = "Mcp-Session-Id is missing; begin with initialize"};
    return std::nullopt;
}

std::optional<HeaderFault> check_modern(const net::Exchange& exchange,
                                        const wire::rpc::Request& request) {
    if (!is_modern(request.params))
        return HeaderFault{.code = wire::rpc::kInvalidParams,
                           .message = "the request has no _meta of this version"};
    if (exchange.header(kVersionHeader) != modern_version(request.params))
        return differs(kVersionHeader);
    if (exchange.header("Mcp-Method") != request.method) return differs("Mcp-Method");
    if (const auto member_name = named(request)) {
        const auto name = text_member(request.params, *member_name);
        const auto header = exchange.request().fields.find("Mcp-Name");
        if (name && (!header || decoded(*header) != *name)) return differs("Mcp-Name");
    }
    return std::nullopt;
}

}  // namespace parley::mcp
