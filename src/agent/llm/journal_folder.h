// SPDX-License-Identifier: Apache-2.0
// The conversations that a server holds itself, a file for each session, and whose these sessions
// are: a name that is made once and kept beside them, so that of several nodes on one store each
// goes on with those that it has the conversations of. Blocks.
#pragma once

#include <filesystem>
#include <string>

#include "agent/llm/journal_file.h"
#include "base/ids.h"
#include "base/result.h"
#include "parley/ids.h"

namespace parley {

class JournalFolder {
public:
    // The folder must be there.
    [[nodiscard]] static Result<JournalFolder> open(std::filesystem::path folder,
                                                    RandomBits random);

    // The agent that these sessions belong to.
    const std::string& principal() const { return principal_; }

    bool has(SessionId session) const;
    // Goes on with the one that is here, or begins one.
    [[nodiscard]] Result<JournalFile> take(SessionId session, JournalFile::Kept& kept) const;
    void forget(SessionId session) const;

private:
    JournalFolder(std::filesystem::path folder, std::string principal)
        : folder_(std::move(folder)), principal_(std::move(principal)) {}
    std::filesystem::path path_of(SessionId session) const;

    std::filesystem::path folder_;
    std::string principal_;
};

}  // namespace parley
