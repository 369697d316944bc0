// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <cstddef>

namespace parley::limits {

// What a call that waits for a person may hold beside twice its ask, which quotas bound.
inline constexpr std::size_t kKeptBesideAsk = 16UL * 1024;

// Between an editor and its agent.
inline constexpr std::size_t kAcpRacesMax = 64;             // requests open at once
inline constexpr std::size_t kAcpPromptsRemembered = 1024;  // of the editor, not yet answered
inline constexpr std::size_t kAcpChoiceChars = 200;         // of what the editor decided, in words
// One line of either; a longer one of the agent ends it, one of the editor is cut.
inline constexpr std::size_t kAcpProxyLineBytes = 256UL * 1024 * 1024;

}  // namespace parley::limits
