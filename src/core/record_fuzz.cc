// SPDX-License-Identifier: Apache-2.0
// Any bytes as a stored record: read or refused as corrupt; what is read writes a record that reads
// the same again.
#include <cstdint>

#include "base/assert.h"
#include "core/record.h"

namespace {

template <class T>
void check(std::string_view record, parley::Result<T> (*read)(std::string_view)) {
    const auto value = read(record);
    if (!value) {
        ASSERT(value.error().code == parley::ErrorCode::corrupt);
        return;
    }
    const std::string written = parley::to_record(*value);
    const auto again = read(written);
    ASSERT(again.has_value());
    ASSERT(parley::to_record(*again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace parley;
    const std::string_view record(reinterpret_cast<const char*>(data), size);
    check<AskSpec>(record, spec_from_record);
    check<Settlement>(record, settlement_from_record);
    check<Session>(record, session_from_record);
    check<Draft>(record, draft_from_record);
    check<Part>(record, part_from_record);
    check<SnoozeChanged>(record, snooze_from_record);
    check<MessageAdded>(record, message_from_record);
    check<NoticeGiven>(record, notice_from_record);
    return 0;
}
