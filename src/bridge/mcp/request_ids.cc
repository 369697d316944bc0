// SPDX-License-Identifier: Apache-2.0
#include "bridge/mcp/request_ids.h"

#include <fmt/format.h>

#include <charconv>

#include "net/secret.h"

namespace parley::mcp {

namespace rpc = wire::rpc;

namespace {

constexpr std::string_view kRequestPrefix = "parley-";
constexpr std::size_t kMarkLength = 6;

}  // namespace

RequestIds::RequestIds() : mark_(net::sha256_hex(net::random_secret()).substr(0, kMarkLength)) {}

rpc::Id RequestIds::id(std::uint64_t number) const {
    return rpc::Id{fmt::format("{}{}-{}", kRequestPrefix, mark_, number)};
}

std::optional<std::uint64_t> RequestIds::number(const rpc::Id& id) const {
    const auto* text = std::get_if<std::string>(&id.value);
    const std::string start = fmt::format("{}{}-", kRequestPrefix, mark_);
    if (text == nullptr || !text->starts_with(start)) return std::nullopt;
    const char* end = text->data() + text->size();
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(text->data() + start.size(), end, number);
    if (error != std::errc() || stop != end) return std::nullopt;
    return number;
}

const rpc::Id* replied_to(const rpc::Message& message) {
    if (const auto* response = std::get_if<rpc::Response>(&message)) return &response->id;
    if (const auto* failure = std::get_if<rpc::Failure>(&message)) return &failure->id;
    return nullptr;
}

bool may_be_awaited(const rpc::Message& message) {
    if (const rpc::Id* id = replied_to(message)) {
        const auto* text = std::get_if<std::string>(&id->value);
        return text != nullptr && text->starts_with(kRequestPrefix);
    }
    const auto* notification = std::get_if<rpc::Notification>(&message);
    return notification != nullptr && notification->method == kCancelled;
}

}  // namespace parley::mcp
