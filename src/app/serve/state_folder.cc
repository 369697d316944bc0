// SPDX-License-Identifier: Apache-2.0
#include "app/serve/state_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

namespace parley::app {

Result<void> make_state_folder(const std::filesystem::path& folder) {
    std::error_code error;
    if (std::filesystem::is_directory(folder, error)) return {};
    if (folder.has_parent_path() && folder.parent_path() != folder)
        CHECK_OK(make_state_folder(folder.parent_path()));
    if (::mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST) return {};
    return reject(ErrorCode::unavailable,
                  "cannot make the folder {}: {}; make it yours, or point XDG_STATE_HOME elsewhere",
                  folder.string(), std::strerror(errno));
}

Result<void> check_folder_of(const std::filesystem::path& file, std::string_view option) {
    const std::filesystem::path folder = file.parent_path();
    std::error_code error;
    if (folder.empty() || std::filesystem::is_directory(folder, error)) return {};
    return reject(ErrorCode::invalid,
                  "{} {}: there is no folder {}; see whether it is spelled right, or make it with "
                  "'mkdir -p -m 700 {}'",
                  option, file.string(), folder.string(), folder.string());
}

Result<void> check_folder_of_store(std::string_view url, std::string_view option) {
    constexpr std::string_view kSqlite = "sqlite:";
    if (!url.starts_with(kSqlite)) return {};
    return check_folder_of(std::filesystem::path(url.substr(kSqlite.size())), option);
}

}  // namespace parley::app
