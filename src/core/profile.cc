// SPDX-License-Identifier: Apache-2.0
#include "core/profile.h"

#include "core/limits.h"

namespace parley {

constinit const Profile kStrictProfile = {.questions_max = limits::kStrictQuestionsMax,
                                          .options_min = limits::kStrictOptionsMin,
                                          .options_max = limits::kStrictOptionsMax,
                                          .header_chars = limits::kStrictHeaderChars};

constinit const Profile kOpenProfile = {.questions_max = limits::kOpenQuestionsMax,
                                        .options_min = 0,
                                        .options_max = limits::kOpenOptionsMax,
                                        .header_chars = limits::kOpenHeaderChars};

}  // namespace parley
