// SPDX-License-Identifier: Apache-2.0
#include "core/permission_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "core/json_fields.h"
#include "core/limits.h"
#include "core/text_rules.h"
#include "core/unified_diff.h"
#include "text/limits.h"
#include "text/line_diff.h"
#include "text/safe_text.h"

namespace parley::permission {

namespace {

using json::field;
using json::text_field;

// Names without their case: agents write Bash and bash, MultiEdit and multiedit.
struct KnownTool {
    std::string_view name;
    Act act;
};
constexpr std::array kKnownTools = {
    KnownTool{"bash", Act::run},
    KnownTool{"shell", Act::run},
    KnownTool{"local_shell", Act::run},
    KnownTool{"exec_command", Act::run},
    KnownTool{"run_shell_command", Act::run},
    KnownTool{"powershell", Act::run},
    KnownTool{"edit", Act::edit},
    KnownTool{"multiedit", Act::edit},
    KnownTool{"notebookedit", Act::edit},
    KnownTool{"replace", Act::edit},
    KnownTool{"apply_patch", Act::edit},
    KnownTool{"patch", Act::edit},
    KnownTool{"write", Act::write},
    KnownTool{"write_file", Act::write},
    KnownTool{"create_file", Act::write},
    KnownTool{"read", Act::read},
    KnownTool{"read_file", Act::read},
    KnownTool{"notebookread", Act::read},
    KnownTool{"exitplanmode", Act::plan},
    KnownTool{"exit_plan_mode", Act::plan},
};

constexpr std::string_view kMcpPrefix = "mcp__";
constexpr std::string_view kPatchStart = "*** Begin Patch";

Act act_of(std::string_view tool) {
    const std::string name = lower_ascii(tool);
    const auto found = std::ranges::find(kKnownTools, name, &KnownTool::name);
    return found == kKnownTools.end() ? Act::use : found->act;
}

std::string shown(std::string_view text) {
    return one_line(text, limits::kSummaryChars);
}

// The first of these members that is text, and its name.
struct Member {
    std::string_view name;
    std::string text;
};
std::optional<Member> first_text(const json::Value& input,
                                 std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
        if (const json::Value& found = field(input, name); found.is_string())
            return Member{name, std::string(view_of(found.get_string()))};
    return std::nullopt;
}

std::optional<Member> path_of(const json::Value& input) {
    return first_text(input, {"file_path", "filePath", "notebook_path", "path"});
}

// One word of a command as a shell would need it written.
std::string quoted_word(std::string_view word) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("_-./:=@%+,").find(c) != std::string_view::npos;
    };
    if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

// One of the system's own, by its name or where the system has it: any other program is told.
bool is_shell(std::string_view program) {
    for (const std::string_view folder : {"/usr/bin/", "/bin/"})
        if (program.starts_with(folder)) program.remove_prefix(folder.size());
    constexpr std::array<std::string_view, 6> kShells = {"sh",  "bash", "dash",
                                                         "zsh", "ksh",  "fish"};
    return std::ranges::find(kShells, program) != kShells.end();
}

// A command as text, or as a list of words: ["bash", "-lc", "make"] is make.
std::optional<std::string> command_of(const json::Value& input) {
    if (auto text = first_text(input, {"command", "cmd"})) return std::move(text->text);
    const json::Array* list = json::list_field(input, "command");
    if (list == nullptr || list->empty()) return std::nullopt;
    std::vector<std::string> words;
    for (const json::Value& word : *list) {
        if (!word.is_string()) return std::nullopt;
        words.emplace_back(view_of(word.get_string()));
    }
    if (words.size() == 3 && is_shell(words[0]) && (words[1] == "-c" || words[1] == "-lc"))
        return words[2];
    for (std::string& word : words) word = quoted_word(word);
    return fmt::format("{}", fmt::join(words, " "));
}

// Whether a shell reads the next line as part of this one. What may be a comment ends with its
// line.
bool goes_on(std::string_view line) {
    const std::size_t last = line.find_last_not_of('\\');
    const std::size_t backslashes = line.size() - (last == std::string_view::npos ? 0 : last + 1);
    return backslashes % 2 == 1 && line.find('#') == std::string_view::npos;
}

// Lines are told apart by a mark; a line that goes on with a backslash is one with the next.
std::string command_line(std::string_view command) {
    std::string line;
    bool is_joined = false;
    for (const std::string_view piece : split_lines(trim_blanks(command))) {
        std::string_view text = trim_blanks(piece);
        if (!text.empty()) {
            if (is_joined) {
                line.pop_back();
            } else if (!line.empty()) {
                line += " ↵ ";
            }
            line += text;
        }
        is_joined = !text.empty() && goes_on(piece);
    }
    return shown(line);
}

std::string plan_line(std::string_view plan) {
    for (const std::string_view line : split_lines(plan)) {
        std::string_view text = trim_blanks(line);
        const std::size_t level = std::min(text.find_first_not_of('#'), text.size());
        text = trim_blanks(text.substr(level));
        if (!text.empty()) return shown(text);
    }
    return {};
}

// "create_issue(repo: acme/shop, …)".
std::string call_line(std::string_view tool, const json::Value& input) {
    const json::Object* members = input.if_object();
    if (members == nullptr || members->empty()) return shown(tool);
    const auto& first = *members->begin();
    const json::Value& value = first.value();
    const std::string text =
        value.is_string() ? std::string(view_of(value.get_string())) : json::serialize(value);
    return shown(fmt::format("{}({}: {}{})", tool, json::key_of(first), shown(text),
                             members->size() > 1 ? ", …" : ""));
}

// Appends to `used` the members that make it; false: this is no replacement of one text by another.
bool append_edit(std::string& out, const json::Value& edit, std::size_t cells_max,
                 std::vector<std::string_view>& used) {
    const auto before = first_text(edit, {"old_string", "oldString"});
    const auto after = first_text(edit, {"new_string", "newString"});
    if (!before || !after) return false;
    const bool is_everywhere =
        json::is_true(edit, "replace_all") || json::is_true(edit, "replaceAll");
    append_hunk(out, before->text, after->text, is_everywhere ? "every occurrence" : "", cells_max);
    used.insert(used.end(), {before->name, after->name, "replace_all", "replaceAll"});
    return true;
}

// All or none of a list: what is not in the diff is shown beside it.
void append_edits(std::string& out, const json::Value& input, std::vector<std::string_view>& used) {
    const json::Array* edits = json::list_field(input, "edits");
    if (edits == nullptr || edits->empty()) return;
    // One measure of work for all of them.
    const std::size_t cells_max = limits::kLineTableCells / edits->size();
    std::string hunks;
    std::vector<std::string_view> inside;
    for (const json::Value& edit : *edits)
        if (!append_edit(hunks, edit, cells_max, inside)) return;
    out += hunks;
    used.emplace_back("edits");
}

// A patch in the form that Codex made known, as a unified one.
std::string patch_diff(std::string_view patch, std::vector<std::string>& paths) {
    constexpr std::string_view kUpdate = "*** Update File: ";
    constexpr std::string_view kAdd = "*** Add File: ";
    constexpr std::string_view kDelete = "*** Delete File: ";
    std::string out;
    const auto head = [&](std::string_view path, bool has_old, bool has_new) {
        paths.push_back(shown(path));
        fmt::format_to(std::back_inserter(out), "--- {}\n+++ {}\n",
                       has_old ? paths.back() : "/dev/null", has_new ? paths.back() : "/dev/null");
    };
    for (const std::string_view line : split_lines(patch)) {
        if (line.starts_with(kUpdate)) {
            head(line.substr(kUpdate.size()), true, true);
        } else if (line.starts_with(kAdd)) {
            head(line.substr(kAdd.size()), false, true);
        } else if (line.starts_with(kDelete)) {
            head(line.substr(kDelete.size()), true, false);
        } else if (!line.starts_with(kPatchStart) && !line.starts_with("*** End ")) {
            out.append(line) += '\n';
        }
    }
    while (out.ends_with("\n\n")) out.pop_back();
    return out;
}

std::optional<Shape> patch_shape(const json::Value& input) {
    const auto patch = first_text(input, {"input", "patch", "patchText"});
    if (!patch || trim_blanks(patch->text).substr(0, kPatchStart.size()) != kPatchStart)
        return std::nullopt;
    Shape shape{.act = Act::edit, .summary = {}, .shown = {patch->name}};
    std::vector<std::string> paths;
    shape.diff = patch_diff(patch->text, paths);
    shape.summary = shown(fmt::format("{}", fmt::join(paths, ", ")));
    return shape;
}

void append_cell(std::string& out, const json::Value& input, std::vector<std::string_view>& used) {
    const auto source = first_text(input, {"new_source"});
    if (!source) return;
    append_hunk(
        out, {}, source->text,
        shown(fmt::format("{} cell {}",
                          first_text(input, {"edit_mode"}).value_or(Member{"", "replace"}).text,
                          text_field(input, "cell_id"))));
    used.insert(used.end(), {source->name, "edit_mode", "cell_id"});
}

// All that an input would change of a file, in whichever members it says so: which of them its tool
// takes is not known here.
void find_change(Shape& shape, const json::Value& input, const Member& path) {
    std::vector<std::string_view> used = {path.name};
    std::string out;
    append_edits(out, input, used);
    (void)append_edit(out, input, limits::kLineTableCells, used);
    append_cell(out, input, used);
    if (const auto content = first_text(input, {"content"}); shape.act == Act::write && content) {
        append_hunk(out, {}, content->text, {});
        used.push_back(content->name);
    }
    if (out.empty()) return;
    shape.diff = diff_head(path.text) + out;
    shape.shown = std::move(used);
}

void find_plan(Shape& shape, const json::Value& input, const std::optional<std::string>& given) {
    shape.plan = given;
    if (const auto plan = first_text(input, {"plan"}); plan && !is_blank(plan->text)) {
        shape.plan = normalize_newlines(plan->text);
        shape.shown = {"plan"};
    }
    if (shape.plan) shape.summary = plan_line(*shape.plan);
}

}  // namespace

Shape shape_of(std::string_view tool, const json::Value& input,
               const std::optional<std::string>& plan) {
    // An MCP server's tool is what its last name says, and is shown with all of them.
    const bool is_foreign = tool.starts_with(kMcpPrefix);
    const std::size_t last = is_foreign ? tool.rfind("__") + 2 : 0;
    Shape shape{.act = act_of(tool.substr(last)), .summary = {}};
    const auto path = path_of(input);
    if (shape.act == Act::run) {
        if (const auto command = command_of(input)) shape.summary = command_line(*command);
    } else if (shape.act == Act::plan) {
        find_plan(shape, input, plan);
    } else if (shape.act == Act::edit && !path) {
        if (auto patch = patch_shape(input)) shape = std::move(*patch);
    } else if (shape.act != Act::use && path) {
        if (shape.act != Act::read) find_change(shape, input, *path);
        shape.summary = shown(path->text);
    }
    if (is_foreign) shape.act = Act::use;
    if (is_foreign || is_blank(shape.summary)) shape.summary = call_line(tool, input);
    return shape;
}

}  // namespace parley::permission
