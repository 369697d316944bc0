// SPDX-License-Identifier: Apache-2.0
#include "dialect/native/ask_texts.h"

#include <cstdint>
#include <utility>

#include "core/value_json.h"
#include "dialect/limits.h"
#include "dialect/native/server.h"

namespace parley::native {

namespace {

std::size_t place_of(const void* address) {
    const auto bits = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address));
    return static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15U) >> 32U) % limits::kAskTextsKept;
}

template <class T>
bool is_same(const std::weak_ptr<const T>& kept, const std::shared_ptr<const T>& value) {
    return !kept.owner_before(value) && !value.owner_before(kept);
}

}  // namespace

template <class T>
template <class Write>
std::string_view AskTexts::Kept<T>::find_or_write(const std::shared_ptr<const T>& value,
                                                  Write write) {
    Slot& slot = slots_[place_of(value.get())];
    if (is_same(slot.value, value)) return slot.text;
    slot.text.clear();
    write(slot.text);
    if (slot.text.size() > limits::kAskTextBytes) {
        slot.value.reset();
        long_ = std::exchange(slot.text, {});
        return long_;
    }
    slot.value = value;
    return slot.text;
}

std::string_view AskTexts::opening(const Ask& ask) {
    return openings_.find_or_write(ask.spec, [&](std::string& text) {
        json::Writer out(text);
        out.begin_object();
        write_opening(out, ask);
        out.end_object();
    });
}

std::string_view AskTexts::settlement(const std::shared_ptr<const Settlement>& settlement) {
    return settlements_.find_or_write(settlement, [&](std::string& text) {
        json::Writer out(text);
        write_settlement(out, *settlement);
    });
}

}  // namespace parley::native
