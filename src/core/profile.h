// SPDX-License-Identifier: Apache-2.0
// How much an asker may ask at once. The strict profile is for tools that are given to models, the
// open one for programs. Constant values; pure.
#pragma once

#include <cstddef>

namespace parley {

struct Profile {
    std::size_t questions_max = 0;
    std::size_t options_min = 0;
    std::size_t options_max = 0;
    std::size_t header_chars = 0;      // longer headers are cut for display
    bool refuses_long_header = false;  // --strict-header: refused instead of cut
};

extern const Profile kStrictProfile;
extern const Profile kOpenProfile;

}  // namespace parley
