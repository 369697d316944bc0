// SPDX-License-Identifier: Apache-2.0
// The place of a SQLite store in the file system: its folder (0700), its file (0600), and the lock
// beside it that keeps a second broker out and names the first. The kernel drops the lock with its
// holder, however that ends, so it never goes stale.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/private_file.h"
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
    friend Result<FileLock> claim_store_file(const std::string& path, const OnMended& on_mended);
    friend Result<bool> is_held(const std::string& path);
    explicit FileLock(int descriptor) : descriptor_(descriptor) {}

    int descriptor_ = -1;
};

// Makes the folder and the file if they are missing and takes the lock `path`.lock. When another
// process, or another store of this one, has it: `conflict`, with the holder's pid and name. What
// others could read or write of it they cannot any more; files of another user are `denied`.
[[nodiscard]] Result<FileLock> claim_store_file(const std::string& path,
                                                const OnMended& on_mended = {});

// Whether some process has it at this moment; false where there is no such store.
[[nodiscard]] Result<bool> is_held(const std::string& path);

// Which file a path names, however it is called.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t bytes = 0;  // its size, which does not count

    bool operator==(const FileIdentity& other) const {
        return device == other.device && inode == other.inode;
    }
};
// Refused if there is none.
[[nodiscard]] Result<FileIdentity> identify(const std::string& path);
// Refused unless `path` still names `held`, which this process has open; the error says where what
// it held can be saved from.
[[nodiscard]] Result<FileIdentity> check_identity(const std::string& path,
                                                  const FileIdentity& held);

// `path` as one that means the same from every folder. Also keeps SQLite from taking names such as
// ":memory:" for something special.
[[nodiscard]] Result<std::string> absolute_path(const std::string& path);

}  // namespace parley::sqlite
