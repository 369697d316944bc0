// SPDX-License-Identifier: Apache-2.0
#include "app/setup/claude_setup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "app/setup/json_file.h"
#include "prompt/plain_page.h"

namespace parley::app {

namespace {

namespace fs = std::filesystem;

// The first word of a command as a shell would take it, quotes taken off.
std::string first_word(std::string_view command) {
    std::string word;
    bool is_quoted = false;
    for (const char c : command) {
        if (c == '\'') {
            is_quoted = !is_quoted;
        } else if (c == ' ' && !is_quoted) {
            break;
        } else {
            word += c;
        }
    }
    return word;
}

ExitCode apply(const RunContext& context, const JsonFile& file, const json::Value& changed,
               std::string_view done, std::string_view nothing) {
    const json::Object* object = changed.if_object();
    std::string text =
        with_member(file, "hooks", object != nullptr ? object->if_contains("hooks") : nullptr);
    if (changed == file.value || text == file.text) {
        context.console.tell(
            fmt::format("{} {}; nothing was changed.\n", nothing, file.path.string()));
        return ExitCode::done;
    }
    if (const auto saved = save_or_remove(file, text); !saved) return context.fail(saved.error());
    if (says_nothing(text)) text.clear();
    context.console.print(fmt::format(
        "{} {}:\n{}\n", done, file.path.string(),
        shown_text(line_changes(file.text, text), context.console.out_style().charset)));
    return ExitCode::done;
}

constexpr std::string_view kInstallAgain = "run: parley hook claude --install";

void check_settings(const fs::path& path, Findings& findings) {
    using Grade = Finding::Grade;
    const auto file = load_json_file(path);
    if (!file) {
        findings.push_back({Grade::bad, "claude", file.error().message, "mend it by hand"});
        return;
    }
    const auto hooks = claude::find_hooks(file->value);
    if (hooks.empty()) return;
    const std::size_t before = findings.size();
    for (const claude::InstalledHook& hook : hooks) {
        const std::string program = first_word(hook.command);
        if (program.starts_with('/') && ::access(program.c_str(), X_OK) != 0)
            findings.push_back({Grade::bad, "claude",
                                fmt::format("{}: the hook for {} runs {}, which is not there",
                                            path.string(), hook.event, program),
                                std::string(kInstallAgain)});
        if (!hook.has_timeout)
            findings.push_back({Grade::note, "claude",
                                fmt::format("{}: the hook for {} has no timeout, so Claude Code "
                                            "ends it after 10 minutes",
                                            path.string(), hook.event),
                                std::string(kInstallAgain)});
    }
    if (claude::disables_hooks(file->value))
        findings.push_back(
            {Grade::bad, "claude",
             fmt::format("{}: \"disableAllHooks\" is set, no hook runs", path.string()),
             "take it out"});
    if (findings.size() == before)
        findings.push_back(
            {Grade::good, "claude", fmt::format("{} hooks in {}", hooks.size(), path.string())});
}

}  // namespace

Result<fs::path> claude_settings_path(const Environment& environment, ClaudeScope scope) {
    if (scope == ClaudeScope::project) {
        std::error_code error;
        const fs::path here = fs::current_path(error);
        if (error) return reject(ErrorCode::denied, "this folder cannot be read");
        return here / ".claude" / "settings.json";
    }
    if (const auto folder = environment.find("CLAUDE_CONFIG_DIR"))
        return fs::path(*folder) / "settings.json";
    const auto home = environment.find("HOME");
    if (!home)
        return reject(ErrorCode::invalid, "there is no HOME; name a folder by CLAUDE_CONFIG_DIR");
    return fs::path(*home) / ".claude" / "settings.json";
}

ExitCode install_claude_hooks(const RunContext& context, const ClaudeSetup& setup) {
    const auto path = claude_settings_path(context.environment, setup.scope);
    if (!path) return context.fail(path.error());
    const auto file = load_json_file(*path);
    if (!file) return context.fail(file.error());
    auto changed = claude::with_hooks(file->value, setup.hooks);
    if (!changed) {
        changed.error().message = fmt::format("{}: {}", path->string(), changed.error().message);
        return context.fail(changed.error());
    }
    const ExitCode code =
        apply(context, *file, *changed, "Changed", "The hooks are installed already in");
    if (code == ExitCode::done && claude::disables_hooks(file->value))
        context.complain("\"disableAllHooks\" is set in this file: no hook runs until it is not");
    return code;
}

ExitCode uninstall_claude_hooks(const RunContext& context, ClaudeScope scope) {
    const auto path = claude_settings_path(context.environment, scope);
    if (!path) return context.fail(path.error());
    const auto file = load_json_file(*path);
    if (!file) return context.fail(file.error());
    const auto changed = claude::without_hooks(file->value);
    if (!changed) return context.fail(changed.error());
    return apply(context, *file, *changed, "Changed", "No hook of Parley is in");
}

void check_claude_hooks(const Environment& environment, Findings& findings) {
    for (const ClaudeScope scope : {ClaudeScope::user, ClaudeScope::project}) {
        const auto path = claude_settings_path(environment, scope);
        if (path) check_settings(*path, findings);
    }
}

std::string shell_quoted(const std::string& text) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("/._-+:@%,=").find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string own_command() {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    return error ? "parley" : shell_quoted(self.string());
}

}  // namespace parley::app
