// SPDX-License-Identifier: Apache-2.0
#include "store/fault_vfs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "base/assert.h"

namespace parley {

namespace {

constexpr std::uint64_t kSectorSize = 512;  // what a disk writes whole

std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

}  // namespace

// SQLite gives the memory and knows it by its first member.
struct CrashVfs::Handle {
    sqlite3_file base;
    CrashVfs* vfs;
    std::shared_ptr<File> file;
    std::uint64_t generation;
    int lock_level;

    static Handle& of(sqlite3_file* file) { return *reinterpret_cast<Handle*>(file); }
};

// The functions that SQLite calls.
struct CrashVfs::Methods {
    static CrashVfs& of(sqlite3_vfs* vfs) { return *static_cast<CrashVfs*>(vfs->pAppData); }

    static int open(sqlite3_vfs* raw, const char* name, sqlite3_file* file, int flags, int* out) {
        CrashVfs& vfs = of(raw);
        file->pMethods = nullptr;
        const std::scoped_lock lock(vfs.mutex_);
        std::shared_ptr<File> opened;
        const auto found = name != nullptr ? vfs.folder_.find(name) : vfs.folder_.end();
        if (found != vfs.folder_.end()) {
            opened = found->second;
        } else {
            if ((flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
            if (vfs.next_failure(Operation::create)) return SQLITE_CANTOPEN;
            opened = std::make_shared<File>();
            if (name != nullptr) vfs.folder_[name] = opened;
        }
        ::new (static_cast<void*>(file))
            Handle{{&kFileMethods}, &vfs, std::move(opened), vfs.generation_, SQLITE_LOCK_NONE};
        if (out != nullptr) *out = flags;
        return SQLITE_OK;
    }

    static int remove(sqlite3_vfs* raw, const char* name, int sync_folder) {
        CrashVfs& vfs = of(raw);
        const std::scoped_lock lock(vfs.mutex_);
        if (!vfs.folder_.contains(name)) return SQLITE_IOERR_DELETE_NOENT;
        if (vfs.next_failure(Operation::remove)) return SQLITE_IOERR_DELETE;
        vfs.folder_.erase(name);
        if (sync_folder != 0) vfs.durable_folder_ = vfs.folder_;
        return SQLITE_OK;
    }

    static int access(sqlite3_vfs* raw, const char* name, int, int* result) {
        CrashVfs& vfs = of(raw);
        const std::scoped_lock lock(vfs.mutex_);
        const auto found = vfs.folder_.find(name);
        // As on a real disk, an empty log counts as none.
        *result = found != vfs.folder_.end() && !found->second->cached.empty() ? 1 : 0;
        return SQLITE_OK;
    }

    static int full_path(sqlite3_vfs*, const char* name, int size, char* out) {
        const std::size_t length = std::strlen(name) + 1;
        if (length > static_cast<std::size_t>(size)) return SQLITE_CANTOPEN;
        std::memcpy(out, name, length);
        return SQLITE_OK;
    }

    static int randomness(sqlite3_vfs* raw, int size, char* out) {
        CrashVfs& vfs = of(raw);
        const std::scoped_lock lock(vfs.mutex_);
        for (int i = 0; i < size; ++i) out[i] = static_cast<char>(vfs.random());
        return size;
    }

    static int sleep(sqlite3_vfs*, int microseconds) { return microseconds; }
    static int current_time(sqlite3_vfs*, double* days) {
        *days = 2460000.5;
        return SQLITE_OK;
    }
    static int last_error(sqlite3_vfs*, int, char*) { return 0; }

    static int close(sqlite3_file* file) {
        Handle& handle = Handle::of(file);
        {
            const std::scoped_lock lock(handle.vfs->mutex_);
            if (handle.file->lock_holder == &handle) handle.file->lock_holder = nullptr;
        }
        handle.~Handle();
        return SQLITE_OK;
    }

    static int read(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
        Handle& handle = Handle::of(file);
        const std::scoped_lock lock(handle.vfs->mutex_);
        if (const int code = handle.vfs->begin(handle, Operation::read); code != SQLITE_OK)
            return code;
        const std::string& content = handle.file->cached;
        const auto from = std::min(content.size(), static_cast<std::size_t>(offset));
        const auto there = std::min(content.size() - from, static_cast<std::size_t>(size));
        std::memcpy(out, content.data() + from, there);
        if (there == static_cast<std::size_t>(size)) return SQLITE_OK;
        std::memset(static_cast<char*>(out) + there, 0, static_cast<std::size_t>(size) - there);
        return SQLITE_IOERR_SHORT_READ;
    }

    static int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
        Handle& handle = Handle::of(file);
        const std::scoped_lock lock(handle.vfs->mutex_);
        const int code = handle.vfs->begin(handle, Operation::write);
        if (code != SQLITE_OK && code != SQLITE_FULL) return code;
        const auto bytes = static_cast<std::size_t>(code == SQLITE_FULL ? size / 2 : size);
        Write write{static_cast<std::uint64_t>(offset),
                    std::string(static_cast<const char*>(data), bytes)};
        apply(handle.file->cached, write);
        handle.file->unsynced.push_back(std::move(write));
        return code;
    }

    static int truncate(sqlite3_file* file, sqlite3_int64 size) {
        Handle& handle = Handle::of(file);
        const std::scoped_lock lock(handle.vfs->mutex_);
        if (const int code = handle.vfs->begin(handle, Operation::truncate); code != SQLITE_OK)
            return code;
        Write write{static_cast<std::uint64_t>(size), {}, true};
        apply(handle.file->cached, write);
        handle.file->unsynced.push_back(std::move(write));
        return SQLITE_OK;
    }

    static int sync(sqlite3_file* file, int) {
        Handle& handle = Handle::of(file);
        CrashVfs& vfs = *handle.vfs;
        const std::scoped_lock lock(vfs.mutex_);
        if (const int code = vfs.begin(handle, Operation::sync); code != SQLITE_OK) {
            if (vfs.armed_ && vfs.armed_->failure == Failure::lost_sync)
                handle.file->unsynced.clear();
            return code;
        }
        for (const Write& write : handle.file->unsynced) apply(handle.file->durable, write);
        handle.file->unsynced.clear();
        // As SQLite's own VFS does after creating a file: its name is synced with it.
        vfs.durable_folder_ = vfs.folder_;
        return SQLITE_OK;
    }

    static int file_size(sqlite3_file* file, sqlite3_int64* size) {
        Handle& handle = Handle::of(file);
        const std::scoped_lock lock(handle.vfs->mutex_);
        *size = static_cast<sqlite3_int64>(handle.file->cached.size());
        return SQLITE_OK;
    }

    static int lock(sqlite3_file* file, int level) {
        Handle& handle = Handle::of(file);
        const std::scoped_lock lock(handle.vfs->mutex_);
        // A dead process locks nothing; without its lock SQLite deletes no log when it closes.
        if (handle.generation != handle.vfs->generation_) return SQLITE_IOERR_LOCK;
        const void*& holder = handle.file->lock_holder;
        if (holder != nullptr && holder != &handle) return SQLITE_BUSY;
        holder = &handle;
        handle.lock_level = std::max(handle.lock_level, level);
        return SQLITE_OK;
    }

    static int unlock(sqlite3_file* file, int level) {
        Handle& handle = Handle::of(file);
        const std::scoped_lock lock(handle.vfs->mutex_);
        handle.lock_level = level;
        const void*& holder = handle.file->lock_holder;
        if (level == SQLITE_LOCK_NONE && holder == &handle) holder = nullptr;
        return SQLITE_OK;
    }

    static int check_reserved(sqlite3_file* file, int* result) {
        Handle& handle = Handle::of(file);
        *result = handle.lock_level >= SQLITE_LOCK_RESERVED ? 1 : 0;
        return SQLITE_OK;
    }

    static int file_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
    static int sector_size(sqlite3_file*) { return 4096; }
    static int characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

    // Version 1: no shared memory, which the exclusive mode of locking does without.
    static constexpr sqlite3_io_methods kFileMethods = {
        .iVersion = 1,
        .xClose = close,
        .xRead = read,
        .xWrite = write,
        .xTruncate = truncate,
        .xSync = sync,
        .xFileSize = file_size,
        .xLock = lock,
        .xUnlock = unlock,
        .xCheckReservedLock = check_reserved,
        .xFileControl = file_control,
        .xSectorSize = sector_size,
        .xDeviceCharacteristics = characteristics,
        .xShmMap = nullptr,
        .xShmLock = nullptr,
        .xShmBarrier = nullptr,
        .xShmUnmap = nullptr,
        .xFetch = nullptr,
        .xUnfetch = nullptr,
    };
};

CrashVfs::CrashVfs(std::uint64_t seed) : random_state_(seed) {
    static std::atomic<int> made = 0;
    name_ = fmt::format("parley-crash-{}", ++made);
    vfs_.iVersion = 1;
    vfs_.szOsFile = sizeof(Handle);
    vfs_.mxPathname = 512;
    vfs_.zName = name_.c_str();
    vfs_.pAppData = this;
    vfs_.xOpen = Methods::open;
    vfs_.xDelete = Methods::remove;
    vfs_.xAccess = Methods::access;
    vfs_.xFullPathname = Methods::full_path;
    vfs_.xRandomness = Methods::randomness;
    vfs_.xSleep = Methods::sleep;
    vfs_.xCurrentTime = Methods::current_time;
    vfs_.xGetLastError = Methods::last_error;
    ASSERT(sqlite3_vfs_register(&vfs_, 0) == SQLITE_OK);
    // SQLite salts its log from a generator of its own; seeded, it writes the same bytes each time.
    sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, static_cast<int>(seed | 1U),
                         static_cast<sqlite3*>(nullptr));
}

CrashVfs::~CrashVfs() {
    sqlite3_vfs_unregister(&vfs_);
}

void CrashVfs::inject(Failure failure, std::uint64_t nth, Lasts lasts) {
    const std::scoped_lock lock(mutex_);
    armed_ = Armed{failure, nth, failure == Failure::power_loss ? Lasts::until_cleared : lasts};
}

void CrashVfs::clear_failure() {
    const std::scoped_lock lock(mutex_);
    armed_.reset();
}

bool CrashVfs::was_hit() const {
    const std::scoped_lock lock(mutex_);
    return armed_ && armed_->was_hit;
}

std::optional<CrashVfs::Failure> CrashVfs::next_failure(Operation operation) {
    if (!armed_) return std::nullopt;
    const auto can_hit = [&] {
        switch (armed_->failure) {
            case Failure::disk_full: return operation == Operation::write;
            case Failure::read_error: return operation == Operation::read;
            case Failure::lost_sync: return operation == Operation::sync;
            case Failure::io_error: return operation != Operation::read;
            case Failure::read_only:
                return operation != Operation::read && operation != Operation::sync;
            case Failure::power_loss: return true;
        }
        return false;
    };
    if (!can_hit()) return std::nullopt;
    if (armed_->left > 1) {
        --armed_->left;
        return std::nullopt;
    }
    if (armed_->was_hit && armed_->lasts == Lasts::once) return std::nullopt;
    armed_->was_hit = true;
    return armed_->failure;
}

int CrashVfs::begin(const Handle& handle, Operation operation) {
    if (handle.generation != generation_) return SQLITE_IOERR;
    const auto failure = next_failure(operation);
    if (!failure) return SQLITE_OK;
    if (*failure == Failure::disk_full) return SQLITE_FULL;
    if (*failure == Failure::read_only) return SQLITE_READONLY;
    switch (operation) {
        case Operation::read: return SQLITE_IOERR_READ;
        case Operation::write: return SQLITE_IOERR_WRITE;
        case Operation::truncate: return SQLITE_IOERR_TRUNCATE;
        case Operation::sync: return SQLITE_IOERR_FSYNC;
        default: return SQLITE_IOERR;
    }
}

void CrashVfs::apply(std::string& content, const Write& write) {
    if (write.is_truncation) {
        content.resize(std::min<std::size_t>(content.size(), write.offset));
        return;
    }
    if (content.size() < write.offset + write.bytes.size())
        content.resize(write.offset + write.bytes.size());
    content.replace(write.offset, write.bytes.size(), write.bytes);
}

void CrashVfs::kill() {
    const std::scoped_lock lock(mutex_);
    ++generation_;
    for (const auto& [path, file] : folder_) file->lock_holder = nullptr;
}

void CrashVfs::crash(std::uint64_t seed) {
    kill();
    const std::scoped_lock lock(mutex_);
    armed_.reset();
    random_state_ ^= mix(seed + 1);
    // A name that was not synced is there or not; each on its own.
    Folder left;
    for (const Folder* folder : {&folder_, &durable_folder_}) {
        for (const auto& [path, file] : *folder) {
            const auto now = folder_.find(path);
            const auto before = durable_folder_.find(path);
            const bool is_synced = now != folder_.end() && before != durable_folder_.end() &&
                                   now->second == before->second;
            if (is_synced || random() % 2 == 0) left[path] = file;
        }
    }
    for (const auto& [path, file] : left) lose_power_in(*file);
    folder_ = left;
    durable_folder_ = std::move(left);
}

void CrashVfs::lose_power_in(File& file) {
    // How much of the unsynced had reached the disk: nothing, all, or each sector by chance.
    const std::uint64_t share = random() % 4;
    for (const Write& write : file.unsynced) {
        if (write.is_truncation) {
            if (random() % 4 < share) apply(file.durable, write);
            continue;
        }
        std::uint64_t at = 0;
        while (at < write.bytes.size()) {
            const std::uint64_t sector_left = kSectorSize - (write.offset + at) % kSectorSize;
            const std::uint64_t size =
                std::min<std::uint64_t>(sector_left, write.bytes.size() - at);
            if (share == 3 || random() % 3 < share)
                apply(file.durable, {write.offset + at, write.bytes.substr(at, size)});
            at += size;
        }
    }
    file.unsynced.clear();
    file.cached = file.durable;
}

std::string CrashVfs::content(const std::string& path) const {
    const std::scoped_lock lock(mutex_);
    const auto found = folder_.find(path);
    return found == folder_.end() ? std::string() : found->second->cached;
}

void CrashVfs::set_content(const std::string& path, std::string bytes) {
    const std::scoped_lock lock(mutex_);
    auto file = std::make_shared<File>();
    file->cached = file->durable = std::move(bytes);
    folder_[path] = durable_folder_[path] = file;
}

std::uint64_t CrashVfs::random() {
    random_state_ += 0x9e3779b97f4a7c15U;
    return mix(random_state_);
}

}  // namespace parley
