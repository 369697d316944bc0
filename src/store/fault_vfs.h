// SPDX-License-Identifier: Apache-2.0
// For tests and the simulator only: a disk for SQLite that lives in memory, fails on demand, and
// loses power. It keeps what was synced apart from what was only written; after crash() the
// unsynced writes are there, gone or torn, as the seed decides. Any thread, one call at a time.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parley {

class CrashVfs {
public:
    // Registers itself with SQLite under a name of its own.
    explicit CrashVfs(std::uint64_t seed = 1);
    // No file may be open any more.
    ~CrashVfs();
    CrashVfs(const CrashVfs&) = delete;
    CrashVfs& operator=(const CrashVfs&) = delete;

    const std::string& name() const { return name_; }

    enum class Failure : std::uint8_t {
        disk_full,   // of a write: half of it arrives
        io_error,    // of a write, sync, truncation, creation or deletion
        read_error,  // of a read
        lost_sync,   // a failed sync whose data later syncs take for clean, as Linux does
        read_only,   // of a write, truncation, creation or deletion
        power_loss,  // everything fails from here on, until crash()
    };
    enum class Lasts : std::uint8_t { once, until_cleared };
    // The n-th operation from now that the failure can hit, counted from 1.
    void inject(Failure failure, std::uint64_t nth, Lasts lasts = Lasts::once);
    void clear_failure();
    bool was_hit() const;

    // The process ends: open files are dead, all that was written is still in the system's cache.
    void kill();
    // The power fails: open files are dead; what the disk holds afterwards depends on the seed.
    void crash(std::uint64_t seed);

    // The bytes of a file, to look at and to damage; "" when there is none.
    std::string content(const std::string& path) const;
    void set_content(const std::string& path, std::string bytes);

private:
    struct Write {
        std::uint64_t offset = 0;
        std::string bytes;
        bool is_truncation = false;  // to `offset`
    };
    struct File {
        std::string cached;   // what a read sees
        std::string durable;  // what survives
        std::vector<Write> unsynced;
        const void* lock_holder = nullptr;
    };
    using Folder = std::map<std::string, std::shared_ptr<File>>;
    enum class Operation : std::uint8_t { read, write, truncate, sync, create, remove };
    struct Handle;
    struct Methods;

    struct Armed {
        Failure failure;
        std::uint64_t left;
        Lasts lasts;
        bool was_hit = false;
    };

    std::optional<Failure> next_failure(Operation operation);
    int begin(const Handle& handle, Operation operation);
    static void apply(std::string& content, const Write& write);
    void lose_power_in(File& file);
    std::uint64_t random();

    mutable std::mutex mutex_;
    std::string name_;
    sqlite3_vfs vfs_ = {};
    std::uint64_t random_state_;
    std::uint64_t generation_ = 0;  // files opened before the latest kill or crash are dead
    Folder folder_;
    Folder durable_folder_;
    std::optional<Armed> armed_;
};

}  // namespace parley
