// SPDX-License-Identifier: Apache-2.0
#include "core/profile.h"

namespace parley {

constinit const Profile kStrictProfile = {
    .questions_max = 4, .options_min = 2, .options_max = 4, .header_chars = 12};

constinit const Profile kOpenProfile = {
    .questions_max = 32, .options_min = 0, .options_max = 200, .header_chars = 30};

}  // namespace parley
