// SPDX-License-Identifier: Apache-2.0
// A JSON file of another program that we change for its owner: read whole, written whole or not at
// all, and the change shown line by line. Blocks.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "text/json.h"

namespace parley::app {

struct JsonFile {
    std::filesystem::path path;
    std::string text;           // as it is; empty if there is none yet
    json::Value value;          // an empty object if there is none yet
    std::string indent = "  ";  // as its author writes it
};

// Refused: what is not JSON, so that nothing that we do not understand is written over.
[[nodiscard]] Result<JsonFile> load_json_file(const std::filesystem::path& path);
// Beside the file first, then in its place; a link stays a link, and the mode stays as it was.
// Folders are made as needed.
[[nodiscard]] Result<void> save_json_file(const JsonFile& file, const std::string& text);

// Whether a file with this text would say nothing: it is blank, or an empty object.
bool says_nothing(std::string_view text);
// As save_json_file; a file that would say nothing is removed.
[[nodiscard]] Result<void> save_or_remove(const JsonFile& file, const std::string& text);

std::string indented(const json::Value& value, std::string_view indent);
// The file's text with this member of its object set, or taken out where `value` is null. Every
// other byte stays as it is.
std::string with_member(const JsonFile& file, std::string_view name, const json::Value* value);

// The lines that go, with "-", and those that come, with "+".
std::string line_changes(std::string_view before, std::string_view after);

}  // namespace parley::app
