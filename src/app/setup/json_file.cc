// SPDX-License-Identifier: Apache-2.0
#include "app/setup/json_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "app/command_line/read_file.h"
#include "app/command_line/text_lines.h"
#include "app/limits.h"
#include "core/object_reader.h"
#include "text/line_diff.h"

namespace parley::app {

namespace {

namespace fs = std::filesystem;

std::string indent_of(std::string_view text) {
    const std::size_t line = text.find('\n');
    if (line == std::string_view::npos) return "  ";
    const std::size_t first = text.find_first_not_of(" \t", line + 1);
    if (first == std::string_view::npos || first == line + 1) return "  ";
    return std::string(text.substr(line + 1, first - line - 1));
}

void append_indented(std::string& out, const json::Value& value, std::string_view indent,
                     const std::string& margin) {
    const std::string inner = margin + std::string(indent);
    if (const json::Object* object = value.if_object(); object != nullptr && !object->empty()) {
        out += "{";
        bool is_first = true;
        for (const auto& entry : *object) {
            out += is_first ? "\n" : ",\n";
            is_first = false;
            out += inner;
            json::append_quoted(out, {entry.key().data(), entry.key().size()});
            out += ": ";
            append_indented(out, entry.value(), indent, inner);
        }
        out += "\n" + margin + "}";
    } else if (const json::Array* list = value.if_array(); list != nullptr && !list->empty()) {
        out += "[";
        bool is_first = true;
        for (const json::Value& entry : *list) {
            out += is_first ? "\n" : ",\n";
            is_first = false;
            out += inner;
            append_indented(out, entry, indent, inner);
        }
        out += "\n" + margin + "]";
    } else {
        out += json::serialize(value);
    }
}

std::size_t after_blanks(std::string_view text, std::size_t at) {
    return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

std::size_t after_string(std::string_view text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    return at + 1;
}

std::size_t after_value(std::string_view text, std::size_t at) {
    int depth = 0;
    while (at < text.size()) {
        const char c = text[at];
        if (c == '"') {
            at = after_string(text, at);
        } else if (c == '{' || c == '[') {
            ++depth;
            ++at;
        } else if (c == '}' || c == ']') {
            if (depth == 0) break;
            --depth;
            ++at;
        } else if (depth == 0 && std::string_view(", \t\r\n").find(c) != std::string_view::npos) {
            break;
        } else {
            ++at;
            continue;
        }
        if (depth == 0) break;
    }
    return at;
}

struct Member {
    std::string name = {};
    std::size_t start = 0;  // of its name
    std::size_t value = 0;
    std::size_t end = 0;  // of its value
};
// The object that a text holds; the text is known to be JSON.
struct Layout {
    std::size_t open = 0;
    std::size_t close = 0;
    std::vector<Member> members;
};

Layout layout_of(std::string_view text) {
    Layout layout;
    layout.open = text.find('{');
    std::size_t at = after_blanks(text, layout.open + 1);
    while (at < text.size() && text[at] == '"') {
        Member member{.start = at};
        const std::size_t end = after_string(text, at);
        if (const auto name = json::parse(text.substr(at, end - at)))
            member.name = std::string(name->get_string());
        member.value = after_blanks(text, after_blanks(text, end) + 1);
        member.end = after_value(text, member.value);
        at = after_blanks(text, member.end);
        if (at < text.size() && text[at] == ',') at = after_blanks(text, at + 1);
        layout.members.push_back(std::move(member));
    }
    layout.close = at;
    return layout;
}

std::string without_member(const std::string& text, const Layout& layout, std::size_t which) {
    const auto& members = layout.members;
    std::size_t from = layout.open + 1;
    std::size_t to = layout.close;
    if (which > 0) {
        from = members[which - 1].end;
        to = members[which].end;
    } else if (members.size() > 1) {
        from = members[0].start;
        to = members[1].start;
    }
    return text.substr(0, from) + text.substr(to);
}

Rejection cannot_write(const fs::path& path) {
    return reject(ErrorCode::denied, "cannot write {}: {}", path.string(), std::strerror(errno));
}

Result<void> write_new(const fs::path& path, const std::string& text, mode_t mode) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) return cannot_write(path);
    const bool is_written =
        ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fchmod(fd, mode) == 0 && ::fsync(fd) == 0;
    const int reason = errno;
    ::close(fd);
    if (is_written) return {};
    ::unlink(path.c_str());
    errno = reason;
    return cannot_write(path);
}

}  // namespace

Result<JsonFile> load_json_file(const fs::path& path) {
    JsonFile file{.path = path, .text = {}, .value = json::Object()};
    std::error_code error;
    if (!fs::exists(path, error)) return file;
    TRY(text, read_file(path.string(), limits::kConfigBytes));
    file.text = std::move(text);
    if (file.text.find_first_not_of(" \t\r\n") == std::string::npos) return file;
    // Some editors put a mark before the text, and Claude Code takes it.
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (file.text.starts_with(kMark)) file.text.erase(0, kMark.size());
    auto value = json::parse(file.text);
    if (!value)
        return reject(ErrorCode::invalid, "{} is not JSON ({}); it is left as it is", path.string(),
                      value.error().message);
    file.value = std::move(*value);
    file.indent = indent_of(file.text);
    return file;
}

Result<void> save_json_file(const JsonFile& file, const std::string& text) {
    std::error_code error;
    fs::path target = fs::weakly_canonical(file.path, error);
    if (error) target = file.path;
    fs::create_directories(target.parent_path(), error);
    struct stat status{};
    const mode_t mode =
        ::stat(target.c_str(), &status) == 0 ? status.st_mode & 07777U : S_IRUSR | S_IWUSR;
    const fs::path beside = target.string() + fmt::format(".parley-{}", ::getpid());
    CHECK_OK(write_new(beside, text, mode));
    if (::rename(beside.c_str(), target.c_str()) == 0) return {};
    const auto failed = cannot_write(target);
    ::unlink(beside.c_str());
    return failed;
}

std::string indented(const json::Value& value, std::string_view indent) {
    std::string out;
    append_indented(out, value, indent, {});
    return out + "\n";
}

std::string with_member(const JsonFile& file, std::string_view name, const json::Value* value) {
    const std::string& text = file.text;
    std::string written;
    if (value != nullptr) append_indented(written, *value, file.indent, file.indent);
    std::string whole = file.indent;
    json::append_quoted(whole, name);
    whole += ": " + written;
    if (text.find('{') == std::string::npos)
        return value == nullptr ? text : fmt::format("{{\n{}\n}}\n", whole);

    const Layout layout = layout_of(text);
    const auto& members = layout.members;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (members[i].name != name) continue;
        if (value == nullptr) return without_member(text, layout, i);
        return text.substr(0, members[i].value) + written + text.substr(members[i].end);
    }
    if (value == nullptr) return text;
    const std::size_t at = members.empty() ? layout.open + 1 : members.back().end;
    const std::string rest = text.substr(layout.close);
    return fmt::format("{}{}\n{}\n{}", text.substr(0, at), members.empty() ? "" : ",", whole, rest);
}

std::string line_changes(std::string_view before, std::string_view after) {
    std::string out;
    for (const LineChange& change : compare_lines(lines_of(before), lines_of(after))) {
        if (change.kind == LineChange::Kind::same) continue;
        const char mark = change.kind == LineChange::Kind::added ? '+' : '-';
        fmt::format_to(std::back_inserter(out), "{} {}\n", mark, change.line);
    }
    return out;
}

bool says_nothing(std::string_view text) {
    return std::ranges::all_of(text, [](char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '{' || c == '}';
    });
}

Result<void> save_or_remove(const JsonFile& file, const std::string& text) {
    if (!says_nothing(text)) return save_json_file(file, text);
    std::error_code error;
    std::filesystem::remove(file.path, error);
    if (error)
        return reject(ErrorCode::denied, "{} cannot be removed: {}", file.path.string(),
                      error.message());
    return {};
}

}  // namespace parley::app
