// SPDX-License-Identifier: Apache-2.0
// The place of a SQLite store in the file system: its folder (0700), its file (0600), and the lock
// beside it that keeps a second broker out and names the first. The kernel drops the lock with its
// holder, however that ends, so it never goes stale.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace parley::sqlite {

// Held for as long as the store is open.
class FileLock {
public:
    FileLock() = default;
    FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    FileLock& operator=(FileLock&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock();

private:
    friend Result<FileLock> claim_store_file(const std::string& path);
    explicit FileLock(int descriptor) : descriptor_(descriptor) {}

    int descriptor_ = -1;
};

// Makes the folder and the file if they are missing and takes the lock `path`.lock. When another
// process, or another store of this one, has it: `conflict`, with the holder's pid and name.
[[nodiscard]] Result<FileLock> claim_store_file(const std::string& path);

// `path` as one that means the same from every folder. Also keeps SQLite from taking names such as
// ":memory:" for something special.
[[nodiscard]] Result<std::string> absolute_path(const std::string& path);

}  // namespace parley::sqlite
