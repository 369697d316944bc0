// SPDX-License-Identifier: Apache-2.0
#include "dialect/attachments.h"

#include <string_view>

#include "core/json_fields.h"

namespace parley {

namespace {

// On one line, and no end of the bracket: what follows it is not the file's name.
std::string plain(std::string text) {
    for (char& each : text)
        if (static_cast<unsigned char>(each) < ' ' || each == ']') each = ' ';
    return text;
}

std::string first_of(const json::Value& attachment, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        std::string text = json::text_field(attachment, name);
        // The file itself, not its name.
        if (!text.empty() && !text.starts_with("data:")) return plain(std::move(text));
    }
    return {};
}

}  // namespace

std::optional<std::string> attachment_text(const json::Value& attachment) {
    std::string name =
        attachment.is_string()
            ? plain(std::string(view_of(attachment.get_string())))
            : first_of(attachment, {"relativePath", "path", "filename", "name", "url"});
    const std::string type = first_of(attachment, {"mimeType", "mime", "mediaType", "contentType"});
    if (name.empty() && type.empty()) return std::nullopt;
    if (name.empty()) name = "a file";
    return "[Attached: " + name + (type.empty() ? "" : " (" + type + ")") + "]";
}

}  // namespace parley
