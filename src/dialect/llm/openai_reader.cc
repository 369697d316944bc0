// SPDX-License-Identifier: Apache-2.0
// The stream of OpenAI's Chat Completions, and of the many servers that speak it more or less:
// calls by their index, or without one; ids and counts that are not there; an end without [DONE].
#include <algorithm>
#include <utility>

#include "core/json_fields.h"
#include "dialect/limits.h"
#include "dialect/llm/readers.h"

namespace parley::llm {

namespace {

using json::field;
using json::text_field;

constexpr std::string_view kDone = "[DONE]";

class OpenAiReader final : public ResponseReader {
public:
    Result<std::vector<Piece>> take(std::string_view data) override;
    bool is_whole() const override { return is_whole_; }
    bool may_end() const override { return is_whole_ || !finish_reason_.empty(); }
    Response response() const override;

private:
    // By the server's index, in the order in which they began.
    struct Growing {
        std::int64_t index = 0;
        CallBlock call = {};
    };

    void count(const json::Value& usage);
    std::vector<Piece> take_choice(const json::Value& choice);
    void take_call(const json::Value& fragment);
    Growing* find_call(const json::Value& fragment);

    std::string text_;
    std::string reasoning_;
    std::vector<Growing> calls_;
    std::size_t bytes_ = 0;
    Usage usage_;
    std::string finish_reason_;
    bool is_refused_ = false;
    bool is_whole_ = false;
};

Result<std::vector<ResponseReader::Piece>> OpenAiReader::take(std::string_view data) {
    if (data == kDone) {
        is_whole_ = true;
        return std::vector<Piece>();
    }
    bytes_ += data.size();
    TRY(event, read_event(data, bytes_));
    if (const json::Value& error = field(event, "error"); !error.is_null())
        return stream_failure(error);
    if (is_whole_) return std::vector<Piece>();
    count(field(event, "usage"));
    const json::Array* choices = json::list_field(event, "choices");
    if (choices == nullptr || choices->empty()) return std::vector<Piece>();
    return take_choice(choices->front());
}

void OpenAiReader::count(const json::Value& usage) {
    set_count(usage_.input, usage, "prompt_tokens");
    set_count(usage_.output, usage, "completion_tokens");
    set_count(usage_.cached, usage, "prompt_cache_hit_tokens");
    set_count(usage_.cached, field(usage, "prompt_tokens_details"), "cached_tokens");
}

std::vector<ResponseReader::Piece> OpenAiReader::take_choice(const json::Value& choice) {
    if (std::string reason = text_field(choice, "finish_reason"); !reason.empty())
        finish_reason_ = std::move(reason);
    const json::Value& delta = field(choice, "delta");
    reasoning_ += text_field(delta, "reasoning_content");
    if (const json::Array* calls = json::list_field(delta, "tool_calls"))
        for (const json::Value& fragment : *calls) take_call(fragment);
    std::string more = text_field(delta, "content");
    if (const std::string refusal = text_field(delta, "refusal"); !refusal.empty()) {
        is_refused_ = true;
        more += refusal;
    }
    if (more.empty()) return {};
    text_ += more;
    return {{0, std::move(more)}};
}

// A fragment belongs to the call of its index; without one, to the call of its id, or else to the
// last: unless it names a tool, which only the first fragment of a call does.
OpenAiReader::Growing* OpenAiReader::find_call(const json::Value& fragment) {
    const std::string id = text_field(fragment, "id");
    if (const auto index = whole_number(field(fragment, "index"))) {
        const auto found = std::ranges::find(calls_, *index, &Growing::index);
        if (found == calls_.end()) return nullptr;
        // Some number every call 0.
        const bool is_another = !id.empty() && !found->call.id.empty() && id != found->call.id;
        if (!is_another) return &*found;
        const auto same = std::ranges::find_if(
            calls_, [&](const Growing& growing) { return growing.call.id == id; });
        return same == calls_.end() ? nullptr : &*same;
    }
    if (calls_.empty()) return nullptr;
    if (!id.empty()) {
        const auto same = std::ranges::find_if(
            calls_, [&](const Growing& growing) { return growing.call.id == id; });
        return same == calls_.end() ? nullptr : &*same;
    }
    return text_field(field(fragment, "function"), "name").empty() ? &calls_.back() : nullptr;
}

void OpenAiReader::take_call(const json::Value& fragment) {
    Growing* growing = find_call(fragment);
    if (growing == nullptr) {
        if (calls_.size() >= limits::kLlmBlocksMax) return;
        const auto next = static_cast<std::int64_t>(calls_.size());
        growing = &calls_.emplace_back(
            Growing{.index = whole_number(field(fragment, "index")).value_or(next)});
    }
    const json::Value& function = field(fragment, "function");
    if (growing->call.id.empty()) growing->call.id = text_field(fragment, "id");
    // A name comes whole, and by some servers again with every fragment.
    if (growing->call.tool.empty()) growing->call.tool = text_field(function, "name");
    const json::Value& input = field(function, "arguments");
    growing->call.input +=
        input.is_object() ? json::serialize(input) : text_field(function, "arguments");
}

Response OpenAiReader::response() const {
    Response response{.usage = usage_};
    // The text has place 0 whatever comes with it.
    response.blocks.emplace_back(TextBlock{text_});
    if (!reasoning_.empty()) response.blocks.emplace_back(ThinkingBlock{reasoning_});
    for (const Growing& growing : calls_) response.blocks.emplace_back(growing.call);
    using Stop = Response::Stop;
    if (finish_reason_ == "length") response.stop = Stop::length;
    if (finish_reason_ == "content_filter" || is_refused_) response.stop = Stop::refused;
    return response;
}

}  // namespace

std::unique_ptr<ResponseReader> make_openai_reader() {
    return std::make_unique<OpenAiReader>();
}

}  // namespace parley::llm
