// SPDX-License-Identifier: Apache-2.0
#include "dialect/llm/request.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/overload.h"
#include "core/text_rules.h"
#include "dialect/limits.h"
#include "dialect/llm/tools.h"
#include "text/json.h"

namespace parley::llm {

namespace {

constexpr std::string_view kNoResult = "There is no result: the turn was stopped.";
constexpr std::string_view kEnded = "(The turn ended here.)";

std::string left_out_note(std::size_t responses) {
    return fmt::format(
        "({} of your earlier replies, with what they were about, {} left out here to "
        "fit your context.)",
        responses, responses == 1 ? "is" : "are");
}

bool is_blank(std::string_view text) {
    return trim_blanks(text).empty();
}

// A call's input as the object that servers want; one that is none stays readable inside another.
std::string input_object(const std::string& input) {
    if (is_blank(input)) return "{}";
    const auto value = json::parse(input);
    if (value && value->is_object()) return input;
    std::string text;
    json::Writer out(text);
    out.begin_object().field("unreadable_input", input).end_object();
    return text;
}

// The results of a response's calls, in the order of the calls.
struct Results {
    const Response* response = nullptr;
    std::vector<const CallDone*> done = {};

    const CallDone* find(const std::string& call_id) const {
        for (const CallDone* result : done)
            if (result->call_id == call_id) return result;
        return nullptr;
    }
};

// Walks a context; each writer knows how its API has it.
class MessageWriter {
public:
    virtual ~MessageWriter() = default;

    void write(const Context& context) {
        bool notes_gap = context.left_out > 0;
        for (const Entry* entry : context.entries) {
            if (const auto* done = std::get_if<CallDone>(entry)) {
                results_.done.push_back(done);
                continue;
            }
            end_response();
            if (const auto* said = std::get_if<ModelSaid>(entry)) {
                response(said->response);
                results_ = {.response = &said->response, .done = {}};
            } else if (const auto* user = std::get_if<UserSaid>(entry)) {
                for (const std::string& text : user->texts) message(text);
                if (std::exchange(notes_gap, false)) message(left_out_note(context.left_out));
            }
        }
        end_response();
        end();
    }

protected:
    virtual void message(std::string_view text) = 0;
    virtual void response(const Response& said) = 0;
    virtual void result(const CallBlock& call, const CallDone* done) = 0;
    virtual void end() = 0;

private:
    void end_response() {
        if (results_.response == nullptr) return;
        for (const CallBlock& call : calls_of(*results_.response))
            result(call, results_.find(call.id));
        results_ = {};
    }

    Results results_;
};

// One message after the other has the other role: what one side says in a row is one message.
class AnthropicMessages final : public MessageWriter {
public:
    explicit AnthropicMessages(json::Writer& out) : out_(out) {}

private:
    void message(std::string_view text) override {
        if (is_blank(text)) return;
        speak("user");
        hold().begin_object().field("type", "text").field("text", text);
    }

    void response(const Response& said) override {
        for (const Block& block : said.blocks)
            std::visit(Overload{
                           [this](const TextBlock& text) {
                               if (is_blank(text.text)) return;
                               begin("text").field("text", text.text);
                           },
                           [this](const ThinkingBlock& text) {
                               // Without its signature it is another server's.
                               if (text.signature.empty()) return;
                               begin("thinking").field("thinking", text.text);
                               out_.field("signature", text.signature);
                           },
                           [this](const SealedBlock& sealed) {
                               begin("redacted_thinking").field("data", sealed.data);
                           },
                           [this](const CallBlock& call) {
                               begin("tool_use").field("id", call.id).field("name", call.tool);
                               out_.key("input").raw(input_object(call.input));
                           },
                       },
                       block);
    }

    void result(const CallBlock& call, const CallDone* done) override {
        speak("user");
        hold().begin_object().field("type", "tool_result").field("tool_use_id", call.id);
        out_.field("content", done != nullptr ? std::string_view(done->text) : kNoResult);
        if (done == nullptr || done->is_error) out_.field_bool("is_error", true);
    }

    void end() override {
        if (role_.empty()) return;
        // The next request begins with all of this.
        if (is_holding_ && role_ == "user")
            out_.key("cache_control").begin_object().field("type", "ephemeral").end_object();
        release();
        out_.end_array().end_object();
    }

    json::Writer& begin(std::string_view type) {
        speak("assistant");
        return hold().begin_object().field("type", type);
    }

    // A block is closed when the next begins, so that the last one can be marked.
    json::Writer& hold() {
        release();
        is_holding_ = true;
        return out_;
    }
    void release() {
        if (std::exchange(is_holding_, false)) out_.end_object();
    }

    void speak(std::string_view role) {
        if (role == role_) return;
        release();
        if (!role_.empty()) out_.end_array().end_object();
        role_ = role;
        out_.begin_object().field("role", role).key("content").begin_array();
    }

    json::Writer& out_;
    std::string_view role_;
    bool is_holding_ = false;
};

// Here too one side's words in a row are one message, and the model speaks between two of a
// person's: templates of some servers refuse all else, and would refuse it with every request.
class OpenAiMessages final : public MessageWriter {
public:
    OpenAiMessages(json::Writer& out, const Context& context) : out_(out) {
        for (const Entry* entry : context.entries) {
            if (std::holds_alternative<UserSaid>(*entry)) current_turn_ = nullptr;
            const auto* said = std::get_if<ModelSaid>(entry);
            if (said != nullptr && current_turn_ == nullptr) current_turn_ = &said->response;
        }
    }

private:
    void message(std::string_view text) override {
        if (is_blank(text)) return;
        if (!said_.empty()) said_ += "\n\n";
        said_ += text;
    }

    void end_message() {
        if (said_.empty()) return;
        if (std::exchange(is_after_result_, false)) write_text("assistant", kEnded);
        write_text("user", std::exchange(said_, {}));
    }

    void write_text(std::string_view role, std::string_view text) {
        out_.begin_object().field("role", role).field("content", text).end_object();
    }

    void response(const Response& said) override {
        if (&said == current_turn_) is_current_ = true;
        const std::vector<CallBlock> calls = calls_of(said);
        const std::string words = words_of(said);
        if (words.empty() && calls.empty()) return;
        end_message();
        is_after_result_ = false;
        out_.begin_object().field("role", "assistant").key("content");
        if (words.empty()) {
            out_.null();
        } else {
            out_.string(words);
        }
        if (!calls.empty()) {
            write_reasoning(said);
            out_.key("tool_calls").begin_array();
            for (const CallBlock& call : calls) write_call(call);
            out_.end_array();
        }
        out_.end_object();
    }

    // Some servers want it back until the turn is over, and refuse it later.
    void write_reasoning(const Response& said) {
        for (const Block& block : said.blocks) {
            const auto* thinking = std::get_if<ThinkingBlock>(&block);
            if (thinking == nullptr || !thinking->signature.empty() || !is_current_) continue;
            out_.field("reasoning_content", thinking->text);
            return;
        }
    }

    void write_call(const CallBlock& call) {
        out_.begin_object().field("id", call.id).field("type", "function");
        out_.key("function").begin_object().field("name", call.tool);
        out_.field("arguments", input_object(call.input)).end_object().end_object();
    }

    void result(const CallBlock& call, const CallDone* done) override {
        out_.begin_object().field("role", "tool").field("tool_call_id", call.id);
        out_.field("content", done != nullptr ? std::string_view(done->text) : kNoResult);
        out_.end_object();
        is_after_result_ = true;
    }

    void end() override { end_message(); }

    json::Writer& out_;
    std::string said_;                        // of a person, not yet written
    bool is_after_result_ = false;            // the last that is written
    const Response* current_turn_ = nullptr;  // its first
    bool is_current_ = false;
};

void write_anthropic(json::Writer& out, const ModelProfile& profile, const Context& context) {
    out.field_int("max_tokens", profile.max_tokens.value_or(limits::kLlmMaxTokens));
    if (!is_blank(profile.system)) out.field("system", profile.system);
    out.key("messages").begin_array();
    AnthropicMessages(out).write(context);
    out.end_array();
}

void write_openai(json::Writer& out, const ModelProfile& profile, const Context& context,
                  const Wishes& wishes) {
    if (wishes.wants_usage)
        out.key("stream_options").begin_object().field_bool("include_usage", true).end_object();
    if (profile.max_tokens) {
        const std::string_view name = wishes.has_new_names ? "max_completion_tokens" : "max_tokens";
        out.key(name).number(*profile.max_tokens);
    }
    out.key("messages").begin_array();
    if (!is_blank(profile.system))
        out.begin_object().field("role", "system").field("content", profile.system).end_object();
    OpenAiMessages(out, context).write(context);
    out.end_array();
}

}  // namespace

std::string_view to_string(Api api) {
    return api == Api::anthropic ? "anthropic" : "openai";
}

std::optional<Api> parse_api(std::string_view name) {
    if (name == "anthropic") return Api::anthropic;
    if (name == "openai") return Api::openai;
    return std::nullopt;
}

std::string write_request(const ModelProfile& profile, const Context& context,
                          const Wishes& wishes) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field("model", profile.model).field_bool("stream", true);
    out.key("tools").raw(tool_definitions(profile.api));
    if (profile.api == Api::anthropic) {
        write_anthropic(out, profile, context);
    } else {
        write_openai(out, profile, context, wishes);
    }
    out.end_object();
    return text;
}

std::size_t fixed_tokens(const ModelProfile& profile) {
    return estimate_tokens(profile.system.size() + tool_definitions(profile.api).size());
}

std::string request_path(Api api, std::string_view base_path) {
    const std::string_view endpoint = api == Api::anthropic ? "/messages" : "/chat/completions";
    base_path = base_path.substr(0, base_path.find('?'));
    while (base_path.ends_with('/')) base_path.remove_suffix(1);
    if (base_path.ends_with(endpoint)) return {};
    // Anthropic's own addresses have no version in them, OpenAI's have.
    const bool has_version =
        base_path.ends_with("/v1") || (api == Api::openai && !base_path.empty());
    return (has_version ? "" : "/v1") + std::string(endpoint);
}

}  // namespace parley::llm
