// SPDX-License-Identifier: Apache-2.0
// Where the broker of this user is. Programs that start `parley` may keep most of the environment
// from it, so the folder that XDG_RUNTIME_DIR names is not always known: the broker also writes its
// socket's path into the state folder. Nothing found there is trusted before it is known to be
// this user's own. Blocks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/environment.h"

namespace parley {

// A line in the state folder for as long as this lives; it is taken back only if it still says the
// same. That it cannot be written is no reason not to serve.
class PlaceMark {
public:
    PlaceMark() = default;
    PlaceMark(std::filesystem::path file, const std::filesystem::path& socket);
    ~PlaceMark();
    PlaceMark(PlaceMark&& other) noexcept;
    PlaceMark& operator=(PlaceMark&& other) noexcept;

private:
    void remove();

    std::filesystem::path file_;  // empty: there is none
    std::string text_;
};

std::filesystem::path place_mark_file(const std::filesystem::path& state_folder);

// The sockets at which the broker may listen, the default one first whether it is there or not,
// then those elsewhere that are there and this user's own. Empty only without a home.
std::vector<std::filesystem::path> broker_sockets(const Environment& environment);

}  // namespace parley
