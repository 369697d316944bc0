// SPDX-License-Identifier: Apache-2.0
#include "dialect/mcp/client.h"

#include <algorithm>

#include "core/object_reader.h"
#include "core/text_rules.h"
#include "dialect/limits.h"

namespace parley::mcp {

namespace {

void read_capabilities(const json::Value& capabilities, ClientInfo& client) {
    client.capabilities = capabilities;
    if (const json::Value* elicitation = member(capabilities, "elicitation")) {
        const json::Object* modes = elicitation->if_object();
        // None named is form mode, as in the first version that had it.
        client.has_forms = modes != nullptr && (modes->empty() || modes->contains("form"));
        client.has_urls =
            modes != nullptr && modes->contains("url") && client.is_at_least("2025-11-25");
    }
    if (const json::Value* extensions = member(capabilities, "extensions"))
        client.has_tasks_extension = member(*extensions, kTasksExtension) != nullptr;
}

std::string client_name(const json::Value* info) {
    const std::string_view name = info == nullptr ? "" : text_member(*info, "name").value_or("");
    // One that cannot be shown on a line is none.
    Faults faults;
    check_text(name, name_rule("the name"), {}, faults);
    return faults.empty() && name.size() <= limits::kMcpClientNameBytes ? std::string(name)
                                                                        : std::string();
}

}  // namespace

bool is_legacy_version(std::string_view version) {
    return std::ranges::find(kLegacyVersions, version) != kLegacyVersions.end();
}

const json::Value* member(const json::Value& value, std::string_view name) {
    const json::Object* object = value.if_object();
    return object == nullptr ? nullptr : object->if_contains({name.data(), name.size()});
}

std::optional<std::string_view> text_member(const json::Value& value, std::string_view name) {
    const json::Value* found = member(value, name);
    if (found == nullptr || !found->is_string()) return std::nullopt;
    return view_of(found->get_string());
}

Result<ClientInfo> read_initialize(const json::Value& params) {
    const auto version = text_member(params, "protocolVersion");
    if (!version) return reject_field("/protocolVersion", "the protocol version is missing");
    ClientInfo client;
    client.version = is_legacy_version(*version) ? *version : kLegacyVersions.front();
    client.name = client_name(member(params, "clientInfo"));
    if (const json::Value* capabilities = member(params, "capabilities"))
        read_capabilities(*capabilities, client);
    return client;
}

bool is_modern(const json::Value& params) {
    const json::Value* meta = member(params, "_meta");
    return meta != nullptr && member(*meta, kMetaVersion) != nullptr;
}

std::string_view modern_version(const json::Value& params) {
    const json::Value* meta = member(params, "_meta");
    return meta == nullptr ? "" : text_member(*meta, kMetaVersion).value_or("");
}

Result<ClientInfo> read_meta(const json::Value& params) {
    const json::Value* meta = member(params, "_meta");
    if (meta == nullptr) return reject_field("/_meta", "this version needs _meta in every request");
    if (!text_member(*meta, kMetaVersion))
        return reject_field("/_meta", "_meta has no protocol version");
    const json::Value* capabilities = member(*meta, kMetaCapabilities);
    if (capabilities == nullptr || !capabilities->is_object())
        return reject_field("/_meta", "_meta has no client capabilities");
    ClientInfo client{.era = Era::modern, .version = std::string(modern_version(params))};
    client.name = client_name(member(*meta, kMetaClientInfo));
    read_capabilities(*capabilities, client);
    return client;
}

}  // namespace parley::mcp
