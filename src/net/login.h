// SPDX-License-Identifier: Apache-2.0
// How the system calls a user. Asks the system's databases, which may take a moment: keep the
// answer.
#pragma once

#include <sys/types.h>

#include <string>

namespace parley::net {

// "uid:1000" for a user without a name.
std::string login_name(uid_t uid);
// Whose process this is.
uid_t own_uid();

}  // namespace parley::net
