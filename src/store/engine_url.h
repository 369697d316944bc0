// SPDX-License-Identifier: Apache-2.0
// Which store a program means: "memory:", "sqlite:PATH", or an address of PostgreSQL. Nothing is
// opened here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/private_file.h"
#include "base/result.h"
#include "base/shared_clock.h"
#include "store/engine.h"

namespace parley {

// The clock must outlive the engine, which tells `on_mended` on its own thread. An Error says what
// the URL should look like. An engine that several nodes share moves `shared`, if there is one, to
// the time of the store, before it is open.
[[nodiscard]] Result<std::unique_ptr<Engine>> make_engine(std::string_view url, const Clock& clock,
                                                          OnMended on_mended = {},
                                                          SharedClock* shared = nullptr);
// The file that "sqlite:PATH" names; nullopt for any other store.
std::optional<std::string> sqlite_path(std::string_view url);
bool is_postgres(std::string_view url);
// Whether it waits for a disk: such an engine has a thread of its own, any other lives on the loop.
bool needs_thread(std::string_view url);
// The same from every folder.
std::string absolute_url(std::string_view url);
// The same without a password, to be shown.
std::string shown_url(std::string_view url);

}  // namespace parley
