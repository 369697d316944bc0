// SPDX-License-Identifier: Apache-2.0
#include "dialect/codex/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/json_fields.h"
#include "core/text_rules.h"
#include "dialect/codex/object_text.h"
#include "dialect/limits.h"

namespace parley::codex {

namespace {

constexpr json::ParseLimits kMessageLimits = {.bytes_max = limits::kCodexMessageBytes,
                                              .depth_max = limits::kCodexJsonDepth};

// Most of what a thread writes.
constexpr std::array<std::string_view, 9> kDeltas = {
    "item/agentMessage/delta",           "item/plan/delta",
    "item/commandExecution/outputDelta", "item/fileChange/outputDelta",
    "item/reasoning/textDelta",          "item/reasoning/summaryTextDelta",
    "item/reasoning/summaryPartAdded",   "command/exec/outputDelta",
    "thread/tokenUsage/updated"};

}  // namespace

Result<Message> read_message(std::string_view text) {
    TRY(document, json::parse(text, kMessageLimits));
    if (!document.is_object())
        return reject(ErrorCode::invalid, "a message of Codex is no JSON object");
    const json::Value& id = json::field(document, "id");
    std::string method = json::text_field(document, "method");
    if (!method.empty()) {
        const json::Value& params = json::field(document, "params");
        if (id.is_null()) return Notification{std::move(method), params};
        return ServerRequest{json::serialize(id), std::move(method), params};
    }
    const bool is_ours = id.is_int64() ? id.get_int64() > 0 : id.is_uint64();
    if (!is_ours) return reject(ErrorCode::invalid, "a message of Codex answers no request");
    Reply reply{.id = id.is_int64() ? static_cast<std::uint64_t>(id.get_int64()) : id.get_uint64(),
                .result = json::field(document, "result")};
    if (const json::Value& error = json::field(document, "error"); error.is_object()) {
        reply.error = json::text_field(error, "message");
        if (reply.error.empty()) reply.error = json::serialize(error);
    }
    return reply;
}

std::string write_request(std::uint64_t id, std::string_view method, std::string_view params) {
    return object_text([&](json::Writer& out) {
        out.field("method", method).key("id").number(id);
        out.key("params").raw(params);
    });
}

std::string write_notification(std::string_view method) {
    return object_text([&](json::Writer& out) { out.field("method", method); });
}

std::string write_reply(std::string_view id, std::string_view result) {
    return object_text([&](json::Writer& out) { out.key("id").raw(id).key("result").raw(result); });
}

std::string write_refusal(std::string_view id, std::string_view message) {
    constexpr std::int64_t kNoMethod = -32601;
    return object_text([&](json::Writer& out) {
        out.key("id").raw(id).key("error").begin_object().field_int("code", kNoMethod);
        out.field("message", message).end_object();
    });
}

std::string initialize_params(std::string_view version, Hearing hearing) {
    return object_text([&](json::Writer& out) {
        out.key("clientInfo").begin_object().field("name", "parley").field("title", "Parley");
        out.field("version", version).end_object();
        out.key("capabilities").begin_object().field_bool("experimentalApi", true);
        out.field_bool("requestAttestation", false);
        if (hearing == Hearing::asks) {
            out.key("optOutNotificationMethods").begin_array();
            for (const std::string_view method : kDeltas) out.string(method);
            out.end_array();
        }
        out.end_object();
    });
}

// "parley/0.166.0 (Debian …": behind the name of its first client.
std::string codex_version(const json::Value& initialized) {
    const std::string agent = json::text_field(initialized, "userAgent");
    const std::size_t begin = agent.find('/') + 1;
    return one_line(agent.substr(begin, agent.find(' ', begin) - begin), limits::kCodexTitleChars);
}

std::string join_params(std::string_view thread) {
    return object_text([&](json::Writer& out) {
        out.field("threadId", thread).field_bool("excludeTurns", true);
        out.key("initialTurnsPage").begin_object().field_int("limit", 1);
        out.field("itemsView", "full").end_object();
    });
}

std::string thread_params(std::string_view thread) {
    return object_text([&](json::Writer& out) { out.field("threadId", thread); });
}

std::string interrupt_params(std::string_view thread, std::string_view turn) {
    return object_text(
        [&](json::Writer& out) { out.field("threadId", thread).field("turnId", turn); });
}

std::string steer_params(std::string_view thread, std::string_view turn, std::string_view text) {
    return object_text([&](json::Writer& out) {
        out.field("threadId", thread).field("expectedTurnId", turn).key("input").begin_array();
        out.begin_object().field("type", "text").field("text", text);
        out.key("text_elements").begin_array().end_array().end_object().end_array();
    });
}

Thread read_thread(const json::Value& thread) {
    Thread read{.id = json::text_field(thread, "id"),
                .name = json::text_field(thread, "name"),
                .preview = json::text_field(thread, "preview"),
                .folder = json::text_field(thread, "cwd")};
    const json::Value& status = json::field(thread, "status");
    read.is_active = json::text_field(status, "type") == "active";
    const json::Array* flags = json::list_field(status, "activeFlags");
    read.is_waiting = flags != nullptr && !flags->empty();
    const json::Array* environments = json::list_field(thread, "environments");
    read.is_side =
        json::is_true(thread, "ephemeral") && environments != nullptr && environments->empty();
    return read;
}

bool is_named(const Thread& thread) {
    return !is_blank(thread.name) || !is_blank(thread.preview);
}

std::string thread_title(const Thread& thread) {
    std::string_view folder = thread.folder;
    while (folder.ends_with('/')) folder.remove_suffix(1);
    folder.remove_prefix(std::min(folder.rfind('/') + 1, folder.size()));
    const std::string place = folder.empty() ? "Codex" : fmt::format("Codex in {}", folder);
    const std::string_view topic = is_blank(thread.name) ? thread.preview : thread.name;
    if (!is_named(thread)) return one_line(place, limits::kCodexTitleChars);
    return one_line(fmt::format("{}: {}", place, topic), limits::kCodexTitleChars);
}

}  // namespace parley::codex
