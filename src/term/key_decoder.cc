// SPDX-License-Identifier: Apache-2.0
#include "term/key_decoder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "term/limits.h"
#include "text/utf8.h"

namespace parley {

namespace {

using Code = Key::Code;

constexpr char kEscape = '\x1b';
constexpr std::string_view kPasteEnd = "\x1b[201~";
constexpr std::size_t kMouseSize = 6;  // ESC [ M and three more

struct Modifiers {
    bool is_shift = false;
    bool is_alt = false;
    bool is_ctrl = false;
};

// As xterm counts them: 1 and a bit each for Shift, Alt, Ctrl.
Modifiers modifiers_of(int number) {
    const int bits = std::max(number, 1) - 1;
    return {.is_shift = (bits & 1) != 0, .is_alt = (bits & 2) != 0, .is_ctrl = (bits & 4) != 0};
}

Key with(Code code, Modifiers modifiers) {
    return {.code = code,
            .is_ctrl = modifiers.is_ctrl,
            .is_alt = modifiers.is_alt,
            .is_shift = modifiers.is_shift};
}

// The numbers between the semicolons; what is none is 0.
std::array<int, 3> numbers_of(std::string_view parameters) {
    std::array<int, 3> numbers = {};
    for (int& number : numbers) {
        const std::size_t end = std::min(parameters.find(';'), parameters.size());
        (void)std::from_chars(parameters.data(), parameters.data() + end, number);
        parameters.remove_prefix(std::min(end + 1, parameters.size()));
    }
    return numbers;
}

std::optional<Code> code_of_final(char final) {
    switch (final) {
        case 'A': return Code::up;
        case 'B': return Code::down;
        case 'C': return Code::right;
        case 'D': return Code::left;
        case 'H': return Code::home;
        case 'F': return Code::end;
        case 'M': return Code::enter;  // of the keypad, after ESC O
        default: return std::nullopt;
    }
}

std::optional<Code> code_of_number(int number) {
    switch (number) {
        case 1:
        case 7: return Code::home;
        case 2: return Code::insert;
        case 3: return Code::del;
        case 4:
        case 8: return Code::end;
        case 5: return Code::page_up;
        case 6: return Code::page_down;
        default: return std::nullopt;
    }
}

// A key that is told by its character's number.
std::optional<Key> key_of_character(int character, Modifiers modifiers) {
    switch (character) {
        case '\r': return with(Code::enter, modifiers);
        case '\t': return with(Code::tab, modifiers);
        case kEscape: return with(Code::escape, modifiers);
        case '\b':
        case 0x7f: return with(Code::backspace, modifiers);
        default: break;
    }
    const bool is_surrogate = character >= 0xd800 && character <= 0xdfff;
    if (character < 0x20 || character > 0x10ffff || is_surrogate) return std::nullopt;
    Key key = with(Code::text, modifiers);
    key.is_shift = false;
    utf8::append(key.text, static_cast<char32_t>(character));
    return key;
}

Key key_of_control(char byte) {
    switch (byte) {
        case '\r': return {.code = Code::enter};
        case '\t': return {.code = Code::tab};
        case '\b':
        case '\x7f': return {.code = Code::backspace};
        case '\0': return {.text = " ", .is_ctrl = true};
        default: break;
    }
    // Ctrl takes two bits off: 1 is Ctrl-A, 0x1f is Ctrl-_.
    const char letter = static_cast<char>(byte + (byte <= 26 ? 0x60 : 0x40));
    return {.text = std::string(1, letter), .is_ctrl = true};
}

bool is_control(char byte) {
    return static_cast<unsigned char>(byte) < 0x20 || byte == '\x7f';
}

}  // namespace

std::vector<Key> KeyDecoder::feed(std::string_view bytes) {
    pending_ += bytes;
    while (!pending_.empty() && take()) {
    }
    return std::exchange(keys_, {});
}

std::optional<Millis> KeyDecoder::patience() const {
    if (is_pasting_) return limits::kPastePatience;
    if (!pending_.empty()) return limits::kEscapePatience;
    return std::nullopt;
}

std::vector<Key> KeyDecoder::time_out() {
    if (is_pasting_) {
        is_pasting_ = false;
        pending_.clear();
    } else if (pending_ == "\x1b") {
        emit({.code = Code::escape});
        pending_.clear();
    } else if (pending_.size() == 2 && pending_.front() == kEscape) {
        // Alt and one of the bytes that also start a sequence; half a character is dropped.
        if (!take_character(true, 1)) pending_.clear();
    } else {
        pending_.clear();
    }
    return std::exchange(keys_, {});
}

bool KeyDecoder::take() {
    if (is_pasting_) return take_paste();
    if (pending_.front() == kEscape) return take_escape();
    return take_character(false, 0);
}

// `from` is where the character starts: after the escape byte of an Alt.
bool KeyDecoder::take_character(bool is_alt, std::size_t from) {
    const std::string_view rest = std::string_view(pending_).substr(from);
    Key key;
    std::size_t bytes = 1;
    if (is_control(rest.front())) {
        key = key_of_control(rest.front());
    } else {
        const utf8::Scalar scalar = utf8::next(rest);
        // A character in several bytes that are not all here.
        const auto lead = static_cast<unsigned char>(rest.front());
        const std::size_t wanted = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        if (!scalar.valid && lead < 0xf5 && rest.size() < wanted &&
            std::ranges::all_of(rest.substr(1), [](char c) { return (c & 0xc0) == 0x80; }))
            return false;
        bytes = scalar.bytes;
        utf8::append(key.text, scalar.value);
    }
    key.is_alt = is_alt;
    pending_.erase(0, from + bytes);
    emit(std::move(key));
    return true;
}

bool KeyDecoder::take_escape() {
    if (pending_.size() < 2) return false;
    switch (pending_[1]) {
        case kEscape:
            // The first one was the key; the second starts something of its own.
            emit({.code = Code::escape});
            pending_.erase(0, 1);
            return true;
        case '[': return take_csi();
        case 'O': {
            if (pending_.size() < 3) return false;
            if (const auto code = code_of_final(pending_[2])) emit({.code = *code});
            pending_.erase(0, 3);
            return true;
        }
        case ']':
        case 'P': return take_string();
        default: return take_character(true, 1);
    }
}

bool KeyDecoder::take_csi() {
    if (pending_.starts_with("\x1b[M")) return take_mouse();
    std::size_t end = 2;
    while (end < pending_.size() && pending_[end] >= 0x20 && pending_[end] < 0x40) ++end;
    if (end > limits::kKeySequenceBytes) {
        pending_.erase(0, end);
        return true;
    }
    if (end == pending_.size()) return false;
    const char final = pending_[end];
    // A control inside is no part of it: the sequence was cut off.
    const bool is_whole = final >= 0x40 && final < 0x7f;
    const std::string parameters = pending_.substr(2, end - 2);
    pending_.erase(0, is_whole ? end + 1 : end);
    if (is_whole) end_csi(parameters, final);
    return true;
}

void KeyDecoder::end_csi(std::string_view parameters, char final) {
    const std::array<int, 3> numbers = numbers_of(parameters);
    const Modifiers modifiers = modifiers_of(numbers[1]);
    std::optional<Key> key;
    if (parameters.empty() && (final == 'I' || final == 'O')) {
        key = Key{.code = final == 'I' ? Code::focus_in : Code::focus_out};
    } else if (final == 'Z') {
        key = Key{.code = Code::tab, .is_shift = true};
    } else if (final == '~' && numbers[0] == 200) {
        is_pasting_ = true;
    } else if (final == '~' && numbers[0] == 27) {
        key = key_of_character(numbers[2], modifiers);
    } else if (final == '~') {
        if (const auto code = code_of_number(numbers[0])) key = with(*code, modifiers);
    } else if (final == 'u') {
        key = key_of_character(numbers[0], modifiers);
    } else if (final != 'M') {
        if (const auto code = code_of_final(final)) key = with(*code, modifiers);
    }
    if (key) emit(std::move(*key));
}

bool KeyDecoder::take_mouse() {
    if (pending_.size() < kMouseSize) return false;
    pending_.erase(0, kMouseSize);
    return true;
}

// The terminal's answer to a question that some program asked; it ends with BEL or ESC \.
bool KeyDecoder::take_string() {
    const std::size_t end = pending_.find_first_of("\x07\x1b", 2);
    if (end == std::string::npos) {
        if (pending_.size() <= limits::kKeySequenceBytes) return false;
        pending_.clear();
        return true;
    }
    if (pending_[end] == kEscape && end + 1 == pending_.size()) return false;
    const bool has_terminator = pending_[end] == kEscape && pending_[end + 1] == '\\';
    const bool is_bell = pending_[end] != kEscape;
    pending_.erase(0, end + (has_terminator ? 2 : is_bell ? 1 : 0));
    return true;
}

// A long paste comes in pieces. The end mark counts only as a whole.
bool KeyDecoder::take_paste() {
    const std::size_t end = pending_.find(kPasteEnd);
    std::size_t ready = end;
    if (end == std::string::npos) {
        ready = pending_.size();
        for (std::size_t kept = std::min(kPasteEnd.size() - 1, ready); kept > 0; --kept)
            if (kPasteEnd.starts_with(std::string_view(pending_).substr(pending_.size() - kept))) {
                ready = pending_.size() - kept;
                break;
            }
        // Nor is a character cut in two.
        while (ready > 0 && pending_.size() - ready < 4 &&
               !utf8::is_valid(std::string_view(pending_).substr(0, ready)))
            --ready;
        if (ready == 0 && pending_.size() < kPasteEnd.size()) return false;
        if (ready == 0) ready = 1;
    }
    std::string text;
    std::string_view rest = std::string_view(pending_).substr(0, ready);
    while (!rest.empty()) {
        const utf8::Scalar scalar = utf8::next(rest);
        utf8::append(text, scalar.value);
        rest.remove_prefix(scalar.bytes);
    }
    if (!text.empty()) emit({.code = Code::paste, .text = std::move(text)});
    is_pasting_ = end == std::string::npos;
    pending_.erase(0, ready + (is_pasting_ ? 0 : kPasteEnd.size()));
    return !is_pasting_;
}

}  // namespace parley
