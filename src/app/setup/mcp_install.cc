// SPDX-License-Identifier: Apache-2.0
#include "app/setup/mcp_install.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/command_line/read_file.h"
#include "app/limits.h"
#include "app/setup/json_file.h"
#include "app/setup/toml_table.h"
#include "base/assert.h"
#include "text/json.h"

namespace parley::app {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kServer = "parley";

// How a client's own limit on calls is raised: by a member "timeout" in this unit.
enum class Limit : std::uint8_t { none, seconds, millis };

struct McpClient {
    std::string_view name;
    std::string_view file;  // "~/" is the home folder, else below the current one
    std::string_view list;  // the object that holds the servers; none for TOML
    std::string_view note = {};
    Limit limit = Limit::none;
    bool trusts = false;  // it would ask for a permission before each question
};

constexpr std::string_view kTrustNote =
    "With \"trust\" it asks for no permission before each question. Variables that look secret are "
    "kept from servers: PARLEY_TOKEN, where it is needed, belongs into \"env\" of this entry.";

constexpr std::array kClients = {
    McpClient{"claude", ".mcp.json", "mcpServers",
              "For all projects instead: claude mcp add --scope user parley -- parley mcp"},
    McpClient{"codex", "~/.codex/config.toml", "", "", Limit::seconds},
    McpClient{"gemini", "~/.gemini/settings.json", "mcpServers", kTrustNote, Limit::millis, true},
    McpClient{"qwen", "~/.qwen/settings.json", "mcpServers", kTrustNote, Limit::millis, true},
    McpClient{"copilot", "~/.copilot/mcp-config.json", "mcpServers"},
    McpClient{"cline", "~/.cline/data/settings/cline_mcp_settings.json", "mcpServers", "",
              Limit::seconds},
    McpClient{"cursor", "~/.cursor/mcp.json", "mcpServers"},
    McpClient{"vscode", ".vscode/mcp.json", "servers"},
    McpClient{"opencode", "~/.config/opencode/opencode.json", "mcp", "", Limit::millis},
};

using Options = std::vector<std::string>;

// Clients with a limit of their own are told a larger one, and the server that it may use it.
std::vector<std::string> arguments_for(const McpClient& client, const Options& options) {
    std::vector<std::string> arguments = {"mcp"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    if (client.limit != Limit::none && std::ranges::find(options, "--wait") == options.end())
        arguments.insert(arguments.end(), {"--wait", "0"});
    return arguments;
}

json::Value entry_for(const McpClient& client, const Options& options) {
    json::Array arguments;
    for (const std::string& argument : arguments_for(client, options))
        arguments.emplace_back(argument);
    json::Object entry;
    if (client.name == "opencode") {
        arguments.insert(arguments.begin(), json::Value(own_program()));
        entry["type"] = "local";
        entry["command"] = std::move(arguments);
        entry["enabled"] = true;
    } else {
        if (client.name == "vscode") entry["type"] = "stdio";
        if (client.name == "copilot") entry["type"] = "local";
        entry["command"] = own_program();
        entry["args"] = std::move(arguments);
        if (client.name == "copilot") entry["tools"] = json::Array{json::Value("*")};
    }
    if (client.limit == Limit::seconds) entry["timeout"] = limits::kClientCallTime.count();
    if (client.limit == Limit::millis)
        entry["timeout"] = std::chrono::milliseconds(limits::kClientCallTime).count();
    if (client.trusts) entry["trust"] = true;
    // Else its model finds the tools only if it looks for them.
    if (client.name == "qwen") entry["alwaysLoadTools"] = true;
    return entry;
}

constexpr std::string_view kTomlTable = "mcp_servers.parley";

// Codex gives its servers next to nothing of its environment unless it is told to.
constexpr std::string_view kPassedOn =
    R"(["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", )"
    R"("PARLEY_SERVER", "PARLEY_TOKEN", "PARLEY_CA"])";

std::vector<TomlEntry> toml_entries(const McpClient& client, const Options& options) {
    std::vector<std::string> quoted;
    for (const std::string& argument : arguments_for(client, options))
        quoted.push_back(json::quoted(argument));
    return {{"command", json::quoted(own_program())},
            {"args", fmt::format("[{}]", fmt::join(quoted, ", "))},
            {"env_vars", std::string(kPassedOn)},
            {"tool_timeout_sec", std::to_string(limits::kClientCallTime.count())}};
}

std::optional<fs::path> file_of(const McpClient& client, const Environment& environment) {
    if (!client.file.starts_with("~/")) return fs::current_path() / client.file;
    const auto home = environment.find("HOME");
    if (!home) return std::nullopt;
    return fs::path(*home) / client.file.substr(2);
}

// A file as it is and as it will be.
struct Change {
    JsonFile file;
    std::string after;
};

// With the entry, or without it where there are no options.
Result<Change> change_json(const McpClient& client, const fs::path& path, const Options* options) {
    TRY(file, load_json_file(path));
    json::Object* root = file.value.if_object();
    if (root == nullptr) return reject(ErrorCode::invalid, "{} holds no object", path.string());
    json::Value& list = (*root)[{client.list.data(), client.list.size()}];
    if (list.is_null()) list = json::Object();
    json::Object* servers = list.if_object();
    if (servers == nullptr)
        return reject(ErrorCode::invalid, "\"{}\" in {} is no object", client.list, path.string());
    std::string after = file.text;
    if (options == nullptr) {
        if (servers->erase({kServer.data(), kServer.size()}) != 0)
            after = with_member(file, client.list, servers->empty() ? nullptr : &list);
    } else {
        json::Value& entry = (*servers)[{kServer.data(), kServer.size()}];
        const bool has_it = entry == entry_for(client, *options);
        entry = entry_for(client, *options);
        if (!has_it) after = with_member(file, client.list, &list);
    }
    return Change{std::move(file), std::move(after)};
}

Result<Change> change_toml(const McpClient& client, const fs::path& path, const Options* options) {
    JsonFile file{.path = path, .text = {}, .value = {}};
    std::error_code error;
    if (fs::exists(path, error)) {
        TRY(text, read_file(path.string(), limits::kConfigBytes));
        file.text = std::move(text);
    }
    auto after = options == nullptr
                     ? without_toml_table(file.text, kTomlTable)
                     : set_toml_table(file.text, kTomlTable, toml_entries(client, *options));
    if (!after)
        return reject(after.error().code, "{} is left as it is: {}", path.string(),
                      after.error().message);
    return Change{std::move(file), *std::move(after)};
}

// In its manual mode Claude Code asks for a permission before each call; this rule of the project
// says that it need not.
constexpr std::string_view kAllowRule = "mcp__parley";

Result<Change> change_allowance(const fs::path& path, bool is_wanted) {
    TRY(file, load_json_file(path));
    json::Object* root = file.value.if_object();
    if (root == nullptr) return reject(ErrorCode::invalid, "{} holds no object", path.string());
    json::Value& permissions = (*root)["permissions"];
    if (permissions.is_null()) permissions = json::Object();
    json::Object* kinds = permissions.if_object();
    json::Value* rules = kinds == nullptr ? nullptr : &(*kinds)["allow"];
    if (rules != nullptr && rules->is_null()) *rules = json::Array();
    json::Array* allowed = rules == nullptr ? nullptr : rules->if_array();
    if (allowed == nullptr)
        return reject(ErrorCode::invalid, "\"permissions\" in {} is not what Claude Code takes",
                      path.string());
    const auto rule = std::ranges::find(*allowed, json::Value(std::string(kAllowRule)));
    std::string after = file.text;
    if (is_wanted == (rule == allowed->end())) {
        if (is_wanted) {
            allowed->emplace_back(std::string(kAllowRule));
        } else {
            allowed->erase(rule);
            if (allowed->empty()) kinds->erase("allow");
        }
        after = with_member(file, "permissions", kinds->empty() ? nullptr : &permissions);
    }
    return Change{std::move(file), std::move(after)};
}

std::string snippet(const McpClient& client, const Options& options) {
    if (client.list.empty()) return toml_table(kTomlTable, toml_entries(client, options));
    json::Object servers;
    servers[{kServer.data(), kServer.size()}] = entry_for(client, options);
    json::Object root;
    root[{client.list.data(), client.list.size()}] = std::move(servers);
    return indented(root, "  ");
}

// Every file that has to do with this client, as it is to be.
Result<std::vector<Change>> changes_for(const McpClient& client, const fs::path& path,
                                        const Options* options) {
    std::vector<Change> changes;
    TRY(main, client.list.empty() ? change_toml(client, path, options)
                                  : change_json(client, path, options));
    changes.push_back(std::move(main));
    if (client.name == "claude") {
        TRY(rule,
            change_allowance(path.parent_path() / ".claude" / "settings.json", options != nullptr));
        changes.push_back(std::move(rule));
    }
    return changes;
}

ExitCode apply(const RunContext& context, const std::vector<Change>& changes,
               std::string_view nothing) {
    Console& console = context.console;
    bool has_changed = false;
    for (const Change& change : changes) {
        if (change.after == change.file.text) continue;
        has_changed = true;
        if (const auto saved = save_or_remove(change.file, change.after); !saved)
            return context.fail(saved.error());
        console.tell(fmt::format(
            "{}\n{}", change.file.path.string(),
            line_changes(change.file.text, says_nothing(change.after) ? "" : change.after)));
    }
    if (!has_changed)
        console.tell(fmt::format("{} {}\n", changes.front().file.path.string(), nothing));
    return ExitCode::done;
}

const McpClient& find_client(std::string_view name) {
    const auto* client = std::ranges::find(kClients, name, &McpClient::name);
    ASSERT(client != kClients.end());  // one of mcp_clients()
    return *client;
}

const Error kNoHome = {ErrorCode::invalid, "there is no HOME to look in"};

ExitCode complain(const RunContext& context, const Error& error) {
    context.complain(error.message);
    return ExitCode::failed;
}

}  // namespace

std::string own_program() {
    std::error_code error;
    const fs::path path = fs::read_symlink("/proc/self/exe", error);
    return error ? "parley" : path.string();
}

std::vector<std::string> mcp_clients() {
    std::vector<std::string> names;
    for (const McpClient& client : kClients) names.emplace_back(client.name);
    return names;
}

ExitCode install_mcp(const RunContext& context, std::string_view name, InstallMode mode,
                     const std::vector<std::string>& options) {
    const McpClient& client = find_client(name);
    const auto path = file_of(client, context.environment);
    if (!path) return context.fail(kNoHome);
    Console& console = context.console;
    const auto tell_note = [&] {
        if (!client.note.empty()) console.tell(fmt::format("{}\n", client.note));
    };
    if (mode == InstallMode::print) {
        console.print(snippet(client, options));
        console.tell(
            fmt::format("This belongs into {}; with --write it is put there.\n", path->string()));
        tell_note();
        return ExitCode::done;
    }
    const auto changes = changes_for(client, *path, &options);
    if (!changes) return complain(context, changes.error());
    const ExitCode code = apply(context, *changes, "has it already.");
    if (code == ExitCode::done) tell_note();
    return code;
}

ExitCode uninstall_mcp(const RunContext& context, std::string_view name) {
    const McpClient& client = find_client(name);
    const auto path = file_of(client, context.environment);
    if (!path) return context.fail(kNoHome);
    const auto changes = changes_for(client, *path, nullptr);
    if (!changes) return complain(context, changes.error());
    return apply(context, *changes, "has nothing of Parley.");
}

}  // namespace parley::app
