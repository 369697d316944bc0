// SPDX-License-Identifier: Apache-2.0
// Any bytes as text to show: escaping leaves nothing unsafe, and cutting and wrapping keep to the
// width and lose nothing. The first byte chooses the width.
#include "base/assert.h"
#include "text/safe_text.h"
#include "text/utf8.h"
#include "text/width.h"

namespace parley {
namespace {

void check_escaping(std::string_view bytes, std::string_view shown) {
    ASSERT(utf8::is_valid(shown));
    ASSERT(escape_unsafe(shown) == shown);
    for (std::size_t start = 0; start <= shown.size();) {
        const std::size_t end = std::min(shown.find_first_of("\n\t", start), shown.size());
        ASSERT(!find_unsafe(shown.substr(start, end - start)));
        start = end + 1;
    }
    const auto unsafe = find_unsafe(bytes);
    if (unsafe) ASSERT(unsafe->offset < bytes.size() && !unsafe->name.empty());
    if (!unsafe) ASSERT(bytes == shown);
}

void check_scalars(std::string_view bytes) {
    std::size_t at = 0;
    while (at < bytes.size() && utf8::next(bytes.substr(at)).valid)
        at += utf8::next(bytes.substr(at)).bytes;
    ASSERT(utf8::find_invalid(bytes).value_or(bytes.size()) == at);
    ASSERT(utf8::count_clusters(bytes) <= utf8::count_scalars(bytes));
    ASSERT(normalize_newlines(bytes).find('\r') == std::string::npos);
}

std::string without_spaces(std::string_view text) {
    std::string out;
    for (const char byte : text)
        if (byte != ' ' && byte != '\t' && byte != '\n') out += byte;
    return out;
}

void check_layout(std::string_view text, int cells) {
    std::string joined;
    for (const std::string& line : wrap(text, cells)) {
        ASSERT(text_width(line) <= cells || utf8::count_clusters(line) == 1);
        joined += line;
    }
    ASSERT(without_spaces(joined) == without_spaces(text));
    const std::string cut = cut_to_width(text, cells);
    ASSERT(text_width(cut) <= cells);
    ASSERT(utf8::is_valid(cut));
    ASSERT((cut == text) == (text_width(text) <= cells));
    ASSERT(utf8::count_clusters(cut_to_clusters(text, static_cast<std::size_t>(cells))) <=
           static_cast<std::size_t>(cells));
    ASSERT(expand_tabs(text, cells).find('\t') == std::string::npos);
}

}  // namespace
}  // namespace parley

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace parley;
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::string shown = escape_unsafe(bytes);
    check_scalars(bytes);
    check_escaping(bytes, shown);
    check_layout(shown, 1 + data[0] % 100);
    return 0;
}
