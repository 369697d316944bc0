// SPDX-License-Identifier: Apache-2.0
// The vocabulary as a store keeps it: one compact JSON document a value, stable across versions
// (unknown fields are ignored, new ones have defaults). What cannot be read back is `corrupt`.
// Pure functions; reading many records costs no allocation beyond the values themselves.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/event.h"
#include "parley/values.h"

namespace parley {

std::string to_record(const AskSpec& spec);
std::string to_record(const Settlement& settlement);
std::string to_record(const Session& session);
std::string to_record(const Part& part);
std::string to_record(const Draft& draft);
std::string to_record(const SnoozeChanged& snooze);  // without its ask
std::string to_record(const MessageAdded& message);
std::string to_record(const NoticeGiven& notice);

[[nodiscard]] Result<AskSpec> spec_from_record(std::string_view record);
[[nodiscard]] Result<Settlement> settlement_from_record(std::string_view record);
[[nodiscard]] Result<Session> session_from_record(std::string_view record);
[[nodiscard]] Result<Part> part_from_record(std::string_view record);
[[nodiscard]] Result<Draft> draft_from_record(std::string_view record);
[[nodiscard]] Result<SnoozeChanged> snooze_from_record(std::string_view record);
[[nodiscard]] Result<MessageAdded> message_from_record(std::string_view record);
[[nodiscard]] Result<NoticeGiven> notice_from_record(std::string_view record);

}  // namespace parley
