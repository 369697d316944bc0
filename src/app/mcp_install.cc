// SPDX-License-Identifier: Apache-2.0
#include "app/mcp_install.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/json_file.h"
#include "app/read_file.h"
#include "app/toml_table.h"
#include "base/limits.h"
#include "text/json.h"

namespace parley::app {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kServer = "parley";
constexpr std::int64_t kDayMs = 86'400'000;

struct Client {
    std::string_view name;
    std::string_view file;  // "~/" is the home folder, else below the current one
    std::string_view list;  // the object that holds the servers; none for TOML
    std::string_view note;
};

constexpr std::array kClients = {
    Client{"claude", ".mcp.json", "mcpServers",
           "For all projects instead: claude mcp add --scope user parley -- parley mcp"},
    Client{"codex", "~/.codex/config.toml", "", ""},
    Client{"gemini", "~/.gemini/settings.json", "mcpServers", ""},
    Client{"cursor", "~/.cursor/mcp.json", "mcpServers", ""},
    Client{"vscode", ".vscode/mcp.json", "servers", ""},
    Client{"opencode", "~/.config/opencode/opencode.json", "mcp", ""},
};

// This very program, wherever the client is started from.
std::string program() {
    std::error_code error;
    const fs::path path = fs::read_symlink("/proc/self/exe", error);
    return error ? "parley" : path.string();
}

// Clients with a limit of their own are told a larger one, and the server that it may use it.
bool has_limit(std::string_view client) {
    return client == "codex" || client == "gemini" || client == "opencode";
}

using Options = std::vector<std::string>;

std::vector<std::string> arguments_for(std::string_view client, const Options& options) {
    std::vector<std::string> arguments = {"mcp"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    if (has_limit(client) && std::ranges::find(options, "--wait") == options.end())
        arguments.insert(arguments.end(), {"--wait", "0"});
    return arguments;
}

json::Value entry_for(std::string_view client, const Options& options) {
    json::Array arguments;
    for (const std::string& argument : arguments_for(client, options))
        arguments.emplace_back(argument);
    json::Object entry;
    if (client == "opencode") {
        arguments.insert(arguments.begin(), json::Value(program()));
        entry["type"] = "local";
        entry["command"] = std::move(arguments);
        entry["enabled"] = true;
    } else {
        if (client == "vscode") entry["type"] = "stdio";
        entry["command"] = program();
        entry["args"] = std::move(arguments);
    }
    if (has_limit(client)) entry["timeout"] = kDayMs;
    return entry;
}

constexpr std::string_view kTomlTable = "mcp_servers.parley";

std::vector<TomlEntry> toml_entries(std::string_view client, const Options& options) {
    std::vector<std::string> quoted;
    for (const std::string& argument : arguments_for(client, options))
        quoted.push_back(json::quoted(argument));
    return {{"command", json::quoted(program())},
            {"args", fmt::format("[{}]", fmt::join(quoted, ", "))},
            {"tool_timeout_sec", std::to_string(kDayMs / 1000)}};
}

std::optional<fs::path> file_of(const Client& client, const Environment& environment) {
    if (!client.file.starts_with("~/")) return fs::current_path() / client.file;
    const auto home = environment.find("HOME");
    if (!home) return std::nullopt;
    return fs::path(*home) / client.file.substr(2);
}

// The file as it is and as it will be.
struct Change {
    JsonFile file;
    std::string after;
};

Result<Change> change_json(const Client& client, const fs::path& path, const Options& options) {
    TRY(file, load_json_file(path));
    json::Object* root = file.value.if_object();
    if (root == nullptr) return reject(ErrorCode::invalid, "{} holds no object", path.string());
    json::Value& list = (*root)[{client.list.data(), client.list.size()}];
    if (list.is_null()) list = json::Object();
    if (!list.is_object())
        return reject(ErrorCode::invalid, "\"{}\" in {} is no object", client.list, path.string());
    json::Value& entry = list.get_object()[{kServer.data(), kServer.size()}];
    json::Value wanted = entry_for(client.name, options);
    std::string after = file.text;
    if (entry != wanted) {
        entry = std::move(wanted);
        after = with_member(file, client.list, &list);
    }
    return Change{std::move(file), std::move(after)};
}

Result<Change> change_toml(const Client& client, const fs::path& path, const Options& options) {
    JsonFile file{.path = path, .text = {}, .value = {}};
    std::error_code error;
    if (fs::exists(path, error)) {
        TRY(text, read_file(path.string(), limits::kConfigBytes));
        file.text = std::move(text);
    }
    auto after = set_toml_table(file.text, kTomlTable, toml_entries(client.name, options));
    if (!after)
        return reject(after.error().code, "{} is left as it is: {}", path.string(),
                      after.error().message);
    return Change{std::move(file), *std::move(after)};
}

std::string snippet(const Client& client, const Options& options) {
    if (client.list.empty()) return toml_table(kTomlTable, toml_entries(client.name, options));
    json::Object servers;
    servers[{kServer.data(), kServer.size()}] = entry_for(client.name, options);
    json::Object root;
    root[{client.list.data(), client.list.size()}] = std::move(servers);
    return indented(root, "  ");
}

}  // namespace

std::vector<std::string> mcp_clients() {
    std::vector<std::string> names;
    for (const Client& client : kClients) names.emplace_back(client.name);
    return names;
}

ExitCode install_mcp(const RunContext& context, std::string_view name, InstallMode mode,
                     const std::vector<std::string>& options) {
    const auto* client = std::ranges::find(kClients, name, &Client::name);
    if (client == kClients.end()) {
        return context.refuse_usage(
            fmt::format("--install must be one of {}", fmt::join(mcp_clients(), ", ")));
    }
    const auto path = file_of(*client, context.environment);
    if (!path) return context.fail({ErrorCode::invalid, "there is no HOME to look in"});
    Console& console = context.console;
    if (mode == InstallMode::print) {
        console.print(snippet(*client, options));
        console.tell(
            fmt::format("This belongs into {}; with --write it is put there.\n", path->string()));
        if (!client->note.empty()) console.tell(fmt::format("{}\n", client->note));
        return ExitCode::done;
    }
    const auto change = client->list.empty() ? change_toml(*client, *path, options)
                                             : change_json(*client, *path, options);
    if (!change) {
        context.complain(change.error().message);
        return ExitCode::failed;
    }
    if (change->after == change->file.text) {
        console.tell(fmt::format("{} has it already.\n", path->string()));
        return ExitCode::done;
    }
    if (const auto saved = save_json_file(change->file, change->after); !saved)
        return context.fail(saved.error());
    console.tell(
        fmt::format("{}\n{}", path->string(), line_changes(change->file.text, change->after)));
    return ExitCode::done;
}

}  // namespace parley::app
