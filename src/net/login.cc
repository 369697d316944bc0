// SPDX-License-Identifier: Apache-2.0
#include "net/login.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <array>

#include "net/limits.h"

namespace parley::net {

std::string login_name(uid_t uid) {
    std::array<char, limits::kLoginEntryBytes> texts;
    passwd entry;
    passwd* found = nullptr;
    const int failed = getpwuid_r(uid, &entry, texts.data(), texts.size(), &found);
    if (failed != 0 || found == nullptr || *found->pw_name == 0) return fmt::format("uid:{}", uid);
    return found->pw_name;
}

uid_t own_uid() {
    return ::geteuid();
}

}  // namespace parley::net
