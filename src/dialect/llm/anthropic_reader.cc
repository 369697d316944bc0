// SPDX-License-Identifier: Apache-2.0
// The stream of Anthropic's Messages: blocks by their index, each begun, grown and ended; counts at
// the beginning and, cumulative, at the end.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/json_fields.h"
#include "dialect/limits.h"
#include "dialect/llm/readers.h"
#include "dialect/llm/refusal.h"

namespace parley::llm {

namespace {

using json::field;
using json::text_field;

class AnthropicReader final : public ResponseReader {
public:
    Result<std::vector<Piece>> take(std::string_view data) override;
    bool is_whole() const override { return is_whole_; }
    bool may_end() const override { return is_whole_; }
    Response response() const override;

private:
    std::vector<Piece> begin_block(const json::Value& event);
    std::vector<Piece> grow_block(const json::Value& event);
    void count(const json::Value& usage);
    void end_message(const json::Value& event);

    // Of calls the input of the beginning counts if none follows.
    struct Growing {
        std::int64_t index = 0;  // the server's; blocks that are not known have one too
        Block block;
        std::string first_input = {};
    };
    std::vector<Growing> blocks_;
    std::size_t bytes_ = 0;
    Usage usage_;
    std::int64_t uncached_ = 0;
    std::int64_t written_ = 0;
    std::string stop_reason_;
    bool is_whole_ = false;
};

std::optional<Block> new_block(const json::Value& block) {
    const std::string type = text_field(block, "type");
    if (type == "text") return TextBlock{text_field(block, "text")};
    if (type == "thinking")
        return ThinkingBlock{text_field(block, "thinking"), text_field(block, "signature")};
    if (type == "redacted_thinking") return SealedBlock{text_field(block, "data")};
    if (type == "tool_use")
        return CallBlock{text_field(block, "id"), text_field(block, "name"), {}};
    return std::nullopt;
}

Result<std::vector<ResponseReader::Piece>> AnthropicReader::take(std::string_view data) {
    bytes_ += data.size();
    TRY(event, read_event(data, bytes_));
    const std::string type = text_field(event, "type");
    if (type == "error") return stream_failure(field(event, "error"));
    if (is_whole_) return std::vector<Piece>();
    if (type == "message_start") count(field(field(event, "message"), "usage"));
    if (type == "content_block_start") return begin_block(event);
    if (type == "content_block_delta") return grow_block(event);
    if (type == "message_delta") end_message(event);
    if (type == "message_stop") is_whole_ = true;
    return std::vector<Piece>();
}

std::vector<ResponseReader::Piece> AnthropicReader::begin_block(const json::Value& event) {
    const json::Value& began = field(event, "content_block");
    auto block = new_block(began);
    const auto index = whole_number(field(event, "index"));
    if (!block || !index || blocks_.size() >= limits::kLlmBlocksMax) return {};
    Growing& growing = blocks_.emplace_back(Growing{.index = *index, .block = std::move(*block)});
    if (const json::Value& input = field(began, "input"); input.is_object())
        growing.first_input = json::serialize(input);
    const auto* text = std::get_if<TextBlock>(&growing.block);
    if (text == nullptr || text->text.empty()) return {};
    return {{blocks_.size() - 1, text->text}};
}

std::vector<ResponseReader::Piece> AnthropicReader::grow_block(const json::Value& event) {
    const auto index = whole_number(field(event, "index"));
    const auto found = std::ranges::find(blocks_, index.value_or(-1), &Growing::index);
    if (found == blocks_.end()) return {};
    const json::Value& delta = field(event, "delta");
    Block& block = found->block;
    if (auto* call = std::get_if<CallBlock>(&block))
        call->input += text_field(delta, "partial_json");
    if (auto* thinking = std::get_if<ThinkingBlock>(&block)) {
        thinking->text += text_field(delta, "thinking");
        thinking->signature += text_field(delta, "signature");
    }
    auto* text = std::get_if<TextBlock>(&block);
    if (text == nullptr) return {};
    std::string more = text_field(delta, "text");
    if (more.empty()) return {};
    text->text += more;
    return {{static_cast<std::size_t>(found - blocks_.begin()), std::move(more)}};
}

void AnthropicReader::count(const json::Value& usage) {
    set_count(uncached_, usage, "input_tokens");
    set_count(written_, usage, "cache_creation_input_tokens");
    set_count(usage_.cached, usage, "cache_read_input_tokens");
    set_count(usage_.output, usage, "output_tokens");
    usage_.input = uncached_ + written_ + usage_.cached;
}

void AnthropicReader::end_message(const json::Value& event) {
    count(field(event, "usage"));
    if (std::string reason = text_field(field(event, "delta"), "stop_reason"); !reason.empty())
        stop_reason_ = std::move(reason);
}

Response AnthropicReader::response() const {
    Response response{.usage = usage_};
    for (const Growing& growing : blocks_) {
        response.blocks.push_back(growing.block);
        auto* call = std::get_if<CallBlock>(&response.blocks.back());
        if (call != nullptr && call->input.empty()) call->input = growing.first_input;
    }
    using Stop = Response::Stop;
    if (stop_reason_ == "max_tokens" || stop_reason_ == "model_context_window_exceeded")
        response.stop = Stop::length;
    if (stop_reason_ == "refusal") response.stop = Stop::refused;
    if (stop_reason_ == "pause_turn") response.stop = Stop::paused;
    return response;
}

}  // namespace

std::unique_ptr<ResponseReader> make_anthropic_reader() {
    return std::make_unique<AnthropicReader>();
}

}  // namespace parley::llm
