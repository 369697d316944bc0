// SPDX-License-Identifier: Apache-2.0
#include "core/profile.h"

#include "core/limits.h"

namespace parley {

constinit const Profile kStrictProfile = {.questions_max = limits::kModelQuestionsMax,
                                          .options_min = limits::kModelOptionsMin,
                                          .options_max = limits::kModelOptionsMax,
                                          .header_chars = limits::kModelHeaderChars};

constinit const Profile kOpenProfile = {.questions_max = limits::kProgramQuestionsMax,
                                        .options_min = 0,
                                        .options_max = limits::kProgramOptionsMax,
                                        .header_chars = limits::kProgramHeaderChars};

}  // namespace parley
