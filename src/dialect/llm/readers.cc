// SPDX-License-Identifier: Apache-2.0
#include "dialect/llm/readers.h"

#include "core/json_fields.h"
#include "dialect/limits.h"
#include "dialect/llm/refusal.h"

namespace parley::llm {

Result<json::Value> read_event(std::string_view data, std::size_t bytes) {
    if (bytes > limits::kLlmResponseBytes)
        return reject(ErrorCode::too_large, "the model's reply has more than {} bytes",
                      limits::kLlmResponseBytes);
    auto event = json::parse(data, {.bytes_max = limits::kLlmResponseBytes});
    if (!event)
        return reject(ErrorCode::unavailable, "the server's stream cannot be read: {}",
                      event.error().message);
    return event;
}

Rejection stream_failure(const json::Value& error) {
    const Refusal refusal = read_stream_error(error);
    return reject(refusal.is_passing ? ErrorCode::unavailable : ErrorCode::denied, "{}",
                  refusal.message);
}

std::optional<std::int64_t> whole_number(const json::Value& value) {
    if (!value.is_int64() || value.get_int64() < 0 || value.get_int64() > limits::kLlmCountMax)
        return std::nullopt;
    return value.get_int64();
}

void set_count(std::int64_t& count, const json::Value& usage, std::string_view name) {
    if (const auto number = whole_number(json::field(usage, name))) count = *number;
}

std::unique_ptr<ResponseReader> make_reader(Api api) {
    return api == Api::anthropic ? make_anthropic_reader() : make_openai_reader();
}

}  // namespace parley::llm
