// SPDX-License-Identifier: Apache-2.0
// For tests: a session over a real broker in simulated time, and what it sends.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/mcp/conversation.h"
#include "client/local_link.h"
#include "support/sim_broker.h"

namespace parley::mcp {

struct Sent {
    std::vector<json::Value> messages;
    int holds = 0;

    // The answer to a request; null while there is none.
    json::Value answer() const {
        for (const json::Value& message : messages)
            if (message.as_object().contains("result") || message.as_object().contains("error"))
                return message;
        return {};
    }
    std::vector<json::Value> of_method(std::string_view method) const {
        std::vector<json::Value> found;
        for (const json::Value& message : messages)
            if (text_member(message, "method") == method) found.push_back(message);
        return found;
    }
};

class CollectingOutlet final : public Outlet {
public:
    explicit CollectingOutlet(std::shared_ptr<Sent> sent) : sent_(std::move(sent)) {}
    void hold() override { ++sent_->holds; }
    void send(std::string message) override {
        sent_->messages.push_back(json::parse(message).value_or(json::Value()));
    }
    void finish(std::string message, int) override { send(std::move(message)); }

private:
    std::shared_ptr<Sent> sent_;
};

inline std::string at(const json::Value& document, std::string_view pointer) {
    boost::system::error_code missing;
    const json::Value* found = document.find_pointer({pointer.data(), pointer.size()}, missing);
    if (found == nullptr) return "(missing)";
    return found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
}

inline constexpr std::string_view kQuestion =
    R"("questions":[{"question":"Tea or coffee?","header":"Drink","multiSelect":false,)"
    R"("options":[{"label":"Tea","description":"hot"},)"
    R"({"label":"Coffee","description":"strong"}]}])";
inline constexpr std::string_view kModernMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":CAPABILITIES})";

// What clients can do.
inline constexpr std::string_view kForms = R"({"elicitation":{"form":{}}})";
inline constexpr std::string_view kUrls = R"({"elicitation":{"url":{}}})";
inline constexpr std::string_view kTasks = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";

inline std::string modern_meta(std::string_view capabilities) {
    std::string meta(kModernMeta);
    return meta.replace(meta.find("CAPABILITIES"), 12, capabilities);
}

// Keeps what people are told beside asks.
class NoticeKeeper final : public FollowListener {
public:
    void on_frames(std::span<const Frame> frames) override {
        for (const Frame& frame : frames) {
            const auto* event = std::get_if<EventPtr>(&frame);
            const auto* notice =
                event == nullptr ? nullptr : std::get_if<NoticeGiven>(&(*event)->body);
            if (notice != nullptr) texts.push_back(notice->text);
        }
    }
    void on_state(State, const std::optional<Error>&) override {}

    std::vector<std::string> texts;
};

class ConversationTest : public testing::Test {
protected:
    ConversationTest() { open({}); }

    void open(ConversationOptions options) {
        options.seal = {.key = "key", .principal = "bot"};
        conversation_ = std::make_unique<Conversation>(
            Conversation::Wiring{
                link_,
                broker_.home,
                broker_.clock,
                [this](std::string message) { aside_.push_back(std::move(message)); },
                [](AskId id, Done<std::string> done) { done("http://page/#/ask/" + id.str()); },
                {},
                [this] { return is_store_away_; }},
            std::move(options));
    }

    std::shared_ptr<Sent> send(const std::string& text) {
        auto sent = std::make_shared<Sent>();
        for (auto& message : wire::rpc::parse(text).messages)
            conversation_->take(std::move(message), std::make_shared<CollectingOutlet>(sent));
        broker_.settle_down();
        return sent;
    }
    std::shared_ptr<Sent> request(int id, std::string_view method, const std::string& params) {
        return send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", id,
                                method, params));
    }
    void initialize(std::string_view version = "2025-11-25", std::string_view capabilities = "{}",
                    std::string_view name = "test") {
        request(0, "initialize",
                fmt::format(R"({{"protocolVersion":"{}","capabilities":{},)"
                            R"("clientInfo":{{"name":"{}","version":"1"}}}})",
                            version, capabilities, name));
    }
    std::shared_ptr<Sent> ask(int id, std::string_view more = "") {
        return request(
            id, "tools/call",
            fmt::format(R"({{"name":"ask_user","arguments":{{{}}}{}}})", kQuestion, more));
    }
    std::shared_ptr<Sent> ask_modern(int id, std::string_view more = "",
                                     std::string_view capabilities = "{}") {
        return ask(id, fmt::format(",{}{}", modern_meta(capabilities), more));
    }

    // To the last form that came with this call.
    void reply_to_form(const Sent& sent, std::string_view result) {
        send(fmt::format(R"({{"jsonrpc":"2.0","id":"{}","result":{}}})",
                         at(sent.of_method("elicitation/create").back(), "/id"), result));
    }

    AskPtr pending() {
        const auto& all = broker_.broker.ledger().pending();
        return all.empty() ? nullptr : all.begin()->second;
    }
    AskPtr found(AskId id) {
        sim::Got<AskPtr> got;
        broker_.broker.find_ask(id, kUnrestricted, got.done());
        broker_.settle_down();
        return got->value_or(nullptr);
    }
    void answer(std::string label) {
        broker_.broker.answer(pending()->id, {{.selected = {std::move(label)}}}, {},
                              unrestricted_actor("ada", "page"), [](const auto&) {});
        broker_.settle_down();
    }

    sim::SimBroker broker_;
    LocalLink link_{{broker_.home, broker_.clock, broker_.broker},
                    unrestricted_actor("bot", "mcp"),
                    kStrictProfile};
    NoticeKeeper told_;
    std::unique_ptr<Following> following_ = link_.follow({}, told_);
    std::vector<std::string> aside_;
    bool is_store_away_ = false;
    std::unique_ptr<Conversation> conversation_;
};

}  // namespace parley::mcp
