// SPDX-License-Identifier: Apache-2.0
#include "dialect/llm/conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/overload.h"
#include "dialect/limits.h"
#include "text/json.h"

namespace parley::llm {

namespace {

// What every server takes as the id of a call.
bool is_plain_id(std::string_view id) {
    return !id.empty() && id.size() <= limits::kLlmCallIdBytes &&
           std::ranges::all_of(id, [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-';
           });
}

// The call at which a response ends that had no room for all of its input.
const CallBlock* cut_call_of(const Response& response) {
    if (response.stop != Response::Stop::length || response.blocks.empty()) return nullptr;
    const auto* call = std::get_if<CallBlock>(&response.blocks.back());
    if (call == nullptr) return nullptr;
    const auto input = json::parse(call->input);
    const json::Object* members = input ? input->if_object() : nullptr;
    return members == nullptr || members->empty() ? call : nullptr;
}

}  // namespace

Usage& Usage::operator+=(const Usage& other) {
    input += other.input;
    cached += other.cached;
    output += other.output;
    return *this;
}

void ModelConversation::add(Entry entry) {
    std::visit(Overload{
                   [this](const UserSaid& said) {
                       last_given_ = std::max(last_given_, said.up_to);
                       for (const AskId id : said.settled) settle(id);
                   },
                   [this](const ModelSaid& said) {
                       usage_ += said.response.usage;
                       ++responses_;
                   },
                   [this](const CallDone& done) {
                       if (done.left_open) left_open_.push_back(*done.left_open);
                       if (done.settled) settle(*done.settled);
                   },
                   [](const TurnStopped&) {},
               },
               entry);
    entries_.push_back(std::move(entry));
}

void ModelConversation::settle(AskId id) {
    std::erase(left_open_, id);
}

Step ModelConversation::next() const {
    if (entries_.empty() || std::holds_alternative<TurnStopped>(entries_.back()))
        return Step::listen;
    if (!open_calls().empty()) return Step::calls;
    const auto* said = std::get_if<ModelSaid>(&entries_.back());
    if (said == nullptr) return Step::request;
    return said->response.stop == Response::Stop::paused ? Step::request : Step::listen;
}

std::vector<CallBlock> ModelConversation::open_calls() const {
    std::vector<std::string_view> done;
    for (const Entry& entry : entries_ | std::views::reverse) {
        if (const auto* result = std::get_if<CallDone>(&entry)) {
            done.push_back(result->call_id);
            continue;
        }
        const auto* said = std::get_if<ModelSaid>(&entry);
        if (said == nullptr) return {};
        std::vector<CallBlock> calls = calls_of(said->response);
        std::erase_if(calls, [&](const CallBlock& call) {
            return std::ranges::find(done, call.id) != done.end();
        });
        return calls;
    }
    return {};
}

bool ModelConversation::has_left_open(AskId ask) const {
    return std::ranges::any_of(entries_, [&](const Entry& entry) {
        const auto* done = std::get_if<CallDone>(&entry);
        return done != nullptr && done->left_open == ask;
    });
}

const CallBlock* ModelConversation::find_call(std::string_view id) const {
    for (const Entry& entry : entries_ | std::views::reverse) {
        const auto* said = std::get_if<ModelSaid>(&entry);
        if (said == nullptr) continue;
        for (const Block& block : said->response.blocks)
            if (const auto* call = std::get_if<CallBlock>(&block);
                call != nullptr && call->id == id)
                return call;
    }
    return nullptr;
}

const CallBlock* ModelConversation::cut_call() const {
    for (const Entry& entry : entries_ | std::views::reverse)
        if (const auto* said = std::get_if<ModelSaid>(&entry)) return cut_call_of(said->response);
    return nullptr;
}

std::size_t ModelConversation::cut_responses() const {
    std::size_t count = 0;
    for (const Entry& entry : entries_ | std::views::reverse) {
        if (std::holds_alternative<CallDone>(entry)) continue;
        const auto* said = std::get_if<ModelSaid>(&entry);
        if (said == nullptr || cut_call_of(said->response) == nullptr ||
            calls_of(said->response).size() != 1)
            break;
        ++count;
    }
    return count;
}

void ModelConversation::name_calls(Response& response) const {
    std::vector<std::string> taken;
    for (Block& block : response.blocks) {
        auto* call = std::get_if<CallBlock>(&block);
        if (call == nullptr) continue;
        const bool is_usable = is_plain_id(call->id) && find_call(call->id) == nullptr &&
                               std::ranges::find(taken, call->id) == taken.end();
        if (!is_usable) call->id = fmt::format("call_{}_{}", responses_, taken.size());
        taken.push_back(call->id);
    }
}

std::vector<CallBlock> calls_of(const Response& response) {
    std::vector<CallBlock> calls;
    for (const Block& block : response.blocks)
        if (const auto* call = std::get_if<CallBlock>(&block)) calls.push_back(*call);
    return calls;
}

std::string words_of(const Response& response) {
    std::string words;
    for (const Block& block : response.blocks) {
        const auto* text = std::get_if<TextBlock>(&block);
        if (text == nullptr || text->text.empty()) continue;
        if (!words.empty()) words += "\n";
        words += text->text;
    }
    return words;
}

}  // namespace parley::llm
