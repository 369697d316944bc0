// SPDX-License-Identifier: Apache-2.0
#include "app/keep/store_source.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "app/keep/export_files.h"
#include "store/engine_url.h"

namespace parley::app {

Result<std::unique_ptr<WorkFolder>> WorkFolder::make() {
    std::error_code code;
    const auto place = std::filesystem::temp_directory_path(code);
    std::string name = ((code ? "/tmp" : place) / "parley-store-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        return reject(ErrorCode::denied, "cannot make the folder {}: {}. To fix it: set TMPDIR",
                      name, std::strerror(errno));
    return std::unique_ptr<WorkFolder>(new WorkFolder(name));
}

WorkFolder::~WorkFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

Result<Readable> find_readable(const RunContext& context, const StoreOption& store,
                               LongWork& work) {
    TRY(meant, find_meant_store(context, store));
    return find_readable(context, std::move(meant), work);
}

Result<Readable> find_readable(const RunContext& context, MeantStore meant, LongWork& work) {
    if (!meant.is_brokers) return Readable{.folder = {}, .url = std::move(meant.url)};
    TRY(folder, WorkFolder::make());
    const std::string copy = folder->path("copy.db");
    TRY(file, NewFile::create(copy));
    CHECK_OK(copy_from_broker(context, meant, file, work));
    CHECK_OK(file.finish());
    return Readable{.folder = std::move(folder), .url = "sqlite:" + copy};
}

Result<std::unique_ptr<Engine>> open_engine(const std::string& url, const Clock& clock) {
    // A store that is not there would be made.
    CHECK_OK(open_archive(url, ArchiveUse::read, clock));
    TRY(engine, make_engine(url, clock));
    CHECK_OK(engine->open());
    return engine;
}

Result<StoreSource> open_source(const RunContext& context, const StoreOption& store,
                                LongWork& work) {
    TRY(meant, find_meant_store(context, store));
    return open_source(context, std::move(meant), work);
}

Result<StoreSource> open_source(const RunContext& context, MeantStore meant, LongWork& work) {
    TRY(readable, find_readable(context, std::move(meant), work));
    const SystemClock clock;
    TRY(archive, open_archive(readable.url, ArchiveUse::read, clock));
    return StoreSource{.folder = std::move(readable.folder), .archive = std::move(archive)};
}

}  // namespace parley::app
