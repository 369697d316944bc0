// SPDX-License-Identifier: Apache-2.0
// Who brings one Codex to one broker: a single process, for as long as it lives. Two would both
// answer for it, and the end of either would take back what the other asks. Movable; gives the
// claim back when it goes.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "base/result.h"

namespace parley::app {

class JoinClaim {
public:
    struct Place {
        std::filesystem::path folder;  // in which claims are kept; made if it is not there
        std::string broker;            // the address of its page
        std::filesystem::path codex;   // where Codex listens
    };
    // The Error names the process that has it.
    [[nodiscard]] static Result<JoinClaim> take(const Place& place);

    JoinClaim() = default;
    JoinClaim(JoinClaim&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    JoinClaim& operator=(JoinClaim&& other) noexcept {
        std::swap(file_, other.file_);
        return *this;
    }
    ~JoinClaim();

private:
    explicit JoinClaim(int file) : file_(file) {}

    int file_ = -1;
};

}  // namespace parley::app
