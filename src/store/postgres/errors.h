// SPDX-License-Identifier: Apache-2.0
// What PostgreSQL said, as an Error that names the fault and the way to mend it. Internal to the
// PostgreSQL engine.
#pragma once

#include <string_view>

#include "base/result.h"

namespace parley::postgres {

struct Complaint {
    std::string_view database;
    std::string_view host;
    std::string_view state;  // SQLSTATE; empty where a connection was refused
    std::string_view message;
    // The address has an @ or a / in a place where it may be a password's: names in it may be a
    // part of that.
    bool may_be_misread = false;
};

Error explain(const Complaint& complaint);

}  // namespace parley::postgres
